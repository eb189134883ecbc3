package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// shortOnly is an adapter that loses a byte of every long frame.
type shortOnly struct {
	transport.Transport
	run int // bytes since the last delimiter
}

func (l *shortOnly) Read(p []byte) (int, error) {
	for {
		n, err := l.Transport.Read(p)
		kept := p[:0]
		for _, c := range p[:n] {
			if l.run++; l.run != 300 {
				kept = append(kept, c)
			}
			if c == 0 {
				l.run = 0
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}

// A runner that says it is there while its answer never gets through is given up on.
func TestLongAnswersGetLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, nil)
		s, err := session.Open(t.Context(), &shortOnly{Transport: b.line.Host}, session.Options{})
		require.NoError(t, err)
		defer func() {
			assert.NoError(t, s.Close())
			<-b.served
		}()
		_, err = s.Load(t.Context(), someImage(5000), nil)
		require.NoError(t, err)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		_, err = s.Read(ctx, 0, 1000)
		var timeout *session.TimeoutError
		require.ErrorAs(t, err, &timeout)
		assert.Less(t, time.Since(start), time.Minute)
		_, err = s.Read(t.Context(), 0, 100)
		assert.NoError(t, err, "short ones go on")
	})
}

// Somebody else has unloaded the program while this session had nothing to say, and
// opens a new one since a request was cancelled.
func TestReplacedProgram(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		ctx, cancel := context.WithTimeout(b.Context(), time.Microsecond)
		defer cancel()
		_, err = b.Status(ctx)
		require.ErrorIs(b, err, context.DeadlineExceeded)
		other := frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion}
		for _, r := range []packet.Request{&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 1}, &packet.DropRequest{}} {
			body, err := packet.EncodeRequest(r)
			require.NoError(b, err)
			_, err = b.line.Host.Write(frame.Append(nil, other, body))
			require.NoError(b, err)
			other.Session, other.Seq = b.Info().Session+1, 1
		}
		time.Sleep(time.Second) // the answers are not for this session, which forgets them
		_, err = b.Status(b.Context())
		require.ErrorIs(b, err, session.ErrTaken)
		_, err = b.Status(b.Context())
		require.NoError(b, err)
	})
}
