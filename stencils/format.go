package stencils

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// decode reads a library file and checks all of it. The code of a stencil stays packed
// until it is first used, see expand.go.
func decode(data []byte) (*Library, error) {
	file, err := libfile.Decode(data)
	if err != nil {
		return nil, err
	}
	l := &Library{Arch: file.Arch, Digest: file.Digest, Compiler: file.Compiler, Frame: file.Frame, EntryNeeds: file.EntryNeeds, FloatsBesideDoubles: file.FloatsBesideDoubles,
		InOrder: file.InOrder, features: file.Features, services: file.Services,
		kernelFor: make(map[key]*Kernel, len(file.Kernels))}
	forms := 0 // of all types
	for i := range file.Stencils {
		forms += len(file.Stencils[i].DTypes)
	}
	l.byName, l.stencils = make(map[key]*Stencil, forms), make([]*Stencil, 0, forms)
	for i, f := range file.Files {
		if len(f.Names) != len(f.Numbers) || len(f.Names) > 32 {
			return nil, fmt.Errorf("register file %d: %d names, %d numbers", i, len(f.Names), len(f.Numbers))
		}
		l.files[i] = registerFile{f.Names, f.Numbers, f.Preserved}
	}
	r := reader{lib: l, expander: &expander{highBit: file.HighBit, tables: map[[32]uint32]*[32]uint32{}}}
	for i := range l.files {
		r.expander.numbers[i] = l.files[i].number
	}
	codes := make([]code, len(file.Stencils))
	for i := range file.Stencils {
		codes[i].expander, codes[i].packed = r.expander, &file.Stencils[i]
		if err := r.add(&codes[i]); err != nil {
			return nil, fmt.Errorf("stencil %s: %w", file.Stencils[i].Op, err)
		}
	}
	r.expander.unit = unitOf(file.Stencils)
	for _, b := range file.Blobs {
		l.blobs = append(l.blobs, &Blob{b.Name, b.Code, b.Align})
	}
	for _, k := range file.Kernels {
		if k.Blob < 0 || k.Blob >= len(l.blobs) || k.Entry < 0 || k.Entry >= len(l.blobs[k.Blob].Code) {
			return nil, fmt.Errorf("kernel %s: entry outside its blob", k.Op)
		}
		kernel := &Kernel{k.Op, k.DType, l.blobs[k.Blob], k.Entry, k.Args, k.Results, k.Stack, k.Insns, nil, ""}
		if k.Feature < 0 || k.Feature > len(l.features) {
			return nil, fmt.Errorf("kernel %s: feature %d", k.Op, k.Feature)
		}
		if k.Feature > 0 {
			kernel.Feature = l.features[k.Feature-1]
		}
		for _, loop := range k.Loops {
			kernel.Loops = append(kernel.Loops, Loop{loop.Name, loop.Insns})
		}
		l.kernels = append(l.kernels, kernel)
		l.kernelFor[key{op: k.Op, dtype: k.DType}] = kernel
	}
	return l, nil
}

// unitOf is what the lengths of all instructions are multiples of: no instruction is shorter.
func unitOf(list []libfile.Stencil) int {
	unit := 0
	for i := range list {
		for _, t := range list[i].Templates {
			for a := len(t.Code); a != 0; {
				unit, a = a, unit%a
			}
		}
	}
	return max(unit, 1)
}

// reader makes Stencils of those in a file.
type reader struct {
	lib      *Library
	expander *expander
}

func (r *reader) add(c *code) error {
	f := c.packed
	if len(f.Templates) == 0 || len(f.DTypes) == 0 {
		return fmt.Errorf("no template or no dtype")
	}
	proto := Stencil{Op: f.Op, Form: Form(f.Form), Dst: Class(f.Dst), Tied: f.Tied, Imm: Imm(f.Imm),
		MaxDirect: f.MaxDirect, MinImm: f.MinImm, MaxImm: f.MaxImm, Insns: f.Insns, own: f.Insns, Service: Service(f.Service), code: c}
	if f.MinImm > f.MaxImm {
		return fmt.Errorf("immediates from %d to %d", f.MinImm, f.MaxImm)
	}
	if f.Service != int(proto.Service) || f.Service != 0 && (!proto.Service.Of().Valid() || proto.Imm != Offset) {
		return fmt.Errorf("service %d", f.Service)
	}
	if f.Service > 0 && (len(r.lib.services) < f.Service || r.lib.services[f.Service-1] <= 0) {
		return fmt.Errorf("no bound on the instructions of service %s", proto.Service.Of())
	}
	if f.Feature < 0 || f.Feature > len(r.lib.features) {
		return fmt.Errorf("feature %d", f.Feature)
	}
	if f.Feature > 0 {
		proto.Feature = r.lib.features[f.Feature-1]
	}
	for i, class := range f.Src {
		proto.Src[i] = Class(class)
	}
	if c := max(proto.Dst, proto.Src[0], proto.Src[1], proto.Src[2]); c > Double {
		return fmt.Errorf("register class %d", uint8(c))
	}
	for i := range f.Templates {
		t := &f.Templates[i]
		if err := libfile.CheckFields(t.Fields, len(t.Code)); err != nil {
			return err
		}
		for fields := t.Fields; len(fields) > 0; fields = fields[libfile.FieldSize:] {
			proto.Branch = proto.Branch || libfile.UnpackField(fields).Operand == libfile.OperandBranch
		}
		proto.MaxSize = max(proto.MaxSize, len(t.Code))
	}
	if proto.Branch && len(f.Templates) > 1 && proto.Imm != Steps {
		return fmt.Errorf("a branch in code of several variants, which FixBranch could not tell apart")
	}
	if err := checkClasses(f.Classes, len(f.Templates)); err != nil {
		return err
	}
	typed := make([]Stencil, len(f.DTypes))
	for i, dtype := range f.DTypes {
		s := &typed[i]
		*s = proto
		s.DType = dtype
		k := key{s.Op, dtype, s.Form}
		of := k
		if s.Form == far {
			of.form = Reg
		}
		if near := r.named(of, s.Feature); s.Form == far || s.Form == Mem && near != nil {
			if near == nil {
				return fmt.Errorf("far form without a near one")
			}
			near.MaxSize, near.Insns = max(near.MaxSize, s.MaxSize), max(near.Insns, s.Insns)
			for near.far != nil { // in the file they are in order of their reach
				near = near.far
			}
			if s.Form == Mem && near.MaxDirect >= s.MaxDirect {
				return fmt.Errorf("defined twice for %q", dtype)
			}
			near.far = s
			continue
		}
		if r.named(k, s.Feature) != nil {
			return fmt.Errorf("defined twice for %q", dtype)
		}
		r.rank(k, s)
		r.lib.stencils = append(r.lib.stencils, s)
	}
	return nil
}

// named is the stencil of a name that needs just this feature, or nil.
func (r *reader) named(k key, feature string) *Stencil {
	s := r.lib.byName[k]
	for s != nil && s.Feature != feature {
		s = s.lesser
	}
	return s
}

// rank puts a stencil among those of its name, best first.
func (r *reader) rank(k key, s *Stencil) {
	best := r.lib.byName[k]
	at := &best
	for *at != nil && slices.Index(r.lib.features, (*at).Feature) > slices.Index(r.lib.features, s.Feature) {
		at = &(*at).lesser
	}
	s.lesser, *at = *at, s
	r.lib.byName[k] = best
}

// Operand keys that a list of classes may be for: those of high bits alone, and with
// pairs of equal operands (see operandKey).
const (
	highKeys = 1 << 4
	pairKeys = 1 << (4 + len(operandPairs))
)

// checkClasses checks the packed list of the template of each operand key.
func checkClasses(packed []byte, templates int) error {
	if len(packed) == 0 {
		if templates != 1 {
			return fmt.Errorf("%d templates and no classes", templates)
		}
		return nil
	}
	if len(packed)%2 != 0 {
		return fmt.Errorf("list of classes is cut short")
	}
	for i := 1; i < len(packed); i += 2 {
		if int(packed[i]) >= templates {
			return fmt.Errorf("class of template %d", packed[i])
		}
	}
	if n := classCount(packed); n != highKeys && n != pairKeys {
		return fmt.Errorf("%d operand keys", n)
	}
	return nil
}

// classCount is the number of operand keys that a packed list of classes is for.
func classCount(packed []byte) int {
	n := 0
	for i := 0; i < len(packed); i += 2 {
		n += int(packed[i]) + 1
	}
	return n
}
