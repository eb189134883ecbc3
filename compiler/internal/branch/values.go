package branch

import (
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

// value is the number of a symbolic value: equal numbers are equal values.
type value int32

// node is what a value is made of.
type node struct {
	op      lir.Op
	a, b, c value
	imm     uint32
	memory  bool // the last operand is the word at imm
	// stores is how many stores before a load, in order, it comes behind that may write what it reads.
	stores int32
}

// Ops of nodes that no instruction has: what a register held at first, what nobody knows, and the choice of b where the condition a
// holds, c elsewhere. Truth is the condition that an integer is not 0.
const (
	initial lir.Op = 0xffff - iota
	unknown
	choice
	truth
)

// values numbers values.
type values struct {
	m    *lir.Machine
	of   map[node]value
	list []node
}

func newValues(m *lir.Machine) *values {
	return &values{m: m, of: map[node]value{}, list: make([]node, 1)}
}

func (v *values) number(n node) value {
	if n.op == choice {
		if x := &v.list[n.b]; x.op == choice && x.a == n.a {
			n.b = x.b
		}
		if y := &v.list[n.c]; y.op == choice && y.a == n.a {
			n.c = y.c
		}
		if n.b == n.c {
			return n.b
		}
	}
	got, ok := v.of[n]
	if !ok {
		got = value(len(v.list))
		v.of[n], v.list = got, append(v.list, n)
	}
	return got
}

// new is a value that equals no other one.
func (v *values) new() value {
	v.list = append(v.list, node{op: unknown})
	return value(len(v.list) - 1)
}

// condition is what a choice goes by, or, where it is reversed, what does not hold then.
type condition struct {
	is       value
	reversed bool
}

func (c condition) not() condition { return condition{c.is, !c.reversed} }

// choose is x where the condition holds, y elsewhere.
func (v *values) choose(c condition, x, y value) value {
	if c.reversed {
		x, y = y, x
	}
	return v.number(node{op: choice, a: c.is, b: x, c: y})
}

// byFlags is the condition that a pick goes by, with what a test has left in the flags.
func (v *values) byFlags(pick graph.Op, flags value) condition {
	return condition{is: v.number(node{op: lir.Of(pick, graph.I32), a: flags})}
}

// truths are the comparisons of integers by those that conditions are made of: lt or ne of the operands, or of these the
// other way round, or what does not hold then. A difference in bits is one.
var truths = map[graph.Op]struct {
	op               graph.Op
	turned, reversed bool
}{
	graph.OpLt:  {op: graph.OpLt},
	graph.OpGt:  {op: graph.OpLt, turned: true},
	graph.OpGe:  {op: graph.OpLt, reversed: true},
	graph.OpLe:  {op: graph.OpLt, turned: true, reversed: true},
	graph.OpNe:  {op: graph.OpNe},
	graph.OpXor: {op: graph.OpNe},
	graph.OpEq:  {op: graph.OpNe, reversed: true},
}

// byValue is the condition that an integer is not 0.
func (v *values) byValue(x value) condition {
	n := v.list[x]
	switch n.op {
	case lessBy:
		return condition{is: x}
	case noLessBy:
		return v.less(n.a, n.imm).not()
	}
	if t, ok := truths[n.op.Code()]; ok && n.op < truth && !n.memory && lir.ClassOf(n.op.DType()) == lir.Int {
		if t.turned {
			n.a, n.b = n.b, n.a
		}
		return v.compared(t.op, n.a, n.b, t.reversed)
	}
	return condition{is: v.number(node{op: truth, a: x})}
}

var lessBy, noLessBy = lir.Of(lir.LtBy, graph.I32), lir.Of(lir.GeBy, graph.I32)

// less is the condition that an integer is less than a number.
func (v *values) less(x value, than uint32) condition {
	return condition{is: v.number(node{op: lessBy, a: x, imm: than})}
}

func (v *values) compared(op graph.Op, a, b value, reversed bool) condition {
	if op == graph.OpNe && a > b {
		a, b = b, a
	}
	return condition{v.number(node{op: lir.Of(op, graph.I32), a: a, b: b}), reversed}
}

// state is what registers and memory hold.
type state struct {
	regs   [lir.NumClasses][32]value // 0: what they held at first
	flags  value
	stores []store
}

type store struct {
	node
	by *regalloc.Inst
}

// reg is what a register of a class holds.
func (v *values) reg(s *state, c lir.Class, r uint8) value {
	if s.regs[c][r] == 0 {
		return v.number(node{op: initial, imm: uint32(c)<<8 | uint32(r)})
	}
	return s.regs[c][r]
}

// replay carries code out. It gives up on what may do anything.
func (v *values) replay(s *state, list []regalloc.Inst) bool {
	for k := 0; k < len(list); k++ {
		i := &list[k]
		if i.Op.Skips() {
			behind, other := sides(list[k:])
			if slices.ContainsFunc(behind, mustRun) || slices.ContainsFunc(other, mustRun) {
				return false
			}
			by, elsewhere := v.skipped(s, i), *s
			elsewhere.stores = slices.Clip(s.stores)
			if !v.replay(s, behind) || !v.replay(&elsewhere, other) {
				return false
			}
			v.join(s, &elsewhere, by)
			k += int(i.Imm) + len(other)
			continue
		}
		if i.Op.MovesTwo() {
			halves := i.Halves()
			if !v.one(s, &halves[0]) || !v.one(s, &halves[1]) {
				return false
			}
		} else if !v.one(s, i) {
			return false
		}
		if !i.Op.KeepsFlags() && !i.Op.Picks() && !i.Op.Tests() {
			s.flags = v.new()
		}
	}
	return true
}

// sides are the code behind a branch, with which a list begins, and what is carried out in its place where that ends with a skip.
func sides(list []regalloc.Inst) (behind, other []regalloc.Inst) {
	end := 1 + int(list[0].Imm)
	behind = list[1:end]
	if n := len(behind) - 1; n >= 0 && behind[n].Op == skipOp {
		behind, other = behind[:n], list[end:end+int(behind[n].Imm)]
	}
	return behind, other
}

// skips are, by op, the pick by the same test and whether one goes on where it takes its second operand; or the comparison, that
// with less than a number included.
var skips = map[graph.Op]struct {
	op       graph.Op
	than     uint32
	reversed bool
}{
	lir.SkipGT: {op: lir.PickGT}, lir.SkipLE: {op: lir.PickGT, reversed: true},
	lir.SkipGE: {op: lir.PickGE}, lir.SkipLT: {op: lir.PickGE, reversed: true},
	lir.SkipEQ: {op: lir.PickEQ}, lir.SkipNE: {op: lir.PickEQ, reversed: true},
	lir.SkipAny: {op: truthOp}, lir.SkipZero: {op: truthOp, reversed: true},
	lir.SkipLess: {op: graph.OpLt}, lir.SkipNoLess: {op: graph.OpLt, reversed: true},
	lir.SkipOther: {op: graph.OpNe}, lir.SkipEqual: {op: graph.OpNe, reversed: true},
	lir.SkipNegative: {op: lir.LtBy}, lir.SkipNoNegative: {op: lir.LtBy, reversed: true},
	lir.SkipNoPositive: {op: lir.LtBy, than: 1}, lir.SkipPositive: {op: lir.LtBy, than: 1, reversed: true},
}

const truthOp = graph.Op(0xff)

// skipped is the condition by which a skip goes on.
func (v *values) skipped(s *state, i *regalloc.Inst) (c condition) {
	by := skips[i.Op.Code()]
	a := func() value { return v.reg(s, v.m.Bank(lir.Int), i.A) }
	switch {
	case i.Op.SkipsByTest():
		c = v.byFlags(by.op, s.flags)
	case by.op == truthOp:
		c = v.byValue(a())
	case by.op == lir.LtBy:
		c = v.less(a(), by.than)
	default:
		c = v.compared(by.op, a(), v.reg(s, v.m.Bank(lir.Int), i.B), false)
	}
	if by.reversed {
		return c.not()
	}
	return c
}

// join makes the state behind code that was skipped, by a condition, or not: after is that behind it, before that where it was.
func (v *values) join(after, before *state, by condition) {
	for c := range after.regs {
		for r := range after.regs[c] {
			if after.regs[c][r] != before.regs[c][r] {
				class, reg := lir.Class(c), uint8(r)
				after.regs[c][r] = v.choose(by, v.reg(before, class, reg), v.reg(after, class, reg))
			}
		}
	}
	if after.flags != before.flags {
		after.flags = v.new()
	}
}

func (v *values) one(s *state, i *regalloc.Inst) bool {
	info := &v.m.Ops[i.Op]
	if info.Kernel || i.Op.EndsLoop() || i.Op.InARow() > 1 || i.Op.Code() == lir.Narrow {
		return false
	}
	n := node{op: i.Op, imm: i.Imm, memory: i.Mem}
	args := [3]*value{&n.a, &n.b, &n.c}
	classes, regs := lir.OperandClasses(i.Op), [3]uint8{i.A, i.B, i.C}
	operands := int(info.Operands)
	if i.Mem {
		operands--
	}
	for k := range operands {
		*args[k] = v.reg(s, v.m.Bank(classes[k]), regs[k])
	}
	if writes, _ := i.Op.Writes(); writes {
		s.stores = append(s.stores[:len(s.stores):len(s.stores)], store{n, i})
		return true
	}
	if reads, _ := i.Op.Reads(); reads || i.Mem {
		for k := range s.stores {
			if mayOverlap(s.stores[k].by, i) {
				n.stores = int32(k + 1)
			}
		}
	}
	for c := range s.regs {
		for lost := v.m.Lost(i.Op, lir.Class(c)); lost != 0; lost &= lost - 1 {
			s.regs[c][bits.TrailingZeros32(lost)] = v.new()
		}
	}
	d := &s.regs[v.m.Bank(lir.ResultClass(i.Op))][i.D]
	switch code := i.Op.Code(); {
	case i.Op.Tests():
		s.flags = v.number(n)
	case code == lir.Move:
		*d = n.a
	case i.Op.Picks():
		by, reversed := i.Op.PicksBy()
		if i.Op.Puts() {
			n.a, n.b = v.number(node{op: putOp, imm: i.Imm}), n.a
		}
		if reversed {
			n.a, n.b = n.b, n.a
		}
		*d = v.choose(v.byFlags(by, s.flags), n.a, n.b)
	case code == graph.OpSelect:
		*d = v.choose(v.byValue(n.a), n.b, n.c)
	default:
		*d = v.number(n)
	}
	return true
}

// mayOverlap reports whether two accesses to the data block may be to one word.
func mayOverlap(a, b *regalloc.Inst) bool {
	_, byPointer := a.Op.Writes()
	_, also := b.Op.Reads()
	size := func(i *regalloc.Inst) uint32 { return 4 * uint32(lir.WordsOf(i.Op.DType())) }
	return byPointer || also || a.Imm < b.Imm+size(b) && b.Imm < a.Imm+size(a)
}

// same reports whether two pieces of code, replayed from one state, leave the same in the registers of a set, in the flags where these
// are needed, and in memory.
func same(m *lir.Machine, x, y []regalloc.Inst, needed live) bool {
	v := newValues(m)
	var after [2]state
	flags := v.new()
	for k, code := range [2][]regalloc.Inst{x, y} {
		if after[k].flags = flags; !v.replay(&after[k], code) {
			return false
		}
	}
	for c := range needed.regs {
		for r := range uint8(32) {
			if class := lir.Class(c); needed.regs[c]>>r&1 != 0 && v.reg(&after[0], class, r) != v.reg(&after[1], class, r) {
				return false
			}
		}
	}
	if len(after[0].stores) != len(after[1].stores) || needed.flags && after[0].flags != after[1].flags {
		return false
	}
	for k := range after[0].stores {
		if after[0].stores[k].node != after[1].stores[k].node {
			return false
		}
	}
	return true
}
