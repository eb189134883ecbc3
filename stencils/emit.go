package stencils

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// template is one merged piece of code: the code for operand values 0, and
// where the operand bits are XORed into it.
type template struct {
	code   []byte // padded so that 4 bytes may be read at every site
	size   int
	sites  []site
	holes  []hole
	branch []hole
	origin int // what a branch counts from, relative to the start of the code
}

// site is a 4-byte window of the code that depends on register operands: by
// operand, what each register XORs into it.
type site struct {
	at  int
	xor [4]*[32]uint32
}

// hole is a field for bits of a number: bits [src, src+len(mask)) go to bits
// dst.. of the 4-byte window at `at`.
type hole struct {
	at       int
	value    uint8 // 0 imm, 1 second imm
	src, dst uint8
	mask     uint32
}

// Size is the length in bytes of the code that Emit appends for these
// arguments.
func (s *Stencil) Size(d, a, b, c uint8, imm int32) int {
	s = s.forImm(imm)
	if s.Tied {
		a = d
	}
	return len(s.code.packed.Templates[s.code.packedTemplate([4]uint8{d, a, b, c})].Code)
}

// InsnsOf bounds the instructions executed by code of so many bytes that Emit or EmitLoop
// has appended: the length tells a far form from a near one, and a short variant from a long one.
func (s *Stencil) InsnsOf(size int) int {
	short := size / s.code.expander.unit
	if s.far == nil {
		return min(s.own, short)
	}
	most := 0
	for form := s; form != nil; form = form.far {
		for i := range form.code.packed.Templates {
			if len(form.code.packed.Templates[i].Code) == size {
				most = max(most, form.own)
			}
		}
	}
	return min(most, short)
}

// Emit appends the code of the stencil to code: result register d, sources a,
// b, c, and the immediate. Arguments that the stencil does not have are
// ignored, as is a in tied stencils. Registers must be below [Library.Regs] and
// imm within MinImm..MaxImm and a multiple of 4 where it is an [Offset]; the code
// is meaningless otherwise.
func (s *Stencil) Emit(code []byte, d, a, b, c uint8, imm int32) []byte {
	s = s.forImm(imm)
	if s.Tied {
		a = d
	}
	t := s.pick(d, a, b, c)
	return t.emit(code, d, a, b, c, uint32(imm), 0)
}

// EmitLoop appends a "loop" stencil: Int register r is increased by step and
// the code branches to offset target of code while it is not equal to limit.
// step must be within 0..MaxImm. For "count" and "until" these do not matter; the latter branches while a is not equal to r.
func (s *Stencil) EmitLoop(code []byte, r, a uint8, step, limit int32, target int) ([]byte, error) {
	for s.far != nil && step > s.MaxDirect {
		s = s.far
	}
	at := len(code)
	t := s.pick(r, a, 0, 0)
	code = t.emit(code, r, a, 0, 0, uint32(step), uint32(limit))
	err := s.aim(t, code, at, target)
	if err != nil && s.far != nil {
		return s.far.EmitLoop(code[:at], r, a, step, limit, target)
	}
	return code, err
}

func (t *template) emit(code []byte, d, a, b, c uint8, imm, imm2 uint32) []byte {
	n := len(code)
	code = append(code, t.code...)
	out := code[n:]
	for i := range t.sites {
		x := &t.sites[i]
		w := out[x.at : x.at+4]
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)^
			x.xor[0][d&31]^x.xor[1][a&31]^x.xor[2][b&31]^x.xor[3][c&31])
	}
	for i := range t.holes {
		h := &t.holes[i]
		v := imm
		if h.value != 0 {
			v = imm2
		}
		w := out[h.at : h.at+4]
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)^v>>h.src&h.mask<<h.dst)
	}
	return code[:n+t.size]
}

// FixBranch aims the branch or call of the stencil emitted at offset at of
// code to offset target. It may be called again with another target.
func (s *Stencil) FixBranch(code []byte, at, target int) error {
	if !s.Branch {
		return fmt.Errorf("stencils: %s has no branch", s.Op)
	}
	return s.aim(&s.code.expanded().templates[0], code, at, target) // only loops have several
}

// aim aims the branch or call of a template.
func (s *Stencil) aim(t *template, code []byte, at, target int) error {
	delta := int64(target) - int64(at+t.origin)
	// what the machine will make of the fields: the bits that they hold, sign-extended
	var held uint64
	for i := range t.branch {
		h := &t.branch[i]
		w := code[at+h.at : at+h.at+4]
		empty := binary.LittleEndian.Uint32(t.code[h.at:])
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)&^(h.mask<<h.dst)|empty&(h.mask<<h.dst))
		held |= uint64(h.mask) << h.src
	}
	for i := range t.branch {
		h := &t.branch[i]
		w := code[at+h.at : at+h.at+4]
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)^uint32(delta>>h.src)&h.mask<<h.dst)
	}
	unused := bits.LeadingZeros64(held)
	if int64(uint64(delta)&held<<unused)>>unused != delta {
		return fmt.Errorf("stencils: %s at %#x cannot reach %#x: out of range or misaligned", s.Op, at, target)
	}
	return nil
}

// forImm is the stencil itself or the first of its far variants that takes imm.
func (s *Stencil) forImm(imm int32) *Stencil {
	for s.far != nil && uint32(imm) > uint32(s.MaxDirect) {
		s = s.far
	}
	return s
}

// pick finds the template for a combination of registers. Most stencils have
// one; on x86 the high bit of a register number costs a prefix byte, and the
// compiler may find shorter code when operands are equal.
func (s *Stencil) pick(d, a, b, c uint8) *template {
	code := s.code.expanded()
	if code.classes == nil {
		return &code.templates[0]
	}
	return &code.templates[code.classes[code.operandKey(d, a, b, c)]]
}

// operandKey numbers the combinations of register operands that may need
// different code: bits 0..3 are the high bits of the hardware numbers of d, a,
// b, c; bits 4..9 say which operands of one class are the same register.
func (x *code) operandKey(d, a, b, c uint8) uint32 {
	k := x.high[0]>>d&1 | x.high[1]>>a&1<<1 | x.high[2]>>b&1<<2 | x.high[3]>>c&1<<3
	r := [4]uint8{d, a, b, c}
	for i := range x.pairs {
		if p := &x.pairs[i]; r[p.x] == r[p.y] {
			k |= p.bit
		}
	}
	return k
}

// pair is two operands of one class, for which it matters whether they are the
// same register.
type pair struct {
	x, y uint8
	bit  uint32 // in the operand key
}

// operandPairs are the pairs of operands (0 = d, 1 = a ...) in the order of
// their bits in an operand key.
var operandPairs = [6][2]uint8{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}
