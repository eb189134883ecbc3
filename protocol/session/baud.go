package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

const (
	// answerWait is how long the answer to BAUD may take.
	answerWait = 400 * time.Millisecond
	// settle is how long the line rests after a change of rate: the runner
	// switches when its answer has left, the adapter when it gets to it.
	settle = 20 * time.Millisecond
	// probe is how long the runner may take to show up at the new rate. It
	// must lie well within the time after which the runner returns to the old
	// one by itself.
	probe    = packet.BaudFallbackMS * time.Millisecond / 2
	fallback = packet.BaudFallbackMS*time.Millisecond + 300*time.Millisecond
)

// SetBaud changes the line rate of both ends. If the line does not work at the
// new rate, both return to the old one and SetBaud fails with a BaudError.
func (s *Session) SetBaud(ctx context.Context, baud int) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	old := s.link.t.Baud()
	switch {
	case old == 0:
		return fmt.Errorf("%v: %w", s.link.t, transport.ErrNotSerial)
	case baud == old:
		return nil
	case baud <= 0 || !slices.Contains(s.Info().Bauds, uint32(baud)):
		return &RateError{Want: baud, Offered: s.Info().Bauds}
	}
	if s.stale {
		if err := s.greet(ctx); err != nil {
			return err
		}
	}
	seq := s.seq
	// The answer comes at the old rate. When it is lost, the runner is at the
	// new one all the same, and does not answer here any more.
	ask := &step{request: &packet.BaudRequest{Baud: uint32(baud)}, reply: smallReply}
	var silent *TimeoutError
	if err := s.series(ctx, answerWait, ask); err != nil && !errors.As(err, &silent) {
		return err
	}
	if ask.err != nil {
		return ask.err
	}
	s.stale = true
	if err := s.rate(ctx, baud); err != nil {
		return err
	}
	info, next, err := s.hello(ctx, probe)
	switch {
	case err == nil && info.Session != s.id:
		return s.lose(info.Session)
	case err == nil && next == seq+1:
		s.seq, s.stale = next, false
		return nil
	case ctx.Err() != nil:
		return err
	}
	if s.Info().Nonce != nil { // older runners return to the rate before
		old = int(s.Info().Bauds[0])
	}
	if err := s.rate(ctx, old); err != nil {
		return err
	}
	if err := sleep(ctx, fallback); err != nil {
		return err
	}
	if err := s.greet(ctx); err != nil {
		return err
	}
	return &BaudError{Want: baud, Now: old}
}

// rate sets this end of the line.
func (s *Session) rate(ctx context.Context, baud int) error {
	if err := s.link.t.SetBaud(baud); err != nil {
		return err
	}
	s.timing = timing{baud: baud}
	return sleep(ctx, settle)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
