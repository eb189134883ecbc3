package jit

import (
	"fmt"
	"math"
	"reflect"

	"github.com/copaflash/copaflash/compiler/graph"
)

// elements are the Go types of elements, and how they become bits and back.
var elements = map[reflect.Kind]struct {
	dtype graph.DType
	get   func(v reflect.Value) uint64
	set   func(v reflect.Value, bits uint64)
}{
	reflect.Float64: {graph.F64,
		func(v reflect.Value) uint64 { return graph.Canonical(graph.F64, math.Float64bits(v.Float())) },
		func(v reflect.Value, w uint64) {
			v.SetFloat(math.Float64frombits(w))
		}},
	reflect.Float32: {graph.F32,
		func(v reflect.Value) uint64 { return word(float32(v.Float())) },
		func(v reflect.Value, w uint64) { v.SetFloat(float64(math.Float32frombits(uint32(w)))) }},
	reflect.Int32: {graph.I32,
		func(v reflect.Value) uint64 { return uint64(uint32(int32(v.Int()))) },
		func(v reflect.Value, w uint64) { v.SetInt(int64(int32(w))) }},
	reflect.Bool: {graph.Bool,
		func(v reflect.Value) uint64 {
			if v.Bool() {
				return 1
			}
			return 0
		},
		func(v reflect.Value, w uint64) { v.SetBool(w != 0) }},
}

// word is a float as it is on the target.
func word(x float32) uint64 { return graph.Canonical(graph.F32, uint64(math.Float32bits(x))) }

// layout is how values of a Go type become an array of the graph and back.
type layout struct {
	t     reflect.Type
	elem  reflect.Kind
	rank  int // number of axes
	dtype graph.DType
}

func layoutOf(t reflect.Type) (*layout, error) {
	l := &layout{t: t}
	e := t
	for e.Kind() == reflect.Slice || e.Kind() == reflect.Array {
		e = e.Elem()
		if l.rank++; l.rank > graph.MaxRank {
			return nil, fmt.Errorf("%s has more than %d axes", t, graph.MaxRank)
		}
	}
	row, ok := elements[e.Kind()]
	if !ok {
		return nil, fmt.Errorf("%s has no type on the target: use float32, float64, int32, bool, or slices and arrays of them", t)
	}
	l.elem, l.dtype = e.Kind(), row.dtype
	return l, nil
}

// shape is the shape of a value, all of whose rows must have one length.
func (l *layout) shape(v reflect.Value) (graph.Shape, error) {
	s := make(graph.Shape, 0, l.rank)
	for e := v; len(s) < l.rank; e = e.Index(0) {
		if e.Len() == 0 {
			return nil, fmt.Errorf("%s: axis %d has no elements", l.t, len(s))
		}
		s = append(s, e.Len())
	}
	return s, l.even(v, s)
}

// even refuses rows of another length than the first.
func (l *layout) even(v reflect.Value, s graph.Shape) error {
	if len(s) < 2 {
		return nil
	}
	for i := range v.Len() {
		row := v.Index(i)
		if row.Len() != s[1] {
			return fmt.Errorf("%s: row %d has %d elements, row 0 has %d", l.t, i, row.Len(), s[1])
		}
		if err := l.even(row, s[1:]); err != nil {
			return err
		}
	}
	return nil
}

// encode appends the elements of a value row by row.
func (l *layout) encode(v reflect.Value, to []byte) []byte {
	if floats, ok := v.Interface().([]float32); ok {
		for _, x := range floats {
			to = graph.AppendWords(to, uint32(word(x)))
		}
		return to
	}
	if k := v.Kind(); k == reflect.Slice || k == reflect.Array {
		for i := range v.Len() {
			to = l.encode(v.Index(i), to)
		}
		return to
	}
	bits := elements[l.elem].get(v)
	words := [2]uint32{uint32(bits), uint32(bits >> 32)}
	return graph.AppendWords(to, words[:l.dtype.Words()]...)
}

// decode fills a value, which can be set, with the words of elements of a shape and
// returns what is behind them.
func (l *layout) decode(v reflect.Value, s graph.Shape, from []uint32) []uint32 {
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), s[0], s[0]))
	}
	if floats, ok := v.Interface().([]float32); ok {
		for i := range floats {
			floats[i] = math.Float32frombits(from[i])
		}
		return from[len(floats):]
	}
	if len(s) > 0 {
		for i := range s[0] {
			from = l.decode(v.Index(i), s[1:], from)
		}
		return from
	}
	elements[l.elem].set(v, l.dtype.At(from, 0))
	return from[l.dtype.Words():]
}

// accepts refuses a traced result that is not one of the type.
func (l *layout) accepts(v graph.Value) error {
	if v.DType() != l.dtype {
		return fmt.Errorf("the result is %s, and %s holds %s: convert it with ToF32, ToF64, ToI32 or ToBool", v.DType(), l.t, l.dtype)
	}
	s := v.Shape()
	if len(s) != l.rank {
		return fmt.Errorf("the result has the shape %v, and %s has %d axes", s, l.t, l.rank)
	}
	t := l.t
	for _, n := range s {
		if t.Kind() == reflect.Array && t.Len() != n {
			return fmt.Errorf("the result has the shape %v, which is not that of %s", s, l.t)
		}
		t = t.Elem()
	}
	return nil
}
