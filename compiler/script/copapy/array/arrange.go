package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// ravel is x.ravel(): the elements row by row in one axis.
func (x *Tensor) ravel(*vm.Thread, []vm.Value) (vm.Value, error) { return x.Reshaped(graph.Shape{-1}) }

// Squeeze is x.squeeze(axis=None): without all axes of length 1, or without those named.
func (x *Tensor) Squeeze(_ *vm.Thread, args []vm.Value) (vm.Value, error) {
	s := x.Shape()
	named := args[0] != nil && args[0] != vm.None
	axes, err := x.AxesOf("squeeze", args[0])
	if err != nil {
		return nil, err
	}
	dims := graph.Shape{}
	for axis, n := range s {
		switch {
		case !slices.Contains(axes, axis) || n != 1 && !named:
			dims = append(dims, n)
		case n != 1:
			return nil, vm.ValueErrorf("squeeze: axis %d of shape %v has the length %d; only one of length 1 can go", axis, s, n)
		}
	}
	return x.Reshaped(dims)
}

// expandDims is cp.expand_dims(x, axis): with new axes of length 1, which stand in
// the result where axis says.
func (x *Tensor) expandDims(_ *vm.Thread, args []vm.Value) (vm.Value, error) {
	axes, err := IntsArg("expand_dims", "an axis", args[0])
	if err != nil {
		return nil, err
	}
	rank := len(x.Shape()) + len(axes)
	if rank > graph.MaxRank {
		return nil, vm.ValueErrorf("expand_dims: at most %d axes are supported", graph.MaxRank)
	}
	if axes, err = DistinctAxes("expand_dims", axes, rank); err != nil {
		return nil, err
	}
	slices.Sort(axes)
	dims := slices.Clone(x.Shape())
	for _, axis := range axes {
		dims = slices.Insert(dims, axis, 1)
	}
	return x.Reshaped(dims)
}

// DistinctAxes counts negative axes from the end and refuses one that is named twice.
func DistinctAxes(fn string, axes []int, rank int) ([]int, error) {
	out := make([]int, 0, len(axes))
	for _, axis := range axes {
		a, err := wrapAxis(fn, axis, rank)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, a) {
			return nil, vm.ValueErrorf("%s: axis %d is named twice", fn, axis)
		}
		out = append(out, a)
	}
	return out, nil
}

// swapAxes is x.swapaxes(axis1, axis2).
func (x *Tensor) swapAxes(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	order := make([]int, len(x.Shape()))
	for i := range order {
		order[i] = i
	}
	a, err := AxisArg("swapaxes", args[0], 0, len(order))
	if err != nil {
		return nil, err
	}
	b, err := AxisArg("swapaxes", args[1], 0, len(order))
	if err != nil {
		return nil, err
	}
	order[a], order[b] = order[b], order[a]
	return x.Permuted(t, order)
}

// moveAxis is cp.moveaxis(x, source, destination); the other axes keep their order.
func (x *Tensor) moveAxis(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	rank := len(x.Shape())
	var ends [2][]int
	for i, name := range []string{"source", "destination"} {
		axes, err := IntsArg("moveaxis", name, args[i])
		if err == nil {
			ends[i], err = DistinctAxes("moveaxis", axes, rank)
		}
		if err != nil {
			return nil, err
		}
	}
	from, to := ends[0], ends[1]
	if len(from) != len(to) {
		return nil, vm.ValueErrorf("moveaxis: source names %d axes, destination %d", len(from), len(to))
	}
	order := slices.Repeat([]int{-1}, rank)
	for i, axis := range to {
		order[axis] = from[i]
	}
	next := 0
	for i := range order {
		if order[i] < 0 {
			for slices.Contains(from, next) {
				next++
			}
			order[i] = next
			next++
		}
	}
	return x.Permuted(t, order)
}

// broadcastArg is cp.broadcast_to(x, shape).
func (x *Tensor) broadcastArg(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	s, err := lengths("broadcast_to", args)
	if err != nil {
		return nil, err
	}
	return x.BroadcastTo(t, "broadcast_to", s)
}

// BroadcastTo repeats x along axes of length 1 and along new ones before the first.
func (x *Tensor) BroadcastTo(t *vm.Thread, fn string, s graph.Shape) (vm.Value, error) {
	if both, err := graph.BroadcastShapes(x.Shape(), s); err != nil || !both.Equal(s) {
		return nil, vm.WithHint(vm.ValueErrorf("%s: shape %v cannot be repeated to shape %v", fn, x.Shape(), s),
			"axes are aligned at the end and must be of one length, or 1 in the array")
	}
	if x.Traced() && s.Elements() > 0 {
		return x.m.Wrap(x.m.Graph.Broadcast(x.Node, s))
	}
	if err := t.Charge(32 * int64(s.Elements())); err != nil {
		return nil, err
	}
	out := make([]vm.Value, s.Elements())
	if len(out) > 0 {
		for i, at := range spread(x.dims, s) {
			out[i] = x.Plain[at]
		}
	}
	return emptyLike(x.m.PlainTensor(s, out), x), nil
}

// along takes rows of one axis, all of the others.
func (x *Tensor) along(t *vm.Thread, axis int, p pick) (*Tensor, error) {
	s := &subscript{dims: slices.Clone(x.Shape())}
	for i, n := range x.Shape() {
		s.picks = append(s.picks, pick{step: 1, count: n})
		if i == axis {
			s.picks[i], s.dims[i] = p, p.count
		}
	}
	x.m.At(t)
	r, err := x.taken(t, s)
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// Slice is the rows of one axis from start to below stop, and all of the others.
func (x *Tensor) Slice(t *vm.Thread, axis, start, stop int) (*Tensor, error) {
	return x.along(t, axis, pick{start: start, step: 1, count: stop - start})
}

// flip is cp.flip(x, axis=None): the elements in the opposite order along axes.
func (x *Tensor) flip(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	axes, err := x.AxesOf("flip", args[0])
	if err != nil {
		return nil, err
	}
	for _, axis := range axes {
		n := x.Shape()[axis]
		if x, err = x.along(t, axis, pick{start: n - 1, step: -1, count: n}); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func flipAxis(fn string, axis int) func(x *Tensor, t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, _ []vm.Value) (vm.Value, error) {
		if axis >= len(x.Shape()) {
			return nil, vm.ValueErrorf("%s: needs %d axes or more, not shape %v", fn, axis+1, x.Shape())
		}
		return x.flip(t, []vm.Value{int64(axis)})
	}
}

// roll is cp.roll(x, shift, axis=None): what leaves an axis at its end comes in at
// its front. Without an axis the elements are rolled row by row.
func (x *Tensor) roll(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	shifts, err := IntsArg("roll", "shift", args[0])
	if err != nil {
		return nil, err
	}
	if args[1] == nil || args[1] == vm.None {
		flat, _, err := x.OneAxis("roll", nil)
		if err != nil {
			return nil, err
		}
		total := 0
		for _, s := range shifts {
			total += s
		}
		r, err := flat.rolled(t, 0, total)
		if err != nil {
			return nil, err
		}
		return r.Reshaped(slices.Clone(x.Shape()))
	}
	axes, err := IntsArg("roll", "an axis", args[1])
	if err != nil {
		return nil, err
	}
	switch {
	case len(shifts) == 1:
		shifts = slices.Repeat(shifts, len(axes))
	case len(axes) == 1:
		axes = slices.Repeat(axes, len(shifts))
	case len(axes) != len(shifts):
		return nil, vm.ValueErrorf("roll: %d shifts for %d axes", len(shifts), len(axes))
	}
	for i, axis := range axes {
		if axis, err = wrapAxis("roll", axis, len(x.Shape())); err != nil {
			return nil, err
		}
		if x, err = x.rolled(t, axis, shifts[i]); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *Tensor) rolled(t *vm.Thread, axis, shift int) (*Tensor, error) {
	n := x.Shape()[axis]
	if n == 0 {
		return x, nil
	}
	at := n - ((shift%n)+n)%n // the row that comes first
	if at == n {
		return x, nil
	}
	tail, err := x.Slice(t, axis, at, n)
	if err != nil {
		return nil, err
	}
	head, err := x.Slice(t, axis, 0, at)
	if err != nil {
		return nil, err
	}
	r, err := x.m.Concat(t, "roll", []*Tensor{tail, head}, axis)
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// repeatedAlong repeats an axis as a whole (whole is true) or each of its rows.
func (x *Tensor) repeatedAlong(t *vm.Thread, fn string, axis, times int, whole bool) (*Tensor, error) {
	s := x.Shape()
	before, n, after := s[:axis].Elements(), s[axis], s[axis+1:].Elements()
	if total := int64(s.Elements()) * int64(times); total > graph.MaxElements {
		return nil, vm.ValueErrorf("%s: at most %d elements are supported", fn, graph.MaxElements)
	}
	from, to := graph.Shape{before, n, 1, after}, graph.Shape{before, n, times, after}
	if whole {
		from, to = graph.Shape{before, 1, n, after}, graph.Shape{before, times, n, after}
	}
	dims := slices.Clone(s)
	dims[axis] *= times
	if times == 1 {
		return x, nil
	}
	split, err := x.Reshaped(from)
	if err != nil {
		return nil, err
	}
	r, err := split.(*Tensor).BroadcastTo(t, fn, to)
	if err != nil {
		return nil, err
	}
	if r, err = r.(*Tensor).Reshaped(dims); err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// tile is cp.tile(x, reps): the whole array repeated along each axis.
func (x *Tensor) tile(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	reps, err := lengths("tile", args)
	if err != nil {
		return nil, err
	}
	s := slices.Clone(x.Shape())
	for len(s) < len(reps) {
		s = slices.Insert(s, 0, 1)
	}
	for len(reps) < len(s) {
		reps = slices.Insert(reps, 0, 1)
	}
	r, err := x.Reshaped(s)
	if err != nil {
		return nil, err
	}
	x = r.(*Tensor)
	for axis, n := range reps {
		if x, err = x.repeatedAlong(t, "tile", axis, n, true); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// repeat is x.repeat(repeats, axis=None): each row of an axis several times, as
// often as all or as repeats says of each.
func (x *Tensor) repeat(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	counts, err := IntsArg("repeat", "repeats", args[0])
	if err != nil {
		return nil, err
	}
	x, axis, err := x.OneAxis("repeat", args[1])
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(counts, func(n int) bool { return n < 0 }) {
		return nil, vm.ValueErrorf("repeat: repeats cannot be negative")
	}
	n := x.Shape()[axis]
	if len(counts) == 1 {
		return x.repeatedAlong(t, "repeat", axis, counts[0], false)
	}
	if len(counts) != n {
		return nil, vm.ValueErrorf("repeat: %d repeats for axis %d, which has %d rows", len(counts), axis, n)
	}
	total := 0
	for _, count := range counts {
		if total += count; int64(total)*int64(x.Shape().Elements()/n) > graph.MaxElements {
			return nil, vm.ValueErrorf("repeat: at most %d elements are supported", graph.MaxElements)
		}
	}
	rows := make([]int, 0, total)
	for i, count := range counts {
		rows = append(rows, slices.Repeat([]int{i}, count)...)
	}
	return x.along(t, axis, pick{list: rows, count: len(rows)})
}

// take is x.take(indices, axis=None): rows of an axis, or elements of all.
func (x *Tensor) take(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	x, axis, err := x.OneAxis("take", args[1])
	if err != nil {
		return nil, err
	}
	var keys []vm.Value = slices.Repeat([]vm.Value{&vm.Slice{Start: vm.None, Stop: vm.None, Step: vm.None}}, axis)
	indices := args[0]
	if _, isTuple := indices.(*vm.Tuple); isTuple {
		if indices, err = x.m.listArg(t, "take", indices); err != nil {
			return nil, err
		}
	}
	r, err := x.Index(t, vm.NewTuple(append(keys, indices)...))
	if y, ok := r.(*Tensor); ok && err == nil {
		return y.Copied(), nil
	}
	return r, err
}
