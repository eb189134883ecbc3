package session_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// loseNext is an adapter that loses so many of the next frames that come from the runner.
type loseNext struct {
	transport.Transport
	frames int
}

func (l *loseNext) Read(p []byte) (int, error) {
	for {
		n, err := l.Transport.Read(p)
		kept := p[:0]
		for _, c := range p[:n] {
			if l.frames == 0 {
				kept = append(kept, c)
			} else if c == 0 {
				l.frames--
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}

// The last of several writes to a place is what stays there, whichever answers are lost.
func TestWritesStayInOrder(t *testing.T) {
	for lost := range 4 {
		synctest.Test(t, func(t *testing.T) {
			b := connect(t, transporttest.Config{Baud: 115200}, nil)
			line := &loseNext{Transport: b.line.Host}
			s, err := session.Open(t.Context(), line, session.Options{})
			require.NoError(t, err)
			defer func() {
				assert.NoError(t, s.Close())
				<-b.served
			}()
			_, err = s.Load(t.Context(), someImage(100), nil)
			require.NoError(t, err)
			line.frames = lost
			_, err = s.Call(t.Context(), session.Call{Writes: []session.Piece{
				{Offset: 8, Bytes: []byte{1, 1, 1, 1}}, {Offset: 10, Bytes: []byte{2, 2, 2, 2}},
				{Offset: 9, Bytes: []byte{3, 3}}, {Offset: 11, Bytes: []byte{4}},
			}})
			require.NoError(t, err)
			got, err := s.Read(t.Context(), 8, 6)
			require.NoError(t, err)
			assert.Equal(t, []byte{1, 3, 3, 4, 2, 2}, got, "%d answers lost", lost)
		})
	}
}
