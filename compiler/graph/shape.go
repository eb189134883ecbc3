package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shape lists the length of each axis, outermost first; a scalar has none.
// Elements are laid out row by row: the last axis is contiguous.
type Shape []int

// ShapeID names an interned shape of one graph. Equal shapes have equal IDs.
type ShapeID int32

// Scalar is the ShapeID of () in every graph.
const Scalar ShapeID = 0

// Bounds on shapes: they keep element counts within an int32 and one array
// within 64 MB.
const (
	MaxRank     = 8
	MaxElements = 1 << 24
)

// Elements is the number of elements: the product of the lengths.
func (s Shape) Elements() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether both shapes are the same.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// String writes a shape as Python does: (), (3,), (2, 3).
func (s Shape) String() string {
	if len(s) == 1 {
		return "(" + strconv.Itoa(s[0]) + ",)"
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = strconv.Itoa(d)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (s Shape) check() error {
	if len(s) > MaxRank {
		return fmt.Errorf("shape with %d axes: at most %d are supported", len(s), MaxRank)
	}
	n := 1
	for _, d := range s {
		if d < 0 {
			return fmt.Errorf("shape %v has a negative length", s)
		}
		if d > MaxElements || n*d > MaxElements {
			return fmt.Errorf("shape %v has too many elements: at most %d are supported", s, MaxElements)
		}
		n *= d
	}
	return nil
}

// shapes interns the shapes of one graph; index 0 is ().
type shapes struct {
	list  []Shape
	sizes []int32 // element count of each
	index map[string]ShapeID
}

func newShapes() shapes {
	return shapes{list: []Shape{{}}, sizes: []int32{1}, index: map[string]ShapeID{"": Scalar}}
}

func shapeKey(s Shape) string {
	key := make([]byte, 0, 4*MaxRank)
	for _, d := range s {
		key = append(key, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
	}
	return string(key)
}

func (t *shapes) intern(s Shape) (ShapeID, error) {
	if len(s) == 0 {
		return Scalar, nil
	}
	if err := s.check(); err != nil {
		return 0, err
	}
	key := shapeKey(s)
	if id, ok := t.index[key]; ok {
		return id, nil
	}
	id := ShapeID(len(t.list))
	t.list = append(t.list, slices.Clone(s))
	t.sizes = append(t.sizes, int32(s.Elements()))
	t.index[key] = id
	return id, nil
}

// BroadcastShapes applies NumPy's rule: axes are aligned at the end, and a
// missing or length-1 axis is repeated.
func BroadcastShapes(a, b Shape) (Shape, error) {
	long, short := a, b
	if len(long) < len(short) {
		long, short = short, long
	}
	out := slices.Clone(long)
	shift := len(long) - len(short)
	for i, d := range short {
		switch e := out[shift+i]; {
		case e == d || d == 1:
		case e == 1:
			out[shift+i] = d
		default:
			return nil, fmt.Errorf("shapes %v and %v do not match", a, b)
		}
	}
	return out, nil
}

// canBroadcast reports whether from can be repeated to become to.
func canBroadcast(from, to Shape) bool {
	if len(from) > len(to) {
		return false
	}
	shift := len(to) - len(from)
	for i, d := range from {
		if d != to[shift+i] && d != 1 {
			return false
		}
	}
	return true
}
