package stm32

import (
	"bytes"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/flash/stm32/romtest"
)

// teller answers whatever is written with the next piece of a text, and goes on with
// the text's last byte for ever if it is to chatter.
type teller struct {
	mu      sync.Mutex
	text    []byte
	piece   int
	ready   *sync.Cond
	due     []byte
	chatter bool
	closed  bool
}

func (t *teller) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(t.piece, len(t.text))
	t.due, t.text = append(t.due, t.text[:n]...), t.text[n:]
	t.ready.Signal()
	return len(b), nil
}

func (t *teller) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.due) == 0 && !t.chatter && !t.closed {
		t.ready.Wait()
	}
	if t.closed {
		return 0, io.EOF
	}
	if len(t.due) == 0 {
		return copy(b, bytes.Repeat([]byte{ack}, 64)), nil
	}
	n := copy(b, t.due)
	t.due = t.due[n:]
	return n, nil
}

func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.ready.Broadcast()
}

// FuzzProgram programs a chip that answers anything: it ends, within the times that
// were given, and with an error unless flash reads back as what was written.
func FuzzProgram(f *testing.F) {
	f.Add([]byte{ack, ack, 11, 0x31, cmdGet, cmdGetID, cmdRead, cmdGo, cmdWrite, cmdErase, ack}, uint8(1), false)
	f.Add([]byte{ack, ack, 255}, uint8(3), false)
	f.Add([]byte{nack, nack, nack, nack}, uint8(1), false)
	f.Add([]byte{}, uint8(0), true)
	f.Add(bytes.Repeat([]byte{ack, 1, 4, 0x13}, 64), uint8(4), true)
	quick := Timing{Answer: 100 * time.Microsecond, Wake: 50 * time.Microsecond, Erase: 100 * time.Microsecond, Unlock: 100 * time.Microsecond}
	f.Fuzz(func(t *testing.T, answers []byte, piece uint8, chatter bool) {
		line := &teller{text: answers, piece: int(piece), chatter: chatter}
		line.ready = sync.NewCond(&line.mu)
		defer line.close()
		done := make(chan error, 1)
		go func() {
			done <- Program(t.Context(), line, chip(), romtest.Base+1024, program(), Options{Timing: quick, Unlock: true})
		}()
		select {
		case err := <-done:
			require.Error(t, err)
		case <-time.After(time.Minute):
			t.Fatal("programming does not end")
		}
	})
}
