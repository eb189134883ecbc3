package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
)

// TestPinsRefused: what a runner has against lists for the pins is told, of START and of SWAP.
func TestPinsRefused(t *testing.T) {
	with := func(status packet.Status) func(*sessiontest.Runner) {
		return func(r *sessiontest.Runner) {
			r.Hello.LoopFeatures |= packet.LoopPins
			r.Pins, r.PinsEntry = status, 32
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*sessiontest.Runner)
		sent   int
		check  func(*bench, error)
	}{
		{"none", func(*sessiontest.Runner) {}, 0, func(b *bench, err error) {
			var lacks *session.FeatureError
			require.ErrorAs(b, err, &lacks)
			assert.Equal(b, packet.LoopPins, lacks.Feature)
		}},
		{"not allowed", with(packet.StatusOutOfRange), 1, func(b *bench, err error) {
			var pins *session.PinsError
			require.ErrorAs(b, err, &pins)
			assert.Equal(b, session.PinsError{Place: 96}, *pins)
		}},
		{"in vain", with(packet.StatusFault), 1, func(b *bench, err error) {
			var pins *session.PinsError
			require.ErrorAs(b, err, &pins)
			assert.Equal(b, session.PinsError{Place: 96, Vain: true}, *pins)
		}},
		{"another reason", with(packet.StatusBadState), 1, func(b *bench, err error) {
			var refused *session.RemoteError
			require.ErrorAs(b, err, &refused)
			assert.NotErrorAs(b, err, new(*session.PinsError))
		}},
		{"taken", with(packet.StatusOK), 1, func(b *bench, err error) { require.NoError(b, err) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onLine(t, serial, func(r *sessiontest.Runner) {
				r.Program = control
				tt.change(r)
			}, func(b *bench) {
				m := loopImage()
				_, err := b.Load(b.Context(), m, nil)
				require.NoError(b, err)
				start := session.LoopStart{Period: 1000, Tasks: []session.Task{{Entry: 0, Divisor: 1}}, Pins: 64}
				_, err = b.StartLoop(b.Context(), m, start)
				tt.check(b, err)
				assert.Equal(b, tt.sent, b.runner.Done(packet.MsgStart))
			})
			onLoop(t, serial, tt.change, session.LoopStart{}, func(b *bench, l *session.Loop) {
				c := swapTo(nextImage(1))
				c.Pins = 64
				_, err := l.Swap(b.Context(), c, nil)
				tt.check(b, err)
				assert.Equal(b, tt.sent, b.runner.Done(packet.MsgSwap))
			})
		})
	}
}
