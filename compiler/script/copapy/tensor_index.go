package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// pick is what a subscript takes of one axis: one row, which removes the axis,
// or count rows from start by step.
type pick struct {
	single             bool
	start, step, count int
}

func (p pick) everything(n int) bool { return !p.single && p.start == 0 && p.step == 1 && p.count == n }

// Index takes ints and slices, or a tuple of them for several axes.
func (x *Tensor) Index(t *vm.Thread, key vm.Value) (vm.Value, error) {
	keys := []vm.Value{key}
	if tuple, ok := key.(*vm.Tuple); ok {
		keys = tuple.Elems
	}
	s := x.shape()
	if len(keys) > len(s) {
		return nil, vm.Raise(vm.IndexError, "too many indices: the %s has %d axes, but %d were indexed", vm.TypeName(x), len(s), len(keys))
	}
	picks := make([]pick, len(s))
	dims, singles := graph.Shape{}, 0
	for axis, n := range s {
		p := pick{step: 1, count: n}
		if axis < len(keys) {
			var err error
			if p, err = x.pick(t, axis, keys[axis]); err != nil {
				return nil, err
			}
		}
		picks[axis] = p
		if p.single {
			singles++
		} else {
			dims = append(dims, p.count)
		}
	}
	x.m.at(t)
	switch {
	case singles == len(s):
		at := 0
		for axis, p := range picks {
			at = at*s[axis] + p.start
		}
		return x.element(at)
	case x.traced() && dims.Elements() > 0:
		return x.pickTraced(picks)
	}
	return x.pickPlain(t, picks, dims)
}

// pick resolves the subscript of one axis.
func (x *Tensor) pick(t *vm.Thread, axis int, key vm.Value) (pick, error) {
	n := x.shape()[axis]
	switch k := key.(type) {
	case *vm.Slice:
		start, step, count, err := k.Indices(t, n)
		return pick{start: start, step: step, count: count}, err
	case *Value:
		return pick{}, vm.WithHint(vm.TypeErrorf("a traced value cannot be an index"), "an index must be known while tracing; pick with cp.iif")
	}
	i, ok := vm.AsInt(key)
	if !ok {
		return pick{}, vm.TypeErrorf("%s indices must be integers or slices, not %s", vm.TypeName(x), vm.TypeName(key))
	}
	if i < -int64(n) || i >= int64(n) {
		if len(x.shape()) == 1 {
			return pick{}, vm.Raise(vm.IndexError, "vector index out of range: the vector has %d elements", n)
		}
		return pick{}, vm.Raise(vm.IndexError, "index %d is out of range for axis %d, which has %d rows", i, axis, n)
	}
	if i < 0 {
		i += int64(n)
	}
	return pick{single: true, start: int(i), step: 1, count: 1}, nil
}

func (x *Tensor) pickPlain(t *vm.Thread, picks []pick, dims graph.Shape) (vm.Value, error) {
	if err := t.Charge(32 * int64(dims.Elements())); err != nil {
		return nil, err
	}
	at, stride := []int{0}, x.shape().Elements()
	for axis, n := range x.shape() {
		if n > 0 {
			stride /= n
		}
		p := picks[axis]
		next := make([]int, 0, len(at)*p.count)
		for _, a := range at {
			for i := range p.count {
				next = append(next, a+(p.start+i*p.step)*stride)
			}
		}
		at = next
	}
	out := make([]vm.Value, len(at))
	for i, a := range at {
		out[i] = x.plain[a]
	}
	return x.m.plainTensor(dims, out), nil
}

func (x *Tensor) pickTraced(picks []pick) (vm.Value, error) {
	c := x.m.chain(x.array)
	axis := 0
	for _, p := range picks {
		switch n := c.shape()[axis]; {
		case p.single:
			c.toFront(axis)
			rest := c.shape()[1:]
			c.index(p.start)
			c.fromFront(axis, 0, rest)
			continue
		case !p.everything(n):
			c.toFront(axis)
			rest := c.shape()[1:]
			c.slice(p.start, p.count, p.step)
			c.fromFront(axis, 1, rest)
		}
		axis++
	}
	return c.value()
}
