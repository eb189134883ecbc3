package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Instructions that compare vectors, and single floats in vector registers, give masks. A bool, 0 or 1, takes one
// instruction more, and a select by it others to make a mask of it again.

// masker finds comparisons of a block whose results may be masks.
type masker struct {
	*chooser
	readers map[lir.Val][]int // indices of the instructions
	mask    map[lir.Val]bool  // what may be a mask
	not     map[lir.Val]bool  // masks of the contrary, which only selects read
}

// maskOf says how a comparison gives a mask.
type maskOf struct {
	op     graph.Op // the machine op
	turned bool     // with the operands the other way round
	not    graph.Op // a shorter op that gives the contrary, which does for selects; 0: there is none
}

var (
	floatMasks = [graph.NumOps]maskOf{
		graph.OpLt: {op: lir.LtMask}, graph.OpGt: {op: lir.LtMask, turned: true},
		graph.OpLe: {op: lir.LeMask}, graph.OpGe: {op: lir.LeMask, turned: true},
		graph.OpEq: {op: lir.EqMask}, graph.OpNe: {op: lir.NeMask},
	}
	intMasks = [graph.NumOps]maskOf{
		graph.OpGt: {op: lir.GtMask}, graph.OpLt: {op: lir.GtMask, turned: true},
		graph.OpLe: {op: lir.NgtMask, not: lir.GtMask}, graph.OpGe: {op: lir.NgtMask, turned: true, not: lir.GtMask},
		graph.OpEq: {op: lir.EqMask}, graph.OpNe: {op: lir.NeMask, not: lir.EqMask},
	}
)

// maskFor is what a comparison becomes.
func (c *chooser) maskFor(in *lir.Ins) (m maskOf, ok bool) {
	code, t := in.Op.Code(), in.Op.DType()
	switch {
	case code >= graph.NumOps:
	case lir.Element(t) == graph.F32:
		m = floatMasks[code]
	case lir.Element(t) == graph.I32 && lir.Lanes(t) > 1:
		m = intMasks[code]
	}
	return m, m.op != 0 && c.m.Ops[lir.Of(m.op, t)].Valid
}

// hasComparisons reports whether some comparison of the block gives a mask.
func (c *chooser) hasComparisons() bool {
	for i := range c.b.Ins {
		if _, ok := c.maskFor(&c.b.Ins[i]); ok {
			return true
		}
	}
	return false
}

// masks makes masks of comparisons whose results nothing but selects, other conditions, and sums that count them read.
func (l *lowerer) masks(loop *lir.Loop, b *lir.Block) {
	c := masker{chooser: &chooser{lowerer: l, b: b}}
	if !c.hasComparisons() {
		return
	}
	c.count(loop)
	c.readers, c.mask, c.not = map[lir.Val][]int{}, map[lir.Val]bool{}, map[lir.Val]bool{}
	for i := range b.Ins {
		in := &b.Ins[i]
		for _, v := range in.Args() {
			c.readers[v] = append(c.readers[v], i)
		}
		_, compares := c.maskFor(in)
		if compares || isCondition(in) {
			c.mask[in.D] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range b.Ins {
			if d := b.Ins[i].D; c.mask[d] && !c.maybe(d) {
				delete(c.mask, d)
				changed = true
			}
		}
	}
	if len(c.mask) > 0 {
		c.compareToMasks()
		c.readMasks()
	}
}

// conditionOf are the ops that make a condition of others, and what they are of masks.
var conditionOf = map[graph.Op]graph.Op{
	graph.OpAnd: graph.OpAnd, graph.OpOr: graph.OpOr, graph.OpXor: graph.OpXor, graph.OpNe: graph.OpXor, graph.OpNot: graph.OpNot,
}

// isCondition reports whether an instruction makes a condition of others, in vectors.
func isCondition(in *lir.Ins) bool {
	t := in.Op.DType()
	return lir.Lanes(t) > 1 && lir.Element(t) == graph.Bool && conditionOf[in.Op.Code()] != 0
}

// maybe reports whether a value can be a mask if all others can that still may.
func (c *masker) maybe(v lir.Val) bool {
	in := &c.b.Ins[c.made[v]]
	if len(c.readers[v]) == 0 || len(c.readers[v]) != c.uses[v] {
		return false
	}
	if isCondition(in) {
		for _, of := range in.Args() {
			if of != 0 && !c.mask[of] {
				return false
			}
		}
	}
	for _, k := range c.readers[v] {
		if !c.reads(&c.b.Ins[k], v) || in.Op.Code() == graph.OpNot && c.b.Ins[k].Op.Code() != graph.OpSelect {
			return false
		}
	}
	return lir.Lanes(in.Op.DType()) > 1 || c.shorter(in)
}

// reads reports whether an instruction can read v as a mask.
func (c *masker) reads(in *lir.Ins, v lir.Val) bool {
	t := in.Op.DType()
	switch {
	case in.Op.Code() == graph.OpSelect:
		return in.A == v && in.B != v && in.C != v && (t == graph.F32 || lir.Lanes(t) > 1)
	case isCondition(in):
		return c.mask[in.D]
	}
	other := in.A
	if other == v {
		other = in.B
	}
	return in.Op.Code() == graph.OpAdd && lir.Element(t) == graph.I32 && lir.Lanes(t) > 1 && other != v && !c.mask[other]
}

// shorter reports whether a comparison of single floats and the selects that read it are shorter by a mask.
func (c *masker) shorter(in *lir.Ins) bool {
	m, _ := c.maskFor(in)
	n := len(c.readers[in.D])
	return c.cost(lir.Of(m.op, graph.F32))+n*c.cost(lir.Of(lir.SelMask, graph.F32)) < c.cost(in.Op)+n*c.cost(selectFloat)
}

// compareToMasks has the comparisons give masks.
func (c *masker) compareToMasks() {
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if isCondition(in) && c.mask[in.D] {
			in.Op = lir.Of(conditionOf[in.Op.Code()], in.Op.DType())
		}
		m, ok := c.maskFor(in)
		if !ok || !c.mask[in.D] {
			continue
		}
		onlySelects := !slices.ContainsFunc(c.readers[in.D], func(k int) bool { return c.b.Ins[k].Op.Code() != graph.OpSelect })
		if m.not != 0 && onlySelects {
			m.op, c.not[in.D] = m.not, true
		}
		if in.Op = lir.Of(m.op, in.Op.DType()); m.turned {
			in.A, in.B = in.B, in.A
		}
		if lir.Lanes(in.Op.DType()) > 1 {
			continue
		}
		d := c.newVal(lir.Float, local)
		for _, k := range c.readers[in.D] {
			c.b.Ins[k].A = d
		}
		c.mask[d], c.not[d] = true, c.not[in.D]
		in.D = d
	}
}

// readMasks has what reads masks do so.
func (c *masker) readMasks() {
	contrary := map[lir.Val]lir.Val{} // by result of a negation: its operand
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		switch {
		case in.Op.Code() == graph.OpNot && c.mask[in.D]:
			contrary[in.D], c.not[in.D] = in.A, true
		case in.Op.Code() == graph.OpSelect && c.mask[in.A]:
			c.selectBy(in)
			if of, ok := contrary[in.A]; ok {
				in.A = of
			}
		case in.Op.Code() == graph.OpAdd && lir.Lanes(in.Op.DType()) > 1:
			if c.mask[in.A] {
				in.A, in.B = in.B, in.A
			}
			if c.mask[in.B] { // it is -1
				in.Op = lir.Of(graph.OpSub, in.Op.DType())
			}
		}
	}
	c.b.Ins = slices.DeleteFunc(c.b.Ins, func(in lir.Ins) bool { return contrary[in.D] != 0 })
}

// selectBy makes a select one by a mask.
func (c *masker) selectBy(in *lir.Ins) {
	if c.not[in.A] {
		in.B, in.C = in.C, in.B
	}
	t := lir.Vector(lir.Lanes(in.Op.DType()))
	zero := func(v lir.Val) bool { return c.isFixed(v) && c.bits(v, t) == 0 }
	switch {
	case zero(in.C):
		in.Op, in.C = lir.Of(lir.KeepMask, t), 0
	case zero(in.B):
		in.Op, in.B, in.C = lir.Of(lir.DropMask, t), in.C, 0
	default:
		in.Op = lir.Of(lir.SelMask, t)
	}
}
