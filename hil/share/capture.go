package share

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// withoutVariable are the triggers that look at none.
var withoutVariable = map[string]bool{"now": true, "end": true}

// endTime is how long a capture that was given up may take to end.
const endTime = time.Second

// partBytes is about how many bytes of records go in one message.
const partBytes = 1 << 20

// capture arms a capture, of which the board has one at a time, and sends its records. A client that hangs up ends it.
func (s *Server) capture(ctx context.Context, c net.Conn, q *request) {
	select {
	case s.taking <- struct{}{}:
		defer func() { <-s.taking }()
	case <-time.After(endTime):
		s.answer(c, &response{Err: describe(&hintedError{errors.New("another client's capture is under way"), "wait for its end, or end it"})})
		return
	}
	taken, err := s.arm(q)
	if !s.answer(c, &response{Err: describe(err)}) || err != nil {
		if err == nil {
			_ = taken.Cancel(s.ctx)
		}
		return
	}
	records, trigger, err := taken.Wait(ctx)
	if ctx.Err() != nil {
		_ = taken.Cancel(context.WithoutCancel(ctx))
		return
	}
	for err == nil && len(records) > 0 {
		n, size := 0, 0
		for n < len(records) && size < partBytes {
			size += len(records[n].Data)
			n++
		}
		if !s.answer(c, &response{Records: records[:n]}) {
			return
		}
		records = records[n:]
	}
	s.answer(c, &response{End: true, Tick: trigger, Err: describe(err)})
}

func (s *Server) arm(q *request) (device.Captured, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	of, err := s.known(q)
	if err != nil {
		return nil, err
	}
	if q.Capture == nil || len(q.Capture.Spans) > maxSpans {
		return nil, fmt.Errorf("a capture of more than %d places", maxSpans)
	}
	cfg := *q.Capture
	if cfg.Before < 0 || cfg.After < 0 || cfg.Before > maxCapture || cfg.After > maxCapture {
		return nil, fmt.Errorf("a capture of %d records before its trigger and %d after it: a share takes at most %d", cfg.Before, cfg.After, maxCapture)
	}
	if cfg.Spans, err = s.past.spans(of, cfg.Spans); err != nil {
		return nil, err
	}
	if n := device.LengthOf(cfg.Spans); n > maxRecord {
		return nil, fmt.Errorf("a record of %d bytes, more than the %d of a share", n, maxRecord)
	}
	if !withoutVariable[cfg.Trigger.Kind] {
		at, err := s.past.spans(of, []device.Span{{Offset: cfg.Trigger.Offset, Length: 4}})
		if err != nil {
			return nil, err
		}
		cfg.Trigger.Offset = at[0].Offset
	}
	return s.hub.Load().loop.Capture(s.ctx, cfg)
}
