// Package reference is a device for scripts that runs nothing: it evaluates
// programs with the reference interpreter. It is there on every system, and what
// other devices compute is held against it.
package reference

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Device is a device that evaluates programs with the reference interpreter.
// Programs are compiled for an architecture all the same, so that their symbols
// lie where they lie there, but the code is not run.
type Device struct {
	arch     string
	features packet.Features
	warn     func(flags uint32)
}

// New returns a device that looks like one of the architecture.
func New(arch string) (*Device, error) {
	if _, err := packet.ParseArch(arch); err != nil {
		return nil, err
	}
	return &Device{arch: arch}, nil
}

// SetFeatures makes it look as if its processor had these features.
func (r *Device) SetFeatures(features packet.Features) { r.features = features }

// SetWarn names a function that is told the sticky arithmetic flags that the runs of a call
// raised, where there are any.
func (r *Device) SetWarn(warn func(flags uint32)) { r.warn = warn }

// Arch is the architecture that programs are laid out for.
func (r *Device) Arch() string { return r.arch }

// Features are none, or those of SetFeatures.
func (r *Device) Features() packet.Features { return r.features }

// Load makes a program ready to be evaluated.
func (r *Device) Load(_ context.Context, p *compiler.Program) (copapy.Program, error) {
	data := make([]byte, p.Image.DataSize())
	copy(data, p.Image.Data)
	return &evaluated{dev: r, prog: p, data: data}, nil
}

// evaluated is a program whose runs are evaluations of its graph.
type evaluated struct {
	dev  *Device
	prog *compiler.Program
	data []byte // as the data block of a target
}

// Call evaluates the program.
func (e *evaluated) Call(ctx context.Context, c copapy.Call) (copapy.Result, error) {
	var r copapy.Result
	var raised uint32
	for _, w := range c.Writes {
		if err := e.within(w.Offset, len(w.Bytes)); err != nil {
			return r, err
		}
		copy(e.data[w.Offset:], w.Bytes)
	}
	for range c.Runs {
		took, flags, err := e.run(ctx)
		if err != nil {
			return r, err
		}
		raised |= flags
		if c.Timed != nil {
			c.Timed(took)
		}
	}
	if raised != 0 && e.dev.warn != nil {
		e.dev.warn(raised)
	}
	for _, s := range c.Reads {
		if err := e.within(s.Offset, int(s.Length)); err != nil {
			return r, err
		}
		r.Data = append(r.Data, bytes.Clone(e.data[s.Offset:s.Offset+s.Length]))
	}
	return r, nil
}

func (e *evaluated) run(ctx context.Context) (took time.Duration, flags uint32, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	ref := e.prog.Reference()
	start := time.Now()
	results, next, flags, err := eval.Step(ref.Graph, ref.Outs, e.variables())
	if err != nil {
		return 0, 0, fmt.Errorf("reference interpreter: %w", err)
	}
	took = time.Since(start)
	for i, r := range results {
		if e.prog.Outputs[i].Value.Op() != graph.OpState {
			e.store(e.prog.Output(i), r.Bits)
		}
	}
	e.prog.EachVariable(func(id graph.ID, s *image.Symbol) {
		if words, ok := next[ref.At(id)]; ok {
			e.store(s, words.Bits)
		}
	})
	return took, flags, nil
}

// variables reads the program's inputs and states from the data block.
func (e *evaluated) variables() map[graph.ID]eval.Tensor {
	in := map[graph.ID]eval.Tensor{}
	e.prog.EachVariable(func(id graph.ID, s *image.Symbol) {
		in[e.prog.Reference().At(id)] = s.Decode(s.In(e.data))
	})
	return in
}

func (e *evaluated) store(s *image.Symbol, words []uint32) {
	copy(s.In(e.data), s.Encode(words))
}

func (e *evaluated) within(offset uint32, n int) error {
	if end := uint64(offset) + uint64(n); end > uint64(len(e.data)) {
		return fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", offset, end, len(e.data))
	}
	return nil
}

func (e *evaluated) Transfer() (int, time.Duration) { return 0, 0 }
