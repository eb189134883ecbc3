package device

import (
	"bytes"
	"cmp"
	"slices"
)

// Pieces are parts of a data block in the order of their offsets, which neither overlap
// nor touch.
type Pieces []Piece

func (p Piece) end() uint64 { return uint64(p.Offset) + uint64(len(p.Bytes)) }

// Cover tells whether all of some spans lies in them.
func (s Pieces) Cover(spans []Span) bool {
	for _, want := range spans {
		if want.Length > 0 && !slices.ContainsFunc(s, func(p Piece) bool {
			return p.Offset <= want.Offset && uint64(want.Offset)+uint64(want.Length) <= p.end()
		}) {
			return false
		}
	}
	return true
}

// Note takes a piece, which counts before those that were there.
func (s *Pieces) Note(w Piece) {
	if len(w.Bytes) == 0 {
		return
	}
	// Pieces [from, to) overlap or touch it.
	from, _ := slices.BinarySearchFunc(*s, uint64(w.Offset), func(p Piece, at uint64) int { return cmp.Compare(p.end(), at) })
	to := from
	for to < len(*s) && uint64((*s)[to].Offset) <= w.end() {
		to++
	}
	if to == from+1 && (*s)[from].Offset <= w.Offset {
		// It lies within a piece, or goes on where that ends.
		first := &(*s)[from]
		n := copy(first.Bytes[w.Offset-first.Offset:], w.Bytes)
		first.Bytes = append(first.Bytes, w.Bytes[n:]...)
		return
	}
	whole := Piece{Offset: w.Offset, Bytes: bytes.Clone(w.Bytes)}
	if to > from {
		first, last := (*s)[from], (*s)[to-1]
		if first.Offset < w.Offset {
			whole.Offset = first.Offset
			whole.Bytes = append(bytes.Clone(first.Bytes[:w.Offset-first.Offset]), w.Bytes...)
		}
		if last.end() > w.end() {
			whole.Bytes = append(whole.Bytes, last.Bytes[w.end()-uint64(last.Offset):]...)
		}
	}
	*s = slices.Replace(*s, from, to, whole)
}
