package jit

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/graph"
)

// elements are the Go types of elements.
var elements = map[reflect.Kind]graph.DType{
	reflect.Float64: graph.F64, reflect.Float32: graph.F32, reflect.Int32: graph.I32, reflect.Bool: graph.Bool,
}

// layout is how a Go type lies in memory, and which arrays of the graph its values are. It is found out
// by reflection once; values are then reached by pointers.
type layout struct {
	t     reflect.Type
	dtype graph.DType
	axes  []axis
	flat  int // from this axis on, what is behind a pointer lies in one piece
}

// axis is a slice or an array.
type axis struct {
	t      reflect.Type
	slice  bool
	length int     // of an array
	stride uintptr // bytes from one element to the next
}

func layoutOf(t reflect.Type) (*layout, error) {
	l := &layout{t: t}
	e := t
	for e.Kind() == reflect.Slice || e.Kind() == reflect.Array {
		a := axis{t: e, slice: e.Kind() == reflect.Slice, stride: e.Elem().Size()}
		if a.slice {
			l.flat = len(l.axes)
		} else {
			a.length = e.Len()
		}
		e = e.Elem()
		if l.axes = append(l.axes, a); len(l.axes) > graph.MaxRank {
			return nil, fmt.Errorf("%s has more than %d axes", t, graph.MaxRank)
		}
	}
	var ok bool
	if l.dtype, ok = elements[e.Kind()]; !ok {
		return nil, fmt.Errorf("%s has no type on the target: use float32, float64, int32, bool, or slices and arrays of them", t)
	}
	return l, nil
}

// slice is how Go keeps one.
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// within is where the elements of an axis of a value lie, and how many there are.
func (a *axis) within(v unsafe.Pointer) (data unsafe.Pointer, n int) {
	if a.slice {
		s := (*slice)(v)
		return s.data, s.len
	}
	return v, a.length
}

// shape is the shape of a value, all of whose rows must have one length.
func (l *layout) shape(v unsafe.Pointer) (graph.Shape, error) {
	s := make(graph.Shape, 0, len(l.axes))
	for e := v; len(s) < len(l.axes); {
		data, n := l.axes[len(s)].within(e)
		if n == 0 {
			return nil, fmt.Errorf("%s: axis %d has no elements", l.t, len(s))
		}
		s, e = append(s, n), data
	}
	return s, l.even(v, s, 0)
}

// even refuses rows of another length than the first.
func (l *layout) even(v unsafe.Pointer, s graph.Shape, k int) error {
	if k >= l.flat {
		return nil
	}
	data, _ := l.axes[k].within(v)
	for i := range s[k] {
		row := unsafe.Add(data, uintptr(i)*l.axes[k].stride)
		if _, n := l.axes[k+1].within(row); n != s[k+1] {
			return fmt.Errorf("%s: row %d has %d elements, row 0 has %d", l.t, i, n, s[k+1])
		}
		if err := l.even(row, s, k+1); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether a value has a shape, from axis k on.
func (l *layout) fits(v unsafe.Pointer, s graph.Shape, k int) bool {
	if k == len(l.axes) {
		return true
	}
	data, n := l.axes[k].within(v)
	if n != s[k] {
		return false
	}
	if k < l.flat {
		for i := range n {
			if !l.fits(unsafe.Add(data, uintptr(i)*l.axes[k].stride), s, k+1) {
				return false
			}
		}
	}
	return true
}

// room says what is wrong with a value that a result of a shape is to be stored in: slices that are nil
// will be made, others must have its lengths.
func (l *layout) room(v unsafe.Pointer, s graph.Shape, k int) error {
	if k == len(l.axes) {
		return nil
	}
	data, n := l.axes[k].within(v)
	switch {
	case l.axes[k].slice && data == nil:
		return nil
	case n != s[k]:
		return fmt.Errorf("the result has the shape %v, and axis %d of the %s that is to hold it has %d elements: give one that fits, or nil", s, k, l.t, n)
	}
	if k < l.flat {
		for i := range n {
			if err := l.room(unsafe.Add(data, uintptr(i)*l.axes[k].stride), s, k+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// put stores the elements of a value row by row, as they are on the target, and returns what
// is behind them.
func (l *layout) put(to []byte, v unsafe.Pointer, s graph.Shape, k int) []byte {
	if k < l.flat {
		data, _ := l.axes[k].within(v)
		for i := range s[k] {
			to = l.put(to, unsafe.Add(data, uintptr(i)*l.axes[k].stride), s, k+1)
		}
		return to
	}
	n := 1
	if k < len(l.axes) {
		v, _ = l.axes[k].within(v)
		n = s[k:].Elements()
	}
	size := n * l.dtype.Size()
	store(l.dtype, to[:size], v)
	return to[size:]
}

// get fills a value that has room with elements as put stores them, and returns what is behind them.
func (l *layout) get(v unsafe.Pointer, s graph.Shape, k int, from []byte) []byte {
	if k < len(l.axes) && l.axes[k].slice {
		if v := (*slice)(v); v.data == nil {
			*v = slice{reflect.MakeSlice(l.axes[k].t, s[k], s[k]).UnsafePointer(), s[k], s[k]}
		}
	}
	if k < l.flat {
		data, _ := l.axes[k].within(v)
		for i := range s[k] {
			from = l.get(unsafe.Add(data, uintptr(i)*l.axes[k].stride), s, k+1, from)
		}
		return from
	}
	n := 1
	if k < len(l.axes) {
		v, _ = l.axes[k].within(v)
		n = s[k:].Elements()
	}
	size := n * l.dtype.Size()
	load(l.dtype, v, from[:size])
	return from[size:]
}

// accepts refuses a traced result that is not one of the type.
func (l *layout) accepts(v graph.Value) error {
	if v.DType() != l.dtype {
		return fmt.Errorf("the result is %s, and %s holds %s: convert it with ToF32, ToF64, ToI32 or ToBool", v.DType(), l.t, l.dtype)
	}
	s := v.Shape()
	if len(s) != len(l.axes) {
		return fmt.Errorf("the result has the shape %v, and %s has %d axes", s, l.t, len(l.axes))
	}
	for k, n := range s {
		if a := &l.axes[k]; !a.slice && a.length != n {
			return fmt.Errorf("the result has the shape %v, which is not that of %s", s, l.t)
		}
	}
	return nil
}
