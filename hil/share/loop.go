package share

import (
	"context"
	"io"
	"net"
	"sync"

	"github.com/copaflash/copaflash/compiler/device"
)

// loop is the loop of a share, as a client sees it.
type loop struct {
	client *Client

	mu     sync.Mutex
	digest digest // of the program that offsets refer to
	stream *stream
}

var _ device.Loop = (*loop)(nil)

func (l *loop) request(q *request) *request {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.digest
	q.Digest = d[:]
	return q
}

func (l *loop) ask(ctx context.Context, q *request) (*response, error) {
	return l.client.ask(ctx, l.request(q))
}

func (l *loop) Stop(ctx context.Context) (*device.LoopStatus, error) { return l.status(ctx, "stop") }
func (l *loop) Status(ctx context.Context) (*device.LoopStatus, error) {
	return l.status(ctx, "status")
}

func (l *loop) status(ctx context.Context, op string) (*device.LoopStatus, error) {
	a, err := l.ask(ctx, &request{Op: op})
	if err != nil {
		return nil, err
	}
	if a.Status == nil {
		return nil, errNoAnswer
	}
	s := a.Status.Status
	s.Fault = a.Status.Fault.err()
	return &s, nil
}

func (l *loop) Read(ctx context.Context, spans []device.Span) ([][]byte, uint32, error) {
	a, err := l.ask(ctx, &request{Op: "read", Spans: spans})
	if err != nil {
		return nil, 0, err
	}
	if len(a.Data) != len(spans) {
		return nil, 0, errNoAnswer
	}
	for i, s := range spans {
		if len(a.Data[i]) != int(s.Length) {
			return nil, 0, errNoAnswer
		}
	}
	return a.Data, a.Tick, nil
}

func (l *loop) Set(ctx context.Context, writes []device.Piece, at uint32) (uint32, error) {
	a, err := l.ask(ctx, &request{Op: "set", Writes: writes, At: at})
	if err != nil {
		return 0, err
	}
	return a.Tick, nil
}

// Budget is that of all subscriptions of the share together, with this one more. It is empty where the share does
// not answer.
func (l *loop) Budget(s device.Subscription) device.Budget {
	ctx, cancel := context.WithTimeout(context.Background(), meetTime)
	defer cancel()
	a, err := l.ask(ctx, &request{Op: "budget", Spans: s.Spans, Every: s.Every})
	if err != nil || a.Budget == nil {
		return device.Budget{}
	}
	return *a.Budget
}

func (l *loop) Swap(ctx context.Context, next device.Next) (*device.SwapReport, error) {
	b, err := next.Program.Image.Encode()
	if err != nil {
		return nil, err
	}
	a, err := l.ask(ctx, &request{Op: "swap", Image: b, Swap: &swap{Tasks: next.Tasks, Moves: next.Moves, Trial: next.Trial, Safe: next.Safe}})
	if err != nil {
		return nil, err
	}
	if a.Report == nil {
		return nil, errNoAnswer
	}
	if !a.Report.Back {
		l.mu.Lock()
		l.digest = next.Program.Image.Digest()
		l.mu.Unlock()
	}
	return &device.SwapReport{Tick: a.Report.Tick, Back: a.Report.Back, Cause: a.Report.Cause.err()}, nil
}

// Subscribe has records sent to this client, beside those of others.
func (l *loop) Subscribe(ctx context.Context, s device.Subscription) (device.Stream, error) {
	conn, err := l.open(ctx, &request{Op: "subscribe", Spans: s.Spans, Every: s.Every})
	if err != nil {
		return nil, err
	}
	st := newStream(l.client, conn)
	l.mu.Lock()
	old := l.stream
	l.stream = st
	l.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
	return st, nil
}

// open begins what goes on after its first answer, beyond ctx.
func (l *loop) open(ctx context.Context, q *request) (net.Conn, error) {
	conn, stop, err := l.client.begin(ctx, l.request(q))
	if err != nil {
		return nil, err
	}
	if _, err := l.client.answer(ctx, conn); err != nil {
		conn.Close()
		return nil, err
	}
	if !stop() {
		conn.Close()
		return nil, ctx.Err()
	}
	return conn, nil
}

// stream is a client's end of a stream of records.
type stream struct {
	conn    net.Conn
	batches chan batch
	closed  chan struct{}
	once    sync.Once

	mu   sync.Mutex // for Next
	rest []device.Record
	err  error
	lost uint32 // after the last record
}

type batch struct {
	records []device.Record
	err     error  // io.EOF: the end
	lost    uint32 // then: after the last record
}

func newStream(c *Client, conn net.Conn) *stream {
	s := &stream{conn: conn, batches: make(chan batch), closed: make(chan struct{})}
	go s.read(c)
	return s
}

// read waits for its batches to be taken, so that a slow client's records pile up at the share, which counts what
// has no room there.
func (s *stream) read(c *Client) {
	defer s.conn.Close()
	for {
		var b batch
		a, err := c.answer(context.Background(), s.conn)
		if a != nil {
			b.records, b.lost = a.Records, a.Lost
			if err == nil && a.End {
				err = io.EOF
			}
		}
		b.err = err
		select {
		case s.batches <- b:
		case <-s.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

func (s *stream) Next(ctx context.Context) (device.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.rest) == 0 {
		if s.err != nil {
			return device.Record{Drops: s.lost}, s.err
		}
		select {
		case b := <-s.batches:
			s.rest, s.err, s.lost = b.records, b.err, b.lost
		case <-s.closed:
			s.err = io.EOF
		case <-ctx.Done():
			return device.Record{}, ctx.Err()
		}
	}
	r := s.rest[0]
	s.rest = s.rest[1:]
	return r, nil
}

func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.conn.Close()
	})
	return nil
}

// Capture takes records around a trigger. A share has one capture at a time.
func (l *loop) Capture(ctx context.Context, c device.CaptureConfig) (device.Captured, error) {
	conn, err := l.open(ctx, &request{Op: "capture", Capture: &c})
	if err != nil {
		return nil, err
	}
	t := &captured{conn: conn, done: make(chan struct{})}
	go t.read(l.client)
	return t, nil
}

// captured is a client's end of a capture.
type captured struct {
	conn    net.Conn
	done    chan struct{} // closed when what follows is there
	records []device.Record
	trigger uint32
	err     error
}

func (t *captured) read(c *Client) {
	defer close(t.done)
	defer t.conn.Close()
	for {
		a, err := c.answer(context.Background(), t.conn)
		if err != nil {
			t.err = err
			return
		}
		t.records = append(t.records, a.Records...)
		if a.End {
			t.trigger = a.Tick
			return
		}
	}
}

func (t *captured) Wait(ctx context.Context) ([]device.Record, uint32, error) {
	select {
	case <-t.done:
		return t.records, t.trigger, t.err
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

// Cancel hangs up, which the share takes for it.
func (t *captured) Cancel(ctx context.Context) error {
	t.conn.Close()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
