package lower

import (
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Code on bits asks for one of them and does something where it is set: a polynomial is added to a
// checksum, a tap to a register that is shifted. An instruction that makes a mask of a bit is
// shorter than the test with a select: x ^ c where the bit is set is x ^ (c & mask).

var (
	spread  = lir.Of(lir.Spread, graph.I32)
	negate  = lir.Of(graph.OpNeg, graph.I32)
	choose  = lir.Of(graph.OpSelect, graph.I32)
	toBool  = lir.Of(graph.OpToBool, graph.I32)
	unequal = lir.Of(graph.OpNe, graph.I32)
	equal   = lir.Of(graph.OpEq, graph.I32)
	less    = lir.Of(graph.OpLt, graph.I32)
)

// masked are the ops that leave their first operand alone where the second one is 0; those for
// which the operands may be exchanged.
var masked = map[lir.Op]bool{
	lir.Of(graph.OpXor, graph.I32): true, lir.Of(graph.OpOr, graph.I32): true, lir.Of(graph.OpAdd, graph.I32): true,
	lir.Of(graph.OpSub, graph.I32): false,
}

// bitter finds such code in a block.
type bitter struct {
	*program
	b       *lir.Block
	madeBy  map[lir.Val]int // by result: the index of its instruction
	changed bool
}

// spreadBits makes masks of single bits where that is shorter.
func (p *program) spreadBits(loop *lir.Loop, b *lir.Block) {
	if !p.m.Ops[spread].Valid || !slices.ContainsFunc(b.Ins, func(i lir.Ins) bool { return i.Op == negate || i.Op == choose }) {
		return
	}
	x := bitter{program: p, b: b, madeBy: make(map[lir.Val]int, len(b.Ins))}
	for i := range b.Ins {
		if d := b.Ins[i].D; d != 0 {
			x.madeBy[d] = i
		}
	}
	out := make([]lir.Ins, 0, len(b.Ins))
	for i := range b.Ins {
		in := b.Ins[i]
		switch in.Op {
		case negate:
			if from, bit, ok := x.bit(in.A); ok {
				in, x.changed = lir.Ins{Op: spread, A: from, D: in.D, Imm: bit}, true
			}
		case choose:
			if list := x.choice(&in); list != nil {
				out, x.changed = append(out, list...), true
				continue
			}
		}
		out = append(out, in)
	}
	if x.changed {
		b.Ins = out
		p.dropUnused(loop, b)
	}
}

// made is the instruction of the block that makes v, if it has one of some ops.
func (x *bitter) made(v lir.Val, ops ...lir.Op) *lir.Ins {
	i, ok := x.madeBy[v]
	if !ok || !slices.Contains(ops, x.b.Ins[i].Op) {
		return nil
	}
	return &x.b.Ins[i]
}

// masked is x and the constant of x & constant.
func (x *bitter) masked(v lir.Val) (of lir.Val, mask uint32, ok bool) {
	in := x.made(v, andOp)
	if in == nil {
		return 0, 0, false
	}
	for _, order := range [2][2]lir.Val{{in.A, in.B}, {in.B, in.A}} {
		if m, ok := x.constantOf(order[1]); ok {
			return order[0], m, true
		}
	}
	return 0, 0, false
}

// bit says of which bit of which value v, which is 0 or 1, is made.
func (x *bitter) bit(v lir.Val) (of lir.Val, bit uint32, ok bool) {
	of, mask, ok := x.masked(v)
	if !ok || mask != 1 {
		return 0, 0, false
	}
	return x.shifted(of, 0)
}

// shifted is the same bit before a shift to the right.
func (x *bitter) shifted(of lir.Val, bit uint32) (lir.Val, uint32, bool) {
	if in := x.made(of, shrBy, ushrBy); in != nil && in.Imm+bit < 32 {
		return in.A, in.Imm + bit, true
	}
	return of, bit, true
}

// tested says which bit a condition asks for, and whether it is to be set.
func (x *bitter) tested(c lir.Val) (of lir.Val, bit uint32, set, ok bool) {
	in := x.made(c, toBool, unequal, equal, less)
	if in == nil {
		return 0, 0, false, false
	}
	if in.Op == less {
		n, ok := x.constantOf(in.B)
		return in.A, 31, true, ok && n == 0
	}
	value, number := in.A, in.B
	if _, ok := x.constantOf(value); ok && in.Op != toBool {
		value, number = number, value
	}
	of, mask, ok := x.masked(value)
	if !ok || bits.OnesCount32(mask) != 1 {
		return 0, 0, false, false
	}
	set = true
	if in.Op != toBool {
		n, known := x.constantOf(number)
		if !known || n != 0 && n != mask {
			return 0, 0, false, false
		}
		set = (n == 0) == (in.Op == unequal)
	}
	of, bit, ok = x.shifted(of, uint32(bits.TrailingZeros32(mask)))
	return of, bit, set, ok
}

// choice is the code for a select between a value and the same changed, if a bit decides.
func (x *bitter) choice(in *lir.Ins) []lir.Ins {
	of, bit, set, ok := x.tested(in.A)
	if !ok {
		return nil
	}
	changed, plain := in.B, in.C
	if !set {
		changed, plain = plain, changed
	}
	i, ok := x.madeBy[changed]
	if !ok {
		return nil
	}
	by := x.b.Ins[i]
	commutes, ok := masked[by.Op]
	if ok && commutes && by.A != plain {
		by.A, by.B = by.B, by.A
	}
	if !ok || by.A != plain {
		return nil
	}
	mask, masked := x.f.NewVal(lir.Int), x.f.NewVal(lir.Int)
	x.level = append(x.level, local, local)
	return []lir.Ins{
		{Op: spread, A: of, D: mask, Imm: bit},
		{Op: andOp, A: by.B, B: mask, D: masked},
		{Op: by.Op, A: plain, B: masked, D: in.D},
	}
}

// idle are the ops whose instructions are left out where nothing uses the result.
var idle = map[lir.Op]bool{
	andOp: true, shrBy: true, ushrBy: true, toBool: true, unequal: true, equal: true, less: true,
	lir.Of(graph.OpXor, graph.I32): true, lir.Of(graph.OpOr, graph.I32): true, lir.Of(graph.OpAdd, graph.I32): true,
	lir.Of(graph.OpSub, graph.I32): true,
	lir.Of(lir.AddBy, graph.I32):   true, lir.Of(lir.SubBy, graph.I32): true,
	lir.Of(lir.EqBy, graph.I32): true, lir.Of(lir.NeBy, graph.I32): true,
	least: true, greatest: true,
}

// dropUnused leaves out such instructions.
func (p *program) dropUnused(loop *lir.Loop, b *lir.Block) {
	used := map[lir.Val]bool{}
	if loop != nil {
		for _, phi := range loop.Phis {
			used[phi.Next] = true
		}
	}
	note := func(in *lir.Ins) {
		for _, v := range in.Args() {
			used[v] = true
		}
	}
	for i := range b.Updates {
		note(&b.Updates[i])
	}
	kept := len(b.Ins)
	for i := len(b.Ins) - 1; i >= 0; i-- {
		if in := b.Ins[i]; used[in.D] || !idle[in.Op] {
			note(&in)
			kept--
			b.Ins[kept] = in
		}
	}
	b.Ins = b.Ins[kept:]
}
