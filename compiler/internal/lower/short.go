package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
)

// Rows of three numbers, as points and colours have, are vectors of four all the same. The last lane is what the row behind begins
// with, or nothing: what is computed of it is written, too, but in front of that row, or to a word that nothing reads. So
// there is one row in an iteration.
const (
	shortRow   = 3
	shortWidth = 4
)

// short reports whether rows along an axis are so short, and can be computed so.
func (n *nest) short(x *expr, axis int) bool {
	if n.l.m.Lanes == 0 || axis < 1 || n.dims[axis] != shortRow || n.changes || n.woven > 0 || !n.l.haveCode(x, shortWidth) {
		return false
	}
	for s := range n.streams {
		st := &n.streams[s]
		if st.t.Words() != 1 || st.written && !(st.spare && st.strides[axis] == graph.WordSize && st.strides[axis-1] == shortRow*graph.WordSize) {
			return false
		}
	}
	return true
}

// sideBySide reports whether all elements of a row lie next to each other, or are one.
func (n *nest) sideBySide() bool {
	for s := range n.streams {
		if step := n.step(s); step != 0 && step != graph.WordSize {
			return false
		}
	}
	return true
}
