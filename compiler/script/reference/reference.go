// Package reference is a device for scripts that runs nothing: it evaluates
// programs with the reference interpreter. It is there on every system, and what
// other devices compute is held against it.
package reference

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// Device is a device that evaluates programs with the reference interpreter.
// Programs are compiled for an architecture all the same, so that their symbols
// lie where they lie there, but the code is not run.
type Device struct {
	arch     string
	features uint64
}

// New returns a device that looks like one of the architecture.
func New(arch string) (*Device, error) {
	if _, err := image.ParseArch(arch); err != nil {
		return nil, err
	}
	return &Device{arch: arch}, nil
}

// SetFeatures makes it look as if its processor had these features.
func (r *Device) SetFeatures(features uint64) { r.features = features }

// Arch is the architecture that programs are laid out for.
func (r *Device) Arch() string { return r.arch }

// Features are none, or those of SetFeatures.
func (r *Device) Features() uint64 { return r.features }

// Load makes a program ready to be evaluated.
func (r *Device) Load(_ context.Context, p *compiler.Program) (copapy.Program, error) {
	data := make([]byte, p.Image.DataSize())
	copy(data, p.Image.Data)
	return &evaluated{prog: p, data: data}, nil
}

// evaluated is a program whose runs are evaluations of its graph.
type evaluated struct {
	prog *compiler.Program
	data []byte // as the data block of a target
}

func (e *evaluated) Run(ctx context.Context, n int) ([]time.Duration, error) {
	ref := e.prog.Reference()
	var times []time.Duration
	for range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := time.Now()
		results, next, _, err := eval.Step(ref.Graph, ref.Outs, e.variables())
		if err != nil {
			return nil, fmt.Errorf("reference interpreter: %w", err)
		}
		times = append(times, time.Since(start))
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
	}
	return times, nil
}

// variables reads the program's inputs and states from the data block.
func (e *evaluated) variables() map[graph.ID]eval.Tensor {
	in := map[graph.ID]eval.Tensor{}
	e.prog.EachVariable(func(id graph.ID, s *image.Symbol) {
		n := e.prog.Graph.Node(id)
		bits := make([]uint32, s.Size()/image.WordSize)
		for i := range bits {
			bits[i] = binary.LittleEndian.Uint32(e.data[int(s.Offset)+i*image.WordSize:])
		}
		in[e.prog.Reference().At(id)] = eval.Tensor{DType: n.DType, Shape: e.prog.Graph.ShapeOf(id), Bits: bits}
	})
	return in
}

func (e *evaluated) store(s *image.Symbol, words []uint32) {
	for i, w := range words {
		binary.LittleEndian.PutUint32(e.data[int(s.Offset)+i*image.WordSize:], w)
	}
}

func (e *evaluated) within(offset, n uint32) error {
	if uint64(offset)+uint64(n) > uint64(len(e.data)) {
		return fmt.Errorf("bytes %d to %d are outside the data block of %d bytes", offset, uint64(offset)+uint64(n), len(e.data))
	}
	return nil
}

func (e *evaluated) Read(_ context.Context, offset, n uint32) ([]byte, error) {
	if err := e.within(offset, n); err != nil {
		return nil, err
	}
	return append([]byte(nil), e.data[offset:offset+n]...), nil
}

func (e *evaluated) Write(_ context.Context, offset uint32, data []byte) error {
	if err := e.within(offset, uint32(len(data))); err != nil {
		return err
	}
	copy(e.data[offset:], data)
	return nil
}

func (e *evaluated) Transfer() (int, time.Duration) { return 0, 0 }
