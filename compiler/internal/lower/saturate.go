package lower

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

var (
	least    = lir.Of(graph.OpMin, graph.I32)
	greatest = lir.Of(graph.OpMax, graph.I32)
	saturate = lir.Of(lir.Saturate, graph.I32)
)

// saturations makes one instruction of limits on both sides, or of zero below, that are the ends of what some bits can be.
func (l *lowerer) saturations(loop *lir.Loop, b *lir.Block) {
	if !l.m.Ops[saturate].Valid {
		return
	}
	c := &chooser{lowerer: l, b: b}
	c.count(loop)
	for i := len(b.Ins) - 1; i >= 0; i-- {
		in := &b.Ins[i]
		if in.Op != least && in.Op != greatest || c.uses[in.D] == 0 {
			continue
		}
		x, limits := c.limitedBy(in)
		second := lir.Val(0)
		if inner := c.once(x); inner != nil && limits != anyInteger && (inner.Op == least || inner.Op == greatest) && inner.Op != in.Op {
			if y, more := c.limitedBy(inner); y != 0 && !limits.and(more).isEmpty() {
				x, limits, second = y, limits.and(more), x
			}
		}
		if op, width, ok := saturation(limits); ok {
			*in = lir.Ins{Op: op, A: x, D: in.D, Imm: width}
			if second != 0 {
				c.uses[second]--
				l.leftOver = true
			}
		}
	}
}

// limitedBy is the value that a minimum or maximum with a constant limits, and what it limits it to.
func (c *chooser) limitedBy(in *lir.Ins) (lir.Val, interval) {
	limits := anyInteger
	x, n, _, ok := c.withNumber(in)
	switch {
	case !ok:
		return 0, anyInteger
	case in.Op == least:
		limits.high = int64(int32(n))
	default:
		limits.low = int64(int32(n))
	}
	return x, limits
}

// saturation is the instruction that limits an integer so.
func saturation(to interval) (op lir.Op, width uint32, ok bool) {
	width = uint32(bits.Len64(uint64(to.high)))
	switch {
	case to.high < 0 || to.high&(to.high+1) != 0 || to == anyInteger:
		return 0, 0, false
	case to.low == 0:
		return lir.Of(lir.SaturateUp, graph.I32), width, true
	}
	return saturate, width, to.low == -to.high-1
}
