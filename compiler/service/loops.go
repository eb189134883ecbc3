package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph/jsonvalue"
	"github.com/copaflash/copaflash/compiler/image"
)

// A program may run every tick by itself, while requests go on.

// loop is the loop of a program, and the records that are taken of it.
type loop struct {
	device.Loop
	stream  device.Stream // nil: none
	names   []string      // of what is streamed
	symbols []*image.Symbol
}

// Bounds of requests about loops.
const (
	maxWait    = 60    // seconds that records are waited for
	maxRecords = 10000 // in one answer
)

// loopStatus is how a loop goes, times in nanoseconds.
type loopStatus struct {
	Running   bool     `json:"running"`
	End       string   `json:"end,omitempty"`
	Fault     string   `json:"fault,omitempty"`
	Period    int64    `json:"period_ns"`
	Ticks     uint32   `json:"ticks"`
	Missed    uint32   `json:"missed"`
	Sets      uint32   `json:"sets"`
	Drops     uint32   `json:"drops"`
	Flags     []string `json:"flags,omitempty"`
	Lateness  spread   `json:"lateness_ns"`
	Execution spread   `json:"execution_ns"`
	Slack     spread   `json:"slack_ns"`
}

type spread struct {
	Min  int64 `json:"min"`
	Mean int64 `json:"mean"`
	Max  int64 `json:"max"`
	P50  int64 `json:"p50"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p999"`
}

func spreadOf(s device.Spread) spread {
	return spread{s.Min.Nanoseconds(), s.Mean.Nanoseconds(), s.Max.Nanoseconds(), s.P50.Nanoseconds(), s.P99.Nanoseconds(), s.P999.Nanoseconds()}
}

func statusOf(s *device.LoopStatus) *loopStatus {
	l := &loopStatus{Running: s.Running, End: s.End, Period: s.Period.Nanoseconds(), Ticks: s.Ticks, Missed: s.Missed, Sets: s.Applied, Drops: s.Drops,
		Flags: s.Flags.Names(), Lateness: spreadOf(s.Lateness), Execution: spreadOf(s.Execution), Slack: spreadOf(s.Slack)}
	if s.Fault != nil {
		l.Fault = s.Fault.Error()
	}
	return l
}

// seconds is a time that a client gives; 0 where it is left out.
func seconds(name string, s float64) (time.Duration, error) {
	if s == 0 {
		return 0, nil
	}
	if !(s >= 1e-6 && s <= 3600) {
		return 0, refuse("", "%s is %v: 0.000001 to 3600 seconds", name, s)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}

func (s *server) start(ctx context.Context, r *struct {
	of
	Rate     float64 `json:"rate"`
	Period   float64 `json:"period"`
	Limit    float64 `json:"limit"`
	Misses   int     `json:"misses"`
	Watchdog float64 `json:"watchdog"`
	Silence  float64 `json:"silence"`
}) (any, error) {
	p, err := s.ready(ctx, r.Program)
	if err != nil {
		return nil, err
	}
	if err := p.noLoop(); err != nil {
		return nil, err
	}
	if r.Rate != 0 && r.Period != 0 || r.Rate < 0 || r.Misses < 0 {
		return nil, refuse("", "either rate, in ticks per second, or period, in seconds; misses is 0 or more")
	}
	period, err := seconds("period", r.Period)
	if err != nil {
		return nil, err
	}
	hz := r.Rate
	if period != 0 {
		hz = 1 / period.Seconds()
	}
	c, err := device.LoopOf(p.compiled.Image, hz)
	if err != nil {
		return nil, refuse("say so by rate, in ticks per second", "%v", err)
	}
	if period != 0 {
		c.Period, c.Hz = period, 0
	}
	c.Misses = r.Misses
	for _, d := range []struct {
		name string
		s    float64
		to   *time.Duration
	}{{"limit", r.Limit, &c.Limit}, {"watchdog", r.Watchdog, &c.Watchdog}, {"silence", r.Silence, &c.Silence}} {
		if *d.to, err = seconds(d.name, d.s); err != nil {
			return nil, err
		}
	}
	looper, ok := p.loaded.(device.Looper)
	if !ok {
		return nil, refuse("runs with a number n are possible", "the target runs no loops")
	}
	l, err := looper.StartLoop(ctx, c)
	if err != nil {
		return nil, err
	}
	p.loop, p.ticking = &loop{Loop: l}, true
	status, err := l.Status(ctx)
	if err != nil {
		return nil, err
	}
	return statusOf(status), nil
}

// noLoop refuses what is not possible while the loop runs.
func (p *program) noLoop() error {
	if p.ticking {
		return refuse("stop it first", "the loop of the program is running")
	}
	return nil
}

// looping finds a program with a loop, which may have ended.
func (s *server) looping(number int) (*program, error) {
	p, err := s.find(number)
	if err == nil && p.loop == nil {
		err = refuse("start it first", "the program has no loop")
	}
	return p, err
}

func (s *server) stop(ctx context.Context, r *of) (any, error) {
	p, err := s.looping(r.Program)
	if err != nil {
		return nil, err
	}
	status, err := p.loop.Stop(ctx)
	if err != nil {
		return nil, err
	}
	p.ticking = false
	return statusOf(status), nil
}

func (s *server) status(ctx context.Context, r *of) (any, error) {
	p, err := s.looping(r.Program)
	if err != nil {
		return nil, err
	}
	status, err := p.loop.Status(ctx)
	if err != nil {
		return nil, err
	}
	p.ticking = status.Running
	return statusOf(status), nil
}

// set changes variables together: in the loop between two ticks.
func (s *server) set(ctx context.Context, r *struct {
	of
	Set map[string]json.RawMessage `json:"set"`
}) (any, error) {
	p, err := s.assign(ctx, r.Program, r.Set)
	if err != nil {
		return nil, err
	}
	return struct {
		Tick uint32 `json:"tick"`
	}{p.tick}, nil
}

// get reads values of one moment.
func (s *server) get(ctx context.Context, r *struct {
	of
	Get []string `json:"get"`
}) (any, error) {
	p, err := s.ready(ctx, r.Program)
	if err != nil {
		return nil, err
	}
	if err := p.checkNames(r.Get); err != nil {
		return nil, err
	}
	if r.Get == nil {
		r.Get = p.outputNames()
	}
	got, _, err := p.use(ctx, nil, 0, r.Get)
	return struct {
		values
		Tick uint32 `json:"tick"`
	}{got, p.tick}, err
}

// call carries out writes and reads: in the loop, while it runs.
func (p *program) call(ctx context.Context, c device.Call) (device.Result, error) {
	p.tick = 0
	if !p.ticking {
		return device.Ticks(ctx, p.loaded, p.compiled.Image, p.ran, c)
	}
	if c.Runs > 0 {
		return device.Result{}, p.noLoop()
	}
	var r device.Result
	var err error
	if len(c.Writes) > 0 {
		p.tick, err = p.loop.Set(ctx, c.Writes, 0)
	}
	if err == nil && len(c.Reads) > 0 {
		r.Data, p.tick, err = p.loop.Read(ctx, c.Reads)
	}
	if errors.Is(err, device.ErrEnded) {
		p.ticking = false
		return p.call(ctx, c)
	}
	return r, err
}

// stream begins to take records.
func (s *server) stream(ctx context.Context, r *struct {
	of
	Get   []string `json:"get"`
	Every int      `json:"every"`
}) (any, error) {
	p, err := s.looping(r.Program)
	if err != nil {
		return nil, err
	}
	if err := p.checkNames(r.Get); err != nil {
		return nil, err
	}
	if r.Get == nil {
		r.Get = p.outputNames()
	}
	if r.Every < 0 || r.Every > math.MaxInt32 {
		return nil, refuse("", "every is %d: it is a number of ticks", r.Every)
	}
	sub := device.Subscription{Every: cmp.Or(r.Every, 1)}
	l := p.loop
	if l.stream != nil {
		_ = l.stream.Close()
	}
	l.stream, l.names, l.symbols = nil, nil, nil
	for _, name := range r.Get {
		if _, sym := p.find(name); sym != nil {
			sub.Spans = append(sub.Spans, device.SpanOf(sym))
			l.names, l.symbols = append(l.names, name), append(l.symbols, sym)
		}
	}
	if len(sub.Spans) == 0 {
		return nil, refuse("", "nothing to stream: the program needs none of these variables")
	}
	l.stream, err = l.Subscribe(ctx, sub)
	if over := (*device.OversubscribedError)(nil); errors.As(err, &over) {
		return nil, refuse(over.Hint(), "%v", over)
	}
	return nothing{}, err
}

// record is a record as JSON.
type record struct {
	Tick   uint32                     `json:"tick"`
	Time   int64                      `json:"time_ns"`
	Values map[string]json.RawMessage `json:"values"`
	Drops  uint32                     `json:"drops,omitempty"`
}

// records answers with those that have come, or come soon.
func (s *server) records(ctx context.Context, r *struct {
	of
	Max  int      `json:"max"`
	Wait *float64 `json:"wait"`
}) (any, error) {
	p, err := s.looping(r.Program)
	if err != nil {
		return nil, err
	}
	wait := 1.0
	if r.Wait != nil {
		wait = *r.Wait
	}
	if r.Max < 0 || r.Max > maxRecords || !(wait >= 0 && wait <= maxWait) {
		return nil, refuse("", "max is 1 to %d records, and wait 0 to %d seconds", maxRecords, maxWait)
	}
	l := p.loop
	if l.stream == nil {
		return nil, refuse("ask for a stream first", "there is no stream")
	}
	answer := struct {
		Records []record `json:"records"`
		End     bool     `json:"end"`
	}{Records: []record{}}
	until, cancel := context.WithTimeout(ctx, time.Duration(wait*1e9))
	defer cancel()
	for len(answer.Records) < cmp.Or(r.Max, maxRecords) {
		next, err := l.stream.Next(until)
		switch {
		case errors.Is(err, io.EOF):
			answer.End, l.stream = true, nil
			return answer, nil
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return answer, nil
		case err != nil:
			return nil, err
		}
		rec := record{next.Tick, next.Time.Nanoseconds(), map[string]json.RawMessage{}, next.Drops}
		for i, sym := range l.symbols {
			rec.Values[l.names[i]] = jsonvalue.Append(nil, sym.Decode(next.Data[:sym.Size()]))
			next.Data = next.Data[sym.Size():]
		}
		answer.Records = append(answer.Records, rec)
	}
	return answer, nil
}

// endLoops ends what would go on without anybody to ask for it.
func (s *server) endLoops() {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, p := range s.programs {
		if p.ticking {
			p.release(ctx)
		}
	}
}
