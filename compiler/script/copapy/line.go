package copapy

import (
	"context"
	"maps"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// A line gathers what a script does with a program one by one, so that it goes to the
// device at once: what is written waits for the next run or read, and what was
// read after the last run is asked for together with the next one.
type line struct {
	written device.Pieces          // not sent yet
	wanted  []device.Span          // read since the last run
	fetched map[device.Span][]byte // read since the last run, and still so
}

// aheadLimit is how many bytes are asked for with a run because they were read
// after the one before: no more than it costs little on a serial line to read in vain.
const aheadLimit = 256

// write stores bytes at the place of a variable.
func (l *line) write(offset uint32, data []byte) {
	l.written.Note(device.Piece{Offset: offset, Bytes: data})
	end := uint64(offset) + uint64(len(data))
	maps.DeleteFunc(l.fetched, func(s device.Span, _ []byte) bool {
		return uint64(s.Offset) < end && uint64(offset) < uint64(s.Offset)+uint64(s.Length)
	})
}

// run runs a program n times. What will be read then may be known; else it is
// taken to be what was read after the last run.
func (l *line) run(ctx context.Context, p device.Program, n int, limit time.Duration, reads []device.Span, timed func(time.Duration)) error {
	_, err := l.call(ctx, p, device.Call{Runs: n, Limit: limit, Reads: reads, Timed: timed})
	return err
}

// call runs a program as c says, with what was written before.
func (l *line) call(ctx context.Context, p device.Program, c device.Call) (*device.Timing, error) {
	if c.Reads == nil {
		c.Reads = l.wanted
	}
	l.wanted, l.fetched = nil, nil
	c.Writes = l.pieces()
	r, err := p.Call(ctx, c)
	if err != nil {
		return nil, err
	}
	l.keep(c.Reads, r.Data)
	return r.Timing, nil
}

// fetch reads parts of the data block, as far as they are not known, which data has then.
func (l *line) fetch(ctx context.Context, p device.Program, spans []device.Span) error {
	var missing []device.Span
	size := uint32(0)
	for _, s := range spans {
		if _, ok := l.fetched[s]; !ok {
			missing = append(missing, s)
		}
		size += s.Length
	}
	for _, s := range l.wanted {
		size += s.Length
	}
	if size <= aheadLimit {
		l.wanted = append(l.wanted, spans...)
	}
	if len(missing) == 0 {
		return nil
	}
	r, err := p.Call(ctx, device.Call{Writes: l.pieces(), Reads: missing})
	if err != nil {
		return err
	}
	l.keep(missing, r.Data)
	return nil
}

func (l *line) keep(spans []device.Span, data [][]byte) {
	if l.fetched == nil {
		l.fetched = make(map[device.Span][]byte, len(spans))
	}
	for i, s := range spans {
		l.fetched[s] = data[i]
	}
}

// data returns a part of the data block that was fetched.
func (l *line) data(s device.Span) []byte { return l.fetched[s] }

// flush sends what was written.
func (l *line) flush(ctx context.Context, p device.Program) error {
	if len(l.written) == 0 {
		return nil
	}
	_, err := p.Call(ctx, device.Call{Writes: l.pieces()})
	return err
}

// pieces takes what was written.
func (l *line) pieces() []device.Piece {
	pieces := l.written
	l.written = nil
	return pieces
}
