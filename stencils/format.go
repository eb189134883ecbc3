package stencils

import (
	"fmt"

	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// decode reads a library file and expands it for Emit: packed fields become
// windows with lookup tables by register.
func decode(data []byte) (*Library, error) {
	file, err := libfile.Decode(data)
	if err != nil {
		return nil, err
	}
	l := &Library{Arch: file.Arch, Digest: file.Digest, Compiler: file.Compiler, Frame: file.Frame, FloatsBesideDoubles: file.FloatsBesideDoubles, features: file.Features,
		byName: map[key]*Stencil{}, kernelFor: map[key]*Kernel{}}
	for i, f := range file.Files {
		if len(f.Names) != len(f.Numbers) || len(f.Names) > 32 {
			return nil, fmt.Errorf("register file %d: %d names, %d numbers", i, len(f.Names), len(f.Numbers))
		}
		l.files[i] = registerFile{f.Names, f.Numbers, f.Preserved}
	}
	x := expander{lib: l, highBit: file.HighBit, tables: map[[32]uint32]*[32]uint32{}}
	for i := range file.Stencils {
		if err := x.add(&file.Stencils[i]); err != nil {
			return nil, fmt.Errorf("stencil %s: %w", file.Stencils[i].Op, err)
		}
	}
	for _, b := range file.Blobs {
		l.blobs = append(l.blobs, &Blob{b.Name, b.Code, b.Align})
	}
	for _, k := range file.Kernels {
		if k.Blob < 0 || k.Blob >= len(l.blobs) || k.Entry < 0 || k.Entry >= len(l.blobs[k.Blob].Code) {
			return nil, fmt.Errorf("kernel %s: entry outside its blob", k.Op)
		}
		kernel := &Kernel{k.Op, k.DType, l.blobs[k.Blob], k.Entry, k.Args, k.Results, k.Stack, k.Insns}
		l.kernels = append(l.kernels, kernel)
		l.kernelFor[key{op: k.Op, dtype: k.DType}] = kernel
	}
	return l, nil
}

// expander turns file stencils into Stencils. Equal lookup tables are shared:
// there are only a few dozen ways to place a register number.
type expander struct {
	lib     *Library
	highBit uint8
	tables  map[[32]uint32]*[32]uint32
}

func (x *expander) add(f *libfile.Stencil) error {
	if len(f.Templates) == 0 || len(f.DTypes) == 0 {
		return fmt.Errorf("no template or no dtype")
	}
	proto := Stencil{Op: f.Op, Form: Form(f.Form), Dst: Class(f.Dst), Tied: f.Tied, Imm: Imm(f.Imm),
		MaxDirect: f.MaxDirect, MaxImm: f.MaxImm, Insns: f.Insns, Service: Service(f.Service)}
	if f.Service < 0 || f.Service > NumServices || f.Service > 0 && proto.Imm != Offset {
		return fmt.Errorf("service %d", f.Service)
	}
	if f.Feature < 0 || f.Feature > len(x.lib.features) {
		return fmt.Errorf("feature %d", f.Feature)
	}
	if f.Feature > 0 {
		proto.Feature = x.lib.features[f.Feature-1]
	}
	for i, c := range f.Src {
		proto.Src[i] = Class(c)
	}
	for i := range f.Templates {
		t, err := x.template(&proto, &f.Templates[i])
		if err != nil {
			return err
		}
		proto.Branch = proto.Branch || len(t.branch) > 0
		proto.MaxSize = max(proto.MaxSize, t.size)
		proto.templates = append(proto.templates, t)
	}
	if proto.Branch && len(proto.templates) > 1 {
		return fmt.Errorf("a branch in code of several variants, which FixBranch could not tell apart")
	}
	if err := x.classes(&proto, f.Classes); err != nil {
		return err
	}
	for _, dtype := range f.DTypes {
		s := proto
		s.DType = dtype
		k := key{s.Op, dtype, s.Form, f.Feature}
		if s.Form == far {
			near := x.lib.byName[key{s.Op, dtype, Reg, f.Feature}]
			if near == nil {
				return fmt.Errorf("far form without a near one")
			}
			near.MaxSize, near.Insns = max(near.MaxSize, s.MaxSize), max(near.Insns, s.Insns)
			for near.far != nil { // in the file they are in order of their reach
				near = near.far
			}
			near.far = &s
			continue
		}
		if x.lib.byName[k] != nil {
			return fmt.Errorf("defined twice for %q", dtype)
		}
		x.lib.byName[k] = &s
		x.lib.stencils = append(x.lib.stencils, &s)
	}
	return nil
}

// classes unpacks the template number of each operand key.
func (x *expander) classes(s *Stencil, packed []byte) error {
	if len(packed) == 0 {
		if len(s.templates) != 1 {
			return fmt.Errorf("%d templates and no classes", len(s.templates))
		}
		return nil
	}
	for i := 0; i+1 < len(packed); i += 2 {
		if int(packed[i+1]) >= len(s.templates) {
			return fmt.Errorf("class of template %d", packed[i+1])
		}
		for range int(packed[i]) + 1 {
			s.classes = append(s.classes, packed[i+1])
		}
	}
	switch len(s.classes) {
	case 1 << 4:
	case 1 << (4 + len(operandPairs)):
		for i, p := range operandPairs {
			if c := s.class(p[0]); c != None && c == s.class(p[1]) {
				s.pairs = append(s.pairs, pair{p[0], p[1], 1 << (4 + i)})
			}
		}
	default:
		return fmt.Errorf("%d operand keys", len(s.classes))
	}
	for i := range s.high {
		for r, n := range x.lib.files[s.class(uint8(i))].number {
			s.high[i] |= uint32(n>>x.highBit&1) << r
		}
	}
	return nil
}

func (x *expander) template(s *Stencil, f *libfile.Template) (template, error) {
	const window = 4
	size := len(f.Code)
	t := template{size: size, origin: f.Origin, code: append(append([]byte{}, f.Code...), make([]byte, window-1)...)}
	fields, err := libfile.UnpackFields(f.Fields, size)
	if err != nil {
		return t, err
	}
	type siteTables struct {
		at  int
		xor [4][32]uint32
	}
	var sites []siteTables
	for _, fd := range fields {
		at := int(fd.Dst) / 8
		if size >= window {
			at = min(at, size-window) // a branch is aimed in code without padding
		}
		shift := int(fd.Dst) - 8*at
		mask := uint32(1)<<fd.Len - 1
		h := hole{at: at, src: fd.Src, dst: uint8(shift), mask: mask}
		switch fd.Operand {
		case libfile.OperandImm:
			t.holes = append(t.holes, h)
			continue
		case libfile.OperandImm2:
			h.value = 1
			t.holes = append(t.holes, h)
			continue
		case libfile.OperandBranch:
			t.branch = append(t.branch, h)
			continue
		}
		i := 0
		for i < len(sites) && !(sites[i].at <= at && int(fd.Dst)+int(fd.Len) <= 8*(sites[i].at+window)) {
			i++
		}
		if i == len(sites) {
			// word-aligned windows where possible: all fields of a fixed-width instruction share one
			start := at
			if aligned := at &^ 3; int(fd.Dst)+int(fd.Len) <= 8*(aligned+window) && aligned+window <= size {
				start = aligned
			}
			sites = append(sites, siteTables{at: start})
		}
		for r, n := range x.lib.files[s.class(fd.Operand)].number {
			sites[i].xor[fd.Operand][r] ^= uint32(n) >> fd.Src & mask << (int(fd.Dst) - 8*sites[i].at)
		}
	}
	for _, st := range sites {
		out := site{at: st.at}
		for i := range st.xor {
			out.xor[i] = x.shared(st.xor[i])
		}
		t.sites = append(t.sites, out)
	}
	return t, nil
}

func (x *expander) shared(table [32]uint32) *[32]uint32 {
	p := x.tables[table]
	if p == nil {
		p = &table
		x.tables[table] = p
	}
	return p
}
