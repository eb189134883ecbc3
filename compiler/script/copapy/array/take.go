package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// gatherRows take elements by indices, which may be traced.
func (m *Tracer) gatherRows() []Row {
	return []Row{
		{Name: "take_along_axis", Params: "x indices axis?", Call: m.OfArray((*Tensor).takeAlongAxis)},
	}
}

// takeAlongAxis is cp.take_along_axis(x, indices, axis): at each place the element of the
// line along the axis that the index there names, as argsort and argmax give them.
func (x *Tensor) takeAlongAxis(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	index, err := x.m.arrayArg(t, "take_along_axis", args[0])
	if err != nil {
		return nil, err
	}
	axis := 0
	if IsNone(args[1]) {
		if x, _, err = x.OneAxis("take_along_axis", nil); err != nil {
			return nil, err
		}
	} else if axis, err = AxisArg("take_along_axis", args[1], 0, len(x.Shape())); err != nil {
		return nil, err
	}
	s, own := x.Shape(), index.Shape()
	if len(s) != len(own) {
		return nil, vm.WithHint(vm.ValueErrorf("take_along_axis: indices of shape %v for an array of shape %v", own, s), "both must have as many axes; keepdims=True keeps those of argmax")
	}
	if !index.Traced() {
		keys := make([]vm.Value, len(s))
		for i := range s {
			dims := slices.Repeat(graph.Shape{1}, len(s))
			dims[i] = s[i]
			keys[i] = x.m.PlainTensor(dims, Counted(s[i]))
		}
		keys[axis] = index
		return x.Index(t, vm.NewTuple(keys...))
	}
	if err := lookupIndex(index.Node, s[axis]); err != nil {
		return nil, err
	}
	rest, of := slices.Delete(slices.Clone(s), axis, axis+1), slices.Delete(slices.Clone(own), axis, axis+1)
	both, err := graph.BroadcastShapes(rest, of)
	if err != nil {
		return nil, vm.ValueErrorf("take_along_axis: indices of shape %v for an array of shape %v", own, s)
	}
	flat, err := x.Reshaped(graph.Shape{-1})
	if err != nil {
		return nil, err
	}
	table, err := flat.(*Tensor).Lift(t, NoFloat)
	if err != nil {
		return nil, err
	}
	by := index.Node
	if len(s) > 1 { // the place among all elements
		if by, err = clampedIndex(x.m, by, s[axis]); err != nil {
			return nil, err
		}
		at, err := x.m.Wrap(by, nil)
		c := x.m.Calc(t)
		lines := x.m.PlainTensor(slices.Insert(slices.Clone(both), axis, 1), lineStarts(s, slices.Insert(slices.Clone(both), axis, 1)))
		at, err = c.Done(c.Add(c.Mul(c.Keep(at, err), int64(s[axis+1:].Elements())), lines))
		if err != nil {
			return nil, err
		}
		by = at.(*Tensor).Node
	}
	return x.m.Wrap(x.m.Graph.Apply(graph.OpTake, table, by))
}

// lineStarts are the places, in an array of shape s, where lines along an axis begin that are
// repeated to a shape in which that axis has length 1.
func lineStarts(s, lines graph.Shape) []vm.Value {
	at := []int{0}
	for i, n := range lines {
		step := s[i+1:].Elements()
		if s[i] == 1 {
			step = 0
		}
		at = eachOf(at, n, func(k int) int { return k * step })
	}
	out := make([]vm.Value, len(at))
	for i, a := range at {
		out[i] = int64(a)
	}
	return out
}

// window is a slice with a traced start, of which the length is known.
type window struct {
	axis, length int
	start        graph.Value
}

// windows finds the slices of a key whose bounds are traced: x[i:i+3]. The key that is left
// takes these axes whole.
func (x *Tensor) windows(key vm.Value) (ws []window, rest vm.Value, err error) {
	keys := []vm.Value{key}
	if tuple, ok := key.(*vm.Tuple); ok {
		keys = tuple.Elems
	}
	if !slices.ContainsFunc(keys, isTracedSlice) {
		return nil, key, nil
	}
	keys, err = x.expanded(key)
	if err != nil {
		return nil, nil, err
	}
	keys = slices.Clone(keys)
	axis := 0
	for i, k := range keys {
		if k == vm.None {
			continue
		}
		if isTracedSlice(k) {
			w, err := x.window(axis, k.(*vm.Slice))
			if err != nil {
				return nil, nil, err
			}
			ws = append(ws, w)
			keys[i] = &vm.Slice{Start: vm.None, Stop: vm.None, Step: vm.None}
		}
		axis += maskAxes(k)
	}
	return ws, vm.NewTuple(keys...), nil
}

func isTracedSlice(k vm.Value) bool {
	s, ok := k.(*vm.Slice)
	return ok && (IsTraced(s.Start) || IsTraced(s.Stop) || IsTraced(s.Step))
}

// window needs bounds with a distance that is known.
func (x *Tensor) window(axis int, s *vm.Slice) (window, error) {
	const hint = "the length must be known while tracing: write x[i:i+3], with the same i; others choose by element, cp.where(cp.arange(len(x)) < n, x, 0.0)"
	start, ok1 := s.Start.(*Value)
	stop, ok2 := s.Stop.(*Value)
	if !ok1 || !ok2 || !IsNone(s.Step) && s.Step != int64(1) {
		return window{}, vm.WithHint(vm.TypeErrorf("the length of a slice with traced bounds is not known"), hint)
	}
	n := x.Shape()[axis]
	if err := lookupIndex(start.Node, n); err != nil {
		return window{}, err
	}
	from, before := x.m.offset(start.Node)
	to, behind := x.m.offset(stop.Node)
	if from != to {
		return window{}, vm.WithHint(vm.TypeErrorf("the length of a slice with traced bounds is not known"), hint)
	}
	length := behind - before
	if length < 1 || length > n {
		return window{}, vm.WithHint(vm.Raise(vm.IndexError, "a slice of %d rows is taken of an axis with %d", length, n), "give it a length from 1 to that of the axis")
	}
	return window{axis, length, start.Node}, nil
}

// offset is a traced int as another one and a known distance from it.
func (m *Tracer) offset(v graph.Value) (base graph.ID, distance int) {
	g := m.Graph
	for base = v.ID(); ; {
		op, args := g.Value(base).Op(), g.Args(base)
		if op != graph.OpAdd && op != graph.OpSub {
			return base, distance
		}
		known := 1
		if op == graph.OpAdd && g.IsConst(args[0]) {
			known = 0
		}
		if !g.IsConst(args[known]) || g.Value(base).DType() != graph.I32 {
			return base, distance
		}
		step := int(int32(g.Node(args[known]).Word()))
		if op == graph.OpSub {
			step = -step
		}
		base, distance = args[1-known], distance+step
	}
}

// first is the row where a window begins: a negative start counts from the end, and one
// that would leave the axis is moved so that the window just does not.
func (w window) first(m *Tracer, n int) (graph.Value, error) {
	at, err := clampedIndex(m, w.start, n)
	if err != nil {
		return at, err
	}
	at, err = m.Graph.Apply(graph.OpMin, at, m.Graph.I32(int32(n-w.length)))
	return at, m.TraceError(err)
}

// within is x with windows instead of the axes that they are of: the rows that follow each other from
// a start on.
func (x *Tensor) within(t *vm.Thread, ws []window) (*Tensor, error) {
	for _, w := range ws {
		array, err := x.Lift(t, NoFloat)
		if err != nil {
			return nil, err
		}
		n := x.Shape()[w.axis]
		at, err := w.first(x.m, n)
		if err != nil {
			return nil, err
		}
		g := x.m.Graph
		places := make([]int32, w.length)
		for i := range places {
			places[i] = int32(i)
		}
		by, err := g.Apply(graph.OpAdd, at, g.ConstI32(graph.Shape{w.length}, places))
		if err != nil {
			return nil, x.m.TraceError(err)
		}
		c := x.m.chain(array)
		c.toFront(w.axis)
		rest := slices.Clone(c.shape()[1:])
		c.lookUpEach(by, n, rest.Elements())
		if c.err == nil {
			c.reshape(slices.Concat(graph.Shape{w.length}, rest)...)
		}
		c.fromFront(w.axis, 1, rest)
		r, err := c.value()
		if err != nil {
			return nil, err
		}
		x = r.(*Tensor)
	}
	return x, nil
}

// outside is x with the rows of a window replaced by those of part.
func (x *Tensor) outside(t *vm.Thread, w window, part *Tensor) (*Tensor, error) {
	n := x.Shape()[w.axis]
	at, err := w.first(x.m, n)
	if err != nil {
		return nil, err
	}
	c := x.m.Calc(t)
	rows := c.Sub(x.m.PlainVector(Counted(n)), x.m.Scalar(at)) // of the part
	inside := c.Binary(vm.OpBitAnd, c.Compare(vm.OpGe, rows, int64(0)), c.Compare(vm.OpLt, rows, int64(w.length)))
	if c.Err != nil {
		return nil, c.Err
	}
	keys := slices.Repeat([]vm.Value{&vm.Slice{Start: vm.None, Stop: vm.None, Step: vm.None}}, len(x.Shape()))
	keys[w.axis] = c.Clamp(rows, int64(0), int64(w.length-1))
	moved := c.Keep(part.Index(t, vm.NewTuple(keys...)))
	dims := slices.Repeat(graph.Shape{1}, len(x.Shape()))
	dims[w.axis] = n
	here := c.Keep(inside.(*Tensor).Reshaped(dims))
	r, err := c.Done(c.Iif(here, moved, x))
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// setWithin assigns to what a key with traced slices takes.
func (x *Tensor) setWithin(t *vm.Thread, ws []window, key, value vm.Value) (*Tensor, error) {
	steps := []*Tensor{x}
	for _, w := range ws {
		part, err := steps[len(steps)-1].within(t, []window{w})
		if err != nil {
			return nil, err
		}
		steps = append(steps, part)
	}
	part := steps[len(steps)-1].Copied()
	if err := part.set(t, part, key, value); err != nil {
		return nil, err
	}
	for i, w := range slices.Backward(ws) {
		var err error
		if part, err = steps[i].outside(t, w, part); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// ToBack is the order of axes with one of them last.
func ToBack(rank, axis int) []int {
	var order []int
	for i := range rank {
		if i != axis {
			order = append(order, i)
		}
	}
	return append(order, axis)
}

// WithoutAxis takes away an axis of length 1.
func (x *Tensor) WithoutAxis(axis int) (vm.Value, error) {
	s := slices.Delete(slices.Clone(x.Shape()), axis, axis+1)
	if len(s) == 0 {
		return x.element(0)
	}
	return x.Reshaped(s)
}
