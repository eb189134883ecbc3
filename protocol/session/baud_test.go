package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// From a rate that does not work both ends go to the runner's first, not to the one between; older runners to that one.
func TestBaudThatDoesNotWorkAfterOneThatDid(t *testing.T) {
	for _, older := range []bool{false, true} {
		now := map[bool]int{false: 115200, true: 921600}[older]
		onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
			r.Hello.Bauds = []uint32{115200, 921600, 3000000}
			r.StuckAt, r.NoNonce = 3000000, older
		}, func(b *bench) {
			require.NoError(b, b.SetBaud(b.Context(), 921600))
			err := b.SetBaud(b.Context(), 3000000)
			var baud *session.BaudError
			require.ErrorAs(b, err, &baud)
			assert.Equal(b, session.BaudError{Want: 3000000, Now: now}, *baud)
			assert.Equal(b, now, b.line.Runner.Baud())
			_, err = b.Status(b.Context())
			require.NoError(b, err)
		})
	}
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
