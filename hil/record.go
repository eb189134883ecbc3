package hil

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// recorder is a device that notes the bits of every output after every run.
type recorder struct {
	copapy.Device
	programs []*recording
}

// recording is one program on a recorder.
type recording struct {
	copapy.Program
	source *compiler.Program
	runs   []snapshot
}

// snapshot holds the words of each output symbol after a run.
type snapshot map[string][]uint32

// Load loads a program and records its runs.
func (r *recorder) Load(ctx context.Context, p *compiler.Program) (copapy.Program, error) {
	loaded, err := r.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	rec := &recording{Program: loaded, source: p}
	r.programs = append(r.programs, rec)
	return rec, nil
}

// Run runs the program, then reads every output.
func (p *recording) Run(ctx context.Context, n int) ([]time.Duration, error) {
	times, err := p.Program.Run(ctx, n)
	if err != nil {
		return nil, err
	}
	snap := snapshot{}
	for i := range p.source.Image.Symbols {
		s := &p.source.Image.Symbols[i]
		if s.Kind != image.Output {
			continue
		}
		raw, err := p.Program.Read(ctx, s.Offset, uint32(s.Size()))
		if err != nil {
			return nil, err
		}
		snap[s.Name] = Words(s, raw)
	}
	p.runs = append(p.runs, snap)
	return times, nil
}

// Words decodes the bytes of a symbol, with NaNs in their canonical form.
func Words(s *image.Symbol, raw []byte) []uint32 {
	out := make([]uint32, s.Size()/image.WordSize)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[i*image.WordSize:])
	}
	types := map[image.DType]graph.DType{image.F32: graph.F32, image.F64: graph.F64}
	if t, ok := types[s.DType]; ok {
		for i := range s.Len() {
			t.Put(out, i, graph.Canonical(t, t.At(out, i)))
		}
	}
	return out
}
