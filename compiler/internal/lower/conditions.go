package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// conditions replaces selects by a condition of several comparisons by one for each of these, where tests or branches make
// them short: its parts need not be 0 or 1.
func (c *chooser) conditions() {
	gone := map[lir.Val]bool{}
	c.decides = map[lir.Val]int{}
	for i := range c.b.Ins {
		if in := &c.b.Ins[i]; isSelect(in) {
			c.decides[in.A]++
		}
	}
	var out []lir.Ins
	for i := range c.b.Ins {
		switch in := c.b.Ins[i]; {
		case isSelect(&in):
			out = append(out, c.nested(in, gone)...)
		case in.Op == addInts:
			out = append(out, c.counted(in, gone)...)
		default:
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

var addInts = lir.Of(graph.OpAdd, graph.I32)

// counted is what becomes of an addition: of one that counts how often a condition holds, a choice of the next number.
func (c *chooser) counted(in lir.Ins, gone map[lir.Val]bool) []lir.Ins {
	by, n := in.B, in.A
	if !c.tested(by) {
		by, n = n, by
	}
	if !c.tested(by) || by == n || !c.m.Ops[lir.Of(lir.Test, graph.I32)].Valid && c.compares(by) { // as an integer it is short enough
		return []lir.Ins{in}
	}
	next := lir.Ins{Op: addInts, A: n, B: c.word(1, lir.Int), D: c.newVal(lir.Int, local)}
	pick := lir.Ins{Op: lir.Of(graph.OpSelect, graph.I32), A: by, B: next.D, C: n, D: in.D}
	return append([]lir.Ins{next}, c.nested(pick, gone)...)
}

// joined replaces ands and ors of comparisons by selects, where tests make them short: only the first comparison of several
// is then an integer.
func (c *chooser) joined() {
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if code := in.Op.Code(); code != graph.OpAnd && code != graph.OpOr || in.Op.DType() != graph.Bool {
			continue
		}
		by, other := in.B, in.A
		if !c.compares(by) {
			by, other = other, by
		}
		if !c.compares(by) || by == other {
			continue
		}
		pick := lir.Ins{Op: lir.Of(graph.OpSelect, graph.Bool), A: by, B: other, D: in.D}
		if in.Op.Code() == graph.OpAnd {
			pick.C = c.word(0, lir.Int)
		} else {
			pick.B, pick.C = c.word(1, lir.Int), other
		}
		*in = pick
	}
}

// tested reports whether a condition that one instruction reads consists of comparisons of which tests can be made.
func (c *chooser) tested(v lir.Val) bool {
	in := c.once(v)
	if in == nil || in.Op.DType() != graph.Bool {
		return c.compares(v)
	}
	switch in.Op.Code() {
	case graph.OpNot:
		return c.tested(in.A)
	case graph.OpAnd, graph.OpOr:
		return c.tested(in.A) && c.tested(in.B)
	}
	return c.compares(v)
}

// differ compares conditions.
var differ = lir.Of(graph.OpXor, graph.Bool)

// compares reports whether a value that one instruction reads is a comparison of which a test can be made.
func (c *chooser) compares(v lir.Val) bool {
	in := c.once(v)
	if in == nil {
		return false
	}
	t := in.Op.DType()
	_, ok := flagOf[in.Op.Code()]
	return (ok || in.Op == differ) && c.branches(t)
}

// branches reports whether a comparison takes less by a test or as a branch than as an integer.
func (c *chooser) branches(t graph.DType) bool {
	return c.m.Ops[lir.Of(lir.Test, lir.TestType(t))].Valid || c.m.Ops[lir.Of(lir.SkipZero, graph.I32)].Valid && lir.Lanes(t) == 1
}

// nested is what becomes of a select; the conditions that it needs no more are gone.
func (c *chooser) nested(in lir.Ins, gone map[lir.Val]bool) []lir.Ins {
	by := c.condition(in.A)
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

// repeats is how many selects by one condition at most become such by each of its parts.
const repeats = 2

// condition is the instruction that makes a value which only selects read, as their condition.
func (c *chooser) condition(v lir.Val) *lir.Ins {
	if in := c.once(v); in != nil {
		return in
	}
	i, ok := c.made[v]
	if n := c.decides[v]; !ok || n == 0 || n > repeats || n != c.uses[v] {
		return nil
	}
	return &c.b.Ins[i]
}

// testable reports whether a condition that selects read is a comparison of which a test can be made, or has one.
func (c *chooser) testable(v lir.Val) bool {
	in := c.condition(v)
	if in == nil {
		return false
	}
	switch code, t := in.Op.Code(), in.Op.DType(); code {
	case graph.OpNot, graph.OpAnd, graph.OpOr:
		return t == graph.Bool && (c.testable(in.A) || c.testable(in.B))
	}
	return c.compares(v)
}
