package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/stencils"
	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// The model of a template: code = base XOR, for every bit k of every operand
// that is 1, a mask M[operand, k]. The masks are solved for by elimination over
// GF(2), many samples at once; a sample that contradicts the others shows that
// the code does not follow the model, or not with the samples taken together.

// Unknowns, by bit of a pattern: register bits of d, a, b, c, then the immediate,
// then the base. The base is on top since the highest unknown is solved for first:
// what never changes within a group of samples then ends up in the base, and not in
// the mask of an operand bit that happens to be 1 in all of them.
const (
	regBits  = 5 // of a hardware register number
	immBit   = 4 * regBits
	baseBit  = immBit + 32
	unknowns = baseBit + 1
)

// pattern is the set of unknowns that are XORed into a variant's code.
func (j *job) pattern(v variant) uint64 {
	p := uint64(1) << baseBit
	for i := range v.reg {
		if j.free(i) {
			p |= uint64(j.arch.class(j.class(i)).Numbers[v.reg[i]]&(1<<regBits-1)) << (regBits * i)
		}
	}
	if j.sampled {
		p |= uint64(uint32(v.imm)) << immBit
	}
	return p
}

// equation says which XOR of unknowns is known to give which bytes.
type equation struct {
	pattern uint64
	code    []byte
}

// system is a set of equations in reduced form: the highest unknown of each
// equation occurs in no other one.
type system struct {
	rows [unknowns]*equation // by highest unknown
}

var errContradiction = errors.New("the code does not depend on its operands bit by bit")

// reduce removes from a pattern what the system knows.
func (s *system) reduce(p uint64, code []byte) (uint64, []byte) {
	code = bytes.Clone(code)
	for left := p; left != 0; {
		top := 63 - bits.LeadingZeros64(left)
		left &^= 1 << top
		if row := s.rows[top]; row != nil {
			p ^= row.pattern
			left = p & (1<<top - 1)
			xorInto(code, row.code)
		}
	}
	return p, code
}

// add takes in an equation, or says that it contradicts the others.
func (s *system) add(p uint64, code []byte) error {
	p, code = s.reduce(p, code)
	if p == 0 {
		if slices.ContainsFunc(code, func(b byte) bool { return b != 0 }) {
			return errContradiction
		}
		return nil
	}
	top := 63 - bits.LeadingZeros64(p)
	for i, row := range s.rows {
		if row != nil && row.pattern>>top&1 != 0 {
			next := &equation{row.pattern ^ p, bytes.Clone(row.code)}
			xorInto(next.code, code)
			s.rows[i] = next
		}
	}
	s.rows[top] = &equation{p, code}
	return nil
}

func xorInto(dst, src []byte) {
	for i := range dst {
		dst[i] ^= src[i]
	}
}

// group is samples that share a template.
type group struct {
	keys    []uint32
	samples []*sample
	system  system
}

// fit finds the templates of a job: samples are grouped by operand key, and
// groups are merged as long as one template explains all of them. Every sample
// is then emitted from the templates and compared byte for byte.
func fit(j *job, samples []sample) (*libfile.Stencil, []*group, error) {
	byKey := map[uint32][]*sample{}
	var keys []uint32
	for i := range samples {
		k := j.key(samples[i].variant)
		if byKey[k] == nil {
			keys = append(keys, k)
		}
		byKey[k] = append(byKey[k], &samples[i])
	}
	slices.Sort(keys)
	var groups []*group
	for _, k := range keys {
		if !joinAny(j, groups, k, byKey[k]) {
			g := &group{}
			if !g.join(j, k, byKey[k]) {
				return nil, nil, fmt.Errorf("operand key %#x: %w", k, errContradiction)
			}
			groups = append(groups, g)
		}
	}
	out := j.out
	for _, g := range groups {
		t, err := g.template(j)
		if err != nil {
			return nil, nil, err
		}
		out.Templates = append(out.Templates, *t)
		for _, s := range g.samples {
			out.Insns = max(out.Insns, s.most)
		}
	}
	if err := j.checkCover(groups); err != nil {
		return nil, nil, err
	}
	out.Classes = j.classes(groups)
	if len(groups) > 256 {
		return nil, nil, fmt.Errorf("%d templates", len(groups))
	}
	return &out, groups, nil
}

func joinAny(j *job, groups []*group, k uint32, samples []*sample) bool {
	for _, g := range groups {
		if g.join(j, k, samples) {
			return true
		}
	}
	return false
}

// join adds samples to the group if one template can explain them all.
func (g *group) join(j *job, k uint32, samples []*sample) bool {
	first := samples[0]
	if len(g.samples) > 0 {
		first = g.samples[0]
	}
	merged := g.system // rows are replaced, never changed, so a copy of the pointers will do
	for _, s := range samples {
		if len(s.code) != len(first.code) || !slices.Equal(s.relocs, first.relocs) {
			return false
		}
		if merged.add(j.pattern(s.variant), s.code) != nil {
			return false
		}
	}
	g.system = merged
	g.keys = append(g.keys, k)
	g.samples = append(g.samples, samples...)
	return true
}

// checkCover makes sure that every register combination follows from samples, and
// every offset with it. A bit of an offset that no sample of a group tells apart
// would be a field that the template has not.
func (j *job) checkCover(groups []*group) error {
	byKey := map[uint32]*group{}
	for _, g := range groups {
		for _, k := range g.keys {
			byKey[k] = g
		}
	}
	for _, v := range j.combinations() {
		g := byKey[j.key(v)]
		if g == nil {
			return fmt.Errorf("registers %v: no sample with operand key %#x", v.reg, j.key(v))
		}
		if rest, _ := g.system.reduce(j.pattern(v), make([]byte, len(g.samples[0].code))); rest != 0 {
			return fmt.Errorf("registers %v: the samples do not determine the code", v.reg)
		}
	}
	if !j.sampled {
		return nil // the compiler names the fields of a hole
	}
	for _, g := range groups {
		for o := j.step(); o <= j.out.MaxDirect; o *= 2 {
			bit := uint64(uint32(o)) << immBit // determined by itself, since offset 0 is
			if rest, _ := g.system.reduce(bit, make([]byte, len(g.samples[0].code))); rest != 0 {
				return fmt.Errorf("operand keys %#x: the samples do not determine what offset %d changes", g.keys, o)
			}
		}
	}
	return nil
}

// template solves the group: masks by operand bit, merged into fields.
func (g *group) template(j *job) (*libfile.Template, error) {
	size := len(g.samples[0].code)
	mask := make([][]byte, unknowns)
	for i := range mask {
		mask[i] = make([]byte, size)
		if row := g.system.rows[i]; row != nil {
			copy(mask[i], row.code) // unknowns that no row leads are free: 0
		}
	}
	t := &libfile.Template{Code: mask[baseBit]}
	var fields []libfile.Field
	for i := range operandNames {
		fields = appendFields(fields, uint8(i), mask[regBits*i:regBits*(i+1)])
	}
	fields = appendFields(fields, libfile.OperandImm, mask[immBit:baseBit])
	var flips []int
	for _, r := range g.samples[0].relocs {
		more, flip, err := j.relocFields(r, t)
		if err != nil {
			return nil, err
		}
		fields, flips = append(fields, more...), append(flips, flip...)
	}
	t.Fields = libfile.PackFields(fields)
	if _, err := libfile.UnpackFields(t.Fields, size); err != nil {
		return nil, err
	}
	for _, s := range g.samples {
		if got := emit(j, t, fields, s.variant); !bytes.Equal(got, s.code) {
			return nil, fmt.Errorf("%q: the template gives % x, the compiler % x", j.statement(s.variant), got, s.code)
		}
	}
	for _, bit := range flips {
		t.Code[bit/8] ^= 1 << (bit % 8)
	}
	return t, nil
}

// appendFields turns the masks of an operand's bits into runs of bits.
func appendFields(fields []libfile.Field, operand uint8, masks [][]byte) []libfile.Field {
	set := func(k, bit int) bool {
		return k < len(masks) && bit < 8*len(masks[k]) && masks[k][bit/8]>>(bit%8)&1 != 0
	}
	for k := range masks {
		for bit := range 8 * len(masks[k]) {
			if !set(k, bit) || k > 0 && bit > 0 && set(k-1, bit-1) {
				continue // not the start of a run
			}
			n := 1
			for set(k+n, bit+n) {
				n++
			}
			fields = append(fields, libfile.Field{Operand: operand, Src: uint8(k), Len: uint8(n), Dst: uint16(bit)})
		}
	}
	return fields
}

// relocFields makes fields of a relocation against one of the hole symbols, and
// lists the bits of the code that its addend or origin inverts.
func (j *job) relocFields(r reloc, t *libfile.Template) (fields []libfile.Field, flips []int, err error) {
	kind, known := j.arch.Relocations[r.kind]
	if !known || !kind.Branch {
		name := r.kind
		if r.addend != 0 {
			name = fmt.Sprintf("%s%+d", r.kind, r.addend)
		}
		kind, known = j.arch.Relocations[name]
	}
	operand, hole := map[string]uint8{"cf_hole": libfile.OperandImm, "cf_hole2": libfile.OperandImm2, "cf_target": libfile.OperandBranch}[r.symbol]
	if !known || !hole || kind.Branch != (operand == libfile.OperandBranch) {
		return nil, nil, fmt.Errorf("unexpected relocation %s against %q at %d, addend %d: a constant in memory or a call", r.kind, r.symbol, r.at, r.addend)
	}
	if kind.Branch {
		t.Origin = r.at + kind.Origin - int(r.addend)
	}
	if operand == libfile.OperandImm && j.out.Imm == uint8(stencils.NoImm) {
		return nil, nil, fmt.Errorf("relocation %s: the row has no immediate", r.kind)
	}
	for _, bit := range kind.Flip {
		flips = append(flips, 8*r.at+bit)
	}
	for _, f := range kind.Fields {
		fields = append(fields, libfile.Field{Operand: operand, Src: uint8(f[0]), Len: uint8(f[1]), Dst: uint16(8*r.at + f[2])})
	}
	return fields, flips, nil
}

// emit is the template's code for a variant, written for clarity rather than
// speed; package stencils does the same fast.
func emit(j *job, t *libfile.Template, fields []libfile.Field, v variant) []byte {
	code := bytes.Clone(t.Code)
	for _, f := range fields {
		var value uint32
		switch {
		case f.Operand == libfile.OperandImm:
			value = uint32(v.imm)
		case int(f.Operand) < len(v.reg):
			value = uint32(j.arch.class(j.class(int(f.Operand))).Numbers[v.reg[f.Operand]])
		}
		if !j.sampled && f.Operand == libfile.OperandImm {
			value = 0 // the compiler's output has the hole empty
		}
		for k := range f.Len {
			bit := int(f.Dst) + int(k)
			code[bit/8] ^= byte(value>>(f.Src+k)&1) << (bit % 8)
		}
	}
	return code
}

// classes packs the template number of every operand key into runs.
func (j *job) classes(groups []*group) []byte {
	if len(groups) == 1 {
		return nil
	}
	table := make([]byte, 1<<keyBits)
	equal := false
	for n, g := range groups {
		for _, k := range g.keys {
			table[k] = byte(n)
		}
	}
	// Does it matter which operands are equal? Not if keys with the same high bits agree.
	byHigh := map[uint32]byte{}
	for n, g := range groups {
		for _, k := range g.keys {
			if old, ok := byHigh[k&15]; ok && old != byte(n) {
				equal = true
			}
			byHigh[k&15] = byte(n)
		}
	}
	if !equal {
		table = table[:1<<4]
		for h, n := range byHigh {
			table[h] = n
		}
	}
	var packed []byte
	for i := 0; i < len(table); {
		n := 1
		for i+n < len(table) && table[i+n] == table[i] && n < 256 {
			n++
		}
		packed = append(packed, byte(n-1), table[i])
		i += n
	}
	return packed
}
