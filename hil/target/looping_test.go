package target

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/image"
)

func TestLoopsInside(t *testing.T) {
	devicetest.Loops{Device: openInside(t, Options{}), Hz: 500, Limit: 10 * time.Second}.Run(t)
}

// longDevice is this process, where every program seems to take longer than any limit.
type longDevice struct{ *InProcess }

func (l longDevice) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := l.InProcess.Load(ctx, p)
	if err == nil {
		seemsLong(loaded, true)
	}
	return loaded, err
}

// TestLoopsOfLongPrograms: a program whose ticks may take too long has its loop in the sandbox, and nobody
// sees that.
func TestLoopsOfLongPrograms(t *testing.T) {
	dev := openInside(t, Options{})
	if _, err := dev.Sandbox(); err != nil {
		t.Skip("SKIP: there is no sandbox: ", err)
	}
	devicetest.Loops{Device: longDevice{dev}, Limit: 10 * time.Second}.Run(t)
}

// TestLoopEndsWithItsTarget: nothing runs on when a target is closed or a program released.
func TestLoopEndsWithItsTarget(t *testing.T) {
	for name, end := range map[string]func(*InProcess, device.Program){
		"close":   func(dev *InProcess, _ device.Program) { dev.Close() },
		"release": func(_ *InProcess, p device.Program) { p.Release() },
	} {
		t.Run(name, func(t *testing.T) {
			dev := openInside(t, Options{})
			c := devicetest.NewControlled(t, dev, 1)
			p, err := dev.Load(t.Context(), c.Program)
			require.NoError(t, err)
			l, err := p.(device.Looper).StartLoop(t.Context(), device.LoopConfig{Hz: 1000})
			require.NoError(t, err)
			stream, err := l.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{device.SpanOf(&c.Image.Symbols[0])}, Every: 1})
			require.NoError(t, err)
			end(dev, p)
			for err == nil {
				_, err = stream.Next(t.Context())
			}
			s, err := l.Status(t.Context())
			require.NoError(t, err)
			require.Equal(t, "stopped", s.End)
			if name == "release" {
				_, _, err = l.Read(t.Context(), []device.Span{device.SpanOf(&c.Image.Symbols[0])})
				require.Error(t, err, "its memory is gone")
			}
			_, err = p.Call(t.Context(), device.Call{Runs: 1})
			require.ErrorIs(t, err, device.ErrReleased)
		})
	}
}

// TestLoopAfterSwaps: after its loop the program is the one that it went on with, however often that changed.
func TestLoopAfterSwaps(t *testing.T) {
	dev := openInside(t, Options{})
	c := devicetest.NewControlled(t, dev, 1)
	p, err := dev.Load(t.Context(), c.Program)
	require.NoError(t, err)
	defer p.Release()
	first := p.(device.Direct).Memory()
	l, err := p.(device.Looper).StartLoop(t.Context(), device.LoopConfig{Hz: 1000})
	require.NoError(t, err)
	var last devicetest.Controlled
	for i := range 10 {
		last = devicetest.NewControlled(t, dev, int32(1000*(i+1)))
		n, _ := device.NextOf(c.Image, last.Program, 1)
		n.Trial = 0
		_, err := l.Swap(t.Context(), n)
		require.NoError(t, err)
	}
	time.Sleep(5 * time.Millisecond)
	s, err := l.Stop(t.Context())
	require.NoError(t, err)
	require.Equal(t, "kept", s.Swap)
	count, ok := last.Image.Symbol(image.State, "count")
	require.True(t, ok)
	before, err := p.Call(t.Context(), device.Call{Reads: []device.Span{device.SpanOf(count)}})
	require.NoError(t, err)
	after, err := p.Call(t.Context(), device.Call{Runs: 1, Reads: []device.Span{device.SpanOf(count)}})
	require.NoError(t, err)
	require.Equal(t, count.Decode(before.Data[0]).I32()[0]+10_000, count.Decode(after.Data[0]).I32()[0])
	require.NotEmpty(t, first[len(first)-1:], "memory that was handed out stays until the release")
}
