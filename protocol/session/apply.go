package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// Apply changes variables together, at the start of the first tick whose number is not less than at; 0: the next one. It returns
// that tick's number once it has been.
//
// There are two places for sets, since the one that was used last may still hold a set that waits for its tick, if the Apply that
// wrote it was cancelled.
func (l *Loop) Apply(ctx context.Context, pieces []Piece, at uint32) (uint32, error) {
	l.setting.Lock()
	defer l.setting.Unlock()
	if err := live.CheckSpans(live.SpansOf(pieces), l.dataLength()); err != nil {
		return 0, err
	}
	set := live.Set(pieces)
	block := l.staging[l.staged]
	if err := l.room(); err != nil {
		return 0, err
	}
	if len(set) > int(block.Length) {
		if l.unsure || l.large != (live.Block{}) { // it may still be in use
			if err := l.settleSets(ctx); err != nil {
				return 0, err
			}
		}
		var err error
		if block, err = l.take("the set of values", len(set)); err != nil {
			return 0, err
		}
		l.large = block
	}
	applied, err := l.stage(ctx, block, set, at)
	if err != nil {
		return 0, err
	}
	l.give(&l.large)
	return applied, nil
}

// room reports why there is none in live memory, if it is not known what lies where.
func (l *Loop) room() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mapped()
}

func (l *Loop) take(what string, length int) (live.Block, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.mapped(); err != nil {
		return live.Block{}, err
	}
	return l.arena.Take(what, length)
}

func (l *Loop) give(b *live.Block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.arena != nil {
		l.arena.Give(*b)
	}
	*b = live.Block{}
}

// errPending says that a set of before waits for its tick.
var errPending = errors.New("a set of values that was given before waits for its tick")

// stage has a set applied that is written to a place which no pending set has.
func (l *Loop) stage(ctx context.Context, block live.Block, set []byte, at uint32) (uint32, error) {
	writes := l.s.writeTo(&regionLive, []Piece{
		{Offset: block.At, Bytes: set},
		{Offset: live.StagedAt, Bytes: binary.LittleEndian.AppendUint32(nil, block.At)},
	})
	for {
		before, err := l.counts(ctx)
		if err != nil {
			return 0, err
		}
		unsure := l.unsure
		apply := &step{request: &packet.ApplyRequest{List: block.At, Tick: at}, reply: smallReply}
		l.unsure = true
		err = l.once(ctx, apply, writes...)
		var refused *RemoteError
		if errors.As(err, &refused) && refused.Status == packet.StatusBusy {
			if ctx.Err() == nil {
				if err = sleep(ctx, min(max(l.due(1), minPoll), maxPoll)); err == nil {
					continue
				}
			}
			return 0, fmt.Errorf("%w: %w", errPending, err)
		}
		if err != nil {
			if refused != nil {
				l.unsure = unsure
			}
			return 0, err
		}
		l.note.Staged = block.At
		l.staged ^= 1
		next := apply.answer.(*packet.ApplyResponse).Tick
		done := func(c *packet.LoopCounts) bool {
			sets := c.Applied - before.Counts.Applied
			return sets >= 1 && !unsure || sets >= 2 || sets == 1 && int32(c.AppliedTick-next) >= 0
		}
		ticks := uint32(1)
		if d := at - next; at != 0 && int32(d) > 0 {
			ticks += d
		}
		r, err := l.poll(ctx, ticks, done)
		if err != nil {
			return 0, err
		}
		l.unsure = false
		if !done(&r.Counts) {
			return 0, &EndedError{End: r.Counts.End, Fault: r.Fault}
		}
		return r.Counts.AppliedTick, nil
	}
}

// settleSets waits until no set of before is pending, by a set of nothing.
func (l *Loop) settleSets(ctx context.Context) error {
	if _, err := l.stage(ctx, l.staging[l.staged], live.Set(nil), 0); err != nil {
		return err
	}
	l.give(&l.large)
	return nil
}

func (l *Loop) dataLength() uint64 { return l.length.Load() }

// readTries is how often parts that one answer has no room for are read in the hope that all of them are of one moment.
const readTries = 4

// Read reads what belongs together: all of it is of the same moment between two ticks. It returns how many had ended then.
func (l *Loop) Read(ctx context.Context, spans []Span) ([][]byte, uint32, error) {
	for _, s := range spans {
		if end := uint64(s.Offset) + uint64(s.Length); s.Length < 0 || end > l.dataLength() {
			return nil, 0, fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", s.Offset, end, l.dataLength())
		}
	}
	whole := around(spans)
	if whole.Length <= l.s.room(bytesReply) {
		data, tick, _, err := l.readTogether(ctx, []Span{whole})
		if err != nil {
			return nil, 0, err
		}
		parts := make([][]byte, len(spans))
		for i, s := range spans {
			if s.Length == 0 {
				continue
			}
			at := s.Offset - whole.Offset
			parts[i] = data[0][at : int(at)+s.Length]
		}
		return parts, tick, nil
	}
	for range readTries {
		if data, tick, same, err := l.readTogether(ctx, spans); err != nil || same {
			return data, tick, err
		}
	}
	return l.snapshot(ctx, spans)
}

// around is the least span that some lie in.
func around(spans []Span) Span {
	var all Span
	for _, s := range spans {
		if s.Length == 0 {
			continue
		}
		if all.Length == 0 {
			all = s
			continue
		}
		low := min(all.Offset, s.Offset)
		high := max(uint64(all.Offset)+uint64(all.Length), uint64(s.Offset)+uint64(s.Length))
		all = Span{Offset: low, Length: int(high - uint64(low))}
	}
	return all
}

// readTogether reads once, and tells whether all of it is of one moment.
func (l *Loop) readTogether(ctx context.Context, spans []Span) (data [][]byte, tick uint32, same bool, err error) {
	steps := l.s.readSteps(spans)
	if len(steps) == 0 {
		r, err := l.counts(ctx)
		if err != nil {
			return nil, 0, false, err
		}
		return make([][]byte, len(spans)), r.Counts.Ticks, true, nil
	}
	if err := l.do(ctx, steps...); err != nil {
		return nil, 0, false, err
	}
	same = true
	for i, st := range steps {
		at := st.answer.(*packet.ReadResponse).Tick
		switch {
		case at == nil: // the loop has ended: nothing changes any more
			continue
		case i > 0 && *at != tick:
			same = false
		}
		tick = *at
	}
	if steps[0].answer.(*packet.ReadResponse).Tick == nil {
		r, err := l.counts(ctx)
		if err != nil {
			return nil, 0, false, err
		}
		tick = r.Counts.Ticks
	}
	var r Result
	r.collect(spans, steps)
	return r.Data, tick, same, nil
}

// snapshot has the runner take a record of everything at once, for more than one answer has room for.
func (l *Loop) snapshot(ctx context.Context, spans []Span) ([][]byte, uint32, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, err := l.capture(ctx, CaptureStart{Spans: spans, Trigger: packet.TriggerNow})
	if err != nil {
		return nil, 0, fmt.Errorf("%d bytes of a running program, of one moment: %w", live.Bytes(spans), err)
	}
	records, _, err := c.wait(ctx)
	if err := errors.Join(err, c.cancel(context.WithoutCancel(ctx))); err != nil {
		return nil, 0, err
	}
	data := make([][]byte, len(spans))
	at := records[0].Data
	for i, s := range spans {
		data[i], at = at[:s.Length], at[s.Length:]
	}
	return data, records[0].Tick + 1, nil
}
