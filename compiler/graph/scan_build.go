package graph

import (
	"fmt"
	"slices"
)

// Scan builds a static loop of n iterations, 0 to MaxIterations. body is called once: it
// makes, of the number of the iteration, the carries and one row of each of xs, the
// carries of the next iteration and the rows of this one. It may use any other value
// of the graph. The arrays xs have n rows each.
//
// It returns the carries after the last iteration and the rows of all iterations, stacked
// along a new first axis. The next carries have the types and shapes of carry:
// nothing is converted. What the body computes of neither iteration, carry nor xs is
// computed once, in front of the loop. Values made in the body that depend on
// those are known only in it: a program cannot use them elsewhere.
func (g *Graph) Scan(n int, carry, xs []Value, body func(iteration Value, carry, xs []Value) (next, rows []Value, err error)) (last, stacked []Value, err error) {
	if err := g.checkScanOperands(n, carry, xs); err != nil {
		return nil, nil, err
	}
	var params []Value
	param := func(t DType, s Shape) (Value, error) {
		v, err := g.param(t, s)
		params = append(params, v)
		return v, err
	}
	if _, err := param(I32, Shape{}); err != nil {
		return nil, nil, err
	}
	for i, v := range append(slices.Clip(carry), xs...) {
		s := v.Shape()
		if i >= len(carry) {
			s = s[1:]
		}
		if _, err := param(v.DType(), s); err != nil {
			return nil, nil, err
		}
	}
	next, rows, err := body(params[0], params[1:1+len(carry)], params[1+len(carry):])
	if err != nil {
		return nil, nil, err
	}
	if err := g.checkScanResults(carry, next, rows); err != nil {
		return nil, nil, err
	}
	if n == 0 {
		stacked, err := g.emptyRows(rows)
		return slices.Clone(carry), stacked, err
	}
	x := extraction{g: g, to: New(), moved: map[ID]ID{}}
	s := &Scan{Iterations: n, Body: x.to, Carries: len(carry), Slices: len(xs)}
	outside, err := x.run(params, append(slices.Clip(next), rows...), s)
	if err != nil {
		return nil, nil, err
	}
	loop, err := g.InternScan(s)
	if err != nil {
		return nil, nil, err
	}
	args := make([]ID, 0, len(carry)+len(xs)+len(outside))
	for _, v := range append(slices.Clip(carry), xs...) {
		args = append(args, v.id)
	}
	args = append(args, outside...)
	for out := range s.Results {
		v, err := g.ScanResult(loop, out, args)
		if err != nil {
			return nil, nil, err
		}
		if out < s.Carries {
			last = append(last, v)
		} else {
			stacked = append(stacked, v)
		}
	}
	return last, stacked, nil
}

// Fori builds a static loop without rows: carry = body(iteration, carry) for iteration 0 to
// n-1. See Scan.
func (g *Graph) Fori(n int, carry []Value, body func(iteration Value, carry []Value) ([]Value, error)) ([]Value, error) {
	last, _, err := g.Scan(n, carry, nil, func(iteration Value, carry, _ []Value) (next, rows []Value, err error) {
		next, err = body(iteration, carry)
		return next, nil, err
	})
	return last, err
}

// ScanResult is the node for a result of a loop of this graph with operands that
// fit, which it trusts.
func (g *Graph) ScanResult(loop, out int, args []ID) (Value, error) {
	t, s := g.scans.list[loop].ResultType(out)
	if err := g.room(OpScan, len(args)); err != nil {
		return Value{g, None}, err
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(OpScan, "the loop stacks %d rows: %v", g.scans.list[loop].Iterations, err)
	}
	return Value{g, g.Intern(OpScan, t, shape, ScanAttr(loop, out), args...)}, nil
}

func (g *Graph) checkScanOperands(n int, carry, xs []Value) error {
	if n < 0 || n > MaxIterations {
		return g.errorf(OpScan, "%d iterations: 0 to %d are supported", n, MaxIterations)
	}
	for i, v := range carry {
		if !g.owns(v) {
			return g.errorf(OpScan, "carry %d is not a value of this graph", i)
		}
	}
	for i, v := range xs {
		if !g.owns(v) {
			return g.errorf(OpScan, "sliced array %d is not a value of this graph", i)
		}
		if s := v.Shape(); len(s) == 0 || s[0] != n {
			return g.errorf(OpScan, "sliced array %d has shape %v, which does not have a row for each of %d iterations", i, s, n)
		}
	}
	return nil
}

func (g *Graph) checkScanResults(carry, next, rows []Value) error {
	if len(next) != len(carry) {
		return g.errorf(OpScan, "the body gives %d carries, not %d", len(next), len(carry))
	}
	for i, v := range next {
		if !g.owns(v) {
			return g.errorf(OpScan, "carry %d that the body gives is not a value of this graph", i)
		}
		if c := carry[i]; v.DType() != c.DType() || !v.Shape().Equal(c.Shape()) {
			return g.errorf(OpScan, "carry %d is %s and becomes %s", i, describe(c.DType(), c.Shape()), describe(v.DType(), v.Shape()))
		}
	}
	for i, v := range rows {
		if !g.owns(v) {
			return g.errorf(OpScan, "row %d that the body gives is not a value of this graph", i)
		}
	}
	return nil
}

// emptyRows is what rows stack to in a loop without iterations.
func (g *Graph) emptyRows(rows []Value) ([]Value, error) {
	var stacked []Value
	for _, v := range rows {
		empty, err := g.Fill(v.DType(), append(Shape{0}, v.Shape()...), 0)
		if err != nil {
			return nil, err
		}
		stacked = append(stacked, empty)
	}
	return stacked, nil
}

// param returns a new param, distinct from every other of the graph.
func (g *Graph) param(t DType, s Shape) (Value, error) {
	if err := g.room(OpParam, 0); err != nil {
		return Value{g, None}, err
	}
	shape, err := g.shapes.intern(s)
	if err != nil {
		return Value{g, None}, g.errorf(OpParam, "%v", err)
	}
	v := Value{g, g.intern(OpParam, t, shape, uint64(g.params), None, None, None, 0)}
	g.params++
	return v, nil
}

// DefineParam adds a param to the body of a loop that is made node by node, in
// order of their index. InternScan checks that they come before all other nodes.
func (g *Graph) DefineParam(index int, t DType, s Shape) (ID, error) {
	if !t.Valid() || index != g.params {
		return None, fmt.Errorf("param %d comes where param %d is due", index, g.params)
	}
	v, err := g.param(t, s)
	return v.id, err
}

// extraction copies the part of a graph that depends on params to a graph of its
// own, the body of a loop.
type extraction struct {
	g, to *Graph
	moved map[ID]ID
}

// run makes the body and the results of s; it returns the values from outside.
func (x *extraction) run(params, results []Value, s *Scan) (outside []ID, err error) {
	g, first := x.g, params[0].id
	inside := make([]bool, len(g.nodes)-int(first)) // depends on a param, by node from first on
	is := func(id ID) bool { return id >= first && inside[id-first] }
	for _, p := range params {
		inside[p.id-first] = true
	}
	for id := first; int(id) < len(g.nodes); id++ {
		if slices.ContainsFunc(g.Args(id), is) {
			inside[id-first] = true
		}
	}
	// What the results need of it, and what that needs from outside. Scalars that
	// are known are copied: rules of the optimiser see them then.
	needed := map[ID]bool{}
	var order []ID
	open := make([]ID, 0, len(results))
	for _, v := range results {
		open = append(open, v.id)
	}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if needed[id] {
			continue
		}
		needed[id] = true
		order = append(order, id)
		if is(id) {
			open = append(open, g.Args(id)...)
		}
	}
	slices.Sort(order)
	for _, p := range params {
		x.param(p.id)
	}
	for _, id := range order {
		if !is(id) && g.nodes[id].Op != OpConst {
			outside = append(outside, id)
			x.param(id)
		}
	}
	for _, id := range order {
		if _, done := x.moved[id]; done {
			continue
		}
		if err := x.copy(id); err != nil {
			return nil, err
		}
	}
	for _, v := range results {
		s.Results = append(s.Results, x.moved[v.id])
	}
	// Params that nothing uses and that are slices could go, but then the operands
	// of the loop would not be those that were asked for: the optimiser does that.
	return outside, nil
}

// param makes the next param of the body for a value of the graph.
func (x *extraction) param(id ID) {
	v, err := x.to.param(x.g.nodes[id].DType, x.g.ShapeOf(id))
	if err != nil {
		panic(err) // the shape is interned in the graph already
	}
	x.moved[id] = v.id
}

// copy copies a node whose operands are copied.
func (x *extraction) copy(id ID) error {
	n := &x.g.nodes[id]
	x.to.SetPos(n.Pos)
	x.to.SetFast(n.Fast)
	shape, err := x.to.shapes.intern(x.g.ShapeOf(id))
	if err != nil {
		panic(err) // interned in the graph already
	}
	switch {
	case n.Op == OpConst && n.Shape != Scalar:
		if err := x.to.hold(OpConst, len(x.g.ConstBits(id))); err != nil {
			return err
		}
		x.moved[id] = x.to.ConstArray(n.DType, shape, x.g.ConstBits(id))
		return nil
	case n.Op == OpParam:
		panic("graph: a param of another loop depends on none")
	}
	attr := n.Attr
	if n.Op == OpScan {
		s, out := x.g.ScanInfo(id)
		attr = ScanAttr(x.to.internScan(s), out)
	}
	args := make([]ID, len(x.g.Args(id)))
	for i, a := range x.g.Args(id) {
		args[i] = x.moved[a]
	}
	x.moved[id] = x.to.Intern(n.Op, n.DType, shape, attr, args...)
	return nil
}

// Iteration adds to the graph what one iteration of a loop computes of the given params: the
// iteration, carries, rows and values from outside, which have the types and shapes of
// the params of the body. wanted says which results; the others are invalid.
func (g *Graph) Iteration(s *Scan, params []Value, wanted func(result int) bool) ([]Value, error) {
	var outs []ID
	for k, id := range s.Results {
		if wanted(k) {
			outs = append(outs, id)
		}
	}
	x := extraction{g: s.Body, to: g, moved: map[ID]ID{}}
	pos, fast := g.pos, g.fast
	defer func() { g.pos, g.fast = pos, fast }()
	for id, n := range s.Body.Users(outs) {
		if n == 0 {
			continue
		}
		node := &s.Body.nodes[id]
		if node.Op == OpParam {
			x.moved[ID(id)] = params[node.Attr].id
			continue
		}
		if err := g.room(node.Op, len(s.Body.Args(ID(id)))); err != nil {
			return nil, err
		}
		if err := x.copy(ID(id)); err != nil {
			return nil, err
		}
	}
	results := make([]Value, len(s.Results))
	for k, id := range s.Results {
		if results[k] = (Value{g, None}); wanted(k) {
			results[k].id = x.moved[id]
		}
	}
	return results, nil
}
