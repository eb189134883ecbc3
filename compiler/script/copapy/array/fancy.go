package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// fancy is what a key with arrays of indices takes, by NumPy's rule: the arrays are
// repeated to one shape, which stands where they do or, where they stand apart, in front.
type fancy struct {
	picks   []pick     // of each axis; those of the arrays take everything
	axes    []int      // which have arrays, or single indices beside them
	indices []vm.Value // of these: an array of ints, an int or a traced int
	shape   graph.Shape
	place   int         // where shape stands in the result
	shown   graph.Shape // of the result
	by      *Tensor     // the traced row of all axes taken as one, or nil
}

// indexArray is a key that has several indices: a list, or an array of ints or of bools.
// Of plain bools there are the places of the true ones, axis by axis.
func (x *Tensor) indexArray(t *vm.Thread, key vm.Value) ([]*Tensor, error) {
	k, ok := key.(*Tensor)
	if list, isList := key.(*vm.List); isList {
		var err error
		if k, err = x.m.NestedTensor(t, "index", list); err != nil {
			return nil, err
		}
		ok = true
	}
	if !ok {
		return nil, nil
	}
	if k.Traced() {
		return []*Tensor{k}, nil
	}
	if !k.isBool() {
		return []*Tensor{k.Copied()}, nil // whose indices will count from 0
	}
	s := k.Shape()
	places := make([][]vm.Value, len(s))
	for i, e := range k.Plain {
		for axis := len(s) - 1; axis >= 0 && e == true; axis-- {
			places[axis] = append(places[axis], int64(i%s[axis]))
			i /= s[axis]
		}
	}
	out := make([]*Tensor, len(s))
	for axis := range out {
		out[axis] = x.m.PlainVector(places[axis])
	}
	return out, nil
}

// maskAxes is how many axes a key names.
func maskAxes(key vm.Value) int {
	if k, ok := key.(*Tensor); ok && len(k.Shape()) > 1 && k.isBool() {
		return len(k.Shape())
	}
	return 1
}

// isFancy tells keys beyond one list of indices: those whose arrays have several axes, are
// traced, or stand beside each other.
func isFancy(keys []vm.Value) bool {
	arrays, indexed, first, last := 0, 0, -1, 0
	for i, key := range keys {
		several := false
		switch k := key.(type) {
		case *vm.List:
			several = true
			if slices.ContainsFunc(k.Elems, func(e vm.Value) bool { return !IsNumber(e) }) {
				return true
			}
		case *Tensor:
			several = true
			if k.Traced() || len(k.Shape()) > 1 {
				return true
			}
		case *vm.Slice:
			continue
		}
		if key == vm.None {
			continue
		}
		if several {
			arrays++
		}
		if first < 0 {
			first = i
		}
		last = i
		indexed++
	}
	return arrays > 1 || arrays == 1 && last-first+1 != indexed
}

// fancySubscript resolves such a key.
func (x *Tensor) fancySubscript(t *vm.Thread, keys []vm.Value) (*subscript, error) {
	f := &fancy{shape: graph.Shape{}}
	var before, shown graph.Shape
	first, last, count := -1, 0, 0
	take := func(i int, index vm.Value) error {
		s, err := graph.BroadcastShapes(f.shape, ShapeOf(index))
		if err != nil {
			return vm.WithHint(vm.Raise(vm.IndexError, "arrays of indices of shapes %v and %v do not match", f.shape, ShapeOf(index)), "they are repeated to one shape, as operands are")
		}
		axis := len(f.picks)
		f.axes, f.indices, f.shape = append(f.axes, axis), append(f.indices, index), s
		f.picks = append(f.picks, pick{step: 1, count: x.Shape()[axis]})
		if first < 0 {
			first, before = i, slices.Clone(shown)
		}
		if i != last || count == 0 {
			last = i
			count++
		}
		return nil
	}
	for i, key := range keys {
		if key == vm.None {
			shown = append(shown, 1)
			continue
		}
		arrays, err := x.indexArray(t, key)
		if err != nil {
			return nil, err
		}
		for _, array := range arrays {
			axis := len(f.picks)
			if axis >= len(x.Shape()) {
				return nil, vm.Raise(vm.IndexError, "too many indices: the %s has %d axes", vm.TypeName(x), len(x.Shape()))
			}
			if err := x.checkIndices(axis, key, array); err != nil {
				return nil, err
			}
			if err := take(i, array); err != nil {
				return nil, err
			}
		}
		if arrays != nil {
			continue
		}
		axis := len(f.picks)
		p, err := x.pick(t, axis, key)
		if err != nil {
			return nil, err
		}
		switch {
		case p.by.Valid():
			err = take(i, x.m.Scalar(p.by))
		case p.single:
			err = take(i, int64(p.start))
		default:
			f.picks = append(f.picks, p)
			shown = append(shown, p.count)
		}
		if err != nil {
			return nil, err
		}
	}
	if last-first+1 == count {
		f.place = len(before)
	}
	f.shown = slices.Concat(shown[:f.place], f.shape, shown[f.place:])
	if len(f.shown) > graph.MaxRank {
		return nil, vm.ValueErrorf("at most %d axes are supported", graph.MaxRank)
	}
	s := &subscript{picks: f.picks, shown: f.shown, dims: f.shown, fancy: f}
	if !slices.ContainsFunc(f.indices, IsTraced) {
		return s, t.Charge(16 * int64(f.shown.Elements()))
	}
	by, err := f.row(x, t)
	f.by = by
	return s, err
}

// checkIndices checks an array of indices of one axis. Plain ones count from 0 afterwards.
func (x *Tensor) checkIndices(axis int, key vm.Value, index *Tensor) error {
	n := x.Shape()[axis]
	if index.Traced() {
		return lookupIndex(index.Node, n)
	}
	if k, ok := key.(*Tensor); ok && k.isBool() && k.Shape()[0] != n && maskAxes(key) == 1 {
		return vm.Raise(vm.IndexError, "%d bools index axis %d, which has %d rows", k.Shape()[0], axis, n)
	}
	rows := make([]vm.Value, len(index.Plain))
	for i, e := range index.Plain {
		row, err := x.row1(axis, e)
		if err != nil {
			return err
		}
		rows[i] = int64(row)
	}
	index.Plain, index.own = rows, false
	return nil
}

// places are where the elements that a key takes lie, row by row, where all of it is known.
func (s *subscript) places(of graph.Shape) []int {
	if s.fancy != nil {
		return s.fancy.places(of)
	}
	at, stride := []int{0}, of.Elements()
	for axis, n := range of {
		if n > 0 {
			stride /= n
		}
		p := s.picks[axis]
		at = eachOf(at, p.count, func(i int) int { return p.at(i) * stride })
	}
	return at
}

// eachOf adds each of n offsets to each place.
func eachOf(at []int, n int, offset func(i int) int) []int {
	out := make([]int, 0, len(at)*n)
	for _, a := range at {
		for i := range n {
			out = append(out, a+offset(i))
		}
	}
	return out
}

func (f *fancy) places(of graph.Shape) []int {
	n := f.shape.Elements()
	rows := make([]int, n) // what the arrays add
	for k, axis := range f.axes {
		stride := of[axis+1:].Elements()
		if index, ok := f.indices[k].(*Tensor); ok {
			for i, from := range spread(index.Shape(), f.shape) {
				if i < n {
					rows[i] += int(index.Plain[from].(int64)) * stride
				}
			}
			continue
		}
		for i := range rows {
			rows[i] += int(f.indices[k].(int64)) * stride
		}
	}
	at := []int{0}
	shown := 0
	joined := false
	join := func() {
		if !joined && shown >= f.placeAmong() {
			at, joined = eachOf(at, n, func(i int) int { return rows[i] }), true
		}
	}
	join()
	for axis, p := range f.picks {
		if slices.Contains(f.axes, axis) {
			continue
		}
		stride := of[axis+1:].Elements()
		at = eachOf(at, p.count, func(i int) int { return p.at(i) * stride })
		shown++
		join()
	}
	return at
}

// placeAmong is how many of the axes that stay stand before those of the arrays.
func (f *fancy) placeAmong() int {
	if f.place == 0 {
		return 0
	}
	n := 0
	for axis := range f.axes[0] {
		if !slices.Contains(f.axes, axis) {
			n++
		}
	}
	return n
}

// row is the traced place in the axes of the arrays, taken as one axis. That in one axis may be
// beyond its ends.
func (f *fancy) row(x *Tensor, t *vm.Thread) (*Tensor, error) {
	if only, ok := f.indices[0].(*Tensor); ok && len(f.axes) == 1 && only.Node.DType() == graph.I32 {
		return only, nil
	}
	c := x.m.Calc(t)
	var sum vm.Value = int64(0)
	for k, axis := range f.axes {
		index := f.indices[k]
		n := x.Shape()[axis]
		if IsTraced(index) {
			v, err := x.m.Lift(t, "index", index, NoFloat)
			if err == nil {
				v, err = clampedIndex(x.m, v, n)
			}
			if err != nil {
				return nil, err
			}
			index = c.Keep(x.m.Wrap(v, nil))
		}
		sum = c.Add(c.Mul(sum, int64(n)), index)
	}
	r, err := c.Done(c.widened(sum, f.shape))
	if err != nil {
		return nil, err
	}
	if y, ok := r.(*Tensor); ok {
		return y, nil
	}
	return x.m.arrayArg(t, "index", r)
}

// gather takes what the key names.
func (x *Tensor) gather(t *vm.Thread, f *fancy) (vm.Value, error) {
	if f.by == nil {
		at := f.places(x.Shape())
		flat, err := x.Reshaped(graph.Shape{-1})
		if err != nil {
			return nil, err
		}
		rows, err := flat.(*Tensor).along(t, 0, pick{list: at, count: len(at)})
		if err != nil {
			return nil, err
		}
		return rows.Reshaped(f.shown)
	}
	part, err := x.taken(t, &subscript{picks: f.picks, dims: f.dims(x.Shape())})
	if err != nil {
		return nil, err
	}
	table, ok := part.(*Tensor)
	if !ok || table.Shape().Elements() == 0 || f.shape.Elements() == 0 {
		return x.m.PlainTensor(f.shown, nil), nil
	}
	order, rows := f.inFront(table.Shape())
	rest := graph.Shape{}
	for _, axis := range order[len(f.axes):] {
		rest = append(rest, table.Shape()[axis])
	}
	front, err := table.Permuted(t, order)
	if err != nil {
		return nil, err
	}
	array, err := front.(*Tensor).Lift(t, NoFloat)
	if err != nil {
		return nil, err
	}
	k := f.shape.Elements()
	by, err := x.m.Graph.Reshape(f.by.Node, graph.Shape{k})
	if err != nil {
		return nil, x.m.TraceError(err)
	}
	c := x.m.chain(array)
	c.lookUpEach(by, rows, rest.Elements())
	r, err := c.value()
	if err != nil {
		return nil, err
	}
	// The axes of the arrays are in front; they go where the result has them.
	among := f.placeAmong()
	if r, err = x.m.withShape(r, slices.Concat(graph.Shape{k}, graph.Shape{rest[:among].Elements(), rest[among:].Elements()})); err != nil {
		return nil, err
	}
	if among > 0 {
		if r, err = r.(*Tensor).Permuted(t, []int{1, 0, 2}); err != nil {
			return nil, err
		}
	}
	return x.m.withShape(r, f.shown)
}

// dims is the shape that the slices of a key leave.
func (f *fancy) dims(of graph.Shape) graph.Shape {
	dims := make(graph.Shape, len(of))
	for axis, p := range f.picks {
		dims[axis] = p.count
	}
	return dims
}
