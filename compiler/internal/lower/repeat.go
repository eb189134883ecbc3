package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

const (
	// maxRepeats bounds how many iterations of a static loop become one of its code.
	maxRepeats = 8
	// maxRepeated bounds the instructions of the body of such a loop.
	maxRepeated = 96
	// worthRepeating is how many times the instructions of an iteration should outnumber
	// those that only end it, within the bounds of mayGrow.
	worthRepeating = 5
	// countAndBranch are the instructions of the end of a loop on most architectures.
	countAndBranch = 2
)

// repeats is how many iterations of a loop in registers with this body are carried out by one
// of the code: a number that divides theirs. A short body costs less than what ends it: the
// steps of pointers, the counter, the branch, and carries that take over others' values.
func (x *scanner) repeats(loop *lir.Loop, block []lir.Ins) int {
	m, f := x.l.m, x.l.f
	ends := countAndBranch + x.walks
	if m.LowInts != 0 { // the others, where counter and pointers mostly are, take more
		ends *= 2
	}
	carried := map[lir.Val]bool{}
	for _, p := range loop.Phis {
		carried[p.Val] = true
	}
	for _, p := range loop.Phis[1:] {
		if carried[p.Next] {
			ends++
		}
	}
	for i := range block {
		in := &block[i]
		if x.l.inBody && m.Shared && in.Op.DType().IsFloat() && in.Op.Code() < graph.NumOps && in.Op.Code() != graph.OpSelect {
			return 1 // a service, beside which that takes no time
		}
		if _, anywhere := in.Op.Writes(); m.Ops[in.Op].Kernel || in.Op.Code() == lir.Store && !anywhere {
			return 1
		}
		for _, v := range [2]lir.Val{in.D, in.E} {
			if f.Values[v].Home != lir.NoAddr && v != 0 {
				return 1
			}
		}
	}
	times, one, least := 1, x.takes(block, 1), 0
	for n := 1; n <= min(maxRepeats, (worthRepeating*ends+one-1)/max(one, 1)); n++ {
		takes := x.takes(block, n)
		if x.s.Iterations%n != 0 || n > 1 && (n*len(block) > maxRepeated || !x.reaches(block, n) || !x.l.mayGrow(takes, one, ends)) {
			continue
		}
		if total := x.s.Iterations / n * (takes + ends); n == 1 || total < least {
			times, least = n, total
		}
	}
	return times
}

// takes is about how many instructions so many iterations of a body take.
func (x *scanner) takes(block []lir.Ins, times int) (total int) {
	m := x.l.m
	for i := range block {
		op := block[i].Op
		p, _ := x.walked(&block[i])
		by, _ := op.ByPointer()
		switch _, two := m.Pairs(by); {
		case op.Code() == lir.Fence: // is no code
		case two && p != nil && p.step == 4*lir.WordsOf(op.DType()):
			total += (times + 1) / 2
		case op.Code() < graph.NumOps && op.DType().IsFloat() && !m.Shared:
			total += times * max(1, int(m.Ops[op].Insns))
		default: // bounds are for services, and for integers that these seldom are
			total += times
		}
	}
	return total
}

// walked is the pointer that an instruction reaches memory by, or nil; ok is false where it
// uses one in another way.
func (x *scanner) walked(in *lir.Ins) (by *pointer, ok bool) {
	args, last := in.Args(), in.Op.Operands()-1
	_, indexed := in.Op.ByPointer()
	for k, v := range args {
		for i := range x.moves {
			if v != x.moves[i].val {
				continue
			}
			if !indexed || k != last {
				return nil, false
			}
			by = &x.moves[i]
		}
	}
	return by, true
}

// reaches reports whether pointers that stay where they are for so many iterations still
// reach all rows.
func (x *scanner) reaches(block []lir.Ins, times int) bool {
	for i := range block {
		p, ok := x.walked(&block[i])
		if !ok {
			return false
		}
		if p != nil && int(int32(block[i].Imm))+(times-1)*max(p.step, -p.step)+4*lir.WordsOf(block[i].Op.DType()) > x.l.m.Reach {
			return false
		}
	}
	return true
}

// repeat makes one iteration of the code of several of the loop: the carries of each are the
// results of the one before. Rows that iterations read and write lie apart, so that the
// result may be put in any order, but for fences. Pointers stay at the lowest row.
func (x *scanner) repeat(loop *lir.Loop, block []lir.Ins, times int) []lir.Ins {
	f := x.l.f
	loop.Step = int32(times)
	out := make([]lir.Ins, 0, times*len(block)+len(x.moves))
	for i := range x.moves {
		if p := &x.moves[i]; p.step < 0 {
			p.from = p.from.Plus((times - 1) * p.step)
		}
	}
	now := map[lir.Val]lir.Val{}
	is := func(v lir.Val) lir.Val {
		if w, ok := now[v]; ok {
			return w
		}
		return v
	}
	for k := range times {
		if k > 0 {
			next := map[lir.Val]lir.Val{x.iteration: x.b.newVal(lir.Int, 0)}
			out = append(out, lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: x.iteration, D: next[x.iteration], Imm: uint32(k)})
			for _, p := range loop.Phis[1:] {
				next[p.Val] = is(p.Next)
			}
			now = next
		}
		for _, in := range block {
			p, _ := x.walked(&in)
			switch {
			case p != nil && p.step < 0:
				in.Imm += uint32(-p.step * (times - 1 - k))
			case p != nil:
				in.Imm += uint32(p.step * k)
			}
			in.A, in.B, in.C = is(in.A), is(in.B), is(in.C)
			for _, d := range [2]*lir.Val{&in.D, &in.E} {
				if v := *d; v != 0 && k > 0 {
					*d = x.b.newVal(f.Values[v].Class, 0)
					f.Values[*d].Lanes = f.Values[v].Lanes
					now[v] = *d
				}
			}
			out = append(out, in)
		}
	}
	for i := range loop.Phis[1:] {
		p := &loop.Phis[1+i]
		p.Next = is(p.Next)
	}
	return used(loop, out)
}

// shared are rows of so many bytes that are written by the pointer of others.
type shared struct {
	ptr          lir.Val
	ahead, bytes int
}

// separate gives rows that are written in pairs, where those do not reach as far, a pointer again: one
// step takes less time than several stores.
func (x *scanner) separate(block []lir.Ins, times int) {
	for _, s := range x.shared {
		var list []*lir.Ins
		far := false
		for i := range block {
			in := &block[i]
			if p, _ := x.walked(in); p != nil && p.val == s.ptr && int(in.Imm) >= s.ahead && int(in.Imm) < s.ahead+times*s.bytes {
				list = append(list, in)
				by, _ := in.Op.ByPointer()
				two, ok := x.l.m.Pairs(by)
				reach := int(x.l.m.Ops[two].MaxImm)
				far = far || ok && reach > 0 && int(in.Imm) > reach
			}
		}
		if !far || len(list)/2 < 2 {
			continue
		}
		k := slices.IndexFunc(x.moves, func(p pointer) bool { return p.val == s.ptr })
		own := pointer{val: x.b.newVal(lir.Int, 0), from: x.moves[k].from.Plus(s.ahead), step: x.moves[k].step}
		x.moves = append(x.moves, own)
		for _, in := range list {
			in.B, in.Imm = own.val, in.Imm-uint32(s.ahead)
		}
	}
}

// used leaves out the numbers of iterations that nothing reads.
func used(loop *lir.Loop, block []lir.Ins) []lir.Ins {
	read := map[lir.Val]bool{}
	for i := range block {
		for _, v := range block[i].Args() {
			read[v] = true
		}
	}
	for _, p := range loop.Phis {
		read[p.Next] = true
	}
	kept := block[:0]
	for _, in := range block {
		if in.Op.Code() != lir.AddConst || read[in.D] {
			kept = append(kept, in)
		}
	}
	return kept
}
