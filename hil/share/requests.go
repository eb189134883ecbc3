package share

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/transport"
)

// operation is what a client can ask for.
type operation struct {
	tunes  bool // it takes the right to tune
	whole  bool // it is carried out even if the client hangs up meanwhile
	do     func(s *Server, ctx context.Context, q *request) (*response, error)
	stream func(s *Server, ctx context.Context, c net.Conn, q *request) // instead of do
}

var operations map[string]operation

func init() {
	operations = map[string]operation{
		"hello":     {do: (*Server).hello},
		"running":   {do: (*Server).running},
		"last":      {do: (*Server).last},
		"image":     {do: (*Server).image},
		"status":    {do: (*Server).status},
		"read":      {do: (*Server).read},
		"budget":    {do: (*Server).budget},
		"subscribe": {stream: (*Server).subscribe},
		"capture":   {stream: (*Server).capture},
		"set":       {tunes: true, do: (*Server).set},
		"stop":      {tunes: true, whole: true, do: (*Server).stop},
		"swap":      {tunes: true, whole: true, do: (*Server).swap},
		"load":      {tunes: true, whole: true, do: (*Server).load},
		"call":      {tunes: true, do: (*Server).call},
		"start":     {tunes: true, whole: true, do: (*Server).start},
	}
}

// errNoLoop says that there is no loop to ask.
var errNoLoop = errors.New("no loop has been started on this target")

func (s *Server) hello(context.Context, *request) (*response, error) {
	return &response{Hello: &hello{Name: s.cfg.Name, Arch: s.cfg.Arch, Features: uint64(s.cfg.Features), Tune: s.cfg.Tune, Board: s.cfg.Board, Pins: s.cfg.Pins, Drivers: s.cfg.Drivers}}, nil
}

// current is the hub of the loop, which may have ended. A stop does not wait for a swap's trial.
func (s *Server) current() (*hub, error) {
	if h := s.hub.Load(); h != nil {
		return h, nil
	}
	return nil, errNoLoop
}

func (s *Server) running(ctx context.Context, _ *request) (*response, error) {
	h, err := s.current()
	if err != nil {
		return &response{}, nil
	}
	st, err := h.loop.Status(ctx)
	if err != nil || !st.Running {
		return &response{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &response{Digest: s.past.digest()}, nil
}

// last tells the program of the loop that runs, or of the last one that did.
func (s *Server) last(context.Context, *request) (*response, error) {
	if _, err := s.current(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &response{Digest: s.past.digest()}, nil
}

func (s *Server) image(context.Context, *request) (*response, error) {
	s.mu.RLock()
	m := s.past.now()
	s.mu.RUnlock()
	if m == nil {
		return nil, errNoLoop
	}
	b, err := m.Encode()
	return &response{Image: b}, err
}

func (s *Server) status(ctx context.Context, _ *request) (*response, error) {
	h, err := s.current()
	if err != nil {
		return nil, err
	}
	return statusOf(h.loop.Status(ctx))
}

func (s *Server) stop(ctx context.Context, _ *request) (*response, error) {
	h, err := s.current()
	if err != nil {
		return nil, err
	}
	return statusOf(h.loop.Stop(ctx))
}

func statusOf(st *device.LoopStatus, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	out := *st
	out.Fault = nil
	return &response{Status: &status{Status: out, Fault: describe(st.Fault)}}, nil
}

// known is the program that a request is about; s.mu is held for reading.
func (s *Server) known(q *request) (*image.Image, error) {
	if _, err := s.current(); err != nil {
		return nil, err
	}
	n := len(q.Spans) + len(q.Writes)
	if n > maxSpans {
		return nil, fmt.Errorf("%d places, more than the %d of a request", n, maxSpans)
	}
	return s.past.of(q.Digest)
}

func (s *Server) read(ctx context.Context, q *request) (*response, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	of, err := s.known(q)
	if err != nil {
		return nil, err
	}
	spans, err := s.past.spans(of, q.Spans)
	if err != nil {
		return nil, err
	}
	if n := device.LengthOf(spans); n > maxRead {
		return nil, fmt.Errorf("%d bytes, more than the %d of a request", n, maxRead)
	}
	data, tick, err := s.hub.Load().loop.Read(ctx, spans)
	return &response{Data: data, Tick: tick}, err
}

// set does not hold the lock while it waits for its tick: a swap would wait as long.
func (s *Server) set(ctx context.Context, q *request) (*response, error) {
	s.mu.RLock()
	of, err := s.known(q)
	var writes []device.Piece
	if err == nil {
		writes, err = s.past.pieces(of, q.Writes)
	}
	h := s.hub.Load()
	s.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	tick, err := h.loop.Set(ctx, writes, q.At)
	return &response{Tick: tick}, err
}

// subscription is what a request asks for, in the running program.
func (s *Server) subscription(q *request) (sub device.Subscription, err error) {
	of, err := s.known(q)
	if err != nil {
		return sub, err
	}
	sub.Spans, err = s.past.spans(of, q.Spans)
	if err != nil {
		return sub, err
	}
	if n := device.LengthOf(sub.Spans); len(sub.Spans) == 0 || n == 0 || n > maxRecord {
		return sub, fmt.Errorf("a record of %d bytes: a share takes 1 to %d", n, maxRecord)
	}
	const most = 1 << 30
	if q.Every < 1 || q.Every > most {
		return sub, fmt.Errorf("a record every %d ticks: from 1 to %d are possible", q.Every, most)
	}
	sub.Every = q.Every
	return sub, nil
}

func (s *Server) budget(_ context.Context, q *request) (*response, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sub, err := s.subscription(q)
	if err != nil {
		return nil, err
	}
	b := s.hub.Load().budget(sub)
	return &response{Budget: &b}, nil
}

func (s *Server) subscribe(ctx context.Context, c net.Conn, q *request) {
	s.count(+1)
	defer s.count(-1)
	if n := s.streams.Load(); n > maxStreams {
		s.answer(c, &response{Err: describe(&hintedError{fmt.Errorf("%d commands have telemetry already", maxStreams), "end one of them"})})
		return
	}
	s.mu.RLock()
	sub, err := s.subscription(q)
	h := s.hub.Load()
	var who *subscriber
	if err == nil {
		who = newSubscriber(sub)
		// It is carried out even if the client goes: half a change would cost the others their records.
		err = h.join(s.ctx, who)
	}
	s.mu.RUnlock()
	if !s.answer(c, &response{Err: describe(err)}) || err != nil {
		if err == nil {
			h.leave(who)
		}
		return
	}
	defer h.leave(who)
	// A client may take its time: what has no room in its queue is counted.
	_ = c.SetWriteDeadline(time.Time{})
	for {
		select {
		case <-ctx.Done():
			return
		case <-who.queue.ready:
		}
		records, ended, err := who.queue.take()
		if len(records) > 0 || ended {
			a := &response{Records: records, End: ended, Err: describe(err)}
			if ended {
				a.Lost = who.queue.lost
			}
			if send(c, a) != nil {
				return
			}
		}
		if ended {
			return
		}
	}
}

// errEnded says that the process of the share has ended.
var errEnded = fmt.Errorf("%w: the share has ended", transport.ErrHangup)

func (s *Server) count(n int32) {
	now := s.streams.Add(n)
	if s.cfg.Joined != nil {
		s.cfg.Joined(int(now))
	}
}

func (s *Server) load(ctx context.Context, q *request) (*response, error) {
	m, err := s.received(q)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hub.Load(); h != nil {
		if st, err := h.loop.Status(ctx); err != nil {
			return nil, err
		} else if st.Running {
			return nil, fmt.Errorf("load: %w: stop it, or swap its program", device.ErrTicking)
		}
	}
	p, err := s.cfg.Load(ctx, m)
	if err != nil {
		return nil, err
	}
	if s.program != nil {
		s.program.Release()
	}
	s.program, s.loaded = p, m.Digest()
	s.past.add(m)
	if old := s.hub.Swap(nil); old != nil { // there is nothing left of its loop
		old.endAll(nil)
	}
	return &response{Digest: s.past.digest()}, nil
}

// received is the image that a client has sent.
func (s *Server) received(q *request) (*image.Image, error) {
	if s.cfg.Load == nil {
		return nil, &hintedError{errors.New("this share takes no programs from its clients: they would run in its own process"),
			"load and swap programs in the process that shares, or share a board"}
	}
	return image.Decode(q.Image)
}

// used is the program that a client has loaded; s.mu is held.
func (s *Server) used(q *request) error {
	if s.program == nil || string(s.loaded[:]) != string(q.Digest) {
		return fmt.Errorf("%w (another client of the share has loaded one)", device.ErrReleased)
	}
	return nil
}

func (s *Server) call(ctx context.Context, q *request) (*response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.used(q); err != nil {
		return nil, err
	}
	c := q.Call
	if c == nil || len(c.Writes)+len(c.Reads) > maxSpans || c.Runs < 0 || c.Runs > maxRuns || device.LengthOf(c.Reads) > maxRead {
		return nil, fmt.Errorf("a call of a share has at most %d places, %d runs and reads %d bytes", maxSpans, maxRuns, maxRead)
	}
	var out called
	dc := device.Call{Writes: c.Writes, Runs: c.Runs, Period: c.Period, Limit: c.Limit, Reads: c.Reads, Entry: c.Entry}
	if c.Timed {
		dc.Timed = func(d time.Duration) { out.Times = append(out.Times, d) }
	}
	r, err := s.program.Call(ctx, dc)
	out.Data, out.Total, out.Timing, out.Flags = r.Data, r.Total, r.Timing, s.program.Flags()
	return &response{Called: &out}, err
}

func (s *Server) start(ctx context.Context, q *request) (*response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.used(q); err != nil {
		return nil, err
	}
	if q.Config == nil {
		return nil, errors.New("no configuration of the loop")
	}
	loop, err := s.program.StartLoop(ctx, *q.Config)
	if err != nil {
		return nil, err
	}
	if old := s.hub.Swap(newHub(s.ctx, loop)); old != nil {
		old.endAll(nil)
	}
	return &response{}, nil
}

// swap keeps others from using offsets until it is known which program goes on.
func (s *Server) swap(ctx context.Context, q *request) (*response, error) {
	m, err := s.received(q)
	if err != nil {
		return nil, err
	}
	if q.Swap == nil {
		return nil, errors.New("a swap without its plan")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.current()
	if err != nil {
		return nil, err
	}
	if string(s.past.digest()) != string(q.Digest) {
		return nil, fmt.Errorf("%w: it was swapped since this swap was planned", ErrChanged)
	}
	next := device.Next{Program: &compiler.Program{Image: m}, Tasks: q.Swap.Tasks, Moves: q.Swap.Moves, Trial: q.Swap.Trial, Safe: q.Swap.Safe, Pins: m.Pins()}
	report, err := h.swap(ctx, s.past.now(), m, next)
	if err != nil {
		return nil, err
	}
	if !report.Back {
		s.past.add(m)
	}
	return &response{Report: &swapped{Tick: report.Tick, Back: report.Back, Cause: describe(report.Cause)}}, nil
}
