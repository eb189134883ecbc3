package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// straight makes blocks of the inner loops that run once, where what they carry ends with them.
func (l *lowerer) straight(items []lir.Item) {
	for i := range items {
		switch loop := items[i].Loop; {
		case loop == nil:
		case !loop.Inner():
			l.straight(loop.Body)
		case loop.Iterations() == 1 && endsWithin(loop):
			items[i] = lir.Item{Block: l.onlyIteration(loop)}
		}
	}
}

// endsWithin reports whether the counter of a loop counts nothing but its iterations, nothing that it carries is
// read behind it, and no register has to be narrowed there. What it puts into memory behind all else stays there.
func endsWithin(loop *lir.Loop) bool {
	for k, p := range loop.Phis {
		if p.Out != 0 || k > 0 && p.Init == 0 && p.From == lir.NoAddr {
			return false
		}
	}
	counter := loop.Phis[0].Val
	return len(loop.Body[0].Block.Updates) == 0 && !slices.ContainsFunc(loop.Body[0].Block.Ins, func(in lir.Ins) bool {
		return in.A == counter || in.B == counter || in.C == counter || lir.Lanes(in.Op.DType()) == lir.MaxLanes || in.Op.Code() == lir.Fence
	})
}

// onlyIteration is the body of a loop, which finds the first values of the phis.
func (l *lowerer) onlyIteration(loop *lir.Loop) *lir.Block {
	first, steps := map[lir.Val]lir.Val{}, map[lir.Val]bool{}
	b := &lir.Block{}
	for k, p := range loop.Phis[1:] {
		if by := loop.SteppedBy(1 + k); by != nil {
			steps[by.D] = true
		}
		if first[p.Val] = p.Init; p.Init == 0 {
			first[p.Val] = p.Val
			b.Ins = append(b.Ins, lir.Ins{Op: lir.Of(lir.Address, graph.I32), D: p.Val, Imm: uint32(p.From)})
		}
	}
	for _, in := range loop.Body[0].Block.Ins {
		if in.D != 0 && steps[in.D] {
			continue
		}
		for _, v := range [3]*lir.Val{&in.A, &in.B, &in.C} {
			if of, ok := first[*v]; ok {
				*v = of
			}
		}
		b.Ins = append(b.Ins, in)
	}
	return b
}
