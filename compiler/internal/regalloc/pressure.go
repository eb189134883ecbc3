package regalloc

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// wordsThatFit is how many of the words of a class, in order, a loop can hold in registers
// beside its phis, so that what the body computes and loads finds registers as well.
func (a *allocator) wordsThatFit(l *lir.Loop, body []lir.Ins, phis []pin, read []lir.Val, c lir.Class) int {
	held := map[lir.Val]bool{}
	for _, p := range phis {
		held[p.v] = p.r != noReg
	}
	var words []lir.Val
	for _, v := range read {
		if a.class(v) == c {
			words = append(words, v)
		}
	}
	free := bits.OnesCount32(a.files[c].pool)
	k := min(len(words), free)
	for _, v := range words[:k] {
		held[v] = true
	}
	for ; k > 0; k-- {
		if max(a.bodyTakes(l.Phis, body, c, held), a.needs(body, c, held)) <= free-k {
			return k
		}
		held[words[k-1]] = false
	}
	return 0
}

// bodyTakes is how many registers of a class the body of a loop takes at once: for values that
// it has computed and still needs, and for operands from memory. Those that are held
// elsewhere do not count. A block that is no loop has no phis.
func (a *allocator) bodyTakes(phis []lir.Phi, body []lir.Ins, c lir.Class, held map[lir.Val]bool) int {
	made := map[lir.Val]bool{} // whether it is needed further on
	for i := range body {
		for _, v := range [2]lir.Val{body[i].D, body[i].E} {
			if v != 0 && a.class(v) == c {
				made[v] = false
			}
		}
	}
	n := 0
	for _, p := range phis[min(1, len(phis)):] {
		if alive, ok := made[p.Next]; ok && !alive {
			made[p.Next] = true
			n++
		}
	}
	most := n
	for i := len(body) - 1; i >= 0; i-- {
		in := &body[i]
		results := []lir.Val{in.D, in.E}
		switch {
		case in.Op.Code() == lir.Beside:
			continue // is made by the load
		case in.Op.InARow() > 1:
			list := besides(in, body[i:])
			results = list[:]
		}
		for _, v := range results {
			if made[v] {
				n--
			}
			delete(made, v)
		}
		if inARow := in.Op.InARow(); inARow > 1 && a.class(in.D) == c {
			most = max(most, n+inARow)
		}
		loads := 0
		for k, v := range in.Args() {
			switch alive, ok := made[v]; {
			case ok && !alive:
				made[v] = true
				n++
			case !ok && v != 0 && a.class(v) == c && !held[v] && !(k > 0 && v == in.A):
				loads++
			}
		}
		most = max(most, n+loads)
	}
	return most
}

// needs is how many registers of a class the instructions of a body take at most, those of
// phis apart that are all in registers. The result can take the place of an operand.
func (a *allocator) needs(ins []lir.Ins, c lir.Class, pinned map[lir.Val]bool) int {
	most := 1
	for i := range ins {
		in, n := &ins[i], 0
		for k, v := range in.Args() {
			if v != 0 && a.class(v) == c && !pinned[v] && !(k > 0 && v == in.A) {
				n++
			}
		}
		if a.m.Ops[in.Op].Tied {
			n++
		}
		if r := in.Op.InARow(); r > 1 && a.class(in.D) == c {
			n = max(n, r)
		}
		most = max(most, n)
	}
	return most
}

// useUnsaved has the body of a loop take registers that cost saving them for the caller where few others are left to
// it, if it runs often enough: neighbours are stored at once if they lie in different ones.
func (a *allocator) useUnsaved(l *lir.Loop) {
	const few, often = 4, 16
	for c := range a.files {
		if f := &a.files[c]; l.Iterations() >= often && bits.OnesCount32(f.pool&^f.unsaved) < few {
			f.unsaved = 0
		}
	}
}
