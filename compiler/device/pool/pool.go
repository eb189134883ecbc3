// Package pool runs one program on many inputs, on all processors: for parameter sweeps and
// Monte Carlo.
//
// The program is loaded once for each worker, so that each has a data block of its own. What is
// done for a sample is a function of a worker and the number of the sample, which writes
// inputs, runs the program and reads outputs:
//
//	p, err := pool.New(ctx, dev, prog, 0)
//	...
//	defer p.Close()
//	gain, ok := prog.Image.Symbol(image.Input, "kp")
//	cost, ok := prog.Image.Symbol(image.Output, "cost")
//	err = p.Each(ctx, len(gains), func(w *pool.Worker, i int) error {
//		w.Reset() // inputs and states are those of the start
//		w.Set(gain, 0, uint64(math.Float32bits(gains[i])))
//		for range steps {
//			if err := w.Run(ctx); err != nil {
//				return err
//			}
//		}
//		costs[i] = math.Float32frombits(uint32(w.Get(cost, 0)))
//		return nil
//	})
//
// A function that depends on nothing but the number of the sample and begins with Reset gives
// the same results for any number of workers. Nothing is allocated for a sample.
//
// Programs of a device that is not in this process have one worker, as there is one line to them.
package pool

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
)

// Pool is a program loaded for several workers. Its methods may be called from several
// goroutines; Each and Close wait for each other.
type Pool struct {
	tasks   bool // a run is a tick of several tasks
	mu      sync.Mutex
	prog    *compiler.Program
	workers []*Worker // none: closed

	start  []byte        // the data block that samples begin with
	before []device.Span // of it, what runs start from: inputs and states
	after  []device.Span // what a device elsewhere is asked for: outputs and states
}

// New loads a program for n workers; n <= 0: GOMAXPROCS.
func New(ctx context.Context, dev device.Device, prog *compiler.Program, n int) (*Pool, error) {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	p := &Pool{prog: prog, tasks: device.HasTasks(prog.Image), start: make([]byte, prog.Image.DataSize())}
	copy(p.start, prog.Image.Data)
	p.before = spans(prog.Image, image.Input, image.State)
	p.after = spans(prog.Image, image.Output, image.State)
	for len(p.workers) < n {
		loaded, err := dev.Load(ctx, prog)
		if err != nil {
			err = fmt.Errorf("pool: worker %d of %d: %w", len(p.workers)+1, n, err)
			p.Close()
			return nil, err
		}
		w := &Worker{pool: p, index: len(p.workers), loaded: loaded}
		p.workers = append(p.workers, w)
		if direct, ok := loaded.(device.Direct); ok {
			w.direct, w.memory = direct, direct.Memory()
			continue
		}
		w.memory = slices.Clone(p.start)
		break
	}
	return p, nil
}

// spans are the parts of the data block that symbols of some kinds take, in the order of
// their offsets, as few as possible.
func spans(m *image.Image, kinds ...image.Kind) []device.Span {
	var all device.Pieces
	for i := range m.Symbols {
		if s := &m.Symbols[i]; slices.Contains(kinds, s.Kind) {
			all.Note(device.Piece{Offset: s.Offset, Bytes: make([]byte, s.Size())})
		}
	}
	out := make([]device.Span, len(all))
	for i, piece := range all {
		out[i] = device.Span{Offset: piece.Offset, Length: uint32(len(piece.Bytes))}
	}
	return out
}

// Workers is how many there are.
func (p *Pool) Workers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.workers)
}

// Start is the data block that Reset goes back to, at first that of the image. Whoever
// changes inputs or states in it (Symbol.In) while Each is not under way has all later samples begin with them.
func (p *Pool) Start() []byte { return p.start }

// Close gives the places of the programs to others. It waits for Each.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.workers {
		w.loaded.Release()
	}
	p.workers = nil
}
