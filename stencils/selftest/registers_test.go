package selftest

import (
	"slices"

	"github.com/copaflash/copaflash/stencils"
)

// number is the hardware number of a register; bit 5 is for operand keys.
func (b *bench) number(c stencils.Class, r uint8) uint8 { return b.lib.RegNumber(c, r) & 31 }

// floatsBesideDoubles is how many of the Float registers programs with doubles have.
func (b *bench) floatsBesideDoubles() int {
	if n := b.lib.FloatsBesideDoubles; n > 0 {
		return n
	}
	return b.lib.Regs(stencils.Float)
}

// onDoubles reports whether a stencil has an operand or result in a Double register.
func onDoubles(s *stencils.Stencil) bool {
	return s.Dst == stencils.Double || slices.Contains(s.Src[:], stencils.Double)
}

// vectors are the entries of state.Vec that a register is in.
func (b *bench) vectors(c stencils.Class, r uint8) []int {
	n := int(b.number(c, r))
	if c == stencils.Double && b.m.Paired {
		return []int{2 * n, 2*n + 1}
	}
	if b.m.ymm {
		return []int{n, n + upperHalves}
	}
	return []int{n}
}

// randomState fills every register with noise.
func (b *bench) randomState() state {
	s := state{Control: b.m.Control, BaseReg: uint64(b.m.Base), Bias: b.m.Bias}
	for i := range s.GPR {
		s.GPR[i] = b.rng.Uint64()
		s.Vec[i] = [2]uint64{b.rng.Uint64(), b.rng.Uint64()}
		if b.m.Boxed {
			s.Vec[i][0] |= boxTop
		}
	}
	for r := range b.lib.Regs(stencils.Int) {
		b.set(&s, stencils.Int, uint8(r), uint64(b.rng.Uint32()))
	}
	return s
}

func (b *bench) set(s *state, c stencils.Class, r uint8, bits uint64) {
	n := b.number(c, r)
	switch {
	case c == stencils.Float && !b.m.soft():
		s.Vec[n][0] = s.Vec[n][0]&^0xffffffff | bits
		return
	case c == stencils.Double && b.m.Paired:
		s.Vec[2*n][0], s.Vec[2*n+1][0] = bits&low, bits>>32
		return
	case c == stencils.Double:
		s.Vec[n][0] = bits
		return
	}
	switch s.GPR[n] = bits; {
	case b.m.SignTop:
		s.GPR[n] = uint64(int32(bits))
	case !b.m.ZeroTop:
		s.GPR[n] |= uint64(b.rng.Uint32()) << 32
	}
}

// low is the lower half of a register or number.
const low = 1<<32 - 1

// boxTop is what stands above a float where a register could hold a double.
const boxTop = 0xffffffff << 32

func (b *bench) get(s *state, c stencils.Class, r uint8) uint64 {
	switch n := b.number(c, r); {
	case c == stencils.Float && !b.m.soft():
		return uint64(uint32(s.Vec[n][0]))
	case c == stencils.Double && b.m.Paired:
		return s.Vec[2*n][0]&low | s.Vec[2*n+1][0]<<32
	case c == stencils.Double:
		return s.Vec[n][0]
	default:
		return uint64(uint32(s.GPR[n]))
	}
}
