//go:build linux

package emulator_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/firmware/build/runner/runnertest"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// translators are boards of each kind of core that makes code of lists: that of an M7 has caches, which QEMU has not.
var translators = []string{"microbit", "mps2-an385", "mps2-an386", "mps2-an500", "mps2-an505"}

// The data block of these tests: slots, near and far ones, and words that stand for registers.
const (
	plainSlots     = 4
	plainRegisters = 256
	plainEnd       = 320
)

// plainRunner is a board's runner whose windows have one more: words of the data block, in RAM.
func plainRunner(t *testing.T, name string) []byte {
	return runnertest.RunnerWith(t, name, runnertest.Window{Start: fmt.Sprintf("cf_program_data_start + %d", plainRegisters), Length: plainEnd - plainRegisters})
}

// dataStart is where a runner has its data blocks: programs store the address of theirs.
func dataStart(c *client) uint32 {
	c.t.Helper()
	c.load(thumbImage(0x6100 /* str r0, [r0, #16] */, thumbReturn), nil, 64)
	require.Equal(c.t, packet.StatusOK, c.run(packet.RunRequest{Count: 1}).Status)
	return binary.LittleEndian.Uint32(c.read(16, 4))
}

// randomPin is an entry that a runner takes: mostly of a common kind, now and then of any.
func randomPin(r *rand.Rand, start uint32, safe bool) rawPin {
	width := r.Uint32N(3)
	address := start + plainRegisters + r.Uint32N((plainEnd-plainRegisters)>>width)<<width
	control := pinRead | pinWrite
	if r.IntN(4) > 0 {
		control = r.Uint32N(4)
	}
	mask := [...]uint32{1<<32 - 1, 1<<(8<<width) - 1, 0xff, 1 << r.IntN(32), 0xff << r.IntN(24), r.Uint32(), 0}[r.IntN(7)]
	value := r.Uint32()
	if !safe {
		if r.IntN(2) == 0 && control != 0 {
			control |= pinSlot
			value = plainSlots + 4*r.Uint32N((plainRegisters-plainSlots)/4)
			if r.IntN(8) == 0 {
				value = plainRegisters + 4*r.Uint32N((plainEnd-plainRegisters)/4) // a slot that is a register, too
			}
		}
		if r.IntN(2) == 0 {
			control |= r.Uint32N(32) << 8
		}
		switch n := r.IntN(16); {
		case control&pinSlot != 0: // does not wait
		case n == 0: // in vain, or by chance
			control |= (1 + r.Uint32N(300)) << 16
		case n < 4: // of nothing: there at once
			control |= (1 + r.Uint32N(65535)) << 16
			value, mask = 0, 0
		}
	}
	return rawPin{control | width<<4, address, mask, value}
}

// A failedPin is the entry that has waited in vain.
type failedPin struct {
	number, address, read uint32
}

// carryOut does to a data block what SPEC.md says of the entries of a list, numbered from first on.
func carryOut(block []byte, start uint32, list []rawPin, first int) *failedPin {
	for i, e := range list {
		width := e[0] >> 4 & 3
		bytes, shift := block[e[1]-start:][:1<<width], e[0]>>8&31
		value, old := e[3], uint32(0)
		var slot []byte
		if e[0]&pinSlot != 0 {
			slot = block[e[3]:][:4]
			value = binary.LittleEndian.Uint32(slot) << shift
		}
		if e[0]&pinRead != 0 {
			var word [4]byte
			copy(word[:], bytes)
			old = binary.LittleEndian.Uint32(word[:])
			if e[0]>>16 != 0 && old&e[2] != value {
				return &failedPin{uint32(first + i), e[1], old}
			}
		}
		if e[0]&pinWrite != 0 {
			copy(bytes, binary.LittleEndian.AppendUint32(nil, old&^e[2]|value&e[2]))
		} else if slot != nil {
			binary.LittleEndian.PutUint32(slot, old&e[2]>>shift)
		}
	}
	return nil
}

// A plainLoop is lists, and how much room is behind them.
type plainLoop struct {
	lists [4][]rawPin
	room  int
}

func (l *plainLoop) block() []byte {
	var counts [4]uint32
	var all []rawPin
	for i, list := range l.lists {
		counts[i] = uint32(len(list))
		all = append(all, list...)
	}
	return rawPins(counts, all...)
}

// once lets a tick go by: what the data block becomes, and what has failed.
func (l *plainLoop) once(block []byte, start uint32) *failedPin {
	first := 1
	for i, list := range l.lists[:3] {
		if f := carryOut(block, start, list, first); f != nil {
			if i > 0 {
				carryOut(block, start, l.lists[3], 0)
			}
			return f
		}
		first += len(list)
		switch i {
		case 0:
			clear(block[:4]) // the sticky flags
		case 1:
			binary.LittleEndian.PutUint32(block[16:], binary.LittleEndian.Uint32(block[16:])+1) // the task
		}
	}
	carryOut(block, start, l.lists[3], 0)
	return nil
}

// hold lets the runner do it and compares.
func (l *plainLoop) hold(c *client, start uint32, r *rand.Rand, name string) {
	c.t.Helper()
	data := make([]byte, plainEnd)
	for i := range data {
		if i >= plainSlots && r.IntN(4) > 0 {
			data[i] = byte(r.Uint32())
		}
	}
	code := append([]byte(nil), c.isa.counter...)
	code = append(code, make([]byte, -len(code)&3)...)
	place := uint32(len(code))
	code = append(code, l.block()...)
	code = append(code, make([]byte, l.room)...)
	c.load(code, data, 0)
	want := append([]byte(nil), data...)
	failed := l.once(want, start)
	resp := c.ask(&packet.StartRequest{Period: 1 << 29, Tasks: []uint32{0, 1}, Pins: place}).(*packet.StartResponse)
	entries := 0
	for _, list := range l.lists {
		entries += len(list)
	}
	if resp.Status == packet.StatusOutOfRange {
		require.Less(c.t, l.room, mostOfEntry*entries+leastRoom, name)
		copy(want, data) // nothing has been done
	} else if require.GreaterOrEqual(c.t, l.room, leastRoom, name); failed != nil && int(failed.number) <= len(l.lists[0]) {
		require.Equal(c.t, packet.StatusFault, resp.Status, name)
		require.Equal(c.t, failed.number, uint32(resp.Detail), name)
	} else {
		require.Equal(c.t, packet.StatusOK, resp.Status, "%s: %d", name, resp.Detail)
		s := c.live()
		for s.Counts.Ticks == 0 {
			s = c.live()
		}
		s = c.stop()
		require.Equal(c.t, uint32(1), s.Counts.Ticks, name)
		if failed != nil {
			require.Equal(c.t, packet.LoopEndWait, s.Counts.End, name)
			require.Equal(c.t, packet.FaultWait, s.Fault.Kind, name)
			require.Equal(c.t, *failed, failedPin{s.Fault.Entry, uint32(s.Fault.Address), uint32(s.Fault.Cause)}, name)
		} else {
			require.Equal(c.t, packet.LoopEndStopped, s.Counts.End, name)
		}
	}
	var got []byte
	for at := uint32(0); at < plainEnd; at += 64 { // the packets of small boards are short
		got = append(got, c.read(at, 64)...)
	}
	require.Equal(c.t, want[4:], got[4:], name)
	require.Equal(c.t, packet.StateReady, c.status().State, name)
}

// Entries of all kinds, widths, masks, shifts and slots, made into code by a Cortex-M and carried out, do to plain memory what SPEC.md says:
// in lists of any length, and up to the one that waits in vain. Where there is no room for that code they are refused, and nothing is done.
func TestPinsAsCode(t *testing.T) {
	for _, name := range translators {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, name, emulator.Options{Image: plainRunner(t, name)})
			c.hello(1)
			start := dataStart(c)
			r := rand.New(rand.NewPCG(13, 2026))
			for trial := range extent.Of(32, 150) {
				var l plainLoop
				l.room = leastRoom
				for i := range l.lists {
					for range r.IntN(4) * r.IntN(9) {
						l.lists[i] = append(l.lists[i], randomPin(r, start, i == 3))
						l.room += mostOfEntry
					}
				}
				if trial%8 == 0 {
					l.room = r.IntN(l.room)
				}
				l.hold(c, start, r, fmt.Sprintf("trial %d", trial))
			}
			runCounter(c)
		})
	}
}

// However little room there is, no code comes to lie behind the code block: a program reads what does.
func TestPinCodeKeepsToItsRoom(t *testing.T) {
	const (
		canary = 0xa5
		behind = 16 // bytes
	)
	for _, name := range []string{"microbit", "mps2-an385"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, name, emulator.Options{Image: plainRunner(t, name)})
			c.hello(1)
			start := dataStart(c)
			c.load(thumbImage(0x4679 /* mov r1, pc */, thumbStore, thumbReturn), nil, 64)
			require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 1}).Status)
			code := binary.LittleEndian.Uint32(c.read(16, 4)) - 4
			longest := rawPin{pinRead | pinWrite | pinSlot | bits32 | 1<<8, start + plainRegisters, 0, plainRegisters - 4}
			common := rawPin{pinRead | pinSlot | bits32, start + plainRegisters, 1<<32 - 1, plainSlots}
			for _, lists := range [][2][]rawPin{{{longest}, {longest}}, {{common, common}, {common}}, {nil, {longest}}, {nil, nil}} {
				l := plainLoop{lists: [4][]rawPin{1: lists[0], 2: lists[1]}}
				refused := false
				for room := 0; room <= 120; room += 4 {
					program := thumbImage(0x4904 /* ldr r1, [pc, #16] */, 0x680a, 0x6102 /* ldr r2, [r1]; str r2, [r0, #16] */, 0x684a, 0x6142, 0x688a, 0x6182, 0x68ca, 0x61c2, thumbReturn)
					block := l.block()
					place := uint32(len(program) + 4)
					end := place + uint32(len(block)+room)
					program = binary.LittleEndian.AppendUint32(program, code+end)
					c.load(bytes.Repeat([]byte{canary}, int(end)+behind), nil, 4)
					c.load(append(append(program, block...), make([]byte, room)...), nil, plainEnd)
					resp := c.ask(&packet.StartRequest{Period: 1 << 29, Tasks: []uint32{0, 1}, Pins: place}).(*packet.StartResponse)
					switch resp.Status {
					case packet.StatusOutOfRange:
						refused = true
						require.Less(t, room, leastRoom+mostOfEntry*(len(lists[0])+len(lists[1])))
						require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 1}).Status)
					default:
						require.Equal(t, packet.StatusOK, resp.Status)
						require.GreaterOrEqual(t, room, leastRoom)
						for c.live().Counts.Ticks == 0 {
						}
						require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
					}
					require.Equal(t, bytes.Repeat([]byte{canary}, behind), c.read(16, behind), "room of %d bytes", room)
				}
				require.True(t, refused)
			}
		})
	}
}

// What the host sets aside for that code is enough for any number of entries of each operation: none reaches its register or its slot from
// where the one before it was, or has its mask.
func TestRoomIsEnough(t *testing.T) {
	_, c := boot(t, "microbit", emulator.Options{Image: plainRunner(t, "microbit")})
	c.hello(1)
	start := dataStart(c)
	for op := registers.Write; op <= registers.Read; op++ {
		for _, n := range []int{0, 1, 6, 7, 8, 14, 15, 16} {
			var entries []registers.Entry
			for i := range n {
				e := registers.Entry{Op: op, Width: 32, Address: start + plainEnd - 4 - 4*uint32(i)}
				switch op {
				case registers.Wait:
					e.Mask, e.Spins = 1<<(16+i), 1
				case registers.Load, registers.Store:
					e.Mask, e.Shift, e.Slot = 1<<(8+i), 3, "far"
				case registers.Change:
					e.Mask = 1 << i
				}
				entries = append(entries, e)
			}
			l := registers.Lists{Start: entries, Before: entries, After: entries}
			if !op.UsesSlot() && op != registers.Wait {
				l.Safe = entries
			}
			block, err := l.Encode(map[string]uint32{"far": plainRegisters - 4})
			require.NoError(t, err)
			code := append([]byte(nil), c.isa.counter...)
			code = append(code, make([]byte, -len(code)&3)...)
			place := uint32(len(code))
			c.load(append(append(code, block...), make([]byte, l.Room())...), nil, plainEnd)
			resp := c.startPins(place)
			require.Equal(t, packet.StatusOK, resp.Status, "%d times %v: %d", n, op, resp.Detail)
			c.stop()
		}
	}
}
