package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// maxLoose is how many elements an array has that is kept as single elements while they
// are assigned one by one; larger traced ones are put together of whole parts.
const maxLoose = 256

// SetIndex is x[key] = value, by NumPy's rules: the value is repeated to the shape of what
// the key takes and gets the type of the array.
func (x *Tensor) SetIndex(t *vm.Thread, key, value vm.Value) error {
	if value == nil {
		return vm.WithHint(vm.ValueErrorf("cannot delete array elements"), "join what stays: cp.concat([x[:i], x[i + 1:]])")
	}
	root, err := x.assignable()
	if err != nil {
		return err
	}
	m := x.m
	m.At(t)
	if m.late != nil {
		return m.TraceError(m.late)
	}
	if part, ok := value.(*masked); ok {
		return x.assignMasked(t, key, part)
	}
	if value, err = m.listArg(t, "x[...] = value", value); err != nil {
		return err
	}
	if !fits(value) {
		return vm.TypeErrorf("an element must be a number or a traced value, not '%s'", vm.TypeName(value))
	}
	if value, err = root.converted(t, value); err != nil {
		return err
	}
	return x.set(t, root, key, value)
}

// set assigns a value of the array's type.
func (x *Tensor) set(t *vm.Thread, root *Tensor, key, value vm.Value) error {
	c := x
	if x != root {
		c = x.Copied()
	}
	if k, err := x.maskKey(key); k != nil || err != nil {
		if err != nil {
			return err
		}
		return x.setMasked(t, root, c, k, value)
	}
	ws, rest, err := c.windows(key)
	if err != nil {
		return err
	}
	if ws != nil {
		r, err := c.Copied().setWithin(t, ws, rest, value)
		if err != nil {
			return err
		}
		return x.become(t, root, r)
	}
	s, err := c.subscript(t, key)
	if err != nil {
		return err
	}
	shown := s.shown
	if value, err = fitted(t, value, shown); err != nil {
		return err
	}
	if s.fancy != nil && s.fancy.by != nil {
		if err := c.setEach(t, s.fancy, value); err != nil {
			return err
		}
		return x.become(t, root, c)
	}
	return x.setTaken(t, root, c, s, value)
}

// setTaken assigns to what a key without traced arrays takes of x, which c is a copy of
// where x is not its own root.
func (x *Tensor) setTaken(t *vm.Thread, root, c *Tensor, s *subscript, value vm.Value) error {
	switch {
	case len(s.lookups) > 0:
		r, err := c.looked(t, s, value)
		if err != nil {
			return err
		}
		if x == root && !x.keepsParts(s.dims.Elements(), r) {
			return x.setPicks(t, s.picks, r)
		}
		if s.takesAll(c.Shape()) {
			return x.become(t, root, r)
		}
		value = r
	case x == root && s.fancy == nil && !x.keepsParts(s.dims.Elements(), value):
		return x.setPicks(t, s.picks, value)
	}
	at := s.places(c.Shape())
	if x != root {
		outer, err := x.places()
		if err != nil {
			return err
		}
		for i, a := range at {
			at[i] = outer[a]
		}
	}
	return root.put(t, at, value)
}

// become gives x, which is root or a part of it, other elements.
func (x *Tensor) become(t *vm.Thread, root, r *Tensor) error {
	if x == root {
		r.Settle()
		x.wrote()
		x.Node, x.Plain, x.own, x.parts, x.loose = r.Node, r.Plain, false, nil, false
		x.dims, r.own = r.Shape(), false
		return nil
	}
	at, err := x.places()
	if err != nil {
		return err
	}
	return root.put(t, at, r)
}

// wrote notes an assignment: the type is known from now on, and what the array was is not
// what it is.
func (x *Tensor) wrote() {
	x.kind, x.fixed = x.typeNow(), true
	x.writes++
	if x.Node.Valid() && !x.loose {
		const kept = 8
		x.former = append(x.former, x.Node.ID())
		x.former = x.former[max(len(x.former)-kept, 0):]
	}
}

// typeNow is the type of the elements.
func (x *Tensor) typeNow() graph.DType {
	if x.fixed {
		return x.kind
	}
	return x.elementType()
}

// converted gives a value the type of the array: floats lose their fraction in an array of
// ints, and everything that is not 0 is true in one of bools.
func (x *Tensor) converted(t *vm.Thread, v vm.Value) (vm.Value, error) {
	d := x.typeNow()
	is, traced := TracedType(v)
	if !traced {
		is = plainType(v)
	}
	switch {
	case d == graph.Bool && is != graph.Bool:
		return t.Compare(vm.OpNe, v, int64(0))
	case d == graph.I32 && is != graph.I32:
		return t.Unary(vm.OpToInt, v)
	case d.IsFloat() && !traced && is != graph.F32:
		return t.Unary(vm.OpToFloat, v)
	case !d.IsFloat() || !traced || is == d:
		return v, nil
	case !is.IsFloat():
		return x.m.Cast(t, "x[...] = value", v, d)
	case is == graph.F64 && !x.loose && !x.Node.Valid():
		x.kind, x.fixed = graph.F64, true // plain floats have the type that they meet
		return v, nil
	}
	return nil, vm.WithHint(vm.TypeErrorf("the elements are %s, the value is %s: neither becomes the other by itself", d, is),
		"convert one side with cp.f64(x) or cp.f32(x)")
}

// plainType is the type of a plain number or array.
func plainType(v vm.Value) graph.DType {
	switch v := v.(type) {
	case *Tensor:
		return v.elementType()
	case float64:
		return graph.F32
	case bool:
		return graph.Bool
	}
	return graph.I32
}

// fitted repeats an array to a shape; one element stays one. Axes of length 1 in front of
// those that are there go.
func fitted(t *vm.Thread, v vm.Value, s graph.Shape) (vm.Value, error) {
	x, ok := v.(*Tensor)
	if !ok {
		return v, nil
	}
	own := x.Shape()
	for len(own) > len(s) && own[0] == 1 {
		own = own[1:]
	}
	both, err := graph.BroadcastShapes(own, s)
	if err != nil || !both.Equal(s) {
		return nil, noFit(x.Shape(), s)
	}
	if own.Elements() == 1 && s.Elements() > 0 {
		return x.element(0)
	}
	r, err := x.Reshaped(slices.Clone(own))
	if err != nil {
		return nil, err
	}
	return r.(*Tensor).BroadcastTo(t, "x[...] = value", s)
}

func noFit(of, into graph.Shape) error {
	return vm.WithHint(vm.ValueErrorf("could not broadcast input array from shape %v into shape %v", of, into),
		"axes are aligned at the end and must be of one length, or 1 in the value")
}

// keepsParts tells whether n elements are assigned one by one.
func (x *Tensor) keepsParts(n int, v vm.Value) bool {
	const few = 64
	total := x.Shape().Elements()
	if !x.loose && !x.Node.Valid() && !IsTraced(v) {
		return true // plain into plain
	}
	return total <= maxLoose || n <= few && (x.parts != nil || !x.Node.Valid())
}

// put assigns to elements, which are counted row by row; of places that are named twice
// the last counts. v is one element, or an array of as many.
func (x *Tensor) put(t *vm.Thread, at []int, v vm.Value) error {
	if len(at) == 0 {
		return nil
	}
	if err := t.Charge(16 * int64(len(at))); err != nil {
		return err
	}
	if !x.keepsParts(len(at), v) {
		return x.putRows(t, at, v)
	}
	elems, err := spreadElements(v, len(at))
	if err != nil {
		return err
	}
	plain := !x.loose && !x.Node.Valid()
	if plain && !IsTraced(v) {
		x.wrote()
		if !x.own {
			if err := t.Charge(16 * int64(len(x.Plain))); err != nil {
				return err
			}
			x.Plain, x.own = slices.Clone(x.Plain), true
		}
		for i, a := range at {
			x.Plain[a] = elems[i%len(elems)]
		}
		return nil
	}
	if x.parts == nil {
		if err := t.Charge(16 * int64(x.Shape().Elements())); err != nil {
			return err
		}
		if x.parts, err = x.taken1(plain); err != nil {
			return err
		}
	}
	x.wrote()
	x.dims, x.loose = x.Shape(), true
	for i, a := range at {
		x.parts[a] = elems[i%len(elems)]
	}
	return nil
}

// spreadElements are the elements of what is assigned to n places: one, or n.
func spreadElements(v vm.Value, n int) ([]vm.Value, error) {
	x, ok := v.(*Tensor)
	if !ok {
		return []vm.Value{v}, nil
	}
	if !x.Traced() {
		return slices.Clone(x.Plain[:n]), nil
	}
	return x.taken1(false)
}

// taken1 are the elements one by one: what was stacked itself, where it was.
func (x *Tensor) taken1(plain bool) ([]vm.Value, error) {
	if plain {
		return slices.Clone(x.Plain), nil
	}
	if x.parts != nil {
		return slices.Clone(x.parts), nil
	}
	g, base := x.m.Graph, x.Node
	for base.Op() == graph.OpReshape {
		base = g.Value(g.Args(base.ID())[0])
	}
	flat, err := g.Reshape(base, graph.Shape{base.Shape().Elements()})
	if err != nil {
		return nil, x.m.TraceError(err)
	}
	out := make([]vm.Value, flat.Shape()[0])
	for i := range out {
		e, err := g.Index(flat, i)
		if err != nil {
			return nil, x.m.TraceError(err)
		}
		out[i] = x.m.Scalar(e)
	}
	return out, nil
}

// join makes one array of the parts: runs of plain numbers are constants.
func (x *Tensor) join() {
	x.loose = false
	g := x.m.Graph
	like := FloatType(x.kind)
	var pieces []graph.Value
	keep := func(v graph.Value, err error) {
		pieces = append(pieces, v)
		x.m.keepError(err)
	}
	const worthwhile = 8 // numbers in a constant of their own
	for i := 0; i < len(x.parts) && x.m.late == nil; {
		n := i
		for n < len(x.parts) && IsNumber(x.parts[n]) {
			n++
		}
		if n-i >= worthwhile && n-i < len(x.parts) {
			keep((&Tensor{m: x.m, dims: graph.Shape{n - i}, Plain: x.parts[i:n]}).constant(like))
			i = n
			continue
		}
		if k, n := x.turns(i, worthwhile, like); n > 0 {
			keep(x.woven(i, k, n, like))
			i += k * n
			continue
		}
		var stacked []graph.Value
		for quiet := 0; i < len(x.parts) && quiet < worthwhile; i++ {
			if _, n := x.turns(i, worthwhile, like); n > 0 {
				break
			}
			if quiet++; !IsNumber(x.parts[i]) {
				quiet = 0
			}
			v, err := x.m.Constant(x.parts[i], like)
			x.m.keepError(err)
			stacked = append(stacked, v)
		}
		if x.m.late == nil {
			keep(g.Stack(stacked...))
		}
	}
	if x.m.late != nil {
		return
	}
	v, err := g.Concat(pieces...)
	if err == nil {
		v, err = g.Reshape(v, x.dims)
	}
	if err != nil {
		x.m.keepError(err)
		return
	}
	x.Node, x.Plain = v, nil
}

// putRows assigns to elements of a large array, in parts that follow each other.
func (x *Tensor) putRows(t *vm.Thread, at []int, v vm.Value) error {
	dims := x.Shape()
	r, err := x.Copied().Reshaped(graph.Shape{-1})
	if err != nil {
		return err
	}
	flat := r.(*Tensor)
	if y, ok := v.(*Tensor); ok {
		if v, err = y.Reshaped(graph.Shape{-1}); err != nil {
			return err
		}
	}
	if err := flat.setRows(t, 0, pick{list: at, count: len(at)}, v); err != nil {
		return err
	}
	if r, err = flat.Reshaped(dims); err != nil {
		return err
	}
	return x.become(t, x, r.(*Tensor))
}
