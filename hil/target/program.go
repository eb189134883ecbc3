package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// Program is a program loaded on a target. On a board with room for one, using
// another one puts this one aside: its states and results are read first, and when it
// is next used it is sent again with them and with the numbers that were written to it.
type Program struct {
	t         *Runner
	link      *link
	image     *packet.Image
	wire      int           // bytes on the line for the first load
	took      time.Duration // by the first load
	pinned    bool          // it is connected to pins
	startPins []byte        // what sets them up
	aboutPins func(number uint32) string
	written   device.Pieces // into the data block since the program was made
	flags     device.Flags  // of the last call with runs

	states  []session.Span  // where its states lie
	results []session.Span  // where its outputs lie
	ran     bool            // there are results
	kept    []session.Piece // of them when it was put aside
	lost    error           // why its states could not be read then: it cannot go on
	stopped stoppage
	unread  error // why its results could not be read then: a run makes new ones

	released bool
}

// keepLimit is how many bytes of results are kept: nobody waits minutes for a
// serial line because the next program is to be loaded.
const keepLimit = 1 << 18

// spansOf are the places of the symbols of a kind, near ones joined.
func spansOf(img *image.Image, kind image.Kind) []session.Span {
	var spans []device.Span
	for i := range img.Symbols {
		if s := &img.Symbols[i]; s.Kind == kind && s.Size() > 0 {
			spans = append(spans, device.SpanOf(s))
		}
	}
	joined, _ := joinReads(spans)
	return joined
}

// Load loads a compiled program.
func (t *Runner) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := t.LoadImage(ctx, p.Image)
	if err != nil {
		return nil, err
	}
	loaded.aboutPins = p.AboutPins
	return loaded, nil
}

// LoadImage loads an image. A target that can run several programs gets a
// runner for each.
func (t *Runner) LoadImage(ctx context.Context, img *image.Image) (*Program, error) {
	l, err := t.free(ctx)
	if err != nil {
		return nil, err
	}
	p := &Program{t: t, link: l}
	p.become(img)
	before := l.Stats().BytesSent
	report, err := p.send(ctx)
	if err != nil {
		return nil, err
	}
	p.wire, p.took = int(l.Stats().BytesSent-before), report.Took
	return p, nil
}

// free returns a link to load a program over: one without a program, or on a
// target that can have several runners one to a new runner.
func (t *Runner) free(ctx context.Context) (*link, error) {
	for _, l := range t.links {
		if l.resident == nil {
			return l, nil
		}
	}
	if t.start == nil {
		return t.links[0], nil
	}
	conn, err := t.start(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.greet(ctx, conn, t.opt.Session); err != nil {
		return nil, err
	}
	return t.links[len(t.links)-1], nil
}

// Release gives the place of the program to others; it is not used any more. On a board
// it stays until another one is loaded. Of the runners that have no program, one is kept.
func (p *Program) Release() {
	p.released = true
	if p.link.resident == p {
		if l := p.link.looping; l != nil && p.t.start != nil { // nobody else can reach it
			ctx, cancel := context.WithTimeout(context.Background(), closeWait)
			_, _ = l.Stop(ctx)
			cancel()
			p.link.looping = nil
		}
		p.link.resident = nil
		p.t.closeIdle()
	}
}

// closeIdle ends runners without a program but for one. The first one speaks for the
// target, and so stays.
func (t *Runner) closeIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start == nil || t.closed {
		return
	}
	idle := 0
	kept := t.links[:0]
	for i, l := range t.links {
		if l.resident == nil {
			idle++
			if idle > 1 && i > 0 {
				_ = l.Close()
				continue
			}
		}
		kept = append(kept, l)
	}
	clear(t.links[len(kept):])
	t.links = kept
}

// putAside reads the states and results of the program, which is about to leave
// the board. Where the board does not answer as it should that is no reason not to
// load another program; it is one not to use what was lost.
func (p *Program) putAside(ctx context.Context) error {
	p.kept, p.unread = nil, nil
	if p.lost = p.keep(ctx, p.states); p.lost != nil {
		return ctx.Err()
	}
	if !p.ran {
		return nil
	}
	size := 0
	for _, s := range p.results {
		size += s.Length
	}
	if size > keepLimit {
		p.unread = fmt.Errorf("%d bytes, more than the %d that are kept", size, keepLimit)
		return nil
	}
	p.unread = p.keep(ctx, p.results)
	return ctx.Err()
}

// missed notes that the program is not on the board any more: the board has
// restarted, or somebody else has used it. A program without states is sent again
// when it is next used.
func (p *Program) missed(err error) {
	var restart *session.RestartError
	if !errors.As(err, &restart) && !errors.Is(err, session.ErrTaken) {
		return
	}
	p.link.resident, p.kept = nil, nil
	if len(p.states) > 0 {
		p.lost = err
	}
	if p.ran {
		p.unread = err
	}
}

// keep reads parts of the data block.
func (p *Program) keep(ctx context.Context, parts []session.Span) error {
	r, err := p.link.Call(ctx, session.Call{Reads: parts})
	if err != nil {
		return err
	}
	for i, s := range parts {
		p.kept = append(p.kept, session.Piece{Offset: s.Offset, Bytes: r.Data[i]})
	}
	return nil
}

// send puts the program on the board.
func (p *Program) send(ctx context.Context) (session.LoadReport, error) {
	if err := p.link.idle(ctx); err != nil {
		return session.LoadReport{}, err
	}
	if old := p.link.resident; old != nil && old != p {
		if err := old.putAside(ctx); err != nil {
			return session.LoadReport{}, err
		}
	}
	p.link.resident = nil
	report, err := p.link.Load(ctx, p.image, p.t.opt.Progress)
	if err != nil {
		return report, p.link.refusedTicking(ctx, err)
	}
	p.link.resident = p
	return report, nil
}

// start makes the program ready for a call, on the board or on its way there again.
func (p *Program) start(c device.Call) error {
	again, err := p.stopped.ended(c)
	if again {
		p.stopped.cause, p.kept = nil, nil
		if p.link.resident == p {
			p.link.resident = nil
		}
	}
	return err
}

// use makes sure that the program is on the board.
func (p *Program) use(ctx context.Context) error {
	if p.released {
		return device.ErrReleased
	}
	if p.link.resident == p {
		return nil
	}
	if p.lost != nil {
		return fmt.Errorf("the states of this program were lost; load it again: %w", p.lost)
	}
	if _, err := p.send(ctx); err != nil {
		return err
	}
	_, err := p.link.Call(ctx, session.Call{Writes: slices.Concat(joinWrites(p.written), p.kept)})
	return err
}

// Run runs the program n times and returns the time of each run.
func (p *Program) Run(ctx context.Context, n int) ([]time.Duration, error) {
	var times []time.Duration
	_, err := p.Call(ctx, device.Call{Runs: n, Timed: func(d time.Duration) { times = append(times, d) }})
	return times, err
}

// Flags are the sticky arithmetic flags that the last call with runs has raised.
func (p *Program) Flags() device.Flags { return p.flags }

// Read reads from the program's data block.
func (p *Program) Read(ctx context.Context, offset, n uint32) ([]byte, error) {
	r, err := p.Call(ctx, device.Call{Reads: []device.Span{{Offset: offset, Length: n}}})
	if err != nil {
		return nil, err
	}
	return r.Data[0], nil
}

// Write writes into the program's data block.
func (p *Program) Write(ctx context.Context, offset uint32, data []byte) error {
	_, err := p.Call(ctx, device.Call{Writes: []device.Piece{{Offset: offset, Bytes: data}}})
	return err
}

// Transfer tells how many bytes went over the line to load the program, and how
// long that took.
func (p *Program) Transfer() (wireBytes int, d time.Duration) { return p.wire, p.took }
