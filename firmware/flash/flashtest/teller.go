package flashtest

import (
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Teller answers whatever is written with the next piece of a text, and then goes on without end with other bytes, if there are any.
type Teller struct {
	mu      sync.Mutex
	ready   *sync.Cond
	text    []byte
	piece   int // bytes
	chatter []byte
	due     []byte
	closed  bool
}

// NewTeller returns one with its text, told in pieces of so many bytes. Without chatter it is silent behind the text.
func NewTeller(text []byte, piece int, chatter []byte) *Teller {
	t := &Teller{text: text, piece: piece, chatter: chatter}
	t.ready = sync.NewCond(&t.mu)
	return t
}

func (t *Teller) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(t.piece, len(t.text))
	t.due, t.text = append(t.due, t.text[:n]...), t.text[n:]
	t.ready.Signal()
	return len(b), nil
}

func (t *Teller) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.due) == 0 && len(t.chatter) == 0 && !t.closed {
		t.ready.Wait()
	}
	if t.closed {
		return 0, io.EOF
	}
	if len(t.due) == 0 {
		return copy(b, t.chatter), nil
	}
	n := copy(b, t.due)
	t.due = t.due[n:]
	return n, nil
}

// Close ends the line; its Read returns io.EOF.
func (t *Teller) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.ready.Broadcast()
}

// Fails checks that programming a chip over it ends, and with an error.
func (t *Teller) Fails(tb testing.TB, program func() error) {
	tb.Helper()
	defer t.Close()
	done := make(chan error, 1)
	go func() { done <- program() }()
	select {
	case err := <-done:
		require.Error(tb, err)
	case <-time.After(time.Minute):
		tb.Fatal("programming does not end")
	}
}
