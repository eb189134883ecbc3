package session_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// TestOldRunnersHaveToBeFlashed: what a runner of another version is told, and what the host is.
func TestOldRunnersHaveToBeFlashed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) { r.Version = 1 })
		_, err := session.Open(t.Context(), b.line.Host, session.Options{})
		var version *session.VersionError
		require.ErrorAs(t, err, &version)
		assert.Equal(t, session.VersionError{Host: packet.ProtocolVersion, Runner: 1}, *version)
		assert.Contains(t, version.Hint(), "copaflash flash")
	})
}

// TestRunnerIsFlashedMeanwhile: one that is started anew with another version says so.
func TestRunnerIsFlashedMeanwhile(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		b.runner.Flash(packet.ProtocolVersion + 1)
		var version *session.VersionError
		_, err := b.Status(b.Context())
		if !errors.As(err, &version) { // what was asked last of the old one is in vain
			_, err = b.Status(b.Context())
		}
		require.ErrorAs(b, err, &version)
		assert.Contains(b, version.Hint(), "newer")
	})
}

// TestBadVersionForOthers: what a runner says to hosts of another version changes nothing.
func TestBadVersionForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, nil)
		s, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		hear(t, b.line, b.runner.Hello, func(r *packet.HelloResponse) { r.Status = packet.StatusBadVersion })
		time.Sleep(time.Second)
		_, err = s.Status(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.Close())
		<-b.served
	})
}
