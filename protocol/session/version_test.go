package session_test

import (
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

func old(r *sessiontest.Runner) { r.Version = 1 }

// TestOldRunnersAreSpokenToInTheirVersion: programs run there as ever, also over a line that loses what is said.
func TestOldRunnersAreSpokenToInTheirVersion(t *testing.T) {
	for name, faults := range map[string]transporttest.Faults{"clean": {}, "bad line": {Seed: 3, DropFrame: 0.2, CorruptFrame: 0.2}} {
		t.Run(name, func(t *testing.T) {
			onLine(t, transporttest.Config{Baud: 115200, ToHost: faults, ToRunner: faults}, old, func(b *bench) {
				assert.EqualValues(b, 1, b.Info().Version)
				m := someImage(4096)
				_, err := b.Load(b.Context(), m, nil)
				require.NoError(b, err)
				r, err := b.Call(b.Context(), session.Call{Run: session.Run{Count: 1}, Reads: []session.Span{{Offset: 4, Length: 4}}})
				require.NoError(b, err)
				assert.EqualValues(b, 1, r.Run.Runs)
				assert.Zero(b, b.Info().SampleCapacity, "samples are asked for in another way there")
				_, err = b.Samples(b.Context(), 0, 1)
				require.ErrorContains(b, err, "read")
			})
		})
	}
}

// TestRunnerIsFlashedMeanwhile: a runner that is started anew with another version is spoken to in that.
func TestRunnerIsFlashedMeanwhile(t *testing.T) {
	for _, versions := range [][2]uint8{{1, packet.ProtocolVersion}, {packet.ProtocolVersion, 1}} {
		onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) { r.Version = versions[0] }, func(b *bench) {
			assert.Equal(b, versions[0], b.Info().Version)
			b.runner.Flash(versions[1])
			var err error
			for range 5 { // what was asked last of the old one, and HELLO in its version, are in vain
				if _, err = b.Status(b.Context()); err == nil {
					break
				}
			}
			require.NoError(b, err)
			assert.Equal(b, versions[1], b.Info().Version)
		})
	}
}

// TestBadVersionForOthers: what a runner says to hosts of another version changes nothing.
func TestBadVersionForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, old)
		s, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		hear(t, b.line, b.runner.Hello, func(r *packet.HelloResponse) { r.Status, r.Version = packet.StatusBadVersion, 1 })
		time.Sleep(time.Second)
		_, err = s.Status(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, s.Info().Version)
		require.NoError(t, s.Close())
		<-b.served
	})
}
