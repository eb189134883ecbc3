// Package replay computes a recording again, tick by tick, and compares outputs and states bit for bit.
package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
)

// Report is what came of a replay.
type Report struct {
	Records  int // of the recording
	Compared int // of them, whose values were computed
	Values   int // that were compared
	Ticks    int // that were computed
	// Gaps are places where records do not say what was computed: the replay starts again from the
	// record behind.
	Gaps int
	// Missed are the ticks between records that were found to be missing in the loop.
	Missed      int
	Sets, Swaps int
	Difference  *Difference // the first one; nil: there is none
}

// Difference is a value that is not what was recorded.
type Difference struct {
	Tick     uint32
	Variable image.Symbol
	Element  int
	Recorded uint64 // bits
	Computed uint64
	// Note says why that may not be the target's fault; empty where it is.
	Note string
}

// Number is the value of bits of the variable's type.
func (d *Difference) Number(bits uint64) string {
	switch d.Variable.DType {
	case graph.F32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case graph.F64:
		return fmt.Sprint(math.Float64frombits(bits))
	}
	return fmt.Sprint(int32(bits))
}

func (d *Difference) String() string {
	name := d.Variable.Name
	if d.Variable.Len() > 1 {
		name = fmt.Sprintf("%s[%d]", name, d.Element)
	}
	digits := 2 * d.Variable.DType.Size()
	return fmt.Sprintf("tick %d: %s %s was recorded as %s (%#0*x), and is computed as %s (%#0*x)", d.Tick, d.Variable.Kind, name,
		d.Number(d.Recorded), digits, d.Recorded, d.Number(d.Computed), digits, d.Computed)
}

// ErrNoInputs says that a recording lacks what it takes to replay it.
var ErrNoInputs = errors.New("the recording does not have what a replay needs: record with --inputs")

// Run replays a recording on a device.
func Run(ctx context.Context, r *record.Recording, dev device.Device) (*Report, error) {
	if len(r.Programs) == 0 {
		return nil, ErrNoInputs
	}
	p := &player{r: r, dev: dev, every: uint32(r.Every), report: Report{Records: len(r.Records)}, events: r.Events}
	defer p.release()
	if err := p.play(ctx); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return &p.report, nil
}

// player replays.
type player struct {
	r      *record.Recording
	dev    device.Device
	every  uint32
	report Report
	events []record.Event // that have not had an effect yet

	*loaded
	old   *loaded // of a swap that went back: it goes on at some tick
	first bool    // no record was replayed, and initial values are not known
	begun bool    // a record was replayed, or resumed from
	next  uint32  // tick
}

func (p *player) release() {
	for _, l := range []*loaded{p.loaded, p.old} {
		if l != nil {
			l.program.Release()
		}
	}
}

func (p *player) play(ctx context.Context) (err error) {
	if p.loaded, err = load(ctx, p.dev, &p.r.Programs[0], p.r.Tasks, &p.r.Header); err != nil {
		return err
	}
	if err := p.begin(); err != nil {
		return err
	}
	for i := range p.r.Records {
		record := &p.r.Records[i]
		if i == len(p.r.Records)-1 && p.r.Status != nil && (p.r.Status.End == "fault" || p.r.Status.End == "time-limit") {
			return nil // the tick did not compute everything
		}
		if err := p.record(ctx, record); err != nil || p.report.Difference != nil {
			return err
		}
	}
	return nil
}

// begin writes the values that the loop began with, where they are known.
func (p *player) begin() error {
	if p.first = len(p.r.Initial) == 0; !p.first {
		return p.write(p.r.Initial)
	}
	var lacks []string
	for i := range p.image.Symbols {
		if s := &p.image.Symbols[i]; s.Kind != image.Output && s.Size() > 0 && p.r.Index(s.Kind, s.Name) < 0 {
			lacks = append(lacks, s.Name)
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("%w: it lacks %s", ErrNoInputs, strings.Join(lacks, ", "))
	}
	return nil
}

// record computes the ticks up to that of a record, and compares.
func (p *player) record(ctx context.Context, r *device.Record) error {
	if p.first || !p.follows(r) {
		p.report.Gaps++
		if p.first {
			p.first = false
			p.report.Gaps--
		}
		return p.resume(ctx, r)
	}
	if p.every == 1 && r.Drops == 0 && p.begun {
		p.next = r.Tick // those in between were missed
	}
	p.begun = true
	if p.mayMiss() {
		return p.search(ctx, r)
	}
	if resumed, err := p.compute(ctx, r, skipped{}); resumed || err != nil {
		return err
	}
	return p.compare(ctx, r)
}

// skipped are ticks that were missed.
type skipped struct{ from, n uint32 }

// compute computes the ticks up to that of a record, but for those that were missed. Where an input has
// changed and nobody knows when, it goes on from the record.
func (p *player) compute(ctx context.Context, r *device.Record, but skipped) (resumed bool, err error) {
	for ; p.next <= r.Tick; p.next++ {
		if err := p.happen(ctx, p.next); err != nil {
			return false, err
		}
		if p.next == r.Tick {
			changed, err := p.takeInputs(r)
			if err != nil {
				return false, err
			}
			if changed && p.every > 1 { // at some tick since the last record
				p.report.Gaps++
				return true, p.resume(ctx, r)
			}
		}
		if p.next-but.from < but.n {
			continue
		}
		if err := p.step(ctx, p.next); err != nil {
			return false, err
		}
		p.report.Ticks++
	}
	return false, nil
}

// follows tells whether it is known which ticks ran since the last record.
func (p *player) follows(r *device.Record) bool {
	switch {
	case p.every > 1:
		return true
	case !p.begun: // those before the first record ran, or were missed
		return r.Tick == p.next || p.r.Status != nil && p.r.Status.Missed == 0
	case r.Drops == 0:
		return true
	}
	return r.Tick-p.next == r.Drops // none was missed as well
}

// resume goes on from a record, with what happened until then.
func (p *player) resume(ctx context.Context, r *device.Record) error {
	for len(p.events) > 0 && p.events[0].Tick <= r.Tick {
		if err := p.happen(ctx, p.events[0].Tick); err != nil {
			return err
		}
	}
	if p.old != nil {
		p.old.program.Release()
		p.old = nil
	}
	// What tasks compute that do not run in every tick stays as it is until they do.
	var outputs, values []record.Value
	for i := range p.r.Variables {
		s := &p.r.Variables[i]
		if _, ok := p.image.Symbol(s.Kind, s.Name); !ok {
			continue
		}
		v := record.Value{Kind: s.Kind, Name: s.Name, Bytes: p.r.Value(r.Data, i)}
		if s.Kind == image.Output {
			outputs = append(outputs, v)
			continue
		}
		values = append(values, v)
	}
	values = append(outputs, values...)
	p.next, p.begun = r.Tick+1, true
	return p.write(values)
}

// takeInputs gives inputs the values that they had in a record, and tells whether that changes any.
func (p *player) takeInputs(r *device.Record) (changed bool, err error) {
	var values []record.Value
	for i := range p.r.Variables {
		s := &p.r.Variables[i]
		if s.Kind != image.Input {
			continue
		}
		data := p.r.Value(r.Data, i)
		if !bytes.Equal(data, p.inputsNow[s.Name]) {
			changed = true
			values = append(values, record.Value{Kind: s.Kind, Name: s.Name, Bytes: data})
		}
	}
	return changed, p.write(values)
}

// happen carries out what the host did before a tick.
func (p *player) happen(ctx context.Context, tick uint32) error {
	for len(p.events) > 0 && p.events[0].Tick <= tick {
		e := p.events[0]
		p.events = p.events[1:]
		switch {
		case e.Swap != nil:
			p.report.Swaps++
			if err := p.swap(ctx, e.Swap); err != nil {
				return err
			}
		default:
			p.report.Sets++
			if err := p.write(e.Set); err != nil {
				return err
			}
		}
	}
	return nil
}

// swap goes on with another program.
func (p *player) swap(ctx context.Context, s *record.Swap) error {
	next, err := load(ctx, p.dev, &s.Program, s.Tasks, &p.r.Header)
	if err != nil {
		return err
	}
	var values []record.Value
	for _, m := range s.Moves {
		data, err := p.read(ctx, m.Kind, m.From)
		if err != nil {
			next.program.Release()
			return err
		}
		values = append(values, record.Value{Kind: m.Kind, Name: m.To, Bytes: data})
	}
	if err := next.write(values); err != nil {
		next.program.Release()
		return err
	}
	switch {
	case p.old != nil: // two swaps that went back follow each other
		p.old.program.Release()
		fallthrough
	case s.Back:
		p.old = p.loaded
	default:
		p.loaded.program.Release()
	}
	p.loaded = next
	return nil
}

// compare compares the values of a record with those computed.
func (p *player) compare(ctx context.Context, r *device.Record) error {
	j, err := p.judge(ctx, r)
	if err != nil {
		return err
	}
	if j.first != nil && p.old != nil {
		return p.goneBack(ctx, r)
	}
	p.report.Values += j.values
	p.report.Compared++
	if j.first != nil && p.every > 1 && (p.r.Status == nil || p.r.Status.Missed > 0) {
		j.first.Note = fmt.Sprintf("ticks were missed, or may have been, and a record every %d ticks does not say which: record with --every 1", p.every)
	}
	p.report.Difference = j.first
	return nil
}

// goneBack goes on with the old program after a swap that failed. The record of the tick in which it
// failed may be of neither.
func (p *player) goneBack(ctx context.Context, r *device.Record) error {
	p.loaded.program.Release()
	p.loaded, p.old = p.old, nil
	if p.every > 1 {
		p.report.Gaps++
		return p.resume(ctx, r)
	}
	before, err := p.keep(ctx)
	if err != nil {
		return err
	}
	if _, err := p.takeInputs(r); err != nil {
		return err
	}
	if err := p.step(ctx, r.Tick); err != nil {
		return err
	}
	j, err := p.judge(ctx, r)
	if err != nil {
		return err
	}
	if j.first == nil {
		p.report.Values += j.values
		p.report.Compared++
		return nil
	}
	p.report.Gaps++
	return p.write(before)
}
