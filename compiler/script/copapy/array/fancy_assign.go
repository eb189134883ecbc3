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
