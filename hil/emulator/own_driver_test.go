//go:build linux

package emulator_test

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/firmware/build/runner"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Of platform/driver.h and of the driver.
const (
	ownBase  = uint32(0xef000000)
	ownBytes = uint32(12)
)

// A loop reaches the registers of a driver of one's own, and only those, in a runner that is built with it, and in no other.
func TestOwnDriver(t *testing.T) {
	t.Parallel()
	b, err := boards.Find("mps2-an386")
	require.NoError(t, err)
	image, warnings, err := runner.BuildOwn(t.Context(), &b, []string{"../../examples/drivers/cmsdk_timer.c"})
	var missing *runner.MissingError
	if errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Empty(t, warnings)
	c, p := bootProbedWith(t, b.Name, image)
	hello := c.hello(1)

	const counter, length, writes, wanted = 32, 36, 40, 44
	load := func(offset uint32, slot string) registers.Entry {
		return registers.Entry{Op: registers.Load, Width: 32, Address: ownBase + offset, Mask: 1<<32 - 1, Slot: slot}
	}
	lists := registers.Lists{
		Before: []registers.Entry{load(0, "counter"), load(4, "length"), load(8, "writes")},
		After:  []registers.Entry{{Op: registers.Store, Width: 32, Address: ownBase + 4, Mask: 1<<32 - 1, Slot: "wanted"}},
	}
	block, err := lists.Encode(map[string]uint32{"counter": counter, "length": length, "writes": writes, "wanted": wanted})
	require.NoError(t, err)
	m := pinImages(c.isa.counter, hello.CodeCapacity, [][]byte{withRoom(block)})[0]
	data := make([]byte, dataLen)
	binary.LittleEndian.PutUint32(data[wanted:], 99_999)
	c.load(m.code, data, 0)
	require.EqualValues(t, 24_999, p.read(0x40001008), "the driver has been started")
	c.start(hello.TimerHz, 1000, func(r *packet.StartRequest) { r.Pins, r.Limit = m.places[0], patient(hello.TimerHz) })
	p.eventually(0x40001008, 1<<32-1, 99_999)
	c.ticked(5)
	s := c.stop()
	word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(c.read(at, 4)) }
	require.EqualValues(t, 99_999, word(length))
	require.Equal(t, s.Counts.Ticks-1, word(writes), "writes before the last tick's own")
	require.LessOrEqual(t, word(counter), uint32(99_999))

	for _, address := range []uint32{ownBase - 4, ownBase + ownBytes, ownBase + 0x10000, 0x40001008} {
		refusedPin(c, address)
	}
	_, standard := boot(t, b.Name, emulator.Options{})
	standard.hello(1)
	refusedPin(standard, ownBase)
}

// refusedPin has a list of one load.
func refusedPin(c *client, address uint32) {
	c.t.Helper()
	m := pinImages(c.isa.counter, 4096, [][]byte{rawPins([4]uint32{0, 1}, rawPin{pinRead | pinSlot | bits32, address, 1, witness})})[0]
	c.load(m.code, make([]byte, dataLen), 0)
	resp := c.startPins(m.places[0])
	require.Equal(c.t, packet.StatusOutOfRange, resp.Status, "%#x", address)
	require.EqualValues(c.t, 1, resp.Detail)
}
