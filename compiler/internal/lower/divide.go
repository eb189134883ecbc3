package lower

import (
	"math"
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// A division of integers by a constant is an instruction, or a product with the reciprocal, of which the upper bits count; a remainder is
// what the quotient leaves. Rounding is down: a negative number x counts as ^x, and its quotient is ^ of that one's. What is
// known of x may spare it that, or all but a comparison. Division by 0, and by -1 where that may overflow, raise the flag and
// are left alone.

// division is by n, and what is divided.
type division struct {
	x lir.Val
	n int64
}

// parts are what a division by n > 0 gives: the quotient is this one and more, the rest that of another number.
type parts struct {
	quotient, of lir.Val
	more         int64
	sign         bool // the quotient is 0, or -1
}

// divider makes code for divisions by constants, of one integer or of several lanes.
type divider struct {
	*program
	t      graph.DType
	number func(n int) lir.Val
	emit   func(in lir.Ins) lir.Val // an instruction, without its result
	done   map[division]parts       // a quotient and a rest have these in common
}

// divided is what a node gives that divides a[0] by a constant, if there is a shorter way.
func (l *lowerer) divided(id graph.ID, a [3]lir.Val) (lir.Val, bool) {
	op := l.g.Node(id).Op
	if !divides(op, l.g.Node(id).DType) {
		return 0, false
	}
	d := divider{l.program, graph.I32, l.integer, l.result, l.divisions}
	return d.divide(op, a[0], a[1], l.bounds(l.g.Args(id)[0]))
}

// divided is the same for a step of a nest.
func (b *body) divided(s *step, a [3]lir.Val) (lir.Val, bool) {
	if !divides(s.op, s.t) {
		return 0, false
	}
	if b.divisions == nil {
		b.divisions = map[division]parts{}
	}
	result := func(in lir.Ins) lir.Val { return b.give(in, graph.I32) }
	number := func(n int) lir.Val { return b.uniform(b.n.l.integer(n)) }
	d := divider{b.n.l.program, lir.VectorOf(graph.I32, b.width), number, result, b.divisions}
	return d.divide(s.op, a[0], a[1], s.divided)
}

// dividesLanes reports whether a step is a division by a constant for which there is code on several lanes.
func (l *lowerer) dividesLanes(s *step, width int) bool {
	if !divides(s.op, s.t) || s.args[1].val == 0 || s.divided.isEmpty() {
		return false
	}
	n, ok := l.constantOf(s.args[1].val)
	t := lir.VectorOf(graph.I32, width)
	_, shifts := l.shiftRight(t, 1)
	for _, op := range []graph.Op{lir.MulHigh, graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpAnd, graph.OpOr, graph.OpXor} {
		ok = ok && l.m.Ops[lir.Of(op, t)].Valid
	}
	return ok && shifts && n+1 > 1 // neither 0 nor -1
}

// divides reports whether an op is a division of integers, or a remainder.
func divides(op graph.Op, t graph.DType) bool {
	return t == graph.I32 && (op == graph.OpFloorDiv || op == graph.OpMod)
}

// divide gives what op does of x, an integer in an interval, and of the constant by, if there is a shorter way.
func (d *divider) divide(op graph.Op, x, by lir.Val, in interval) (lir.Val, bool) {
	word, ok := d.constantOf(by)
	n, rest := int64(int32(word)), op == graph.OpMod
	if !ok || n == 0 || !d.m.Ops[shrBy].Valid || in.isEmpty() {
		return 0, false
	}
	switch {
	case n == -1 && rest:
		return d.number(0), true
	case n == -1 && in.low > math.MinInt32:
		return d.emit(lir.Ins{Op: lir.Of(graph.OpNeg, d.t), A: x}), true
	case n == -1:
		return 0, false
	case n < 0:
		return d.byNegative(x, in, -n, rest)
	}
	if rest {
		if v, ok := d.byDivision(x, by, n, in); ok {
			return v, true
		}
	}
	p, ok := d.split(x, n, in, func() lir.Val { return x })
	switch {
	case !ok:
		return 0, false
	case rest:
		return d.rest(p, n), true
	}
	return d.plus(p.quotient, p.more), true
}

// byDivision is the rest of a division by n > 0 where the machine's own instruction for it is shorter: products take four
// instructions, and three more for what may be negative.
func (d *divider) byDivision(x, by lir.Val, n int64, in interval) (lir.Val, bool) {
	op, quotients := lir.Rest, floorDiv(in.high, n)-floorDiv(in.low, n)
	if in.low >= 0 {
		op = lir.RestUp
	}
	_, known := d.done[division{x, n}]
	if n&(n-1) == 0 || quotients == 0 || quotients == 1 && op == lir.Rest || known || !d.m.Ops[lir.Of(op, d.t)].Valid {
		return 0, false
	}
	return d.emit(lir.Ins{Op: lir.Of(op, d.t), A: x, B: by}), true
}

// byNegative divides by -n: x // -n is ^((x-1) // n), and its rest that of x - 1, and 1 - n more.
func (d *divider) byNegative(x lir.Val, in interval, n int64, rest bool) (lir.Val, bool) {
	below := d.plus(x, -1)
	sign := func() lir.Val { return below }
	if in.low > math.MinInt32 {
		in = interval{in.low - 1, in.high - 1}
	} else { // x - 1 may have lost its sign
		in = interval{math.MinInt32 - 1, math.MaxInt32 - 1}
		sign = func() lir.Val { return d.of(graph.OpOr, x, below) }
	}
	p, ok := d.split(below, n, in, sign)
	switch {
	case !ok:
		return 0, false
	case rest:
		return d.plus(d.rest(p, n), 1-n), true
	}
	return d.of(graph.OpSub, d.number(int(-1-p.more)), p.quotient), true
}

// split divides x by n > 0. What sign gives has the sign of x.
func (d *divider) split(x lir.Val, n int64, in interval, sign func() lir.Val) (parts, bool) {
	if p, ok := d.done[division{x, n}]; ok {
		return p, true
	}
	p, ok := d.parts(x, n, in, sign)
	if ok {
		d.done[division{x, n}] = p
	}
	return p, ok
}

// parts divides by a shift, or tells two quotients apart by a sign, or multiplies: x, or one that has as much more as it takes
// not to be negative, or the magnitude of x.
func (d *divider) parts(x lir.Val, n int64, in interval, sign func() lir.Val) (parts, bool) {
	if n&(n-1) == 0 && in.within(anyInteger) {
		return parts{quotient: d.by(lir.ShrBy, x, bits.TrailingZeros64(uint64(n))), of: x}, true
	}
	least, most := floorDiv(in.low, n), floorDiv(in.high, n)
	if most-least <= 1 {
		of := d.plus(x, -most*n)
		if most == least {
			return parts{quotient: d.number(0), of: of, more: most}, true
		}
		return parts{quotient: d.by(lir.ShrBy, of, 31), of: of, more: most, sign: true}, true
	}
	exact := in.within(anyInteger)
	if in.low < 0 {
		in = interval{in.low - least*n, in.high - least*n}
	} else {
		least = 0
	}
	if exact && d.m.Ops[lir.Of(lir.Quotient, d.t)].Valid {
		return d.byInstruction(x, n, in, least), true
	}
	if r, ok := d.reciprocal(n, in.high); ok {
		of := d.plus(x, -least*n)
		return parts{quotient: d.product(of, r), of: of, more: least}, true
	}
	in = interval{in.low + least*n, in.high + least*n}
	r, ok := d.reciprocal(n, max(in.high, -1-in.low))
	if !ok {
		return parts{}, false
	}
	m := d.magnitude(x, sign)
	return parts{quotient: d.of(graph.OpXor, d.product(m.of, r), m.quotient), of: x}, true
}

// byInstruction divides by the instruction, which rounds toward zero: of an x that has as much more as it takes not to be negative, if
// that leaves it in the interval; of any other the quotient is 1 less where the rest is negative.
func (d *divider) byInstruction(x lir.Val, n int64, in interval, least int64) parts {
	by := d.number(int(n))
	if in.within(anyInteger) {
		of := d.plus(x, -least*n)
		return parts{quotient: d.of(lir.Quotient, of, by), of: of, more: least}
	}
	q := d.of(lir.Quotient, x, by)
	rest := d.of(graph.OpSub, x, d.of(graph.OpMul, q, by))
	return parts{quotient: d.of(graph.OpAdd, q, d.by(lir.ShrBy, rest, 31)), of: x}
}

// magnitude is x where that is not negative, else ^x, and, as a quotient, 0 or -1: the same for all divisors.
func (d *divider) magnitude(x lir.Val, sign func() lir.Val) parts {
	p, ok := d.done[division{x, 0}]
	if !ok {
		p.quotient = d.by(lir.ShrBy, sign(), 31)
		p.of = d.of(graph.OpXor, x, p.quotient)
		d.done[division{x, 0}] = p
	}
	return p
}

// floorDiv is a // n, for n > 0.
func floorDiv(a, n int64) int64 {
	if a < 0 {
		return -1 - (-1-a)/n
	}
	return a / n
}

// reciprocal is that of n for numbers up to most, if there is code for it.
func (d *divider) reciprocal(n, most int64) (reciprocal, bool) {
	if most > math.MaxUint32 {
		return reciprocal{}, false
	}
	narrow := uint32(math.MaxUint32)
	if lir.Lanes(d.t) > 1 { // what is shifted has no sign
		if narrow = math.MaxInt32; most > 1<<31 {
			return reciprocal{}, false
		}
	}
	r, ok := reciprocalOf(uint32(n), uint32(most), narrow)
	return r, ok && (!r.wide || d.m.Ops[lir.Of(lir.MulHigh, d.t)].Valid)
}

// product is x times a reciprocal.
func (d *divider) product(x lir.Val, r reciprocal) lir.Val {
	if r.factor != 1 {
		factor := d.number(int(r.factor))
		switch {
		case !r.wide:
			x = d.of(graph.OpMul, x, factor)
		case d.m.Ops[lir.Of(lir.MulShr, d.t)].Valid:
			return d.emit(lir.Ins{Op: lir.Of(lir.MulShr, d.t), A: x, B: factor, Imm: uint32(r.shift - 32)})
		default:
			x, r.shift = d.of(lir.MulHigh, x, factor), r.shift-32
		}
	}
	return d.by(lir.UshrBy, x, r.shift)
}

// rest is what the division leaves.
func (d *divider) rest(p parts, n int64) lir.Val {
	if known, ok := d.constantOf(p.quotient); ok && known == 0 {
		return p.of
	}
	if p.sign {
		return d.of(graph.OpAdd, p.of, d.of(graph.OpAnd, d.number(int(n)), p.quotient))
	}
	return d.of(graph.OpSub, p.of, d.of(graph.OpMul, p.quotient, d.number(int(n))))
}

func (d *divider) of(op graph.Op, a, b lir.Val) lir.Val {
	return d.emit(lir.Ins{Op: lir.Of(op, d.t), A: a, B: b})
}

// by is a shift to the right by n, which may be 0. Lanes are shifted by ShrBy.
func (d *divider) by(op graph.Op, x lir.Val, n int) lir.Val {
	if n == 0 {
		return x
	}
	in := lir.Ins{Op: lir.Of(op, d.t), A: x, Imm: uint32(n)}
	if lir.Lanes(d.t) > 1 {
		in, _ = d.shiftRight(d.t, uint32(n))
		in.A = x
	}
	return d.emit(in)
}

// plus is x and n more.
func (d *divider) plus(x lir.Val, n int64) lir.Val {
	if n == 0 {
		return x
	}
	if known, ok := d.constantOf(x); ok {
		return d.number(int(int64(int32(known)) + n))
	}
	return d.of(graph.OpAdd, x, d.number(int(n)))
}
