package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// Call uses the program. What it writes, runs and reads goes over the line at
// once where that is safe (session.Call).
func (p *Program) Call(ctx context.Context, c device.Call) (device.Result, error) {
	if p.link.resident == p {
		if err := p.link.idle(ctx); err != nil {
			return device.Result{}, err
		}
	}
	if p.pinned && c.Runs > 0 {
		return device.Result{}, device.ErrPinsInLoops
	}
	if err := p.start(c); err != nil {
		return device.Result{}, err
	}
	if err := p.use(ctx); err != nil {
		return device.Result{}, err
	}
	if c.Runs == 0 && len(c.Reads) > 0 && p.unread != nil {
		return device.Result{}, fmt.Errorf("the results of this program were lost; run it again: %w", p.unread)
	}
	writes := joinWrites(c.Writes)
	for _, w := range writes {
		p.written.Note(device.Piece(w))
	}
	c.Limit = cmp.Or(c.Limit, p.t.opt.Limit)
	r, flags, err := p.link.call(ctx, writes, c, c.Timed != nil)
	if err != nil {
		p.missed(err)
		p.stopped.note(err)
	} else if c.Runs > 0 {
		p.flags, p.ran, p.unread = flags, true, nil
		p.t.opt.warn(flags)
	}
	return r, err
}

// Call uses the program that is on the board, whoever loaded it. Of several runs it does not
// ask for the times.
func (t *Runner) Call(ctx context.Context, c device.Call) (device.Result, error) {
	c.Limit = cmp.Or(c.Limit, t.opt.Limit)
	r, flags, err := t.links[0].call(ctx, joinWrites(c.Writes), c, false)
	if err == nil {
		t.opt.warn(flags)
	}
	return r, err
}

// call carries out a call, with writes for its own, and returns the sticky flags that its runs raised. Where
// all runs are timed, a board that keeps the times of fewer is asked in portions; with a period, which ends with
// a RUN, for the first ones only.
func (l *link) call(ctx context.Context, writes []session.Piece, c device.Call, timed bool) (result device.Result, flags device.Flags, err error) {
	part := session.Call{Writes: writes, Run: session.Run{Entry: uint32(c.Entry)}}
	reads, places := joinReads(c.Reads)
	portion, kept := math.MaxInt32, uint32(0)
	if n := l.Info().SampleCapacity; timed && n > 0 {
		kept = n
		if c.Period == 0 {
			portion = int(n)
		}
	}
	if c.Period != 0 {
		if part.Run.Period, err = device.Period(c.Period); err != nil {
			return result, 0, err
		}
	}
	for left := c.Runs; ; {
		n := min(left, portion)
		left -= n
		part.Run.Count, part.Run.Limit, part.Samples = uint32(n), c.Limit, 0
		if n > 1 { // the answer to a single run has its time
			part.Samples = min(uint32(n), kept)
		}
		if left == 0 {
			part.Reads = reads
		}
		r, err := l.Call(ctx, part)
		if err != nil {
			return device.Result{}, flags, refusedLimit(c.Limit, l.refusedTicking(ctx, err))
		}
		flags |= device.Flags(r.Run.Sticky)
		result.Total += l.Ticks(r.Run.Total)
		if n == 1 && c.Timed != nil {
			c.Timed(l.Ticks(r.Run.Total))
		}
		for _, ticks := range r.Samples {
			c.Timed(l.Ticks(uint64(ticks)))
		}
		if left == 0 {
			result.Data = cut(r.Data, places)
			if c.Period != 0 && c.Runs > 0 {
				result.Timing = l.timing(part.Run.Period, &r.Run)
			}
			return result, flags, nil
		}
		part.Writes = nil
	}
}

// timing is what the answer to a RUN with a period tells of it.
func (l *link) timing(period time.Duration, r *packet.RunResponse) *device.Timing {
	return &device.Timing{
		Period: period, Ticks: int(r.Runs), Late: int(r.Late),
		Execution: device.Execution{Min: l.Ticks(r.Min), Mean: l.Ticks(r.Total) / time.Duration(max(r.Runs, 1)), Max: l.Ticks(r.Max)},
	}
}

// refusedLimit says which limit a runner does not take.
func refusedLimit(limit time.Duration, err error) error {
	var refused *session.RemoteError
	if limit == 0 || !errors.As(err, &refused) || refused.Op != packet.MsgRun {
		return err
	}
	return fmt.Errorf("the board does not run a program with a limit of %v for each run: %w", limit, err)
}

// joinWrites makes one of pieces that follow each other.
func joinWrites(pieces []device.Piece) []session.Piece {
	joined := make([]session.Piece, 0, len(pieces))
	for _, w := range pieces {
		if n := len(joined); n > 0 && end(joined[n-1]) == uint64(w.Offset) {
			last := &joined[n-1]
			last.Bytes = append(slices.Clip(last.Bytes), w.Bytes...)
			continue
		}
		joined = append(joined, session.Piece(w))
	}
	return joined
}

// end is the offset behind a piece.
func end(p session.Piece) uint64 { return uint64(p.Offset) + uint64(len(p.Bytes)) }

// joinGap is how many bytes between two spans are rather read along than asked
// about twice: about what a request and its answer take on the line.
const joinGap = 64

// place says where a span lies in spans that were joined.
type place struct{ span, at, length int }

// joinReads makes one of spans that are near each other, in the order of offsets.
func joinReads(spans []device.Span) (joined []session.Span, places []place) {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(spans[i].Offset, spans[j].Offset) })
	places = make([]place, len(spans))
	for _, i := range order {
		s := spans[i]
		last := len(joined) - 1
		if last < 0 || int64(s.Offset) > int64(joined[last].Offset)+int64(joined[last].Length)+joinGap {
			joined = append(joined, session.Span{Offset: s.Offset})
			last++
		}
		at := int(s.Offset - joined[last].Offset)
		joined[last].Length = max(joined[last].Length, at+int(s.Length))
		places[i] = place{last, at, int(s.Length)}
	}
	return joined, places
}

// cut takes the spans that were joined apart.
func cut(data [][]byte, places []place) [][]byte {
	parts := make([][]byte, len(places))
	for i, p := range places {
		parts[i] = data[p.span][p.at : p.at+p.length : p.at+p.length]
	}
	return parts
}
