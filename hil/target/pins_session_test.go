package target

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
)

// pinImage is one with lists: an entry for the start, whose value is given, and one of each tick.
func pinImage(value uint32) *image.Image {
	m := boardImage(byte(value))
	m.Version = image.Version
	m.Entries[0].Pins = uint32(len(m.Code))
	for _, word := range []uint32{1, 1, 0, 0, 0x22, 0x40000000, 0xffffffff, value, 0x25, 0x40000004, 1, 16} {
		m.Code = binary.LittleEndian.AppendUint32(m.Code, word)
	}
	return m
}

// TestPinsOfLoops: a program that is bound to channels runs in its loop only, on a runner that uses pins; a swap
// does not set them up anew.
func TestPinsOfLoops(t *testing.T) {
	features := func(more packet.LoopFeatures) func(*sessiontest.Runner) {
		return func(r *sessiontest.Runner) { r.Hello.LoopFeatures = packet.LoopSwap | more }
	}
	onBoard(t, features(0), func(t *testing.T, dev *Runner, _ *Program) {
		_, err := dev.Pins()
		require.ErrorContains(t, err, "uses no pins")
		p, err := dev.LoadImage(t.Context(), pinImage(1))
		require.NoError(t, err)
		_, err = p.StartLoop(t.Context(), device.LoopConfig{Hz: 1000, Pins: 4})
		var no *session.FeatureError
		require.ErrorAs(t, err, &no)
	})
	onBoard(t, features(packet.LoopPins), func(t *testing.T, dev *Runner, _ *Program) {
		m := pinImage(1)
		require.NoError(t, m.Validate())
		p, err := dev.LoadImage(t.Context(), m)
		require.NoError(t, err)
		_, err = p.Call(t.Context(), device.Call{Runs: 1})
		require.ErrorIs(t, err, device.ErrPinsInLoops)
		_, err = p.Call(t.Context(), device.Call{Reads: []device.Span{{Offset: 16, Length: 4}}})
		require.NoError(t, err)
		c, err := device.LoopOf(m, 1000)
		require.NoError(t, err)
		require.Equal(t, uint32(4), c.Pins)
		l, err := p.StartLoop(t.Context(), c)
		require.NoError(t, err)
		other := pinImage(2)
		next, _ := device.NextOf(m, &compiler.Program{Image: other}, 0)
		require.Equal(t, uint32(4), next.Pins)
		_, err = l.Swap(t.Context(), next)
		require.ErrorIs(t, err, ErrStartPins)
		same := pinImage(1)
		same.Code[0] = 7
		next, _ = device.NextOf(m, &compiler.Program{Image: same}, 0)
		_, err = l.Swap(t.Context(), next)
		require.NoError(t, err)
	})
}
