package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// truth is a select of 1 and 0, or of 0 and 1, as its condition or the opposite, which are these integers: where there are
// no tests, which would be shorter still. In vectors only the condition itself is.
func (p *program) truth(op graph.Op, t graph.DType, c, x, y lir.Val) (condition lir.Val, opposite, ok bool) {
	if op != graph.OpSelect || lir.Element(t) != graph.I32 || t == graph.I32 && p.m.Ops[lir.Of(lir.Test, graph.I32)].Valid {
		return 0, false, false
	}
	yes, known := p.constantOf(x)
	no, also := p.constantOf(y)
	return c, no == 1, known && also && yes|no == 1 && yes != no && (no == 0 || t == graph.I32)
}

// addChosen makes a choice of a changed value and the same of one that changes it by what is chosen, if the other choice
// changes nothing: x + (y if c else 0) is x + y if c else x, which takes no register for the zero and may stay where x is.
func (l *lowerer) addChosen(loop *lir.Loop, b *lir.Block) {
	c := &chooser{lowerer: l, b: b}
	c.count(loop)
	gone := map[lir.Val]bool{}
	out := make([]lir.Ins, 0, len(b.Ins))
	for _, in := range b.Ins {
		out = append(out, c.changedOrNot(in, gone)...)
	}
	b.Ins = slices.DeleteFunc(out, func(in lir.Ins) bool { return gone[in.D] })
}

// changedOrNot is what becomes of an instruction; the selects that it needs no more are gone.
func (c *chooser) changedOrNot(in lir.Ins, gone map[lir.Val]bool) []lir.Ins {
	commutes, ok := masked[in.Op]
	if !ok {
		return []lir.Ins{in}
	}
	for _, a := range [2][2]lir.Val{{in.A, in.B}, {in.B, in.A}} {
		if a[0] == in.B && !commutes {
			break
		}
		by := c.once(a[1])
		if by == nil || by.Op != choose || gone[by.D] || c.isFixed(a[0]) {
			continue
		}
		changed := c.newVal(lir.Int, local)
		result := lir.Ins{Op: choose, A: by.A, B: changed, C: a[0], D: in.D}
		with := by.B
		if n, known := c.constantOf(by.B); known && n == 0 {
			result.B, result.C, with = result.C, result.B, by.C
		} else if n, known := c.constantOf(by.C); !known || n != 0 {
			continue
		}
		gone[by.D] = true
		return []lir.Ins{{Op: in.Op, A: a[0], B: with, D: changed}, result}
	}
	return []lir.Ins{in}
}
