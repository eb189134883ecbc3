package target

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A program that is not on the board any more is said to be so once, and is sent again
// when it is next used, unless its states went with it: what is on the board
// instead must never be written to or run in its place.
func TestProgramIsNotThereAnyMore(t *testing.T) {
	state := []image.Symbol{{Name: "n", Kind: image.State, DType: graph.F32, Offset: 16}}
	for _, tt := range []struct {
		name    string
		symbols []image.Symbol
		lose    func(*testing.T, *sessiontest.Runner, *transporttest.Line)
		check   func(*testing.T, error)
	}{
		{"restart", nil, restart, isRestart},
		{"restart, states", state, restart, isRestart},
		{"taken", nil, take, isTaken},
		{"taken, states", state, take, isTaken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := transporttest.New(transporttest.Config{Baud: DefaultBaud})
				runner := sessiontest.New()
				runs := uint64(0)
				runner.Program = func(uint32, []byte) (uint64, *packet.Fault) { runs++; return 1, nil }
				go func() { _ = runner.Serve(line.Runner) }()
				dev := &Runner{opt: Options{Baud: DefaultBaud}}
				require.NoError(t, dev.greet(t.Context(), line.Host, dev.opt.Session))
				defer dev.Close()
				img := &image.Image{
					Arch: packet.ArchAarch64, Code: make([]byte, 8), BSS: 64, Entries: []image.Entry{{}}, Symbols: tt.symbols,
				}
				p, err := dev.LoadImage(t.Context(), img)
				require.NoError(t, err)
				_, err = p.Run(t.Context(), 1)
				require.NoError(t, err)

				tt.lose(t, runner, line)
				_, err = p.Run(t.Context(), 1)
				tt.check(t, err)
				assert.EqualValues(t, 1, runs)
				_, err = p.Run(t.Context(), 1)
				if tt.symbols != nil {
					require.ErrorContains(t, err, "the states of this program were lost")
					tt.check(t, err)
					assert.EqualValues(t, 1, runs)
					return
				}
				require.NoError(t, err)
				assert.EqualValues(t, 2, runs)
				assert.Equal(t, 2, runner.Done(packet.MsgBegin))
			})
		})
	}
}

func restart(_ *testing.T, r *sessiontest.Runner, _ *transporttest.Line) { r.Restart() }

// take opens a session as another program of the host does.
func take(t *testing.T, _ *sessiontest.Runner, line *transporttest.Line) {
	body, err := packet.EncodeRequest(&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 1})
	require.NoError(t, err)
	_, err = line.Host.Write(frame.Append(nil, frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion}, body))
	require.NoError(t, err)
}

func isRestart(t *testing.T, err error) {
	var e *session.RestartError
	require.ErrorAs(t, err, &e)
}

func isTaken(t *testing.T, err error) { require.ErrorIs(t, err, session.ErrTaken) }
