package model

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
)

var windows = []Window{{0x40000000, 32, 1<<32 - 1}, {0x40001000, 8, 0x0000ff0f}, {0xfffffffc, 4, 1<<32 - 1}}

// bus is the registers of a runner, as registers.Run reaches them.
type bus struct{ *Runner }

func (b bus) at(width registers.Width, address uint32) *pinEntry {
	return &pinEntry{width: uint32(width) / 8, address: address}
}

func (b bus) Read(width registers.Width, address uint32) uint32 {
	return b.readRegister(b.at(width, address))
}

func (b bus) Write(width registers.Width, address, value uint32) {
	b.writeRegister(b.at(width, address), value)
}

// entry is one that the windows allow.
func entry(r *rand.Rand, safe bool) registers.Entry {
	w := windows[r.IntN(len(windows))]
	e := registers.Entry{Op: registers.Op(r.IntN(6)), Width: 8 << r.IntN(3)}
	if safe {
		e.Op = []registers.Op{registers.Write, registers.Change, registers.Read}[r.IntN(3)]
	}
	if w.Bits != 1<<32-1 {
		e.Width = 32
		if e.Op == registers.Write {
			e.Op = registers.Change
		}
	}
	e.Address = w.Address + uint32(r.IntN(int(w.Length)))&^(uint32(e.Width)/8-1)
	switch e.Op {
	case registers.Write:
		e.Value = r.Uint32() & e.Width.All()
		return e
	case registers.Read:
		return e
	}
	for e.Mask == 0 {
		e.Mask = r.Uint32() & e.Width.All() & w.Bits
		if r.IntN(4) == 0 {
			e.Mask = e.Width.All() & w.Bits
		}
	}
	switch e.Op {
	case registers.Change, registers.Wait:
		e.Value = e.Mask & r.Uint32() & r.Uint32()
	default:
		e.Shift, e.Slot = uint8(r.IntN(32)), string(rune('a'+r.IntN(4)))
	}
	if e.Op == registers.Wait {
		e.Spins = uint16(1 + r.IntN(300))
		if r.IntN(3) != 0 { // one that comes true
			e.Address, e.Width, e.Mask, e.Value = windows[2].Address, 32, 1, 1
		}
	}
	return e
}

// What a runner makes of lists is what package registers says of them: every operation, width, mask and shift.
func TestPinsMeanWhatRegistersSay(t *testing.T) {
	offsets := map[string]uint32{"a": 0, "b": 4, "c": 8, "d": 60}
	base := seed.Of(t)
	var stuck, done int
	for i := range 20_000 {
		random := rand.New(rand.NewPCG(base, uint64(i)))
		var l registers.Lists
		lists := []*[]registers.Entry{&l.Start, &l.Before, &l.After, &l.Safe}
		for n, list := range lists {
			for range random.IntN(6) {
				*list = append(*list, entry(random, n == safeList))
			}
		}
		block, err := l.Encode(offsets)
		require.NoError(t, err)

		r := &Runner{Bench: Bench{CodeSize: 4096, DataSize: 64, LiveSize: 4, Windows: windows}}
		r.Restart()
		const place = 8
		copy(r.code[place:], block)
		m := &image{BeginRequest: packet.BeginRequest{CodeLength: place + uint32(len(block)), DataLength: 64}}
		p, wrong, ok := r.checkPins(m, place)
		require.True(t, ok, "%v at %d", l, wrong)
		r.loop.program = part{block: m.block(), pins: p}
		other := &Runner{Bench: r.Bench}
		other.Restart()
		slots := map[string]int32{}
		for name, offset := range offsets {
			v := random.Uint32()
			binary.LittleEndian.PutUint32(r.data[offset:], v)
			slots[name] = int32(v)
		}
		for j := range r.registers {
			r.registers[j] = byte(random.Uint32())
		}
		copy(other.registers, r.registers)
		for n, list := range lists {
			err := registers.Run(bus{other}, *list, slots)
			ok := r.runPins(n)
			require.Equal(t, err == nil, ok, "COPAFLASH_SEED=%d, %d: %v", base, i, *list)
			require.Equal(t, other.registers, r.registers, "COPAFLASH_SEED=%d, %d: %v", base, i, *list)
			for name, offset := range offsets {
				require.EqualValues(t, uint32(slots[name]), binary.LittleEndian.Uint32(r.data[offset:]), "COPAFLASH_SEED=%d, %d: %v", base, i, *list)
			}
			if err == nil {
				done++
				continue
			}
			stuck++
			var at *registers.StuckError
			require.ErrorAs(t, err, &at)
			require.Contains(t, l.At(r.loop.fault.Entry), at.Entry.String())
			require.EqualValues(t, at.Last, r.loop.fault.Cause)
			break
		}
	}
	require.Greater(t, stuck, 1000)
	require.Greater(t, done, 1000)
}
