package lower

import (
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Without float registers, a comparison of floats is a call. One with a constant asks whether the bits lie between two
// others, which takes an addition and a comparison of integers.

// aSpan is such a question: whether bits, or keys, and by compare with the limit.
type aSpan struct {
	keys      bool
	by, limit uint32
	op        graph.Op // OpLe or OpGe, of integers
}

// spanOf is what a comparison with the float of bits c, no NaN, asks; not ok if it is true for no float.
func spanOf(op graph.Op, c uint32) (s aSpan, ok bool) {
	least := keyOf(1<<31 | topKey)
	low, high := least, int32(topKey)
	below, above := keyOf(c), keyOf(c)
	if c<<1 == 0 { // both zeros compare alike
		below, above = -1, 0
	}
	switch op {
	case graph.OpLt:
		high = below - 1
	case graph.OpLe:
		high = above
	case graph.OpGt:
		low = above + 1
	case graph.OpGe:
		low = below
	}
	switch {
	case low > high:
		return aSpan{}, false
	case high < 0: // bits count downwards
		low, high = keyOf(uint32(high)), keyOf(uint32(low))
	default:
		s.keys = low < 0
	}
	// Moved to an end of the integers, the span has one limit left. Where it ends with an infinity, that is the end
	// moved, by a number that comparisons share.
	if s.keys && low == least {
		s.by, s.op = uint32(math.MinInt32-low), graph.OpLe
		s.limit = uint32(high) + s.by
	} else {
		s.by, s.op = uint32(math.MaxInt32-high), graph.OpGe
		s.limit = uint32(low) + s.by
	}
	return s, true
}

// keyOf is what lir.Key gives.
func keyOf(bits uint32) int32 { return int32(bits ^ uint32(int32(bits)>>31)>>1) }

// comparer finds comparisons of floats with constants in a block.
type comparer struct {
	*lowerer
	out  []lir.Ins
	made map[lir.Ins]lir.Val // by instruction without its result
}

// compareBits makes comparisons of integers of such ones.
func (l *lowerer) compareBits(b *lir.Block) {
	if !l.m.Shared || !l.m.Ops[keyOp].Valid || !l.m.Ops[bitsOp].Valid {
		return
	}
	c := comparer{lowerer: l, out: make([]lir.Ins, 0, len(b.Ins)), made: map[lir.Ins]lir.Val{}}
	for _, in := range b.Ins {
		if !c.compare(&in) {
			c.out = append(c.out, in)
		}
	}
	b.Ins = c.out
}

// compare makes the code for an instruction, if it is such a comparison.
func (c *comparer) compare(in *lir.Ins) bool {
	r, ok := relations[in.Op.Code()]
	if !ok || in.Op.DType() != graph.F32 {
		return false
	}
	of, n, left, ok := c.withNumber(in)
	if !ok || n<<1 > topKey<<1 {
		return false
	}
	op := in.Op.Code()
	if left {
		op = r.turned
	}
	if op == graph.OpEq || op == graph.OpNe {
		v := c.make(bitsOp, of, 0, 0)
		if n<<1 == 0 {
			v, n = c.make(lir.Of(lir.ShlBy, graph.I32), v, 0, 1), 0
		}
		c.out = append(c.out, lir.Ins{Op: lir.Of(op, graph.I32), A: v, B: c.word(uint64(n), lir.Int), D: in.D})
		return true
	}
	s, ok := spanOf(op, n)
	if !ok {
		return false
	}
	v := c.make(bitsOp, of, 0, 0)
	if s.keys {
		v = c.make(keyOp, v, 0, 0)
	}
	v = c.make(lir.Of(graph.OpAdd, graph.I32), v, c.word(uint64(s.by), lir.Int), 0)
	c.out = append(c.out, lir.Ins{Op: lir.Of(s.op, graph.I32), A: v, B: c.word(uint64(s.limit), lir.Int), D: in.D})
	return true
}

// make is the result of an instruction, which is carried out once.
func (c *comparer) make(op lir.Op, x, y lir.Val, imm uint32) lir.Val {
	in := lir.Ins{Op: op, A: x, B: y, Imm: imm}
	v, ok := c.made[in]
	if !ok {
		v = c.newVal(lir.Int, local)
		c.made[in], in.D = v, v
		c.out = append(c.out, in)
	}
	return v
}
