package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// conditions replaces selects by a condition of several comparisons by one for each of these, where tests make them short: its
// parts need not be 0 or 1.
func (c *chooser) conditions() {
	gone := map[lir.Val]bool{}
	var out []lir.Ins
	for i := range c.b.Ins {
		if in := c.b.Ins[i]; isSelect(&in) {
			out = append(out, c.nested(in, gone)...)
		} else {
			out = append(out, in)
		}
	}
	if len(gone) == 0 {
		return
	}
	c.b.Ins = out[:0]
	for _, in := range out {
		if !gone[in.D] {
			c.b.Ins = append(c.b.Ins, in)
		}
	}
}

// nested is what becomes of a select; the conditions that it needs no more are gone.
func (c *chooser) nested(in lir.Ins, gone map[lir.Val]bool) []lir.Ins {
	by := c.once(in.A)
	if by == nil || by.Op.DType() != graph.Bool || !c.testable(in.A) {
		return []lir.Ins{in}
	}
	first, second := in, in
	switch by.Op.Code() {
	case graph.OpNot:
		gone[by.D] = true
		in.A, in.B, in.C = by.A, in.C, in.B
		return c.nested(in, gone)
	case graph.OpAnd:
		first.D = c.newVal(lir.ResultClass(in.Op), local)
		second.B = first.D
	case graph.OpOr:
		first.D = c.newVal(lir.ResultClass(in.Op), local)
		second.C = first.D
	default:
		return []lir.Ins{in}
	}
	gone[by.D] = true
	first.A, second.A = by.B, by.A
	return append(c.nested(first, gone), c.nested(second, gone)...)
}

// testable reports whether a condition that one select reads is a comparison of which a test can be made, or has one.
func (c *chooser) testable(v lir.Val) bool {
	in := c.once(v)
	if in == nil {
		return false
	}
	switch code, t := in.Op.Code(), in.Op.DType(); code {
	case graph.OpNot, graph.OpAnd, graph.OpOr:
		return t == graph.Bool && (c.testable(in.A) || c.testable(in.B))
	default:
		_, ok := flagOf[code]
		return ok && c.m.Ops[lir.Of(lir.Test, t)].Valid
	}
}
