package link

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/stencils"
)

func targets(t *testing.T) map[string]*Target {
	all := map[string]*Target{}
	for _, arch := range stencils.Archs() {
		lib, err := stencils.Load(arch)
		require.NoError(t, err)
		all[arch], err = New(lib)
		require.NoError(t, err)
	}
	require.NotEmpty(t, all)
	return all
}

// TestEveryOpHasCode: each elementwise op has a stencil or kernel for every type
// it takes, on every architecture.
func TestEveryOpHasCode(t *testing.T) {
	for arch, target := range targets(t) {
		for op := range graph.NumOps {
			if !op.Info().Elementwise || op.Info().Sig == graph.SigMove { // no code for an operand as it is
				continue
			}
			for _, dt := range []graph.DType{graph.Bool, graph.I32, graph.F32, graph.F64} {
				if !op.Takes(dt) || (dt == graph.F64 || op == graph.OpToF64) && !target.Machine.Doubles {
					continue
				}
				info := target.Machine.Ops[lir.Of(op, dt)]
				require.True(t, info.Valid, "%s on %s", lir.Of(op, dt), arch)
				require.Equal(t, op.Info().Arity, int(info.Operands), "%s on %s", lir.Of(op, dt), arch)
				require.NotZero(t, info.Insns, "%s on %s", lir.Of(op, dt), arch)
				require.NotZero(t, info.Latency, "%s on %s", lir.Of(op, dt), arch)
			}
		}
	}
}

// TestMachinesSuitTheAllocator: what register allocation takes for granted.
func TestMachinesSuitTheAllocator(t *testing.T) {
	for arch, target := range targets(t) {
		m := &target.Machine
		for c := range lir.NumClasses {
			if c == lir.Double && !m.Doubles {
				continue
			}
			require.GreaterOrEqual(t, m.Regs[c], lir.MinRegs, arch)
			require.LessOrEqual(t, m.Regs[c], 31, arch)
			require.Zero(t, m.Preserved[c]>>m.Regs[c], arch)
			require.NotZero(t, m.Preserved[c]>>m.BodyRegs(c), "%s: a loop with calls needs a counter that survives them", arch)
		}
		require.Zero(t, m.Preserved[lir.Float]&3, "%s: operands of calls are passed in registers 0 and 1", arch)
		for op := range m.Ops {
			if i := &m.Ops[op]; i.Kernel {
				require.False(t, i.Tied || i.Mem, "%s", lir.Op(op))
			}
		}
	}
}

func TestLayout(t *testing.T) {
	d := lir.Data{Words: make([]uint32, 3), Slots: 8, Scratch: 64}
	d.Words[0] = 0x01020304
	l := newLayout(&d, 0)
	require.Equal(t, uint32(16), l.offset(lir.At(lir.Words, 0)))
	require.Equal(t, uint32(32), l.offset(lir.At(lir.Slots, 0)))
	require.Equal(t, uint32(48), l.offset(lir.At(lir.Arrays, lir.Middle)), "arrays are aligned")
	require.Zero(t, l.offset(lir.NoAddr))
	data, bss := l.image(&d)
	require.Equal(t, append(make([]byte, 16), 4, 3, 2, 1), data, "zeros at the end are left to the runner")
	require.Equal(t, uint32(48+64-20), bss)

	second := d.Array([]uint32{8, 9})
	first := d.Array([]uint32{7})
	l = newLayout(&d, 0)
	require.Equal(t, uint32(48), l.offset(first), "a few slots stay in front of arrays")
	require.Equal(t, uint32(64), l.offset(second), "initialised arrays lie in front of those that have places")
	require.Equal(t, uint32(80), l.offset(lir.At(lir.Arrays, lir.Middle)))
	data, _ = l.image(&d)
	require.Equal(t, []byte{7, 15: 0, 16: 8, 20: 9}, data[48:69])
	require.Len(t, data, 72)

	d.Slots = nearSlots + 4
	l = newLayout(&d, 0)
	require.Equal(t, uint32(32), l.offset(first), "many slots are not sent")
	require.Equal(t, uint32(64+64), l.offset(lir.At(lir.Slots, 0)))
	data, bss = l.image(&d)
	require.Len(t, data, 56)
	require.Equal(t, l.size, uint32(len(data))+bss)

	l = newLayout(&lir.Data{Slots: 8}, 3)
	require.Equal(t, uint32(32), l.offset(lir.At(lir.Slots, 0)), "behind the addresses of three services")
	data, bss = l.image(&lir.Data{Slots: 8})
	require.Equal(t, make([]byte, 28), data, "addresses are patched into what is sent")
	require.Equal(t, l.size, uint32(len(data))+bss)
}

// near is the bound of an op with a small immediate.
func near(t *Target, op lir.Op) uint64 {
	s := t.forms[op].reg
	return uint64(s.InsnsOf(s.Size(0, 0, 0, 0, 0)))
}

// TestBoundOfForms holds what a far place costs apart from what a near one does.
func TestBoundOfForms(t *testing.T) {
	target, load := targets(t)["thumbv7em-sp"], lir.Of(lir.LoadBy, graph.F32)
	require.Equal(t, uint64(1), near(target, load))
	for imm, most := range map[uint32]uint64{8: 1, 1 << 20: 4} {
		r, err := target.Link(&lir.Data{}, &regalloc.Code{Insts: []regalloc.Inst{{Op: load, Imm: imm}}})
		require.NoError(t, err)
		empty, err := target.Link(&lir.Data{}, &regalloc.Code{})
		require.NoError(t, err)
		require.Equal(t, most, r.Insns-empty.Insns-uint64(target.saves[0].save.Insns+target.saves[0].restore.Insns))
	}
}

// TestBoundOfBranches: of two ways the longer one counts, within another one, too.
func TestBoundOfBranches(t *testing.T) {
	target := targets(t)["thumbv7em-sp"]
	move, skip := regalloc.Inst{Op: lir.Of(lir.Move, graph.F32), A: 1}, func(op graph.Op, n uint32) regalloc.Inst {
		return regalloc.Inst{Op: lir.Of(op, graph.I32), Imm: n}
	}
	bound := func(insts ...regalloc.Inst) uint64 {
		r, err := target.Link(&lir.Data{}, &regalloc.Code{Insts: insts})
		require.NoError(t, err)
		return r.Insns
	}
	empty := bound()
	require.Equal(t, uint64(4), bound(skip(lir.SkipGT, 3), move, move, skip(lir.Skip, 1), move)-empty)
	require.Equal(t, uint64(4), bound(skip(lir.SkipGT, 2), move, skip(lir.Skip, 3), move, move, move)-empty)
	inner := []regalloc.Inst{skip(lir.SkipGT, 2), move, skip(lir.Skip, 3), move, move, move}
	list := append([]regalloc.Inst{skip(lir.SkipGE, 7)}, inner...)
	require.Equal(t, uint64(7), bound(append(append(list, skip(lir.Skip, 1)), move, move)...)-empty)
}

// TestFlagsAreKept: where far loads and stores change the flags, those between a test and its picks keep them.
func TestFlagsAreKept(t *testing.T) {
	test, pick := lir.Of(lir.Test, graph.I32), lir.Of(lir.PickGT, graph.I32)
	for arch, target := range targets(t) {
		if !target.Machine.Ops[test].Valid {
			continue
		}
		data := &lir.Data{Words: make([]uint32, 4096)}
		near, far := uint32(lir.At(lir.Words, 0)), uint32(lir.At(lir.Words, 1<<13))
		link := func(at uint32, ops ...lir.Op) *Result {
			var list []regalloc.Inst
			for _, op := range ops {
				i := regalloc.Inst{Op: op, D: 2, A: 0, B: 1}
				if op.TakesAddr() {
					i.Imm = at
				}
				list = append(list, i)
			}
			r, err := target.Link(data, &regalloc.Code{Insts: list})
			require.NoError(t, err)
			return r
		}
		for _, between := range []lir.Op{lir.Of(lir.Load, graph.I32), lir.Of(lir.Store, graph.I32)} {
			for _, at := range []uint32{near, far} {
				in, before, behind := link(at, test, between, pick), link(at, between, test, pick), link(at, test, pick, between)
				require.Equal(t, len(before.Code), len(behind.Code), arch)
				require.Equal(t, before.Insns, behind.Insns, arch)
				bytes, insns := 0, uint64(0)
				if at == far && target.keep != nil {
					bytes, insns = target.keep.MaxSize+target.back.MaxSize, uint64(target.keep.Insns+target.back.Insns)
				}
				require.Len(t, in.Code, len(before.Code)+bytes, "%s: %s", arch, between)
				require.Equal(t, before.Insns+insns, in.Insns, "%s: %s", arch, between)
			}
		}
	}
	require.NotNil(t, targets(t)["thumbv6m"].keep)
}

// TestPairsBeyondReach: two words that lie too far for one instruction are moved by two, and counted so.
func TestPairsBeyondReach(t *testing.T) {
	found := 0
	for arch, target := range targets(t) {
		reach := 1020
		if arch == "aarch64" {
			reach = 252
		}
		for _, dt := range []graph.DType{graph.F32, graph.I32} {
			for _, op := range []graph.Op{lir.Load, lir.Store} {
				two, ok := target.Machine.Pairs(lir.Of(op, dt))
				if !ok {
					continue
				}
				found++
				for _, offset := range []int{0, reach, reach + 4, 4092, 4096, 1 << 20} {
					at := lir.At(lir.Words, offset-headerBytes)
					if offset == 0 {
						at = lir.At(lir.Words, 0)
					}
					data := &lir.Data{Words: make([]uint32, 1<<19)}
					pair := regalloc.Inst{Op: two, A: 2, B: 3, Imm: uint32(at)}
					one, other := regalloc.Inst{Op: lir.Of(op, two.DType()), D: 2, A: 2, Imm: uint32(at)}, regalloc.Inst{Op: lir.Of(op, two.DType()), D: 3, A: 3, Imm: uint32(at.Plus(4))}
					got, err := target.Link(data, &regalloc.Code{Insts: []regalloc.Inst{pair}})
					require.NoError(t, err)
					apart, err := target.Link(data, &regalloc.Code{Insts: []regalloc.Inst{one, other}})
					require.NoError(t, err)
					if offset > reach {
						require.Equal(t, apart.Code, got.Code, "%s %s at %d", arch, two, offset)
						require.Equal(t, apart.Insns, got.Insns, "%s %s at %d", arch, two, offset)
					} else {
						require.Less(t, got.Insns, apart.Insns, "%s %s at %d", arch, two, offset)
						require.Less(t, len(got.Code), len(apart.Code))
					}
					var text bytes.Buffer
					require.NoError(t, got.Listing(&text))
					name := target.lib.RegName
					class := target.forms[two].reg.Src[0]
					require.Contains(t, text.String(), fmt.Sprintf("%s %s, %s, [%#x]", two, name(class, 2), name(class, 3), got.Offset(at)))
				}
			}
		}
	}
	require.GreaterOrEqual(t, found, 16)
}

// TestPairsByPointer: two values by a pointer, too far for one instruction or at no multiple of their size, are moved by two.
func TestPairsByPointer(t *testing.T) {
	target := targets(t)["aarch64"]
	for dt, reach := range map[graph.DType]uint32{graph.F32: 252, graph.I32: 252, lir.F32x4: 1008} {
		size := uint32(4 * lir.WordsOf(dt))
		for _, op := range []graph.Op{lir.LoadBy, lir.StoreBy, lir.LoadInBy, lir.StoreInBy} {
			two, ok := target.Machine.Pairs(lir.Of(op, dt))
			require.True(t, ok, "%s", lir.Of(op, dt))
			for _, imm := range []uint32{0, size, 4, 20, reach, reach + size, 1 << 20} {
				at := imm
				if two.TakesAddr() {
					if imm < headerBytes {
						continue
					}
					at = uint32(lir.At(lir.Words, int(imm)-headerBytes))
				}
				data := &lir.Data{Words: make([]uint32, 1<<19)}
				pair := regalloc.Inst{Op: two, A: 2, B: 3, C: 5, Imm: at}
				got, err := target.Link(data, &regalloc.Code{Insts: []regalloc.Inst{pair}})
				require.NoError(t, err)
				halves := pair.Halves()
				apart, err := target.Link(data, &regalloc.Code{Insts: halves[:]})
				require.NoError(t, err)
				if imm > reach || imm%size != 0 {
					require.Equal(t, apart.Code, got.Code, "%s at %d", two, imm)
					require.Equal(t, apart.Insns, got.Insns, "%s at %d", two, imm)
				} else {
					require.Less(t, got.Insns, apart.Insns, "%s at %d", two, imm)
					require.Less(t, len(got.Code), len(apart.Code))
				}
			}
		}
	}
}

// TestInstructionBound counts the instructions of nested loops by hand.
func TestInstructionBound(t *testing.T) {
	for arch, target := range targets(t) {
		address, end := lir.Of(lir.Address, graph.I32), lir.Of(lir.LoopEnd, graph.I32)
		code := &regalloc.Code{
			Insts: []regalloc.Inst{{Op: address}, {Op: address}, {Op: address}, {Op: end, Imm: 0}, {Op: end, Imm: 1}, {Op: address}},
			Ends:  []regalloc.End{{Head: 2, Step: 1, Length: 5, Iterations: 5, From: lir.NoAddr}, {Head: 1, Step: 1, Length: 7, Iterations: 7, From: lir.NoAddr}},
		}
		r, err := target.Link(&lir.Data{}, code)
		require.NoError(t, err)
		a, e := near(target, address), near(target, end)
		fixed := uint64(target.enter.Insns + target.leave.Insns)
		if target.saved[stencils.Int]&1 != 0 { // the register of all of them
			fixed += uint64(target.saves[0].save.Insns + target.saves[0].restore.Insns)
		}
		require.Equal(t, fixed+a+7*(a+5*(a+e)+e)+a, r.Insns, arch)
	}
}

// The bound of a program knows how often every loop of every kernel is passed.
func TestKernelLoops(t *testing.T) {
	for name, target := range targets(t) {
		loops := 0
		for op := lir.InsertInts; op <= lir.OrderFloats; op++ {
			how := lir.SortingOf(op, 50)
			for _, loop := range target.forms[lir.Of(op, graph.I32)].kernel.Loops {
				require.Positive(t, how.Passed(loop.Name), "%s: %s", name, loop.Name)
				loops++
			}
		}
		require.Greater(t, loops, 40, name)
		for op := lir.LargestFloat; op <= lir.SmallestInt; op++ {
			if k := target.forms[lir.Of(op, graph.I32)].kernel; k != nil {
				require.NotEmpty(t, k.Loops, name)
				for _, loop := range k.Loops {
					require.Positive(t, lir.Passed(op, 50, loop.Name), "%s: %s", name, loop.Name)
				}
			}
		}
	}
}

func TestStepTooLarge(t *testing.T) {
	for arch, target := range targets(t) {
		limit := target.forms[lir.Of(lir.LoopEnd, graph.I32)].reg.MaxImm
		if limit == 1<<31-1 {
			continue
		}
		code := &regalloc.Code{
			Insts: []regalloc.Inst{{Op: lir.Of(lir.LoopEnd, graph.I32)}},
			Ends:  []regalloc.End{{Step: limit + 1, Length: limit + 1, Iterations: 1, From: lir.NoAddr}},
		}
		_, err := target.Link(&lir.Data{}, code)
		require.ErrorContains(t, err, "loop step", arch)
	}
}
