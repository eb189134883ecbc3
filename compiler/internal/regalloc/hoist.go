package regalloc

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// ahead is how many instructions a load is moved up at most: about as many as an
// in-order core starts while a load is under way.
const ahead = 6

// hoist moves loads away from the instructions that wait for them, for cores
// that start instructions in order: up past instructions that have nothing to do
// with the register or the word.
func (a *allocator) hoist() {
	heads := make([]int, len(a.code.Ends))
	for i, e := range a.code.Ends {
		heads[i] = e.Head
	}
	slices.Sort(heads)
	insts := a.code.Insts
	floor := 0 // nothing moves above this: the head of a loop or the end of one
	for i := range insts {
		if len(heads) > 0 && heads[0] == i {
			floor, heads = i, heads[1:]
		}
		in := insts[i]
		switch {
		case in.Op.EndsLoop():
			floor = i + 1
		case isLoad(in.Op):
			to, t := i, a.touches(&in)
			for to > max(floor, i-ahead) && !isLoad(insts[to-1].Op) && a.apart(&insts[to-1], &in, &t) { // loads keep their order
				to--
			}
			copy(insts[to+1:i+1], insts[to:i])
			insts[to] = in
		}
	}
}

// isLoad reports whether an op fetches one or two values from their homes.
func isLoad(op lir.Op) bool { return op.Code() == lir.Load || op.Code() == lir.Load2 }
