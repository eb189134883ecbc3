package target

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// onBoard runs a test with a program on a simulated board, on virtual time.
func onBoard(t *testing.T, change func(*sessiontest.Runner), test func(t *testing.T, dev *Runner, p *Program)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		line := transporttest.New(transporttest.Config{Baud: DefaultBaud, Queue: 1})
		runner := sessiontest.New()
		runner.Program = func(uint32, []byte) (uint64, *packet.Fault) { return 10, nil }
		if change != nil {
			change(runner)
		}
		served := make(chan struct{})
		go func() {
			_ = runner.Serve(line.Runner)
			close(served)
		}()
		dev := &Runner{name: "a board", opt: Options{Baud: DefaultBaud}}
		require.NoError(t, dev.greet(t.Context(), line.Host, dev.opt.Session))
		defer func() {
			dev.Close()
			<-served
		}()
		p, err := dev.LoadImage(t.Context(), boardImage(0))
		require.NoError(t, err)
		test(t, dev, p)
	})
}

func boardImage(b byte) *image.Image {
	return &image.Image{Arch: packet.ArchAarch64, Code: []byte{b, 0, 0, 0}, BSS: 4096, Entries: []image.Entry{{}},
		Symbols: []image.Symbol{{Name: "x", Kind: image.State, DType: graph.F32, Offset: 16}}}
}

// TestOversubscribed: a subscription that the line cannot carry is refused with what would fit, and that does.
func TestOversubscribed(t *testing.T) {
	onBoard(t, nil, func(t *testing.T, _ *Runner, p *Program) {
		l, err := p.StartLoop(t.Context(), device.LoopConfig{Hz: 1000})
		require.NoError(t, err)
		s := device.Subscription{Spans: []device.Span{{Offset: 64, Length: 400}}, Every: 1}
		_, err = l.Subscribe(t.Context(), s)
		var over *device.OversubscribedError
		require.ErrorAs(t, err, &over)
		assert.Equal(t, over.Budget, l.Budget(s))
		assert.InDelta(t, 11520, over.Budget.LinkBytes, 0)
		assert.Greater(t, over.Budget.BytesPerSec, 400_000.0)
		assert.Contains(t, over.Hint(), "a record every")
		s.Every = over.Budget.LeastEvery
		stream, err := l.Subscribe(t.Context(), s)
		require.NoError(t, err)
		for range 100 {
			r, err := stream.Next(t.Context())
			require.NoError(t, err)
			assert.Zero(t, r.Drops)
			assert.Equal(t, time.Duration(r.Tick)*time.Millisecond, r.Time)
		}
		require.NoError(t, stream.Close())
	})
}

// TestNothingElseWhileTicking: whatever else is asked of the board is refused, with what to do, and changes nothing.
func TestNothingElseWhileTicking(t *testing.T) {
	onBoard(t, nil, func(t *testing.T, dev *Runner, p *Program) {
		l, err := p.StartLoop(t.Context(), device.LoopConfig{Hz: 1000})
		require.NoError(t, err)
		for name, ask := range map[string]func() error{
			"call":  func() error { _, err := p.Call(t.Context(), device.Call{Runs: 1}); return err },
			"read":  func() error { _, err := p.Read(t.Context(), 16, 4); return err },
			"write": func() error { return p.Write(t.Context(), 16, make([]byte, 4)) },
			"load":  func() error { _, err := dev.LoadImage(t.Context(), boardImage(1)); return err },
			"run":   func() error { _, err := dev.Call(t.Context(), device.Call{Runs: 1}); return err },
			"start": func() error { _, err := p.StartLoop(t.Context(), device.LoopConfig{Hz: 1}); return err },
		} {
			err := ask()
			require.ErrorIs(t, err, device.ErrTicking, name)
			var hint interface{ Hint() string }
			require.ErrorAs(t, err, &hint, name)
			assert.NotEmpty(t, hint.Hint())
		}
		s, err := l.Stop(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "stopped", s.End)
		assert.Zero(t, s.Missed)
		_, err = p.Call(t.Context(), device.Call{Runs: 1})
		require.NoError(t, err)
		_, err = l.Set(t.Context(), []device.Piece{{Offset: 16, Bytes: make([]byte, 4)}}, 0)
		require.ErrorIs(t, err, device.ErrEnded)
	})
}

// TestFaultOfALoop: a program whose loop has faulted is one that a fault has stopped.
func TestFaultOfALoop(t *testing.T) {
	n := 0
	onBoard(t, func(r *sessiontest.Runner) {
		r.Program = func(uint32, []byte) (uint64, *packet.Fault) {
			if n++; n == 500 {
				return 1, &packet.Fault{Kind: packet.FaultMemory, Address: 4}
			}
			return 10, nil
		}
	}, func(t *testing.T, dev *Runner, p *Program) {
		l, err := p.StartLoop(t.Context(), device.LoopConfig{Hz: 1000})
		require.NoError(t, err)
		time.Sleep(time.Second)
		s, err := l.Status(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "fault", s.End)
		var fault *session.FaultError
		require.ErrorAs(t, s.Fault, &fault)
		assert.EqualValues(t, 499, fault.Run)
		_, err = p.Read(t.Context(), 16, 4)
		require.NoError(t, err, "it can be read")
		_, err = p.Call(t.Context(), device.Call{Runs: 1})
		require.ErrorContains(t, err, "the states of this program were lost")
		_, err = p.Call(t.Context(), device.Call{Runs: 1, Writes: []device.Piece{{Offset: 16, Bytes: make([]byte, 4)}}})
		require.NoError(t, err, "loaded again, with states")
	})
}

// TestWatchdogTimes: a hardware watchdog has a time that the board's reaches, and QEMU's model of the board has it.
func TestWatchdogTimes(t *testing.T) {
	onBoard(t, func(r *sessiontest.Runner) {
		r.Hello.Board = "rpi3"
		r.Hello.LoopFeatures |= packet.LoopWatchdog
	}, func(t *testing.T, dev *Runner, p *Program) {
		for _, tt := range []struct {
			time time.Duration
			ms   uint32 // that it is refused with; 0: it is not
		}{{99 * time.Millisecond, 99}, {99*time.Millisecond + 1, 0}, {15999 * time.Millisecond, 0}, {16 * time.Second, 16000}, {2000 * time.Hour, math.MaxUint32}} {
			l, err := p.StartLoop(t.Context(), device.LoopConfig{Hz: 1000, Watchdog: tt.time})
			if tt.ms != 0 {
				var dog *session.WatchdogError
				require.ErrorAs(t, err, &dog)
				assert.Equal(t, session.WatchdogError{Time: tt.ms, Least: 100, Most: 15999}, *dog)
				continue
			}
			require.NoError(t, err)
			_, err = l.Stop(t.Context())
			require.NoError(t, err)
		}
		dev.name = "qemu:rpi3"
		_, err := p.StartLoop(t.Context(), device.LoopConfig{Hz: 1000, Watchdog: time.Second})
		require.ErrorIs(t, err, ErrNoEmulatedWatchdog)
	})
}
