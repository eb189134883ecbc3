package soak

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
)

// judge compares the records with what the oracle computes, tick by tick. Ticks that were missed
// change nothing, but which ones those were is only known of a complete recording.
func (b *bench) judge(ctx context.Context) error {
	r := b.report
	r.Records = len(b.records)
	for i, rec := range b.records {
		r.Drops += int(rec.Drops)
		b.untorn(rec)
		if i > 0 {
			b.spaced(b.records[i-1], rec)
		}
	}
	if r.Records == 0 {
		r.fail("no record was received")
	}
	missed := r.Status.Missed > 0
	if missed && r.Every > 1 {
		r.fail("%d ticks were missed, and which ones is not known: outputs were not compared", r.Status.Missed)
		return nil
	}
	return b.compare(ctx, missed)
}

// untorn checks that both gains are of one set.
func (b *bench) untorn(rec device.Record) {
	gain := func(name string) float32 { return math.Float32frombits(value(rec, name)) }
	if p, i := gain("kp_seen"), gain("ki_seen"); i != 2*p {
		b.report.fail("tick %d: a set was torn: kp is %v and ki %v", rec.Tick, p, i)
	}
}

// spaced checks that what is missing between two records was reported.
func (b *bench) spaced(before, rec device.Record) {
	every := uint32(b.report.Every)
	gap := rec.Tick - before.Tick
	ok := gap == every*(rec.Drops+1)
	if b.report.Status.Missed > 0 { // records of missed ticks are not lost: there were none
		ok = gap%every == 0 && gap >= every*(rec.Drops+1)
	}
	if !ok {
		b.report.fail("tick %d follows tick %d with %d reported drops", rec.Tick, before.Tick, rec.Drops)
	}
}

// compare steps the oracle through all ticks.
func (b *bench) compare(ctx context.Context, missed bool) error {
	dev, err := oracle.New(b.dev.Arch())
	if err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	dev.SetFeatures(b.dev.Features())
	prog := b.programs[0]
	on, err := dev.Load(ctx, prog)
	if err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	slices.SortStableFunc(b.events, func(x, y event) int { return int(x.tick) - int(y.tick) })
	events, records := b.events, b.records
	if len(records) == 0 {
		return nil
	}
	// Nothing changes before the first record, so that it only matters how many ticks ran until then.
	first := records[0].Tick + 1 - min(value(records[0], "count"), records[0].Tick+1)
	for tick := first; len(records) > 0; tick++ {
		if missed && len(records) < len(b.records) && records[0].Tick > tick && records[0].Drops == 0 {
			continue // as every tick is recorded, this one was missed
		}
		c := device.Call{Runs: 1}
		for ; len(events) > 0 && events[0].tick <= tick; events = events[1:] {
			if e := events[0]; e.to == nil {
				c.Writes = append(c.Writes, e.writes...)
			} else if prog, on, err = carry(ctx, dev, on, e, c.Writes); err != nil {
				return err
			} else {
				c.Writes = nil
			}
		}
		if records[0].Tick == tick {
			c.Reads = spans(prog.Image)
		}
		result, err := on.Call(ctx, c)
		if err != nil {
			return fmt.Errorf("soak: oracle at tick %d: %w", tick, err)
		}
		if c.Reads == nil {
			continue
		}
		b.equal(records[0], bytes.Join(result.Data, nil))
		records = records[1:]
	}
	return nil
}

// carry is a swap on the oracle; writes were due before it.
func carry(ctx context.Context, dev *oracle.Device, from device.Program, e event, writes []device.Piece) (*compiler.Program, device.Program, error) {
	c := device.Call{Writes: writes}
	for _, m := range e.moves {
		c.Reads = append(c.Reads, m.From)
	}
	got, err := from.Call(ctx, c)
	if err != nil {
		return nil, nil, fmt.Errorf("soak: oracle: %w", err)
	}
	from.Release()
	to, err := dev.Load(ctx, e.to)
	if err != nil {
		return nil, nil, fmt.Errorf("soak: oracle: %w", err)
	}
	var moved device.Call
	for i, m := range e.moves {
		moved.Writes = append(moved.Writes, device.Piece{Offset: m.To.Offset, Bytes: got.Data[i]})
	}
	if _, err := to.Call(ctx, moved); err != nil {
		return nil, nil, fmt.Errorf("soak: oracle: %w", err)
	}
	return e.to, to, nil
}

func (b *bench) equal(rec device.Record, want []byte) {
	for i, name := range watched {
		got, right := word(rec.Data, i), word(want, i)
		if got != right {
			b.report.fail("tick %d: %s has the bits %08x, and the oracle %08x", rec.Tick, name, got, right)
		}
		b.report.Compared++
	}
}

// value is the word of a variable in a record.
func value(rec device.Record, name string) uint32 { return word(rec.Data, slices.Index(watched, name)) }

func word(data []byte, i int) uint32 { return binary.LittleEndian.Uint32(data[graph.WordSize*i:]) }
