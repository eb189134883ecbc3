package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
)

func withWatchdog(r *sessiontest.Runner) { r.Hello.LoopFeatures |= packet.LoopWatchdog }

// A restart is put down to the watchdog while a loop runs that has one, and at no other time.
func TestRestartByTheWatchdog(t *testing.T) {
	for name, tt := range map[string]struct {
		ms      uint32
		stopped bool
		want    bool
	}{"armed": {500, false, true}, "stopped": {500, true, false}, "none": {0, false, false}} {
		t.Run(name, func(t *testing.T) {
			onLoop(t, serial, withWatchdog, session.LoopStart{Watchdog: tt.ms}, func(b *bench, l *session.Loop) {
				if tt.stopped {
					_, err := l.Stop(b.Context())
					require.NoError(b, err)
				}
				for i := range 2 {
					b.runner.Restart()
					_, err := l.Live(b.Context())
					var restart *session.RestartError
					require.ErrorAs(b, err, &restart)
					assert.Equal(b, tt.want && i == 0, restart.Watchdog)
				}
			})
		})
	}
}

// TestWatchdogRefused: what a runner has against a watchdog is told.
func TestWatchdogRefused(t *testing.T) {
	start := session.LoopStart{Period: 1000, Tasks: []session.Task{{Entry: 0, Divisor: 1}}, Watchdog: 70}
	for _, tt := range []struct {
		change func(*sessiontest.Runner)
		sent   int
		check  func(*bench, error)
	}{
		{func(*sessiontest.Runner) {}, 0, func(b *bench, err error) {
			var lacks *session.FeatureError
			require.ErrorAs(b, err, &lacks)
			assert.Equal(b, packet.LoopWatchdog, lacks.Feature)
		}},
		{func(r *sessiontest.Runner) { withWatchdog(r); r.Watchdog = packet.StatusBadLength }, 1, func(b *bench, err error) {
			var dog *session.WatchdogError
			require.ErrorAs(b, err, &dog)
			assert.Equal(b, session.WatchdogError{Time: 70}, *dog)
		}},
		{func(r *sessiontest.Runner) { withWatchdog(r); r.Watchdog = packet.StatusBusy }, 1, func(b *bench, err error) {
			var dog *session.WatchdogError
			require.ErrorAs(b, err, &dog)
			assert.Equal(b, session.WatchdogError{Time: 70, Fixed: true}, *dog)
		}},
	} {
		onLine(t, serial, func(r *sessiontest.Runner) {
			r.Program = control
			tt.change(r)
		}, func(b *bench) {
			m := loopImage()
			_, err := b.Load(b.Context(), m, nil)
			require.NoError(b, err)
			_, err = b.StartLoop(b.Context(), m, start)
			tt.check(b, err)
			assert.Equal(b, tt.sent, b.runner.Done(packet.MsgStart))
			again := start
			again.Watchdog = 0
			_, err = b.StartLoop(b.Context(), m, again)
			require.NoError(b, err)
		})
	}
}
