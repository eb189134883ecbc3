package link

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/stencils"
)

var skipOp = lir.Of(lir.Skip, graph.I32)

// loopInsns bounds the instructions of a kernel's loops.
func loopInsns(k *stencils.Kernel, i *regalloc.Inst) (total uint64) {
	if len(k.Loops) == 0 {
		return 0
	}
	for _, loop := range k.Loops {
		total += lir.Passed(i.Op.Code(), int(i.Imm), loop.Name) * uint64(loop.Insns)
	}
	return total
}

// bound adds up the instructions of one run of the entry emitted last, loops included. Of two ways of a branch the longer one counts.
func (l *linker) bound(code *regalloc.Code, saves []saving) uint64 {
	heads := make(map[int]uint64, len(code.Ends)) // iterations of the loops that start at an instruction
	for _, e := range code.Ends {
		heads[e.Head] = e.Iterations
	}
	total, iterations := uint64(l.t.enter.Insns+l.t.leave.Insns), uint64(1)
	for _, s := range saves {
		total += uint64(s.save.Insns + s.restore.Insns)
	}
	var forks []fork
	for k := range code.Insts {
		for n := len(forks); n > 0 && forks[n-1].end == k; n-- {
			total = max(total, forks[n-1].total)
			forks = forks[:n-1]
		}
		if len(heads) > 0 {
			if n, ok := heads[k]; ok {
				iterations *= n
			}
		}
		i := &code.Insts[k]
		total += iterations * l.insns(k, i)
		switch {
		case i.Op == skipOp:
			f := &forks[len(forks)-1]
			f.end, f.total, total = k+1+int(i.Imm), total, f.total
		case i.Op.Skips() && code.Insts[k+int(i.Imm)].Op == skipOp:
			forks = append(forks, fork{total: total})
		case i.Op.EndsLoop():
			iterations /= code.Ends[i.Imm].Iterations
		}
	}
	for n := len(forks); n > 0; n-- {
		total = max(total, forks[n-1].total)
	}
	return total
}

// fork is a branch that has code where it leads: what the way up to it takes and, once that behind it has come to its end, the way
// with that, and where the other one ends.
type fork struct {
	total uint64
	end   int
}

// insns bounds the instructions of the machine for instruction k of the entry emitted last.
func (l *linker) insns(k int, i *regalloc.Inst) (total uint64) {
	p, f := &l.parts[len(l.parts)-1], &l.t.forms[i.Op]
	if f.kernel != nil {
		return uint64(f.call.Insns+f.kernel.Insns) + loopInsns(f.kernel, i)
	}
	s := f.reg
	if i.Mem {
		s = f.mem
	}
	if i.Op.MovesTwo() && l.splits(i) {
		for _, half := range i.Halves() {
			s := l.t.forms[half.Op].reg
			total += uint64(s.InsnsOf(s.Size(half.D, half.A, half.B, 0, int32(l.imm(&half)))))
		}
		return total
	}
	size := int(p.offsets[k+1] - p.offsets[k])
	if p.keeps(k) {
		size -= l.t.keep.MaxSize + l.t.back.MaxSize
		total += uint64(l.t.keep.Insns + l.t.back.Insns)
	}
	return total + uint64(s.InsnsOf(size)+l.t.lib.ServiceInsns(s.Service))
}
