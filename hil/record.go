package hil

import (
	"context"
	"slices"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// recorder is a device that notes the bits of every output after every run.
type recorder struct {
	device.Device
	programs []*recording
}

// recording is one program on a recorder.
type recording struct {
	device.Program
	source *compiler.Program
	runs   []snapshot
}

// snapshot holds the words of each output symbol after a run.
type snapshot map[string][]uint32

// Load loads a program and records its runs.
func (r *recorder) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := r.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	rec := &recording{Program: loaded, source: p}
	r.programs = append(r.programs, rec)
	return rec, nil
}

// Call uses the program. Behind a run it also reads every output.
func (p *recording) Call(ctx context.Context, c device.Call) (device.Result, error) {
	if c.Runs == 0 {
		return p.Program.Call(ctx, c)
	}
	asked := len(c.Reads)
	c.Reads = slices.Clip(c.Reads)
	var outputs []*image.Symbol
	for i := range p.source.Image.Symbols {
		if s := &p.source.Image.Symbols[i]; s.Kind == image.Output {
			outputs = append(outputs, s)
			c.Reads = append(c.Reads, device.SpanOf(s))
		}
	}
	r, err := p.Program.Call(ctx, c)
	if err != nil {
		return r, err
	}
	snap := snapshot{}
	for i, s := range outputs {
		snap[s.Name] = s.Decode(r.Data[asked+i]).Bits
	}
	p.runs = append(p.runs, snap)
	r.Data = r.Data[:asked]
	return r, nil
}

// Release keeps the program: its runs are timed when the script has ended.
func (*recording) Release() {}
