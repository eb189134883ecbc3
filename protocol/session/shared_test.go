package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// hears makes the host hear an answer to a HELLO, as a runner gave it to whoever has sent that.
func (b *bench) hears(change func(*packet.HelloResponse)) {
	b.Helper()
	hear(b.T, b.line, sessiontest.New().Hello, change)
}

func hear(t *testing.T, line *transporttest.Line, answer packet.HelloResponse, change func(*packet.HelloResponse)) {
	t.Helper()
	answer.Version, answer.Session, answer.Digest = packet.ProtocolVersion, 0x7777, []byte{}
	change(&answer)
	body, err := packet.EncodeResponse(&answer)
	require.NoError(t, err)
	_, err = line.Runner.Write(frame.Append(nil, frame.Header{Kind: packet.KindRsp, Version: packet.ProtocolVersion}, body))
	require.NoError(t, err)
}

func nonce(n uint32) func(*packet.HelloResponse) {
	return func(r *packet.HelloResponse) { r.Nonce = n }
}

// A host takes only the answer to its own HELLO, whatever comes before it.
func TestHelloAnswersOfOthersAreNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, nil)
		for n := range uint32(3) {
			hear(t, b.line, b.runner.Hello, nonce(n))
		}
		hear(t, b.line, b.runner.Hello, func(r *packet.HelloResponse) { r.Status = packet.StatusBadVersion }) // of a host of version 2
		hear(t, b.line, b.runner.Hello, func(r *packet.HelloResponse) { r.Status = packet.StatusBadMessage })
		s, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		assert.NotEqual(t, uint16(0x7777), s.Info().Session)
		start := time.Now()
		_, err = s.Status(t.Context())
		require.NoError(t, err)
		assert.Less(t, time.Since(start), 100*time.Millisecond)
		require.NoError(t, s.Close())
		<-b.served
	})
}

func TestOnlyOthersAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := transporttest.New(transporttest.Config{Baud: 115200})
		hear(t, line, sessiontest.New().Hello, nonce(1))
		_, err := session.Open(t.Context(), line.Host, session.Options{})
		var timeout *session.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Equal(t, 1, timeout.Others)
		assert.Contains(t, err.Error(), "another host is talking on this line")
		assert.Contains(t, timeout.Hint(), "one program at a time")
	})
}

// Another host's session ends this one's, which is known as soon as its HELLO is answered.
func TestAnotherHostIsHeard(t *testing.T) {
	for name, do := range map[string]func(b *bench) error{
		"status": func(b *bench) error { _, err := b.Status(b.Context()); return err },
		"read":   func(b *bench) error { _, err := b.Read(b.Context(), 0, 4); return err },
		"load":   func(b *bench) error { _, err := b.Load(b.Context(), someImage(image64K), nil); return err },
		"run":    func(b *bench) error { _, err := b.Session.Run(b.Context(), session.Run{Count: 5}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			onLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
				r.Work = map[packet.Message]time.Duration{packet.MsgStatus: time.Second, packet.MsgRead: time.Second, packet.MsgRun: time.Second}
			}, func(b *bench) {
				_, err := b.Load(b.Context(), someImage(1000), nil)
				require.NoError(b, err)
				time.AfterFunc(200*time.Millisecond, func() { b.hears(nonce(1)) })
				start := time.Now()
				require.ErrorIs(b, do(b), session.ErrTaken)
				assert.Less(b, time.Since(start), 250*time.Millisecond)
				assert.Contains(b, session.ErrTaken.Error(), "another host is talking on this line")
				var hint interface{ Hint() string }
				require.ErrorAs(b, session.ErrTaken, &hint)
				assert.Contains(b, hint.Hint(), "one program at a time")
			})
		})
	}
}

// helloOf opens a session for another host, which this one does not hear.
func (b *bench) helloOf(n uint32) {
	b.Helper()
	body, err := packet.EncodeRequest(&packet.HelloRequest{Version: uint32(b.Info().Version), Nonce: n})
	require.NoError(b, err)
	_, err = b.line.Host.Write(frame.Append(nil, frame.Header{Kind: packet.KindReq, Version: b.Info().Version}, body))
	require.NoError(b, err)
	time.Sleep(time.Second)
}

// A session in between, of which nothing is left but that the ids went on, may have changed every value.
func TestASessionInBetweenIsNoticed(t *testing.T) {
	silent := false
	c := transporttest.Config{Baud: 115200, ToHost: transporttest.Faults{Lose: func(int) bool { return silent }}}
	onLineFor(t, c, session.Options{Timeout: time.Second}, nil, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		lost := func() {
			silent = true
			_, err := b.Status(b.Context())
			var timeout *session.TimeoutError
			require.ErrorAs(b, err, &timeout)
			_, err = b.Status(b.Context()) // sends HELLOs of which nothing is heard
			require.ErrorAs(b, err, &timeout)
		}
		lost()
		silent = false
		_, err = b.Read(b.Context(), 0, 4)
		require.NoError(b, err, "nobody but this host was there")
		lost()
		b.helloOf(1)
		silent = false
		_, err = b.Read(b.Context(), 0, 4)
		require.ErrorIs(b, err, session.ErrTaken)
	})
}
