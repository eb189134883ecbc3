package array

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// cumsum is x.cumsum(axis=None): each element plus all those before it, added from
// the first on.
func (x *Tensor) cumsum(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.running(t, "cumsum", graph.OpAdd, args[0])
}

// cumprod is x.cumprod(axis=None), likewise.
func (x *Tensor) cumprod(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return x.running(t, "cumprod", graph.OpMul, args[0])
}

// extreme is each element or the largest or smallest of those before it. A NaN stays.
func extreme(fn string, op graph.Op) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		return x.running(t, fn, op, args[0])
	}
}

// accumulate is an op as running uses it.
type accumulate struct {
	combine func(c *Calc, fn string, before, next vm.Value) vm.Value
	counts  bool // bools are ints
	// neutral is what changes nothing, before the first element, for floats and for ints.
	neutral [2]float64
}

var accumulates = map[graph.Op]accumulate{
	graph.OpAdd: {func(c *Calc, _ string, x, y vm.Value) vm.Value { return c.Add(x, y) }, true, [2]float64{math.Copysign(0, -1), 0}},
	graph.OpMul: {func(c *Calc, _ string, x, y vm.Value) vm.Value { return c.Mul(x, y) }, true, [2]float64{1, 1}},
	graph.OpMin: {func(c *Calc, fn string, x, y vm.Value) vm.Value { return c.Extremum(fn, graph.OpMin, x, y) }, false, [2]float64{math.Inf(1), math.MaxInt32}},
	graph.OpMax: {func(c *Calc, fn string, x, y vm.Value) vm.Value { return c.Extremum(fn, graph.OpMax, x, y) }, false, [2]float64{math.Inf(-1), math.MinInt32}},
}

// running combines each row along an axis with what those before it gave.
func (x *Tensor) running(t *vm.Thread, fn string, op graph.Op, along vm.Value) (vm.Value, error) {
	x, axis, err := x.OneAxis(fn, along)
	if err != nil {
		return nil, err
	}
	if x.Shape().Elements() == 0 {
		return x, nil
	}
	c, how := x.m.Calc(t), accumulates[op]
	if how.counts {
		r, err := c.Done(boolsAsInts(c, x))
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	n := x.Shape()[axis]
	if x.Traced() && n > few && x.Node.DType() != graph.Bool {
		x.m.At(t)
		loop := x.m.chain(x.Node)
		loop.run(op, how.neutral, axis)
		return loop.value()
	}
	rows := make([]*Tensor, n)
	for i := range rows {
		row, err := x.Slice(t, axis, i, i+1)
		if err != nil {
			return nil, err
		}
		if rows[i] = row; i == 0 {
			continue
		}
		next, ok := how.combine(c, fn, rows[i-1], row).(*Tensor)
		if !ok || c.Err != nil {
			return c.Done(nil)
		}
		rows[i] = next
	}
	return x.m.Concat(t, fn, rows, axis)
}

// run is running as a loop.
func (c *chain) run(op graph.Op, neutral [2]float64, axis int) {
	c.toFront(axis)
	if c.err != nil {
		return
	}
	s, t := slices.Clone(c.shape()), c.v.DType()
	rest := s[1:]
	start := c.m.Graph.Number(t, neutral[0])
	if !t.IsFloat() {
		start = c.m.Graph.Number(t, neutral[1])
	}
	body := func(_ graph.Value, carry, xs []graph.Value) (next, rows []graph.Value, err error) {
		r, err := c.m.Graph.Apply(op, carry[0], xs[0])
		return []graph.Value{r}, []graph.Value{r}, err
	}
	if rest.Elements() > 1 {
		repeated, err := c.m.Graph.Broadcast(start, rest)
		c.err, start = err, repeated
	}
	if c.err != nil {
		return
	}
	_, rows, err := c.m.Graph.Scan(c.shape()[0], []graph.Value{start}, []graph.Value{c.v}, body)
	if err != nil {
		c.err = err
		return
	}
	c.v = rows[0]
	c.reshape(s...)
	c.fromFront(axis, 1, rest)
}
