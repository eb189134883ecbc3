// Package oracle is a device that runs no code: it evaluates programs with compiler/eval.
// It is available on every system, and the results of all other devices are checked against it.
package oracle

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/loop"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Device is the oracle. Programs are compiled for an architecture all the same, so that
// their symbols lie where they lie there, but the code is not run.
type Device struct {
	arch     string
	features packet.Features
	warn     func(device.Flags)
}

// New returns a device that looks like one of the architecture.
func New(arch string) (*Device, error) {
	if _, err := packet.ParseArch(arch); err != nil {
		return nil, err
	}
	return &Device{arch: arch}, nil
}

// SetFeatures makes it look as if its processor had these features.
func (d *Device) SetFeatures(features packet.Features) { d.features = features }

// SetWarn names a function that is told the flags that the runs of a call raised, where
// there are any.
func (d *Device) SetWarn(warn func(device.Flags)) { d.warn = warn }

// Arch is the architecture that programs are laid out for.
func (d *Device) Arch() string { return d.arch }

// Features are none, or those of SetFeatures.
func (d *Device) Features() packet.Features { return d.features }

// Load makes a program ready to be evaluated.
func (d *Device) Load(_ context.Context, p *compiler.Program) (device.Program, error) {
	data := make([]byte, p.Image.DataSize())
	copy(data, p.Image.Data)
	return &program{dev: d, prog: p, data: data}, nil
}

// program is one whose runs are evaluations of its graph.
type program struct {
	dev   *Device
	prog  *compiler.Program
	data  []byte // as the data block of a runner; nil: released
	flags device.Flags
	loop  atomic.Pointer[loop.Loop] // nil: none runs
}

// Call evaluates the program. Every evaluation ends by itself, so it has no limit. With a period
// it does not wait either: all ticks are on time by definition, which Timing.Unpaced tells.
func (p *program) Call(ctx context.Context, c device.Call) (device.Result, error) {
	var r device.Result
	if p.data == nil {
		return r, device.ErrReleased
	}
	if p.loop.Load() != nil {
		return r, device.ErrTicking
	}
	pace, err := device.NewPace(c.Period)
	if err != nil {
		return r, err
	}
	for _, w := range c.Writes {
		if err := p.within(w.Offset, len(w.Bytes)); err != nil {
			return r, err
		}
		copy(p.data[w.Offset:], w.Bytes)
	}
	var raised device.Flags
	for range c.Runs {
		took, flags, err := p.run(ctx, c.Entry)
		if err != nil {
			return r, err
		}
		raised |= flags
		r.Total += took
		if pace != nil {
			pace.Started(0, false)
			pace.Ended(took)
		}
		if c.Timed != nil {
			c.Timed(took)
		}
	}
	if c.Runs > 0 {
		p.flags = raised
		if r.Timing = pace.Timing(); r.Timing != nil {
			r.Timing.Unpaced = true
		}
	}
	if raised != 0 && p.dev.warn != nil {
		p.dev.warn(raised)
	}
	for _, s := range c.Reads {
		if err := p.within(s.Offset, int(s.Length)); err != nil {
			return r, err
		}
		r.Data = append(r.Data, bytes.Clone(p.data[s.Offset:s.Offset+s.Length]))
	}
	return r, nil
}

// run evaluates an entry of the program.
func (p *program) run(ctx context.Context, entry int) (took time.Duration, flags device.Flags, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	evaluated := p.prog.Evaluated()
	if entry < 0 || entry >= len(evaluated.Parts) {
		return 0, 0, fmt.Errorf("oracle: entry %d of a program with %d", entry, len(evaluated.Parts))
	}
	part := &evaluated.Parts[entry]
	outs := make([]graph.ID, len(part.Results))
	for i, k := range part.Results {
		outs[i] = evaluated.Outs[k]
	}
	start := device.Clock()
	results, next, raised, err := eval.Part(evaluated.Graph, outs, part.States, p.variables())
	if err != nil {
		return 0, 0, fmt.Errorf("oracle: %w", err)
	}
	took = device.Clock() - start
	for i, k := range part.Results {
		p.store(p.prog.Output(k), results[i].Bits)
	}
	p.prog.EachSource(func(id graph.ID, s *image.Symbol) {
		if words, ok := next[id]; ok {
			p.store(s, words.Bits)
		}
	})
	return took, device.Flags(raised), nil
}

// variables reads the program's inputs and states from the data block.
func (p *program) variables() map[graph.ID]eval.Tensor {
	in := map[graph.ID]eval.Tensor{}
	p.prog.EachSource(func(id graph.ID, s *image.Symbol) { in[id] = s.Decode(s.In(p.data)) })
	return in
}

func (p *program) store(s *image.Symbol, words []uint32) {
	copy(s.In(p.data), s.Encode(words))
}

func (p *program) within(offset uint32, n int) error {
	if end := uint64(offset) + uint64(n); end > uint64(len(p.data)) {
		return fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", offset, end, len(p.data))
	}
	return nil
}

// Flags are those that the last call with runs has raised.
func (p *program) Flags() device.Flags { return p.flags }

// Transfer is nothing: the program is here already.
func (p *program) Transfer() (wireBytes int, d time.Duration) { return 0, 0 }

// Release gives up the data block, and ends the loop.
func (p *program) Release() {
	if l := p.loop.Load(); l != nil {
		l.Forget()
	}
	p.data = nil
}
