package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

var mulSingle = lir.Of(lir.MulSingle, lir.F32x4)

// bySingle reports whether a step is a product of a vector and of a word that is the same for all elements of a row, of which no
// copies are made where nothing but products needs it; and which operand is which.
func (x *expr) bySingle(b *body, s *step) (wide, single operand, ok bool) {
	if s.op != graph.OpMul || s.t != graph.F32 || b.width != 4 || !b.n.l.m.Ops[mulSingle].Valid {
		return wide, single, false
	}
	for i, o := range s.args {
		if other := s.args[1-i]; b.n.isSingle(o) && !b.n.isSingle(other) && x.onlyMultiplies(b.n, o) {
			return other, o, true
		}
	}
	return wide, single, false
}

// isSingle reports whether an operand is one word for all elements of a row.
func (n *nest) isSingle(o operand) bool {
	return o.step < 0 && (o.stream < 0 || n.step(o.stream) == 0)
}

// onlyMultiplies reports whether nothing but products with vectors has an operand.
func (x *expr) onlyMultiplies(n *nest, o operand) bool {
	for k := range x.steps {
		s := &x.steps[k]
		for i, a := range s.args {
			if a.stream == o.stream && a.val == o.val && a.step < 0 && (s.op != graph.OpMul || n.isSingle(s.args[1-i])) {
				return false
			}
		}
	}
	return true
}

// single is the word.
func (b *body) single(o operand, e int) lir.Val {
	if o.stream < 0 {
		return o.val
	}
	at := [2]int{o.stream, 0}
	if b.row != nil {
		at[1] = b.row[o.stream]
	}
	v, ok := b.singles[at]
	if !ok {
		width := b.width
		b.width = 1
		v = b.read(o.stream, e)
		if b.width = width; b.singles == nil {
			b.singles = map[[2]int]lir.Val{}
		}
		b.singles[at] = v
	}
	return v
}
