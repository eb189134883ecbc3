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

// A change of rate is one whose outcome is not known yet: the runner may be at any of its rates.
type change struct {
	want, old int    // bits per second
	seq       uint16 // of the BAUD
	err       error  // why this end cannot be set to the rate that is wanted
}

// SetBaud changes the line rate of both ends. If the line does not work at the
// new rate, both return to the runner's first one and SetBaud fails with a BaudError. When ctx is
// cancelled, the next request finds out which rate it is.
func (s *Session) SetBaud(ctx context.Context, baud int) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	if s.link.t.Baud() == 0 {
		return fmt.Errorf("%v: %w", s.link.t, transport.ErrNotSerial)
	}
	if s.change != nil {
		if err := s.ready(ctx); err != nil {
			return err
		}
	}
	old := s.link.t.Baud()
	switch {
	case baud == old:
		return nil
	case baud <= 0 || !slices.Contains(s.Info().Bauds, uint32(baud)):
		return &RateError{Want: baud, Offered: s.Info().Bauds}
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	c := &change{want: baud, old: old, seq: s.seq}
	s.change = c
	// The answer comes at the old rate. When it is lost, the runner is at the
	// new one all the same, and does not answer here any more.
	ask := &step{request: &packet.BaudRequest{Baud: uint32(baud)}, reply: smallReply}
	var silent *TimeoutError
	var refused *RemoteError
	err := s.series(ctx, answerWait, ask)
	switch {
	case err != nil && !s.stale: // it was not sent
		s.change = nil
		return err
	case err != nil && !errors.As(err, &silent):
		return err
	case errors.As(ask.err, &refused):
		s.change = nil
		return ask.err
	case ask.err != nil: // it says nothing
		return ask.err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if now := s.link.t.Baud(); now != baud {
		return &BaudError{Want: baud, Now: now, Err: c.err}
	}
	return nil
}

// settle brings both ends to one rate after a BAUD: the new one, or that to which the runner returns by itself. Where
// it fails without having heard from the runner, the next request tries again.
func (s *Session) settle(ctx context.Context) error {
	c := s.change
	s.stale = true
	if c.err = s.rate(ctx, c.want); c.err == nil {
		info, next, err := s.hello(ctx, probe)
		switch {
		case err == nil:
			s.change = nil
			return s.settled(ctx, c, info, next)
		case ctx.Err() != nil || s.link.isStopped():
			return err
		}
	}
	if err := sleep(ctx, fallback); err != nil {
		return err
	}
	// It may not have heard of BAUD, or nobody heard that it is at the new rate.
	limit := s.opt.Timeout
	var err error
	for _, baud := range slices.Compact([]int{int(s.Info().Bauds[0]), c.old, c.want}) {
		if err = s.rate(ctx, baud); err != nil {
			continue
		}
		err = s.greetFor(ctx, limit, 0)
		var silent *TimeoutError
		if !errors.As(err, &silent) {
			break
		}
		limit = probe
	}
	if !s.stale {
		s.change = nil
	}
	return err
}

// settled takes the answer to the HELLO at the new rate.
func (s *Session) settled(ctx context.Context, c *change, info *packet.HelloResponse, next uint16) error {
	switch {
	case info.Session != s.id:
		return s.lose(info.Session)
	case next == c.seq+1:
		s.seq, s.stale = next, false
		return nil
	}
	// BAUD was lost, and the line is one on which all rates work.
	return s.rate(ctx, c.old)
}

// rate sets this end of the line.
func (s *Session) rate(ctx context.Context, baud int) error {
	if baud != s.link.t.Baud() {
		if err := s.link.t.SetBaud(baud); err != nil {
			return err
		}
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
