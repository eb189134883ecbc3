package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// setPicks assigns to a block of a large traced array, axis by axis: rows of it and rows
// of the value are put together. v has the shape of the block or is one element.
func (x *Tensor) setPicks(t *vm.Thread, picks []pick, v vm.Value) error {
	dims := graph.Shape{}
	for axis, p := range picks {
		n := p.count
		if p.everything(x.Shape()[axis]) {
			n = x.Shape()[axis]
		}
		dims = append(dims, n)
	}
	if dims.Elements() == 0 {
		return nil
	}
	if y, ok := v.(*Tensor); ok {
		r, err := y.Reshaped(dims)
		if err != nil {
			return err
		}
		v = r
	}
	r, err := x.Copied().withBlock(t, 0, picks, v)
	if err != nil {
		return err
	}
	return x.become(t, x, r)
}

// withBlock is setPicks from one axis on.
func (x *Tensor) withBlock(t *vm.Thread, axis int, picks []pick, v vm.Value) (*Tensor, error) {
	for axis < len(picks) && picks[axis].everything(x.Shape()[axis]) {
		axis++
	}
	if axis == len(picks) {
		return x.filledWith(t, v)
	}
	inner := slices.ContainsFunc(picks[axis+1:], func(p pick) bool { return !p.everything(-1) })
	if inner {
		part, err := x.along(t, axis, picks[axis].rows())
		if err != nil {
			return nil, err
		}
		changed, err := part.withBlock(t, axis+1, picks, v)
		if err != nil {
			return nil, err
		}
		v = changed
	}
	return x, x.setRows(t, axis, picks[axis], v)
}

// rows is a pick that leaves its axis there.
func (p pick) rows() pick {
	p.single = false
	return p
}

// filledWith is a value in the shape of x and the type of its elements.
func (x *Tensor) filledWith(t *vm.Thread, v vm.Value) (*Tensor, error) {
	y, err := x.m.arrayArg(t, "x[...] = value", v)
	if err != nil {
		return nil, err
	}
	if _, ok := v.(*Tensor); !ok {
		r, err := y.BroadcastTo(t, "x[...] = value", x.Shape())
		if err != nil {
			return nil, err
		}
		y = r.(*Tensor)
	}
	array, err := y.Lift(t, FloatType(x.typeNow()))
	if err != nil {
		return nil, err
	}
	r, err := x.m.Wrap(array, nil)
	return r.(*Tensor), err
}

// setRows assigns to rows of one axis of a copy. A value for many rows that lie apart is
// chosen by element, where one element goes into all of them.
func (x *Tensor) setRows(t *vm.Thread, axis int, p pick, v vm.Value) error {
	n := x.Shape()[axis]
	order, runs := make([]int, n), 0
	for i := range order {
		order[i] = i
	}
	for j := range p.count {
		order[p.at(j)] = n + j
	}
	for i := range order {
		if i > 0 && order[i] != order[i-1]+1 {
			runs++
		}
	}
	like := FloatType(x.typeNow())
	base, err := x.Lift(t, like)
	if err != nil {
		return err
	}
	const many = 16
	if _, isArray := v.(*Tensor); !isArray && runs > many {
		dims := slices.Repeat(graph.Shape{1}, len(x.Shape()))
		dims[axis] = n
		here := make([]vm.Value, n)
		for i := range here {
			here[i] = order[i] >= n
		}
		c := x.m.Calc(t)
		whole, err := x.m.Wrap(base, nil)
		r, err := c.Done(c.Iif(x.m.PlainTensor(dims, here), v, c.Keep(whole, err)))
		if err != nil {
			return err
		}
		x.Node, x.Plain = r.(*Tensor).Node, nil
		return nil
	}
	dims := slices.Clone(x.Shape())
	dims[axis] = p.count
	rows := &Tensor{m: x.m, dims: dims, scope: x.scope, kind: x.typeNow(), fixed: true}
	if rows, err = rows.filledWith(t, v); err != nil {
		return err
	}
	front, back := x.m.chain(base), x.m.chain(rows.Node)
	front.toFront(axis)
	back.toFront(axis)
	rest := slices.Clone(front.shape()[1:])
	front.set(front.v, back.err)
	if front.err == nil {
		front.set(x.m.Graph.Concat(front.v, back.v))
	}
	if front.err == nil {
		front.ordered(order)
	}
	if front.err == nil {
		front.fromFront(axis, 1, rest)
	}
	if front.err != nil {
		return x.m.TraceError(front.err)
	}
	x.Node, x.Plain = front.v, nil
	return nil
}

// ordered takes rows that mostly follow each other, as slices with step 1.
func (c *chain) ordered(order []int) {
	whole := c.v
	var parts []graph.Value
	for len(order) > 0 {
		count := 1
		for count < len(order) && order[count] == order[count-1]+1 {
			count++
		}
		part := c.m.chain(whole)
		if part.slice(order[0], count, 1); part.err != nil {
			c.set(part.v, part.err)
			return
		}
		parts, order = append(parts, part.v), order[count:]
	}
	c.set(c.m.Graph.Concat(parts...))
}

// looked is the block that a key with traced indices takes before they choose in it, with
// a value in the rows that they choose. An index beyond the ends sets the row at that end.
func (x *Tensor) looked(t *vm.Thread, s *subscript, v vm.Value) (*Tensor, error) {
	block, err := x.taken(t, s)
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	dims := slices.Clone(s.dims)
	var here vm.Value = true
	for _, l := range s.lookups {
		n := s.dims[l.axis]
		dims[l.axis] = 1
		row, err := clampedIndex(x.m, l.by, n)
		if err != nil {
			return nil, err
		}
		axis := slices.Repeat(graph.Shape{1}, len(s.dims))
		axis[l.axis] = n
		is := c.Compare(vm.OpEq, x.m.PlainTensor(axis, Counted(n)), x.m.Scalar(row))
		if here == true {
			here = is
		} else {
			here = c.Binary(vm.OpBitAnd, here, is)
		}
	}
	if y, ok := v.(*Tensor); ok {
		v = c.Keep(y.Reshaped(dims))
	}
	r := c.Iif(here, v, block)
	if c.Err != nil {
		return nil, c.Err
	}
	return r.(*Tensor), nil
}

// clampedIndex is a traced index, which counts from the end where it is negative, as one
// of n rows.
func clampedIndex(m *Tracer, by graph.Value, n int) (graph.Value, error) {
	g := m.Graph
	at := m.chain(by)
	at.apply(graph.OpLt, g.I32(0))
	if at.err == nil {
		from, err := g.Apply(graph.OpAdd, by, g.I32(int32(n)))
		at.set(at.v, err)
		if at.err == nil {
			at.set(g.Apply(graph.OpSelect, at.v, from, by))
		}
	}
	if at.err == nil {
		at.apply(graph.OpMax, g.I32(0))
	}
	if at.err == nil {
		at.apply(graph.OpMin, g.I32(int32(n-1)))
	}
	return at.v, m.TraceError(at.err)
}
