package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// setEach assigns to what traced arrays of indices name, one index after the other, so
// that the last of equal ones counts.
func (x *Tensor) setEach(t *vm.Thread, f *fancy, v vm.Value) error {
	n := f.shape.Elements()
	if f.takesRows(x.Shape()) && n > fewIndices {
		r, err := x.setInLoop(t, f, v)
		if err != nil {
			return err
		}
		return x.become(t, x, r)
	}
	indices := make([][]vm.Value, len(f.axes))
	for k, index := range f.indices {
		array, ok := index.(*Tensor)
		if !ok {
			indices[k] = slices.Repeat([]vm.Value{index}, n)
			continue
		}
		elems, err := array.Elements()
		if err != nil {
			return err
		}
		for i, from := range spread(array.Shape(), f.shape) {
			if i < n {
				indices[k] = append(indices[k], elems[from])
			}
		}
	}
	shown := slices.Concat(f.shown[:f.place], f.shown[f.place+len(f.shape):])
	for i := range n {
		s := &subscript{picks: slices.Clone(f.picks), dims: graph.Shape{}, shown: shown}
		for k, axis := range f.axes {
			switch index := indices[k][i].(type) {
			case *Value:
				s.picks[axis].by = index.Node
			case int64:
				s.picks[axis] = pick{single: true, start: int(index), step: 1, count: 1}
			}
		}
		for _, p := range s.picks {
			if p.by.Valid() {
				s.lookups = append(s.lookups, lookup{len(s.dims), p.by})
			}
			if !p.single {
				s.dims = append(s.dims, p.count)
			}
		}
		part, err := f.part(t, v, i)
		if err != nil {
			return err
		}
		if part, err = fitted(t, part, shown); err != nil {
			return err
		}
		if err := x.setTaken(t, x, x, s, part); err != nil {
			return err
		}
	}
	return nil
}

// fewIndices is up to how many assignments are written one after the other.
const fewIndices = 4

// takesRows reports whether all axes but those of the arrays are taken whole.
func (f *fancy) takesRows(of graph.Shape) bool {
	for axis, p := range f.picks {
		if !slices.Contains(f.axes, axis) && !p.everything(of[axis]) {
			return false
		}
	}
	return of.Elements() > 0
}

// setInLoop is setEach as a loop over the indices: x with the axes of the arrays in front, as one,
// takes a row in each iteration.
func (x *Tensor) setInLoop(t *vm.Thread, f *fancy, v vm.Value) (*Tensor, error) {
	like := FloatType(x.typeNow())
	order, rows := f.inFront(x.Shape())
	front, err := x.Copied().Permuted(t, order)
	if err != nil {
		return nil, err
	}
	dims := front.(*Tensor).Shape()
	table, err := front.(*Tensor).Lift(t, like)
	if err != nil {
		return nil, err
	}
	by, err := clampedIndex(x.m, f.by.Node, rows)
	if err != nil {
		return nil, err
	}
	n, size := f.shape.Elements(), x.Shape().Elements()/rows
	xs := []graph.Value{by.Reshape(n)}
	var value graph.Value
	if y, ok := v.(*Tensor); ok {
		parts, err := y.Reshaped(graph.Shape{f.shown[:f.place].Elements(), n, f.shown[f.place+len(f.shape):].Elements()})
		if err == nil {
			parts, err = parts.(*Tensor).Permuted(t, []int{1, 0, 2})
		}
		if err == nil {
			value, err = parts.(*Tensor).Lift(t, like)
		}
		if err != nil {
			return nil, err
		}
		xs = append(xs, value.Reshape(n, size))
	} else if value, err = x.m.Constant(v, like); err != nil {
		return nil, x.m.TraceError(err)
	}
	places := make([]int32, rows)
	for i := range places {
		places[i] = int32(i)
	}
	own := x.m.Graph.ConstI32(graph.Shape{rows, 1}, places)
	last, _, err := x.m.Graph.Scan(n, []graph.Value{table.Reshape(rows, size)}, xs, func(_ graph.Value, carry, row []graph.Value) (next, out []graph.Value, err error) {
		part := value
		if len(row) > 1 {
			part = row[1]
		}
		return []graph.Value{own.Eq(row[0]).Select(part, carry[0])}, nil, x.m.Graph.Err()
	})
	if err != nil {
		return nil, x.m.TraceError(err)
	}
	r, err := x.m.Wrap(last[0].Reshape(dims...), x.m.Graph.Err())
	if err != nil {
		return nil, err
	}
	back := make([]int, len(order))
	for i, axis := range order {
		back[axis] = i
	}
	if r, err = r.(*Tensor).Permuted(t, back); err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// inFront is the order of axes with those of the arrays first, and how many rows these have together.
func (f *fancy) inFront(of graph.Shape) (order []int, rows int) {
	order, rows = slices.Clone(f.axes), 1
	for _, axis := range f.axes {
		rows *= of[axis]
	}
	for axis := range of {
		if !slices.Contains(f.axes, axis) {
			order = append(order, axis)
		}
	}
	return order, rows
}

// part is what the i-th index is given of a value that has the shape of the result.
func (f *fancy) part(t *vm.Thread, v vm.Value, i int) (vm.Value, error) {
	x, ok := v.(*Tensor)
	if !ok {
		return v, nil
	}
	before, behind := f.shown[:f.place], f.shown[f.place+len(f.shape):]
	r, err := x.Reshaped(graph.Shape{before.Elements(), f.shape.Elements(), behind.Elements()})
	if err != nil {
		return nil, err
	}
	row, err := r.(*Tensor).Slice(t, 1, i, i+1)
	if err != nil {
		return nil, err
	}
	return row.Reshaped(slices.Concat(before, behind))
}
