package target

import (
	"cmp"
	"encoding/binary"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// TestLoopsOnBoards puts emulated boards of every class through what the loops of all devices have in common.
func TestLoopsOnBoards(t *testing.T) {
	small := []string{"qemu:microbit"}
	for _, name := range extent.Of(small, append(small, "qemu:mps2-an386", "qemu:rpi3", "qemu:riscv-virt32")) {
		t.Run(name, func(t *testing.T) {
			needs(t, name)
			dev, err := OpenRunner(t.Context(), name, Options{})
			require.NoError(t, err)
			t.Cleanup(dev.Close)
			has := dev.Hello().LoopFeatures
			devicetest.Loops{Device: dev, Hz: 100, Limit: 10 * time.Second, NoCapture: has&packet.LoopCapture == 0, NoSwap: has&packet.LoopSwap == 0}.Run(t)
		})
	}
}

// needs skips a test without the program that emulates a board.
func needs(t *testing.T, board string) {
	t.Helper()
	if _, err := exec.LookPath(cmp.Or(emulated[board], "qemu-system-arm")); err != nil {
		t.Skip("SKIP:", err)
	}
}

// TestLoopOutlivesItsHost: who comes after the program that has started a loop finds it running, and can do with it what that
// one could. Nothing else can be done there meanwhile.
func TestLoopOutlivesItsHost(t *testing.T) {
	needs(t, "qemu:mps2-an386")
	m, err := Emulate(t.Context(), "mps2-an386")
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	open := func() *Runner {
		t.Helper()
		dev, err := OpenRunner(t.Context(), m.TTY(), Options{})
		require.NoError(t, err)
		t.Cleanup(dev.Close)
		return dev
	}
	dev := open()
	digest, err := dev.Running(t.Context())
	require.NoError(t, err)
	assert.Nil(t, digest)
	c := devicetest.NewControlled(t, dev, 1)
	loaded, err := dev.Load(t.Context(), c.Program)
	require.NoError(t, err)
	first, err := loaded.(device.Looper).StartLoop(t.Context(), device.LoopConfig{Hz: 100, Safe: c.Safe, Limit: 10 * time.Second})
	require.NoError(t, err)
	// It is gone while a set and a capture wait.
	_, err = first.Capture(t.Context(), device.CaptureConfig{Spans: []device.Span{device.SpanOf(&c.Image.Symbols[0])}, Before: 5, Trigger: device.Trigger{Kind: "end"}})
	require.NoError(t, err)
	dev.Close()

	dev = open()
	digest, err = dev.Running(t.Context())
	require.NoError(t, err)
	want := c.Image.Digest()
	assert.Equal(t, want[:], digest)
	_, err = dev.Load(t.Context(), c.Program)
	require.ErrorIs(t, err, device.ErrTicking)
	var hint interface{ Hint() string }
	require.ErrorAs(t, err, &hint)
	assert.Contains(t, hint.Hint(), "swap")
	_, err = dev.Call(t.Context(), device.Call{Runs: 1})
	require.ErrorIs(t, err, device.ErrTicking)
	other := devicetest.NewControlled(t, dev, 7)
	_, err = dev.Attach(t.Context(), other.Image)
	require.ErrorContains(t, err, "not the one that runs")

	loop, err := dev.Attach(t.Context(), c.Image)
	require.NoError(t, err)
	s, err := loop.Status(t.Context())
	require.NoError(t, err)
	assert.True(t, s.Running)
	assert.Equal(t, 10*time.Millisecond, s.Period)
	assert.NotEmpty(t, s.Execution.Buckets)
	kp := device.Span{}
	for i := range c.Image.Symbols {
		if c.Image.Symbols[i].Name == "kp" {
			kp = device.SpanOf(&c.Image.Symbols[i])
		}
	}
	_, err = loop.Set(t.Context(), []device.Piece{{Offset: kp.Offset, Bytes: []byte{0, 0, 0, 0x40}}}, 0)
	require.NoError(t, err)
	stream, err := loop.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{kp}, Every: 1})
	require.NoError(t, err)
	r, err := stream.Next(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 0x40000000, binary.LittleEndian.Uint32(r.Data))
	capture, err := loop.Capture(t.Context(), device.CaptureConfig{Spans: []device.Span{kp}, After: 3, Trigger: device.Trigger{Kind: "now"}})
	require.NoError(t, err, "that of the other host is over")
	records, _, err := capture.Wait(t.Context())
	require.NoError(t, err)
	assert.Len(t, records, 4)
	next, _ := device.NextOf(c.Image, other.Program, 0) // a busy emulator misses ticks
	report, err := loop.Swap(t.Context(), next)
	require.NoError(t, err)
	assert.False(t, report.Back)
	dev.Close()

	// A third one comes to the program of the swap, and replaces it.
	dev = open()
	digest, err = dev.Running(t.Context())
	require.NoError(t, err)
	want = other.Image.Digest()
	assert.Equal(t, want[:], digest)
	loop, err = dev.Attach(t.Context(), other.Image)
	require.NoError(t, err)
	next, _ = device.NextOf(other.Image, c.Program, 0)
	_, err = loop.Swap(t.Context(), next)
	require.NoError(t, err)
	s, err = loop.Stop(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "stopped", s.End)
	_, err = dev.Load(t.Context(), other.Program)
	require.NoError(t, err)
}
