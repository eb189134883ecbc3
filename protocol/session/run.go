package session

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// runnerLimit is the greatest limit of a run, and the one that a runner sets itself
// when RUN names none (SPEC.md, RUN).
const runnerLimit = packet.RunLimitS * time.Second

// A Run says what to run.
type Run struct {
	Entry  uint32        // index into Image.Entries
	Count  uint32        // runs, at least 1
	Period time.Duration // from start to start; 0: back to back
	Limit  time.Duration // for each run, at most 10 s; 0: the runner's own
	// Stay lets several runs go on when this host is gone. Else the runner ends
	// them when it has not heard anything for some time: several times that
	// between the frames that are sent to it meanwhile.
	Stay bool
}

// Run runs a loaded image. Times in the answer are ticks of the runner's
// timer. It fails with a FaultError when the program faults or a run takes too
// long; the answer then tells of the runs before. When ctx is cancelled, the
// runner is stopped by the next request, after the run that is under way.
func (s *Session) Run(ctx context.Context, r Run) (packet.RunResponse, error) {
	run, err := s.runStep(r)
	if err != nil {
		return packet.RunResponse{}, err
	}
	var result Result
	err = s.exclusive(ctx, func() error {
		if err := s.series(ctx, s.opt.Timeout, run); err != nil {
			return err
		}
		return result.ran(run, s.Info().TimerHz)
	})
	return result.Run, err
}

// runRequest returns what a run asks of the runner as it is now.
func (s *Session) runRequest(r *Run, silence time.Duration) packet.Request {
	hz := s.Info().TimerHz
	q := &packet.RunRequest{Entry: r.Entry, Count: r.Count}
	q.Period, q.Rest = counts(r.Period, hz)
	limit, part := counts(r.Limit, hz)
	if part != 0 {
		limit++
	}
	q.Limit = limit
	q.Silence, _ = counts(silence, hz)
	switch s.Info().Arch {
	case packet.ArchThumbv6m, packet.ArchThumbv7m, packet.ArchThumbv7emSp, packet.ArchThumbv7emDp: // whose moments have 32 bits
		q.Silence = min(q.Silence, math.MaxInt32)
	}
	return q
}

// counts is a time in counts of a timer, hz of them a second, and the rest in 2^-32 counts.
func counts(d time.Duration, hz uint64) (whole uint64, rest uint32) {
	hi, lo := bits.Mul64(uint64(d), hz)
	if hi >= uint64(time.Second) {
		return math.MaxUint64, 0
	}
	whole, left := bits.Div64(hi, lo, uint64(time.Second))
	return whole, uint32((left<<32 + uint64(time.Second)/2) / uint64(time.Second))
}

// checkTime reports a time that RUN of some version cannot state.
func checkTime(what string, d time.Duration) error {
	us := d.Microseconds()
	if us < 0 || us > math.MaxUint32 || us == 0 && d != 0 {
		return fmt.Errorf("%s of %v: want 0, or 1 us to %v", what, d, time.Duration(math.MaxUint32)*time.Microsecond)
	}
	return nil
}

// Samples returns the ticks of single runs of the last Run, from the given
// one. The runner keeps the first Info().SampleCapacity of them, until a loop starts.
func (s *Session) Samples(ctx context.Context, first, count uint32) ([]uint32, error) {
	var r Result
	err := s.exclusive(ctx, func() error {
		if err := s.checkSamples(first, count); err != nil {
			return err
		}
		steps := s.sampleSteps(first, count)
		if err := s.insist(ctx, steps); err != nil {
			return err
		}
		r.collect(nil, steps)
		return nil
	})
	return r.Samples, err
}

// Read returns length bytes of the program's data from offset.
func (s *Session) Read(ctx context.Context, offset uint32, length int) ([]byte, error) {
	r, err := s.Call(ctx, Call{Reads: []Span{{Offset: offset, Length: length}}})
	if err != nil {
		return nil, err
	}
	return r.Data[0], nil
}

// Write replaces bytes of the program's data from offset.
func (s *Session) Write(ctx context.Context, offset uint32, data []byte) error {
	_, err := s.Call(ctx, Call{Writes: []Piece{{Offset: offset, Bytes: data}}})
	return err
}

// Status returns the runner's state, its last fault and its link counters.
func (s *Session) Status(ctx context.Context) (packet.StatusResponse, error) {
	ask := &step{request: &packet.StatusRequest{}, reply: smallReply}
	if err := s.exclusive(ctx, func() error { return s.insist(ctx, []*step{ask}) }); err != nil {
		return packet.StatusResponse{}, err
	}
	return *ask.answer.(*packet.StatusResponse), nil
}

// Drop unloads the program.
func (s *Session) Drop(ctx context.Context) error {
	return s.exclusive(ctx, func() error {
		s.program = program{}
		return s.insist(ctx, []*step{{request: &packet.DropRequest{}, reply: smallReply}})
	})
}
