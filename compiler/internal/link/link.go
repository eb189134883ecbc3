package link

import (
	"fmt"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/stencils"
)

// Result is a linked program.
type Result struct {
	Code    []byte
	Entries []Entry
	Data    []byte // initialised part of the data block
	BSS     uint32 // zeros behind it
	Stack   uint32 // bytes used by the entry and the deepest kernel
	Insns   uint64 // bound on the machine instructions of one run of each entry
	// Features are what a processor must have beyond the base of the architecture.
	Features []string
	// Services are the runner's routines that the program calls. The address of the one
	// at index i belongs into the data word at ServiceWord(i).
	Services []stencils.Service
	layout   layout
	target   *Target
	parts    []part
	blobs    []placedBlob
}

// Entry is a function of the linked program.
type Entry struct {
	Offset uint32 // in Code
	Insns  uint64 // bound on the machine instructions of one run
}

// part is the code of an entry.
type part struct {
	insts   []regalloc.Inst
	offsets []uint32 // of each instruction in Code, and of the end of them
	keeping []bool   // by instruction: it stands between code that keeps the flags; or nil
	start   uint32
	end     uint32
}

// keeps reports whether instruction k stands between code that keeps the flags.
func (p *part) keeps(k int) bool { return p.keeping != nil && p.keeping[k] }

// entryAlign is the alignment of entries in bytes.
const entryAlign = 16

// placedBlob is where a kernel's code lies.
type placedBlob struct {
	blob *stencils.Blob
	at   int
}

// Offset is the place of a in the data block.
func (r *Result) Offset(a lir.Addr) uint32 { return r.layout.offset(a) }

type linker struct {
	*Result
	t       *Target
	calls   []callSite
	service map[stencils.Service]uint32 // offset of the word with the address
}

// ServiceWord is the offset in the data block of the address of service i of the list.
func (r *Result) ServiceWord(i int) uint32 { return uint32(headerBytes + 4*i) }

// findServices lists the services that code calls.
func (l *linker) findServices(code *regalloc.Code) {
	for k := range code.Insts {
		s := l.t.forms[code.Insts[k].Op].reg
		if s == nil || s.Service == stencils.NoService || l.service[s.Service] != 0 {
			continue
		}
		l.service[s.Service] = l.ServiceWord(len(l.Services))
		l.Services = append(l.Services, s.Service)
	}
}

// findSaves lists what is to be done for registers that belong to the caller.
func (l *linker) findSaves(code *regalloc.Code) (saves []saving) {
	saved := l.t.saved // those of which none is known to be used
	var used [2]bool
	for k := range code.Insts {
		i := &code.Insts[k]
		f := &l.t.forms[i.Op]
		s := f.reg
		if i.Mem {
			s = f.mem
		}
		if s == nil || saved[s.Dst]|saved[s.Src[0]]|saved[s.Src[1]]|saved[s.Src[2]] == 0 {
			continue // no such registers; and a kernel saves what it uses
		}
		for n, c := range [4]stencils.Class{s.Dst, s.Src[0], s.Src[1], s.Src[2]} {
			regs := uint32(1)
			if n == 0 {
				regs = 1<<i.Op.InARow() - 1
			}
			if saved[c]>>[4]uint8{i.D, i.A, i.B, i.C}[n]&regs == 0 {
				continue
			}
			if c == stencils.Int {
				used[0], saved[stencils.Int] = true, 0
			} else {
				used[1], saved = true, [len(saved)]uint32{stencils.Int: saved[stencils.Int]}
			}
		}
	}
	for n, u := range used {
		if u {
			saves = append(saves, l.t.saves[n])
		}
	}
	return saves
}

// callSite is a call to be aimed once the kernels have their places.
type callSite struct {
	at     int
	kernel *stencils.Kernel
	call   *stencils.Stencil
}

// Link makes code and data of the allocated entries of a program.
func (t *Target) Link(data *lir.Data, codes ...*regalloc.Code) (*Result, error) {
	l := &linker{t: t, Result: &Result{target: t}, service: map[stencils.Service]uint32{}}
	for _, code := range codes {
		l.findServices(code)
	}
	l.layout = newLayout(data, len(l.Services))
	if l.layout.size > math.MaxInt32 {
		return nil, fmt.Errorf("link: data block of %d bytes exceeds 2 GiB", l.layout.size)
	}
	for _, code := range codes {
		saves := l.findSaves(code)
		if err := l.emit(code, saves); err != nil {
			return nil, fmt.Errorf("link: %w", err)
		}
		e := Entry{Offset: l.parts[len(l.parts)-1].start, Insns: l.bound(code, saves)}
		l.Entries = append(l.Entries, e)
		l.Insns += e.Insns
	}
	if err := l.placeKernels(); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	l.Data, l.BSS = l.layout.image(data)
	return l.Result, nil
}

// bytesPerInst is room for most instructions, those that reach far included.
const bytesPerInst = 12

// emit appends the code of an entry.
func (l *linker) emit(code *regalloc.Code, saves []saving) error {
	t := l.t
	p := part{insts: code.Insts, offsets: make([]uint32, len(code.Insts)+1), keeping: l.keeping(code.Insts)}
	out := append(make([]byte, 0, len(l.Code)+64+bytesPerInst*len(code.Insts)), l.Code...)
	for len(out)%entryAlign != 0 {
		out = append(out, 0)
	}
	p.start = uint32(len(out))
	l.need(t.lib.EntryNeeds)
	out = t.enter.Emit(out, 0, 0, 0, 0, 0)
	for i := range saves {
		out = saves[i].save.Emit(out, 0, 0, 0, 0, 0)
	}
	for k := range code.Insts {
		i := &code.Insts[k]
		f := &t.forms[i.Op]
		p.offsets[k] = uint32(len(out))
		imm := i.Imm
		s := f.reg
		switch {
		case i.Mem:
			s = f.mem
			imm = l.layout.offset(lir.Addr(imm))
		case f.kernel != nil:
			l.calls = append(l.calls, callSite{len(out), f.kernel, f.call})
			s = f.call
			l.need(f.kernel.Feature)
		default:
			if i.Op.TakesAddr() {
				imm = l.layout.offset(lir.Addr(imm))
			}
			if i.Op.EndsLoop() {
				var err error
				if out, err = l.loopEnd(out, s, i, &code.Ends[i.Imm], p.offsets); err != nil {
					return err
				}
				continue
			}
		}
		l.need(s.Feature)
		if i.Op.MovesTwo() && l.splits(i) {
			for _, half := range i.Halves() {
				out = t.forms[half.Op].reg.Emit(out, half.D, half.A, half.B, 0, int32(l.imm(&half)))
			}
			continue
		}
		if s.Service != stencils.NoService {
			imm = l.service[s.Service]
		}
		if p.keeps(k) {
			out = t.back.Emit(s.Emit(t.keep.Emit(out, 0, 0, 0, 0, 0), i.D, i.A, i.B, i.C, int32(imm)), 0, 0, 0, 0, 0)
			continue
		}
		out = s.Emit(out, i.D, i.A, i.B, i.C, int32(imm))
	}
	p.offsets[len(code.Insts)] = uint32(len(out))
	for k := range code.Insts {
		if i := &code.Insts[k]; i.Op.Skips() {
			if err := t.forms[i.Op].reg.FixBranch(out, int(p.offsets[k]), int(p.offsets[k+1+int(i.Imm)])); err != nil {
				return err
			}
		}
	}
	for i := range saves {
		out = saves[len(saves)-1-i].restore.Emit(out, 0, 0, 0, 0, 0)
	}
	l.Code = t.leave.Emit(out, 0, 0, 0, 0, 0)
	p.end = uint32(len(l.Code))
	l.parts = append(l.parts, p)
	return nil
}

// keeping finds the loads and stores between a test and its picks that change the flags, being beyond the reach of
// short code: how far they are is known only here.
func (l *linker) keeping(insts []regalloc.Inst) (list []bool) {
	if l.t.keep == nil {
		return nil
	}
	picked := false // further down, by a test further up
	for k := len(insts) - 1; k >= 0; k-- {
		i := &insts[k]
		switch {
		case i.Op.Picks() || i.Op.SkipsByTest():
			picked = true
		case i.Op.Tests():
			picked = false
		case picked && i.Op.TakesAddr() && l.imm(i) > uint32(l.t.forms[i.Op].reg.MaxDirect):
			if list == nil {
				list = make([]bool, len(insts))
			}
			list[k] = true
		}
	}
	return list
}

// splits reports whether two instructions are to be made of one that moves two values, as these lie beyond its reach or at
// no multiple of their size: how far they are is known only here.
func (l *linker) splits(i *regalloc.Inst) bool {
	size := uint32(4 * lir.WordsOf(i.Op.DType()))
	at := l.imm(i)
	return at%size != 0 || int64(at) > int64(l.t.forms[i.Op].reg.MaxImm)
}

// imm is the immediate of the code of an instruction, which accesses the data block.
func (l *linker) imm(i *regalloc.Inst) uint32 {
	if i.Op.TakesAddr() {
		return l.layout.offset(lir.Addr(i.Imm))
	}
	return i.Imm
}

// need notes a feature that the code needs; "" for none.
func (l *linker) need(feature string) {
	if feature != "" && !slices.Contains(l.Features, feature) {
		l.Features = append(l.Features, feature)
	}
}

func (l *linker) loopEnd(out []byte, s *stencils.Stencil, i *regalloc.Inst, e *regalloc.End, offsets []uint32) ([]byte, error) {
	if e.Counts {
		return s.EmitLoop(out, i.D, i.A, 0, 0, int(offsets[e.Head]))
	}
	if e.Step > s.MaxImm {
		return nil, fmt.Errorf("loop step of %d bytes exceeds %d", e.Step, s.MaxImm)
	}
	limit := int32(l.layout.offset(e.From)) + e.Length
	return s.EmitLoop(out, i.D, i.D, e.Step, limit, int(offsets[e.Head]))
}

// placeKernels appends the code of the kernels that are called and aims the calls.
func (l *linker) placeKernels() error {
	l.Stack = uint32(l.t.lib.Frame)
	if len(l.Services) > 0 {
		l.Stack += stencils.ServiceStack
	}
	placed := map[*stencils.Blob]int{}
	for _, c := range l.calls {
		k := c.kernel
		l.Stack = max(l.Stack, uint32(l.t.lib.Frame+k.Stack))
		at, ok := placed[k.Blob]
		if !ok {
			for len(l.Code)%k.Blob.Align != 0 {
				l.Code = append(l.Code, 0)
			}
			at = len(l.Code)
			placed[k.Blob] = at
			l.Code = append(l.Code, k.Blob.Code...)
			l.blobs = append(l.blobs, placedBlob{k.Blob, at})
		}
		if err := c.call.FixBranch(l.Code, c.at, at+k.Entry); err != nil {
			return err
		}
	}
	return nil
}
