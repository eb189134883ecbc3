package target

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/live"
)

var (
	_ device.Looper   = (*Program)(nil)
	_ device.Attacher = (*Runner)(nil)
)

// A remoteLoop is a loop on a board or in another process. It goes on when the target is closed, but for the
// runners that end with it: those of this machine and emulated boards.
type remoteLoop struct {
	*session.Loop
	t    *Runner
	link *link

	mu   sync.Mutex
	prog *Program // as it is on the board
	over bool     // it is known to have ended
}

// StartLoop starts the loop of the program.
func (p *Program) StartLoop(ctx context.Context, c device.LoopConfig) (device.Loop, error) {
	if err := p.link.idle(ctx); err != nil {
		return nil, err
	}
	if err := p.start(device.Call{Runs: 1}); err != nil {
		return nil, err
	}
	if err := p.use(ctx); err != nil {
		return nil, err
	}
	if err := c.Check(len(p.image.Entries), p.size()); err != nil {
		return nil, err
	}
	watchdog, err := p.t.watchdog(c.Watchdog)
	if err != nil {
		return nil, err
	}
	hz := p.link.Info().TimerHz
	start := session.LoopStart{
		Limit: countsOf(c.Limit, hz), Tasks: tasksOf(c.Tasks), Misses: uint32(c.Misses), Silence: countsOf(c.Silence, hz),
		Watchdog: watchdog, Safe: piecesOf(c.Safe), Pins: c.Pins,
	}
	if start.Period, start.Rest, err = c.Counts(hz); err != nil {
		return nil, err
	}
	l, err := p.link.StartLoop(ctx, p.image, start)
	if err != nil {
		p.missed(err)
		if pins := (*session.PinsError)(nil); errors.As(err, &pins) && pins.Vain && p.about(pins.Entry) != "" {
			return nil, fmt.Errorf("%s did not answer as it should: %w", p.about(pins.Entry), err)
		}
		return nil, err
	}
	if text := l.Tell(); text != "" && p.t.opt.Warn != nil {
		p.t.opt.Warn(text)
	}
	p.ran, p.unread = true, nil
	return p.link.run(&remoteLoop{Loop: l, t: p.t, link: p.link, prog: p}), nil
}

// watchdog is the time of a hardware watchdog in milliseconds, to the next one. Of boards that are known it must be one that theirs has.
func (t *Runner) watchdog(d time.Duration) (uint32, error) {
	ms := uint32(min((d+time.Millisecond-1)/time.Millisecond, math.MaxUint32))
	all, err := boards.Descriptions()
	if err != nil || ms == 0 {
		return ms, err
	}
	for _, b := range all {
		switch {
		case b.Name != t.Board() || b.Watchdog == nil:
		case ms < b.Watchdog.Least || ms > b.Watchdog.Most:
			return 0, &session.WatchdogError{Time: ms, Least: b.Watchdog.Least, Most: b.Watchdog.Most}
		case IsEmulated(t.name) && (b.QEMU == nil || !b.QEMU.Watchdog):
			return 0, ErrNoEmulatedWatchdog
		}
	}
	return ms, nil
}

func (p *Program) size() uint64 { return uint64(len(p.image.Data)) + uint64(p.image.BSS) }

func (l *link) run(r *remoteLoop) *remoteLoop {
	l.looping = r
	return r
}

// ticking is the error of what cannot be while a loop runs.
type ticking struct{ session.TickingError }

func (ticking) Unwrap() error { return device.ErrTicking }

// idle makes sure that no loop runs over a link that is known of. What has come of one that has ended, the program knows then.
func (l *link) idle(ctx context.Context) error {
	if l.looping == nil {
		return nil
	}
	s, err := l.looping.Status(ctx)
	var ended *session.EndedError
	switch {
	case errors.As(err, &ended): // the runner has restarted, as the next request will tell
	case err != nil:
		return err
	case s.Running:
		return ticking{}
	}
	l.looping = nil
	return nil
}

// refusedTicking says of what a runner has refused that a loop is the reason, if one is.
func (l *link) refusedTicking(ctx context.Context, err error) error {
	var refused *session.RemoteError
	var there session.TickingError
	if errors.As(err, &there) {
		return ticking{}
	}
	if !errors.As(err, &refused) || refused.Status != packet.StatusBadState {
		return err
	}
	if s, asked := l.Session.Status(ctx); asked == nil && s.State == packet.StateTicking {
		return ticking{}
	}
	return err
}

// Running tells the digest of the program whose loop runs there, nil if none does.
func (t *Runner) Running(ctx context.Context) ([]byte, error) { return t.links[0].Running(ctx) }

// Attach takes over the loop that runs there, or the one that has ended last. Its image must be that program's.
func (t *Runner) Attach(ctx context.Context, m *image.Image) (device.Loop, error) {
	if err := t.links[0].Decided(ctx); err != nil {
		return nil, err
	}
	s, err := t.Status(ctx)
	if err != nil {
		return nil, err
	}
	if want := m.Digest(); !bytes.Equal(s.Digest, want[:]) {
		return nil, fmt.Errorf("the program %s is not the one that runs on %s", hex.EncodeToString(want[:8]), t.name)
	}
	p := t.adopted(m)
	l, err := p.link.AttachLoop(ctx, p.image)
	if err != nil {
		return nil, ended(err)
	}
	p.ran = true
	return p.link.run(&remoteLoop{Loop: l, t: t, link: p.link, prog: p}), nil
}

// ended says of an error whether it is that the loop has.
func ended(err error) error {
	var e *session.EndedError
	if errors.As(err, &e) {
		return endedError{e}
	}
	return err
}

type endedError struct{ *session.EndedError }

func (endedError) Unwrap() error { return device.ErrEnded }

// As lets callers have the error of the session.
func (e endedError) As(target any) bool {
	if t, ok := target.(**session.EndedError); ok {
		*t = e.EndedError
		return true
	}
	return false
}

// Stop ends the loop between two ticks.
func (r *remoteLoop) Stop(ctx context.Context) (*device.LoopStatus, error) {
	s, err := r.Loop.Stop(ctx)
	if err != nil {
		return nil, ended(err)
	}
	return r.status(s), nil
}

// Status tells how the loop goes.
func (r *remoteLoop) Status(ctx context.Context) (*device.LoopStatus, error) {
	s, err := r.Live(ctx)
	if err != nil {
		return nil, ended(err)
	}
	return r.status(s), nil
}

func (r *remoteLoop) status(s *session.LoopState) *device.LoopStatus {
	c := &s.Counts
	hz := r.link.Info().TimerHz
	status := &device.LoopStatus{
		Running: c.End == packet.LoopEndNone, Ticks: c.Ticks, Missed: c.Missed, Applied: c.Applied, Drops: c.Drops,
		Flags: device.Flags(s.Sticky), Swap: c.Swap.String(), Resolution: time.Duration(math.Ceil(1e9 / float64(hz))),
		Period: time.Duration(math.Round((float64(s.Period) + float64(s.Rest)/(1<<32)) / float64(hz) * 1e9)),
	}
	spreads := [...]*device.Spread{&status.Lateness, &status.Execution, &status.Slack}
	for i, f := range s.Times() {
		*spreads[i] = device.Figures(f).Spread(c.Ticks, s.Histograms[i], r.link.Ticks)
	}
	if s.Fault != nil {
		status.Fault = r.prog.fault(s.Fault)
	}
	if !status.Running {
		status.End = c.End.String()
		r.end(status)
	}
	return status
}

// end has the program know how its loop has ended.
func (r *remoteLoop) end(s *device.LoopStatus) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over = true
	r.prog.flags = s.Flags
	if s.End == packet.LoopEndFault.String() || s.End == packet.LoopEndTimeLimit.String() {
		r.prog.stopped.note(s.Fault)
	}
}

// Read reads what is of one moment between two ticks.
func (r *remoteLoop) Read(ctx context.Context, spans []device.Span) ([][]byte, uint32, error) {
	data, ticks, err := r.Loop.Read(ctx, linkSpans(spans))
	return data, ticks, ended(err)
}

// Set changes variables together.
func (r *remoteLoop) Set(ctx context.Context, writes []device.Piece, at uint32) (uint32, error) {
	tick, err := r.Apply(ctx, piecesOf(writes), at)
	if err != nil {
		return 0, ended(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range writes {
		r.prog.written.Note(w)
	}
	return tick, nil
}

// Budget tells what a subscription would cost. Of one that cannot be, it has the bytes of a record alone.
func (r *remoteLoop) Budget(s device.Subscription) device.Budget {
	spans := linkSpans(s.Spans)
	b := device.Budget{RecordBytes: live.Bytes(spans)}
	cost, err := r.Cost(spans, uint32(min(uint64(max(s.Every, 1)), math.MaxUint32)))
	if err != nil {
		return b
	}
	return budgetOf(b.RecordBytes, cost, max(s.Every, 1))
}

func budgetOf(record int, c live.Cost, every int) device.Budget {
	return device.Budget{
		RecordBytes: record, BytesPerSec: c.Bytes, LinkBytes: c.Line, GreatestRate: c.Greatest, LeastEvery: int(c.LeastEvery),
		PayloadShare: c.PayloadShare, TicksPerPacket: c.Batch * every,
	}
}

// Subscribe has records of variables sent.
func (r *remoteLoop) Subscribe(ctx context.Context, s device.Subscription) (device.Stream, error) {
	if s.Every < 1 || int64(s.Every) > math.MaxUint32 {
		return nil, fmt.Errorf("a record every %d ticks: want at least 1", s.Every)
	}
	spans := linkSpans(s.Spans)
	t, err := r.Loop.Subscribe(ctx, spans, uint32(s.Every))
	var over *session.OversubscribedError
	if errors.As(err, &over) {
		return nil, &device.OversubscribedError{Budget: budgetOf(live.Bytes(spans), over.Cost, s.Every)}
	}
	if err != nil {
		return nil, ended(err)
	}
	return &remoteStream{t, r.link}, nil
}

type remoteStream struct {
	*session.Telemetry
	link *link
}

// Next waits for a record.
func (s *remoteStream) Next(ctx context.Context) (device.Record, error) {
	r, err := s.Telemetry.Next(ctx)
	if err != nil {
		if err != io.EOF {
			err = ended(err)
		}
		return device.Record{Drops: r.Drops}, err
	}
	return s.link.record(&r), nil
}

// closeWait bounds how long ending a subscription takes over a line that does not work.
const closeWait = 2 * time.Second

// Close ends the subscription.
func (s *remoteStream) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return s.Telemetry.Close(ctx)
}

func (l *link) record(r *session.Record) device.Record {
	t := l.Ticks(uint64(max(r.Time, -r.Time)))
	if r.Time < 0 {
		t = -t
	}
	return device.Record{Tick: r.Tick, Time: t, Data: r.Data, Drops: r.Drops}
}

// triggers are those that messages.cddl names.
var triggers = func() map[string]packet.Trigger {
	all := map[string]packet.Trigger{}
	for t := packet.Trigger(0); t.Valid(); t++ {
		all[t.String()] = t
	}
	return all
}()

// Capture takes records of every tick around a trigger.
func (r *remoteLoop) Capture(ctx context.Context, c device.CaptureConfig) (device.Captured, error) {
	trigger, ok := triggers[c.Trigger.Kind]
	switch {
	case !ok:
		return nil, fmt.Errorf("a capture cannot be triggered by %q", c.Trigger.Kind)
	case c.Before < 0 || c.After < 0 || int64(c.Before) > math.MaxInt32 || int64(c.After) > math.MaxInt32:
		return nil, fmt.Errorf("%d records before a trigger and %d after it: want none or more", c.Before, c.After)
	}
	kind := packet.TriggerTypeI32
	if c.Trigger.Float {
		kind = packet.TriggerTypeF32
	}
	k, err := r.Loop.Capture(ctx, session.CaptureStart{
		Spans: linkSpans(c.Spans), Before: uint32(c.Before), After: uint32(c.After),
		Trigger: trigger, Offset: c.Trigger.Offset, Threshold: c.Trigger.Threshold, Type: kind,
	})
	if err != nil {
		return nil, ended(err)
	}
	return &remoteCapture{k, r.link}, nil
}

type remoteCapture struct {
	*session.Capture
	link *link
}

// Wait waits until all records are there.
func (k *remoteCapture) Wait(ctx context.Context) ([]device.Record, uint32, error) {
	records, trigger, err := k.Capture.Wait(ctx)
	if err != nil {
		return nil, 0, ended(err)
	}
	all := make([]device.Record, len(records))
	for i := range records {
		all[i] = k.link.record(&records[i])
	}
	return all, records[trigger].Tick, nil
}

// ErrStartPins says why a program cannot be swapped in: SWAP does not set pins up.
var ErrStartPins = errors.New("the new program sets its pins up in another way than the one that runs: stop the loop, and start the new one")

// errTrial says why a program failed its trial that did not fault.
var errTrial = errors.New("the new program missed a due time, or a list in live memory was not valid, within its trial ticks")

// Swap goes on with another program.
func (r *remoteLoop) Swap(ctx context.Context, next device.Next) (*device.SwapReport, error) {
	m := next.Program.Image
	if err := device.CheckTasks(next.Tasks, len(m.Entries)); err != nil {
		return nil, err
	}
	if next.Trial < 0 || int64(next.Trial) > math.MaxUint32 {
		return nil, fmt.Errorf("a trial of %d ticks: want 0 or more", next.Trial)
	}
	s := session.SwapStart{Image: m.Loaded(), Tasks: tasksOf(next.Tasks), Trial: uint32(next.Trial), Safe: piecesOf(next.Safe), Pins: next.Pins}
	if !bytes.Equal(r.prog.startPins, m.StartPins()) {
		return nil, ErrStartPins
	}
	for _, move := range next.Moves {
		s.Moves = append(s.Moves, session.Move{From: linkSpan(move.From), To: linkSpan(move.To)})
	}
	if next.Telemetry != nil {
		s.Telemetry = linkSpans(next.Telemetry)
	}
	done, err := r.Loop.Swap(ctx, s, r.t.opt.Progress)
	if err != nil {
		return nil, ended(err)
	}
	report := &device.SwapReport{Tick: done.Tick, Back: done.Back}
	switch {
	case done.Back && done.Fault != nil:
		failed := &Program{aboutPins: next.Program.AboutPins}
		report.Cause = failed.fault(done.Fault)
	case done.Back:
		report.Cause = errTrial
	default:
		r.mu.Lock()
		r.prog.become(m)
		r.prog.aboutPins = next.Program.AboutPins
		r.mu.Unlock()
	}
	return report, nil
}

// about tells what an entry of the lists for the pins is for; empty: nobody knows.
func (p *Program) about(number uint32) string {
	if p.aboutPins == nil {
		return ""
	}
	return p.aboutPins(number)
}

// fault is what ended a loop of the program.
func (p *Program) fault(f *packet.Fault) *session.FaultError {
	e := &session.FaultError{Fault: *f, Runs: f.Run}
	if f.Kind == packet.FaultWait {
		e.About = p.about(f.Entry)
	}
	return e
}

// become makes the program the one that its loop went on with. What is in the data block there is what the loop has made of it.
func (p *Program) become(m *image.Image) {
	p.image, p.written, p.kept, p.lost = m.Loaded(), nil, nil, nil
	p.pinned, p.startPins = m.Pins() != 0, m.StartPins()
	p.stopped, p.states, p.results = newStoppage(m), spansOf(m, image.State), spansOf(m, image.Output)
}
