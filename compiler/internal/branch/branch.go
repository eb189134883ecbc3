package branch

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
)

// Run puts branches into code, for a machine that has them. size says how much code an instruction is: how many instructions of the
// machine, and how many bytes at most.
func Run(code *regalloc.Code, m *lir.Machine, size func(*regalloc.Inst) (insns, bytes int)) {
	s := &splitter{m: m, size: size}
	if !s.can(lir.SkipGT) && !s.can(lir.SkipZero) || !slices.ContainsFunc(code.Insts, s.chooses) {
		return
	}
	after := s.lives(code)
	loops := loopsAt(code)
	heads := make([]int, len(code.Ends)) // by end
	out := make([]regalloc.Inst, 0, len(code.Insts))
	from := 0
	for k := range len(code.Insts) + 1 {
		ends := k < len(code.Insts) && code.Insts[k].Op.EndsLoop()
		if !ends && len(loops[k]) == 0 && k < len(code.Insts) {
			continue
		}
		if from < k {
			out = append(out, s.block(code.Insts[from:k], after[k-1])...)
		}
		for _, i := range loops[k] {
			heads[i] = len(out)
		}
		if from = k; ends {
			out, from = append(out, code.Insts[k]), k+1
		}
	}
	code.Insts = out
	for i := range code.Ends {
		code.Ends[i].Head = heads[i]
	}
}

// loopsAt are the loops of code that begin at an instruction, by their ends.
func loopsAt(code *regalloc.Code) map[int][]int {
	at := map[int][]int{}
	for i := range code.Ends {
		at[code.Ends[i].Head] = append(at[code.Ends[i].Head], i)
	}
	return at
}

// splitter puts branches into the code of a program.
type splitter struct {
	m    *lir.Machine
	size func(*regalloc.Inst) (insns, bytes int)
}

func (s *splitter) can(op graph.Op) bool { return s.m.Ops[lir.Of(op, graph.I32)].Valid }

// chooses reports whether an instruction is a choice for which there are branches.
func (s *splitter) chooses(i regalloc.Inst) bool {
	if i.Op.Picks() {
		return s.can(lir.SkipGT)
	}
	return i.Op.Code() == graph.OpSelect && lir.Lanes(i.Op.DType()) == 1 && s.can(lir.SkipZero)
}

// mustRun reports whether an instruction is carried out in any case: calls, what changes memory or raises a flag there, and the ends
// of loops.
func mustRun(i regalloc.Inst) bool {
	writes, _ := i.Op.Writes()
	return writes || i.Op.EndsLoop() || raises[i.Op]
}

// raises are the ops that raise a flag for some operands.
var raises = map[lir.Op]bool{
	lir.Of(graph.OpFloorDiv, graph.I32): true, lir.Of(graph.OpMod, graph.I32): true,
	lir.Of(graph.OpShl, graph.I32): true, lir.Of(graph.OpShr, graph.I32): true,
}

// live is what is needed later: registers, and the flags that a test has left.
type live struct {
	regs  regalloc.Registers
	flags bool
}

func (l live) union(o live) live   { return live{l.regs.Union(o.regs), l.flags || o.flags} }
func (l live) without(o live) live { return live{l.regs.Without(o.regs), l.flags && !o.flags} }
func (l live) meets(o live) bool   { return l.regs.Meets(o.regs) || l.flags && o.flags }
func (l live) empty() bool         { return l == live{} }

// touches is what an instruction reads and what it changes on purpose.
func (s *splitter) touches(i *regalloc.Inst) (reads, changes live) {
	reads.regs, changes.regs = i.Registers(s.m)
	reads.flags, changes.flags = i.Op.Picks() || i.Op.SkipsByTest(), i.Op.Tests()
	return reads, changes
}

// before is what is needed in front of an instruction, with l behind it.
func (s *splitter) before(i *regalloc.Inst, l live) live {
	reads, changes := s.touches(i)
	return l.without(changes).union(reads)
}

// entering is what is needed in front of code that has branches.
func (s *splitter) entering(list []regalloc.Inst, after live) live {
	at := make([]live, len(list)+1)
	at[len(list)] = after
	for k := len(list) - 1; k >= 0; k-- {
		there := k + 1
		if list[k].Op.Skips() {
			there += int(list[k].Imm)
		}
		if list[k].Op == skipOp {
			at[k] = at[there]
			continue
		}
		at[k] = s.before(&list[k], at[k+1]).union(at[there])
	}
	return at[0]
}

// lives is what is needed behind each instruction of a program. Behind the program only memory counts.
func (s *splitter) lives(code *regalloc.Code) []live {
	after := make([]live, len(code.Insts))
	loops := loopsAt(code)
	heads := make([]live, len(code.Ends)) // in front of the loops of these ends
	for changed := true; changed; {
		changed = false
		var l live
		for k := len(code.Insts) - 1; k >= 0; k-- {
			i := &code.Insts[k]
			if i.Op.EndsLoop() {
				l = l.union(heads[i.Imm])
			}
			after[k], l = l, s.before(i, l)
			for _, e := range loops[k] {
				changed = changed || heads[e] != l
				heads[e] = l
			}
		}
	}
	return after
}

// side puts branches into code of one side of a branch, if that still reaches over it.
func (s *splitter) side(list []regalloc.Inst, after live) []regalloc.Inst {
	if code := s.block(slices.Clone(list), after); s.fits(code) {
		return code
	}
	return list
}

// block puts branches into code that is carried out from front to back, with after being needed behind it.
func (s *splitter) block(list []regalloc.Inst, after live) []regalloc.Inst {
	var back []regalloc.Inst // from last to first
	l := after
	for len(list) > 0 {
		last := list[len(list)-1]
		if s.chooses(last) {
			if b, ok := s.split(list, l); ok {
				code := branchOver(b.skip, s.side(b.behind, l), s.side(b.other, l))
				l = s.entering(code, l)
				slices.Reverse(code)
				back = append(back, code...)
				list = append(list[:b.from], b.front...)
				continue
			}
		}
		back, l = append(back, last), s.before(&last, l)
		list = list[:len(list)-1]
	}
	slices.Reverse(back)
	return back
}
