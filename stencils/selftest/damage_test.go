package selftest

import (
	"math"
	"testing"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
)

// TestDamageIsNoticed runs code that does more, less or other than an f32 add:
// each fault that the self-test looks for must be found, or it proves nothing.
func TestDamageIsNoticed(t *testing.T) {
	onEveryLibrary(t, func(t *testing.T, b *bench) {
		find := func(op, dtype string) *stencils.Stencil { return b.lib.Find(op, dtype, stencils.Reg) }
		add := find("add", "f32")
		good := add.Emit(nil, 1, 1, 2, 0, 4*int32(add.Service))
		pokes := [][]word{nil}
		for _, s := range packet.Services() {
			if service := stencils.Calls(s); b.m.soft() {
				pokes[0] = append(pokes[0], serviceWord(4*uint32(service), service))
			}
		}
		with := func(s *stencils.Stencil, d, a, bb uint8, imm int32) []byte {
			if s.Service != stencils.NoService {
				imm = 4 * int32(s.Service)
			}
			return s.Emit(append([]byte{}, good...), d, a, bb, 0, imm)
		}
		cases := []struct {
			name string
			code []byte
			bad  bool
		}{
			{"nothing wrong", good, false},
			{"wrong result", with(find("mul", "f32"), 1, 1, 1, 0), true},
			{"no result", nil, true},
			{"another float register", with(find("mov", "f32"), uint8(b.lib.Regs(stencils.Float)-1), 1, 0, 0), true},
			{"an integer register", with(find("imm", "i32"), 2, 0, 0, 99), true},
			{"a data word", with(find("st", "f32"), 0, 1, 0, 4096), true},
			{"the sticky flags", with(find("st", "i32"), 0, 1, 0, 0), true},
			{"the last data word", with(find("st", "f32"), 0, 1, 0, dataBytes-4), true},
		}
		for _, c := range cases {
			st := b.randomState()
			b.set(&st, stencils.Float, 1, uint64(math.Float32bits(1.5)))
			b.set(&st, stencils.Float, 2, uint64(math.Float32bits(2.25)))
			if !b.m.soft() {
				b.set(&st, stencils.Int, 1, 77)
			}
			after, err := b.h.run(&request{code: append(append([]byte{}, c.code...), b.m.Return...), states: []state{st}, pokes: pokes})
			if err != nil {
				t.Fatal(err)
			}
			err = b.compare(add, 1, &st, &after[0], effect{result: uint64(math.Float32bits(3.75))}, nil)
			if (err != nil) != c.bad {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	})
}
