package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

func TestBaud(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		require.NoError(b, b.SetBaud(b.Context(), 921600))
		assert.Equal(b, 921600, b.line.Host.Baud())
		m := someImage(image64K)
		report, err := b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		assert.GreaterOrEqual(b, efficiency(report, 921600), 0.9)
		b.checkLoaded(m)
		require.ErrorContains(b, b.SetBaud(b.Context(), 1234567), "the runner offers")
		time.Sleep(5 * time.Second)
		_, err = b.Status(b.Context())
		require.NoError(b, err, "the new rate stays")
	})
}

func TestBaudThatDoesNotWork(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) { r.StuckAt = 921600 }, func(b *bench) {
		err := b.SetBaud(b.Context(), 921600)
		var baud *session.BaudError
		require.ErrorAs(b, err, &baud)
		assert.Equal(b, session.BaudError{Want: 921600, Now: 115200}, *baud)
		_, err = b.Status(b.Context())
		require.NoError(b, err)
	})
}

// From a rate that does not work both ends go to the runner's first, not to the one between.
func TestBaudThatDoesNotWorkAfterOneThatDid(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Hello.Bauds = []uint32{115200, 921600, 3000000}
		r.StuckAt = 3000000
	}, func(b *bench) {
		require.NoError(b, b.SetBaud(b.Context(), 921600))
		err := b.SetBaud(b.Context(), 3000000)
		var baud *session.BaudError
		require.ErrorAs(b, err, &baud)
		assert.Equal(b, session.BaudError{Want: 3000000, Now: 115200}, *baud)
		assert.Equal(b, 115200, b.line.Runner.Baud())
		_, err = b.Status(b.Context())
		require.NoError(b, err)
	})
}

func TestBaudWhenTheAnswerIsLost(t *testing.T) {
	c := transporttest.Config{Baud: 115200, ToHost: transporttest.Faults{Lose: func(n int) bool { return n == 1 }}}
	onLine(t, c, nil, func(b *bench) {
		require.NoError(b, b.SetBaud(b.Context(), 921600))
		assert.Equal(b, 1, b.runner.Done(packet.MsgBaud))
		_, err := b.Status(b.Context())
		require.NoError(b, err)
	})
}

func TestBaudWithoutASerialLine(t *testing.T) {
	onLine(t, transporttest.Config{}, nil, func(b *bench) {
		require.ErrorIs(b, b.SetBaud(b.Context(), 921600), transport.ErrNotSerial)
	})
}

// Whenever a change of rate is cancelled, the next request finds both ends at one rate.
func TestBaudCancelledAtAnyPoint(t *testing.T) {
	const slow, mid, fast = 115200, 921600, 3000000
	lose := func(frames ...int) transporttest.Faults {
		return transporttest.Faults{Lose: func(n int) bool { return slices.Contains(frames, n) }}
	}
	var always []int
	for n := 1; n < 100; n++ {
		always = append(always, n)
	}
	for _, tt := range []struct {
		name             string
		from, stuckAt    int
		toRunner, toHost transporttest.Faults
		rates            []int // at which it may end
	}{
		{"good line", slow, 0, lose(), lose(), []int{slow, fast}},
		{"from a raised rate", mid, 0, lose(), lose(), []int{mid, slow, fast}},
		{"no line at the new rate", slow, fast, lose(), lose(), []int{slow}},
		{"no line at the new rate, from a raised one", mid, fast, lose(), lose(), []int{mid, slow}},
		{"BAUD is lost", slow, 0, lose(1, 2, 3), lose(), []int{slow, fast}},
		{"BAUD is lost, from a raised rate", mid, 0, lose(3, 4, 5, 6, 7), lose(), []int{mid, slow, fast}},
		{"the answer is lost", slow, 0, lose(), lose(1), []int{slow, fast}},
		{"all answers are lost for a while", slow, 0, lose(), lose(always[:6]...), []int{slow, fast}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var points []time.Duration
			for d := time.Duration(0); d < 30*time.Millisecond; d += 500 * time.Microsecond {
				points = append(points, d)
			}
			for d := 30 * time.Millisecond; d < 6*time.Second; d += 70 * time.Millisecond {
				points = append(points, d)
			}
			for _, after := range points {
				c := transporttest.Config{Baud: slow, Latency: time.Millisecond, ToRunner: tt.toRunner, ToHost: tt.toHost}
				onLine(t, c, func(r *sessiontest.Runner) {
					r.Hello.Bauds = []uint32{slow, mid, fast}
					r.StuckAt = tt.stuckAt
				}, func(b *bench) {
					if tt.from != slow {
						require.NoError(b, b.SetBaud(b.Context(), tt.from))
					}
					ctx, cancel := context.WithTimeout(b.Context(), after)
					defer cancel()
					start := time.Now()
					_ = b.SetBaud(ctx, fast)
					if ctx.Err() != nil {
						assert.Equal(b, after, time.Since(start), "cancelled after %v", after)
					}
					for range 2 { // also if that is cancelled
						again, cancel := context.WithTimeout(b.Context(), after/3)
						_, _ = b.Status(again)
						cancel()
					}
					_, err := b.Status(b.Context())
					require.NoError(b, err, "cancelled after %v", after)
					assert.Equal(b, b.line.Host.Baud(), b.line.Runner.Baud(), "cancelled after %v", after)
					assert.Contains(b, tt.rates, b.line.Host.Baud(), "cancelled after %v", after)
					assert.Less(b, time.Since(start), 20*time.Second, "cancelled after %v", after)
					time.Sleep(5 * time.Second) // the rate stays
					_, err = b.Status(b.Context())
					require.NoError(b, err, "cancelled after %v", after)
					require.NoError(b, b.SetBaud(b.Context(), mid))
				})
			}
		})
	}
}

// Nothing of a change that was cancelled before it began is left.
func TestBaudCancelledBefore(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		for range 20 {
			require.ErrorIs(b, b.SetBaud(ctx, 921600), context.Canceled)
		}
		start := time.Now()
		_, err := b.Status(b.Context())
		require.NoError(b, err)
		assert.Less(b, time.Since(start), time.Second)
	})
}

// oneRate is an adapter that cannot be set to another rate.
type oneRate struct{ transport.Transport }

func (oneRate) SetBaud(int) error { return errors.New("rate not supported") }

func TestBaudThatTheAdapterHasNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, nil)
		s, err := session.Open(t.Context(), oneRate{b.line.Host}, session.Options{})
		require.NoError(t, err)
		err = s.SetBaud(t.Context(), 921600)
		var baud *session.BaudError
		require.ErrorAs(t, err, &baud)
		assert.Equal(t, 115200, baud.Now)
		assert.ErrorContains(t, err, "rate not supported")
		_, err = s.Status(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.Close())
		<-b.served
	})
}

// An answer that cannot be read does not tell which rate the runner is at: the next request finds out.
func TestBaudWithAForgedAnswer(t *testing.T) {
	forge := func(p frame.Packet) []frame.Packet {
		if p.Kind == packet.KindRsp && packet.PeekCode(p.Body) == packet.MsgBaud {
			p.Body = []byte{0xa1, 0, byte(packet.MsgBaud)}
		}
		return []frame.Packet{p}
	}
	forged(t, forge, func(b *bench, err error) {
		require.NoError(b, err)
		err = b.SetBaud(b.Context(), 115200)
		var answer *session.AnswerError
		require.ErrorAs(b, err, &answer)
		_, err = b.Status(b.Context())
		require.NoError(b, err)
		assert.Equal(b, 115200, b.line.Host.Baud())
		assert.Equal(b, 115200, b.line.Runner.Baud())
	})
}
