//go:build linux

package emulator_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/qtest"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Words of entries: bits of the first one, as in SPEC.md.
const (
	pinRead, pinWrite, pinSlot = uint32(packet.PinRead), uint32(packet.PinWrite), uint32(packet.PinSlot)

	bits8, bits16, bits32 = 0 << 4, 1 << 4, 2 << 4
)

type rawPin [4]uint32

// rawPins are the four lists as they lie in the code block, with these counts.
func rawPins(counts [4]uint32, entries ...rawPin) (block []byte) {
	for _, n := range counts {
		block = binary.LittleEndian.AppendUint32(block, n)
	}
	for _, e := range entries {
		for _, w := range e {
			block = binary.LittleEndian.AppendUint32(block, w)
		}
	}
	return block
}

// What the code that a Cortex-M makes of an entry takes at most, and what it wants beside that, in bytes.
const (
	mostOfEntry = 24
	leastRoom   = 16
)

// withRoom puts enough room for that code behind lists.
func withRoom(block []byte) []byte {
	return append(block, make([]byte, len(block)/16*mostOfEntry+leastRoom)...)
}

// An attack is lists that no runner may carry out: START says that it is the second entry. The first one is right, and would
// change the slot that witness names.
type attack struct {
	name  string
	block []byte
}

const (
	witness = 32 // offset of the slot
	untold  = 0xdeadbeef
	dataLen = 64 // of the programs of this test
)

// attacks are those on a board whose chip has these windows.
func attacks(t *testing.T, c *chips.Chip, p place) (all []attack) {
	t.Helper()
	first := uint32(c.Windows[0].Address)
	right := rawPin{pinRead | pinSlot | bits32, first, 1, witness}
	in := func(list int, name string, e rawPin) {
		counts := [4]uint32{1}
		counts[list]++
		all = append(all, attack{fmt.Sprintf("%s, list %d", name, list), rawPins(counts, right, e)})
	}
	everywhere := func(name string, e rawPin) {
		for list := range 4 {
			in(list, name, e)
		}
	}
	outside := func(name string, width registers.Width, code, address uint32) {
		require.False(t, c.Inside(width, address), "%s is in a window", name)
		in(0, "write "+name, rawPin{pinWrite | code, address, 1<<32 - 1, 0})
		in(1, "read "+name, rawPin{pinRead | pinSlot | code, address, 1, 0})
	}
	outside("the runner", 32, bits32, p.runner)
	outside("its line", 32, bits32, p.uart)
	outside("the line, by bytes", 8, bits8, p.uart)
	outside("RAM", 32, bits32, 0x20000000)
	outside("what resets a Cortex-M", 32, bits32, 0xe000ed0c)
	outside("the last byte of all", 8, bits8, 1<<32-1)
	everywhere("the first address", rawPin{pinRead | pinWrite | bits32, 0, 1, 0})
	for _, w := range c.Windows {
		begin, end := uint32(w.Address), uint32(w.Address)+uint32(w.Bytes)
		if !c.Inside(32, begin-4) {
			outside("in front of "+w.For, 32, bits32, begin-4)
		}
		if !c.Inside(32, end) {
			outside("behind "+w.For, 32, bits32, end)
			outside("over the end of "+w.For, 32, bits32, end-2)
			outside("by 16 bits over that of "+w.For, 16, bits16, end-1)
		}
		if w.Bits == nil {
			continue
		}
		outer := ^w.Changes()
		in(0, "all of "+w.For, rawPin{pinWrite | bits32, begin, 1<<32 - 1, 0})
		in(3, "by a mask that is not read: "+w.For, rawPin{pinWrite | bits32, begin, w.Changes(), 0})
		in(1, "other bits of "+w.For, rawPin{pinRead | pinWrite | bits32, begin, outer & -outer, 0})
		in(2, "by a slot: "+w.For, rawPin{pinRead | pinWrite | pinSlot | bits32, begin, outer, 0})
		in(0, "a byte of "+w.For, rawPin{pinRead | pinWrite | bits8, begin, 1, 0})
	}
	in(0, "16 bits at an odd address", rawPin{pinRead | bits16, first + 1, 1, 0})
	in(1, "32 bits at an odd address", rawPin{pinRead | bits32, first + 1, 1, 0})
	in(2, "32 bits in the middle", rawPin{pinRead | bits32, first + 2, 1, 0})
	for _, bit := range []int{3, 6, 7, 13, 14, 15} {
		in(bit%4, fmt.Sprintf("bit %d", bit), rawPin{pinRead | bits32 | 1<<bit, first, 1, 0})
	}
	everywhere("64 bits", rawPin{pinRead | 3<<4, first &^ 7, 1, 0})
	for name, slot := range map[string]uint32{"behind the data": dataLen, "over their end": dataLen - 2, "not aligned": 2, "far away": 1 << 31, "in front": 1<<32 - 4} {
		in(1, "a slot "+name, rawPin{pinRead | pinSlot | bits32, first, 1, slot})
		in(2, "a stored slot "+name, rawPin{pinRead | pinWrite | pinSlot | bits32, first, 0, slot})
	}
	everywhere("a slot, and no access", rawPin{pinSlot | bits32, first, 1, witness})
	everywhere("a slot that waits", rawPin{pinRead | pinSlot | bits32 | 1<<16, first, 1, witness})
	in(1, "a slot that is written and waits", rawPin{pinRead | pinWrite | pinSlot | bits32 | 65535<<16, first, 0, witness})
	in(3, "a load", right)
	in(3, "a store", rawPin{pinRead | pinWrite | pinSlot | bits32, first, 0, 0})
	in(3, "a wait", rawPin{pinRead | bits32 | 1<<16, first, 1, 0})
	in(3, "the longest wait", rawPin{pinRead | bits32 | 65535<<16, first, 1, 0})
	in(3, "a shift", rawPin{pinRead | bits32 | 1<<8, first, 1, 0})
	return all
}

// The program behind which lists lie, and what they are.
type pinned struct {
	code   []byte
	places []uint32
}

// pinImages puts so many lists as fit behind programs, at least one behind each.
func pinImages(program []byte, room uint32, blocks [][]byte) (images []pinned) {
	var m *pinned
	for _, b := range blocks {
		if m == nil || uint32(len(m.code)+len(b)) > room {
			images = append(images, pinned{code: append([]byte(nil), program...)})
			m = &images[len(images)-1]
			m.code = append(m.code, make([]byte, -len(m.code)&3)...)
		}
		m.places = append(m.places, uint32(len(m.code)))
		m.code = append(m.code, b...)
	}
	return images
}

// pinBoards are the boards with windows that can be emulated.
func pinBoards(t *testing.T) (found []boards.Board) {
	t.Helper()
	for _, b := range running(t) {
		c, err := chips.Find(b.Chip)
		require.NoError(t, err)
		if c != nil {
			found = append(found, b)
		}
	}
	require.GreaterOrEqual(t, len(found), 8)
	return found
}

// startPins has a limit that leaves time for the longest wait: with a main loop that is woken all the time, QEMU takes up to 60 us to look at a register.
func (c *client) startPins(place uint32) *packet.StartResponse {
	c.t.Helper()
	return c.ask(&packet.StartRequest{Period: 1 << 20, Limit: 1<<30 - 1, Tasks: []uint32{0, 1}, Pins: place}).(*packet.StartResponse)
}

// A runner refuses every list that names what is not in a window of its chip, or is malformed, before it does any of it.
func TestHostilePins(t *testing.T) {
	for _, b := range pinBoards(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			require.NotZero(t, hello.LoopFeatures&packet.LoopPins)
			chip, err := chips.Find(b.Chip)
			require.NoError(t, err)
			all := attacks(t, chip, placeOf(t, b.Name))
			require.Greater(t, len(all), 50)
			var blocks [][]byte
			for _, a := range all {
				blocks = append(blocks, a.block)
			}
			data := make([]byte, dataLen)
			binary.LittleEndian.PutUint32(data[witness:], untold)
			at := 0
			for _, m := range pinImages(c.isa.counter, min(hello.CodeCapacity, 4096), blocks) {
				c.load(m.code, data, 0)
				for _, place := range m.places {
					a := all[at]
					at++
					resp := c.startPins(place)
					require.Equal(t, packet.StatusOutOfRange, resp.Status, a.name)
					require.EqualValues(t, 2, resp.Detail, a.name)
					require.EqualValues(t, uint32(untold), binary.LittleEndian.Uint32(c.read(witness, 4)), a.name)
				}
				for _, place := range []uint32{1, 2, m.places[0] + 1, m.places[0] + 2, uint32(len(m.code)) - 12, uint32(len(m.code)), 1 << 31, 1<<32 - 4, 1<<32 - 16} {
					resp := c.startPins(place)
					require.Equal(t, packet.StatusOutOfRange, resp.Status, "place %#x", place)
					require.EqualValues(t, 1, resp.Detail)
				}
			}
			require.Equal(t, len(all), at)
			require.Equal(t, packet.StateReady, c.status().State)
			wrongCounts(c, uint32(chip.Windows[0].Address))
			waitsInVain(c, uint32(chip.Windows[0].Address))
			runCounter(c)
		})
	}
}

// wrongCounts has lists that are longer than the code block.
func wrongCounts(c *client, first uint32) {
	c.t.Helper()
	right := rawPin{pinRead | pinSlot | bits32, first, 1, witness}
	for _, counts := range [][4]uint32{{2}, {1, 1}, {0, 0, 1, 1}, {1<<32 - 1}, {1 << 28}, {1, 1<<32 - 1}, {1, 0, 0, 1 << 28}, {0, 1, 1<<32 - 1, 1}} {
		program := append([]byte(nil), c.isa.counter...)
		program = append(program, make([]byte, -len(program)&3)...)
		place := uint32(len(program))
		code := append(append(program, rawPins(counts, right)...), make([]byte, leastRoom)...)
		c.load(code, make([]byte, dataLen), 0)
		resp := c.startPins(place)
		require.Equal(c.t, packet.StatusOutOfRange, resp.Status, "%v", counts)
		require.EqualValues(c.t, 2, resp.Detail, "%v", counts)
	}
}

// waitsInVain has the longest wait that there is, for what cannot be: in START, and in a tick, which ends the loop. Both are over soon.
func waitsInVain(c *client, first uint32) {
	c.t.Helper()
	forEver := rawPin{pinRead | bits32 | 65535<<16, first, 0, 1}
	program := append([]byte(nil), c.isa.counter...)
	program = append(program, make([]byte, -len(program)&3)...)
	place := uint32(len(program))
	began := time.Now()
	c.load(append(program, withRoom(rawPins([4]uint32{1}, forEver))...), nil, dataLen)
	resp := c.startPins(place)
	require.Equal(c.t, packet.StatusFault, resp.Status)
	require.EqualValues(c.t, 1, resp.Detail)
	require.Equal(c.t, packet.StateReady, c.status().State)

	c.load(append(program, withRoom(rawPins([4]uint32{0, 1}, forEver))...), nil, dataLen)
	require.Equal(c.t, packet.StatusOK, c.startPins(place).Status)
	s := c.ended()
	require.Equal(c.t, packet.LoopEndWait, s.Counts.End)
	require.Equal(c.t, uint32(1), s.Counts.Ticks)
	require.NotNil(c.t, s.Fault)
	require.Equal(c.t, packet.FaultWait, s.Fault.Kind)
	require.Equal(c.t, uint32(1), s.Fault.Entry)
	require.EqualValues(c.t, first, s.Fault.Address)
	require.Zero(c.t, c.result(), "the task was called")
	require.Less(c.t, time.Since(began), answerTime/2)
}

// A probe looks at a machine from outside; what it cannot do fails the test.
type probe struct {
	*qtest.Probe
	t *testing.T
}

// bootProbed starts a board with a probe on it.
func bootProbed(t *testing.T, name string) (*client, *probe) {
	t.Helper()
	return bootProbedWith(t, name, nil)
}

// bootProbedWith boots a runner of one's own, if there is one.
func bootProbedWith(t *testing.T, name string, image []byte) (*client, *probe) {
	t.Helper()
	dir := t.TempDir()
	_, c := boot(t, name, emulator.Options{Image: image, Args: qtest.Args(dir)})
	return c, openProbe(t, dir)
}

// openProbe opens the one that QEMU offers in a folder.
func openProbe(t *testing.T, dir string) *probe {
	t.Helper()
	p, err := qtest.Dial(t.Context(), dir, answerTime)
	require.NoError(t, err)
	t.Cleanup(func() { p.Close() })
	return &probe{p, t}
}

func (p *probe) do(format string, args ...any) {
	p.t.Helper()
	_, err := p.Do(format, args...)
	require.NoError(p.t, err)
}

func (p *probe) read(address uint32) uint32 {
	p.t.Helper()
	v, err := p.Read(address)
	require.NoError(p.t, err)
	return v
}

func (p *probe) drive(device string, line int, high bool) {
	p.t.Helper()
	require.NoError(p.t, p.Drive(device, line, high))
}

func (p *probe) eventually(address, mask, want uint32) {
	p.t.Helper()
	for deadline := time.Now().Add(answerTime); p.read(address)&mask != want; {
		require.Less(p.t, time.Now(), deadline, "%#x has not become %#x", address, want)
		time.Sleep(time.Millisecond)
	}
}

// Pins for real: what is driven from outside comes out elsewhere, tick by tick, and has its safe value in the end.
func TestPinsFromOutside(t *testing.T) {
	const slot = 32
	for _, tt := range []struct {
		board string
		lists registers.Lists
		// drive makes the input this value; output is where the board has its outputs.
		drive  func(p *probe, value uint32)
		values []uint32
		output uint32
		mask   uint32
		shift  uint
		safe   uint32
	}{
		{
			// MISC of FPGAIO can be written from outside; the LEDs show it.
			board: "mps2-an385",
			lists: registers.Lists{
				Before: []registers.Entry{{Op: registers.Load, Width: 32, Address: 0x4002804c, Mask: 3, Slot: "x"}},
				After:  []registers.Entry{{Op: registers.Store, Width: 32, Address: 0x40028000, Mask: 3, Slot: "x"}},
				Safe:   []registers.Entry{{Op: registers.Change, Width: 32, Address: 0x40028000, Mask: 3, Value: 2}},
			},
			drive:  func(p *probe, value uint32) { p.do("writel 0x4002804c %#x", value) },
			values: []uint32{1, 2, 3, 0, 3, 1}, output: 0x40028000, mask: 3, safe: 2,
		},
		{
			// P0.05 to P0.20.
			board: "microbit",
			lists: registers.Lists{
				Start: []registers.Entry{
					{Op: registers.Write, Width: 32, Address: 0x50000700 + 4*5, Value: 0},
					{Op: registers.Write, Width: 32, Address: 0x50000700 + 4*20, Value: 3},
				},
				Before: []registers.Entry{{Op: registers.Load, Width: 32, Address: 0x50000510, Mask: 1 << 5, Shift: 5, Slot: "x"}},
				After: []registers.Entry{
					{Op: registers.Write, Width: 32, Address: 0x5000050c, Value: 1 << 20},
					{Op: registers.Store, Width: 32, Address: 0x50000508, Mask: 1 << 20, Shift: 20, Slot: "x"},
				},
				Safe: []registers.Entry{{Op: registers.Write, Width: 32, Address: 0x50000508, Value: 1 << 20}},
			},
			drive:  func(p *probe, value uint32) { p.drive("/machine/nrf51", 5, value != 0) },
			values: []uint32{1, 0, 1, 1, 0}, output: 0x50000504, mask: 1 << 20, shift: 20, safe: 1,
		},
	} {
		t.Run(tt.board, func(t *testing.T) {
			t.Parallel()
			c, p := bootProbed(t, tt.board)
			hello := c.hello(1)
			block, err := tt.lists.Encode(map[string]uint32{"x": slot})
			require.NoError(t, err)
			m := pinImages(c.isa.counter, hello.CodeCapacity, [][]byte{withRoom(block)})[0]
			c.load(m.code, nil, dataLen)
			c.start(hello.TimerHz, 1000, func(r *packet.StartRequest) { r.Pins = m.places[0] })
			for _, v := range tt.values {
				tt.drive(p, v)
				p.eventually(tt.output, tt.mask, v<<tt.shift)
			}
			s := c.stop()
			require.Equal(t, packet.LoopEndStopped, s.Counts.End)
			require.Equal(t, s.Counts.Ticks, c.result())
			require.Equal(t, tt.safe<<tt.shift, p.read(tt.output)&tt.mask)
			runCounter(c)
		})
	}
}
