package link

import (
	"fmt"
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/stencils"
)

// Target is an architecture to compile for. It is read-only.
type Target struct {
	Machine lir.Machine
	lib     *stencils.Library
	// features are those that the processor has of what the library can use.
	features []string
	forms    [lir.NumOps]forms

	enter, leave, call *stencils.Stencil
	keep, back         *stencils.Stencil // of the flags, where far loads and stores change them; nil elsewhere
	saves              [2]saving         // of Int and of all other registers
	saved              [5]uint32         // by stencils.Class: those that this is for
}

// saving is the code that saves registers for the caller, and that which brings them back.
type saving struct{ save, restore *stencils.Stencil }

// forms is the code of one op.
type forms struct {
	reg    *stencils.Stencil
	mem    *stencils.Stencil // last operand in memory; nil where there is none
	kernel *stencils.Kernel  // instead of both
	call   *stencils.Stencil // of the kernel
}

// New derives a target from a stencil library, for processors with some features
// beyond the base of the architecture.
func New(lib *stencils.Library, features ...string) (*Target, error) {
	t := &Target{lib: lib, features: features}
	classes := [lir.NumClasses]stencils.Class{lir.Float: stencils.Float, lir.Int: stencils.Int, lir.Double: stencils.Double}
	for c, s := range classes {
		t.Machine.Regs[c] = lib.Regs(s)
		t.Machine.Preserved[c] = lib.Preserved(s)
		t.Machine.Spared[c] = lib.Spared(s)
		t.Machine.Saved[c] = lib.Saved(s)
	}
	for c := range t.saved {
		if c := stencils.Class(c); c != stencils.None {
			t.saved[c] = lib.Saved(c)
		}
	}
	t.Machine.Shared = lib.RegName(stencils.Float, 0) == lib.RegName(stencils.Int, 0)
	for _, s := range []struct {
		op, dtype string
		to        **stencils.Stencil
	}{
		{"enter", "", &t.enter}, {"leave", "", &t.leave}, {"call", "", &t.call},
		{"save", "i32", &t.saves[0].save}, {"restore", "i32", &t.saves[0].restore},
		{"save", "f32", &t.saves[1].save}, {"restore", "f32", &t.saves[1].restore},
	} {
		if *s.to = lib.Find(s.op, s.dtype, stencils.Reg); *s.to == nil {
			return nil, fmt.Errorf("link: stencil library of %s has no %s %s", lib.Arch, s.op, s.dtype)
		}
	}
	t.keep, t.back = lib.Find("keepflags", "", stencils.Reg), lib.Find("backflags", "", stencils.Reg)
	for op := range graph.NumOps {
		if op.Info().Elementwise {
			for _, dt := range []graph.DType{graph.Bool, graph.I32, graph.F32, graph.F64} {
				t.find(lir.Of(op, dt))
				for _, lanes := range lir.Widths {
					if dt != graph.F64 {
						t.find(lir.Of(op, lir.VectorOf(dt, lanes)))
					}
				}
			}
		}
	}
	missing := map[graph.DType]lir.Op{} // by type
	lir.MachineOps(func(op lir.Op, must bool) {
		if t.find(op); must && !t.Machine.Ops[op].Valid {
			missing[op.DType()] = op
		}
	})
	// Beside has no code: what it gives lies in a register already.
	t.Machine.Ops[lir.Of(lir.Beside, lir.F32x4)] = lir.OpInfo{Valid: t.Machine.Ops[lir.Of(lir.LoadEvery2, lir.F32x4)].Valid, Operands: 1, Latency: 1}
	lacks := func(dt graph.DType) bool { return missing[dt] != 0 }
	for _, dt := range []graph.DType{graph.F32, graph.I32} {
		if lacks(dt) {
			return nil, fmt.Errorf("link: stencil library of %s has no %s", lib.Arch, missing[dt])
		}
	}
	t.Machine.Doubles, t.Machine.DoubleBank = !lacks(graph.F64), lib.FloatsBesideDoubles > 0
	t.Machine.FloatsBesideDoubles = lib.FloatsBesideDoubles
	for _, lanes := range lir.Widths {
		if !lacks(lir.Vector(lanes)) {
			t.Machine.Lanes = max(t.Machine.Lanes, lanes)
		}
	}
	t.Machine.InOrder = lib.InOrder
	t.Machine.Pointers = t.Machine.Ops[lir.Of(lir.LoadBy, graph.F32)].Valid
	t.Machine.Reach, t.Machine.WideReach = t.reach(graph.F32), t.reach(lir.F32x4)
	t.Machine.LowInts = t.cheapInts((*stencils.Stencil).InsnsOf)
	if t.Machine.LowInts == 0 {
		t.Machine.ShortInts = t.cheapInts(func(_ *stencils.Stencil, size int) int { return size })
	}
	if row := t.forms[lir.Of(lir.Row, graph.I32)].reg; row != nil {
		t.Machine.MaxRows = uint32(row.MaxImm)
	}
	index := t.forms[lir.Of(lir.LoadIn, graph.F32)].reg
	t.Machine.FreeOffsets = index.MaxDirect == index.MaxImm
	return t, nil
}

// reach is the largest offset from an index that is part of the instruction.
func (t *Target) reach(dt graph.DType) int {
	for _, op := range []graph.Op{lir.LoadBy, lir.LoadAt} {
		if s := t.forms[lir.Of(op, dt)].reg; s != nil {
			return int(s.MaxDirect)
		}
	}
	return 0
}

// cheapInts are the integer registers for which a load by a pointer in them costs less than by others: those where the measure
// of its code is the least. 0: it costs the same everywhere.
func (t *Target) cheapInts(measure func(load *stencils.Stencil, size int) int) (cheap uint32) {
	load := t.forms[lir.Of(lir.LoadBy, graph.I32)].reg
	if load == nil {
		return 0
	}
	cost := func(r uint8) int { return measure(load, load.Size(0, r, 0, 0, 0)) }
	all := t.Machine.Regs[lir.Int]
	for r := range all {
		if cost(uint8(r)) == cost(0) {
			cheap |= 1 << r
		}
	}
	if cheap == 1<<all-1 {
		return 0
	}
	return cheap
}

// find looks up the code of an op and describes it to the machine.
func (t *Target) find(op lir.Op) {
	name, dtype := op.Name(), op.TypeName()
	f, info := &t.forms[op], &t.Machine.Ops[op]
	if op.Code() < graph.NumOps {
		info.Commutes = op.Code().Info().Commutative
	}
	if f.reg = t.lib.Find(name, dtype, stencils.Reg, t.features...); f.reg != nil {
		f.mem = t.lib.Find(name, dtype, stencils.Mem, t.features...)
		info.Valid, info.Tied, info.Mem = true, f.reg.Tied, f.mem != nil
		info.Serves = f.reg.Service != stencils.NoService
		for k, c := range f.reg.Src {
			if c == stencils.None {
				continue
			}
			info.Operands++
			d := [4]uint8{0, 1, 2, 3} // registers of a, b, c, and of the result
			if c == f.reg.Dst && !info.Tied && f.reg.Size(d[k], d[0], d[1], d[2], 0) < f.reg.Size(d[3], d[0], d[1], d[2], 0) {
				info.InPlace |= 1 << k
			}
		}
		if op.Imm() == lir.Number && f.reg.MaxImm != math.MaxInt32 {
			info.MinImm, info.MaxImm = f.reg.MinImm, f.reg.MaxImm
		}
		info.Insns = uint16(f.reg.Insns + t.lib.ServiceInsns(f.reg.Service))
		if f.mem != nil {
			info.Insns = max(info.Insns, uint16(f.mem.InsnsOf(f.mem.Size(0, 1, 2, 3, 0))))
		}
		info.Latency = op.Latency(f.reg.Insns)
		return
	}
	if f.kernel = t.lib.Kernel(name, dtype, t.features...); f.kernel != nil {
		info.Valid, info.Kernel, info.Commutes = true, true, false
		info.Operands = uint8(f.kernel.Args)
		if f.call = t.lib.Find("call", dtype, stencils.Reg); f.call == nil {
			f.call = t.call
		}
		info.Insns = uint16(f.kernel.Insns + f.call.Insns)
		info.Latency = uint8(min(255, f.kernel.Insns/2+2))
	}
}

// Size is how much code an instruction is: how many instructions of the machine where its data lie near, and how many bytes wherever
// they lie, both at most.
func (t *Target) Size(i *regalloc.Inst) (insns, bytes int) {
	f := &t.forms[i.Op]
	if f.kernel != nil {
		return f.kernel.Insns + f.call.Insns, f.call.MaxSize
	}
	s, imm := f.reg, int32(0)
	if i.Mem {
		s = f.mem
	}
	if !i.Mem && !i.Op.TakesAddr() && !i.Op.EndsLoop() {
		imm = int32(i.Imm)
	}
	bytes = s.MaxSize
	if t.keep != nil && i.Op.TakesAddr() {
		bytes += t.keep.MaxSize + t.back.MaxSize
	}
	if i.Op.MovesTwo() {
		return s.Insns, 2 * bytes
	}
	return s.InsnsOf(s.Size(i.D, i.A, i.B, i.C, imm)) + t.lib.ServiceInsns(s.Service), bytes
}
