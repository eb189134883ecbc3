package pool

import (
	"bytes"
	"context"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// Worker is one of those who run the program. It is for one goroutine at a time: the one that
// the function of Each runs in.
type Worker struct {
	pool   *Pool
	index  int
	loaded device.Program
	memory []byte
	direct device.Direct // nil: memory is a copy, and there is as of the device
	there  []byte        // nil: unknown
	failed bool          // the last run; the next one may have to write all that it starts from
	flags  device.Flags
	raised device.Flags
	ticks  uint32 // since Reset, of a program of several tasks

	_ [64]byte // what one worker writes is in no cache line of another
}

// Index is the number of the worker, from 0 to below Workers: for memory that belongs to it.
func (w *Worker) Index() int { return w.index }

// Reset sets inputs and states to those of the start, and forgets what Raised tells.
func (w *Worker) Reset() {
	w.raised, w.ticks = 0, 0
	for _, s := range w.pool.before {
		copy(w.memory[s.Offset:][:s.Length], w.pool.start[s.Offset:])
	}
}

// Memory is the data block, with symbols at their offsets (Symbol.In): inputs and states are
// written there before a run, outputs and states read there after it.
func (w *Worker) Memory() []byte { return w.memory }

// Run runs the program once, from what is in memory.
func (w *Worker) Run(ctx context.Context) error { return w.RunTimes(ctx, 1) }

// RunTimes runs the program n times, each time from what the states have become.
func (w *Worker) RunTimes(ctx context.Context, n int) error {
	if w.direct == nil || w.failed || w.pool.tasks {
		return w.call(ctx, n)
	}
	for range n {
		if err := w.direct.Run(ctx); err != nil {
			w.failed = true
			return err
		}
		w.raise(w.direct.Flags())
	}
	return nil
}

func (w *Worker) raise(f device.Flags) {
	w.flags |= f
	w.raised |= f
}

// Raised are the flags that runs have raised since Reset.
func (w *Worker) Raised() device.Flags { return w.raised }

// Flags are those that runs have raised since the start of Each.
func (w *Worker) Flags() device.Flags { return w.flags }

// call runs a program that is somewhere else, or whose last run has failed. It writes what differs from what is there.
func (w *Worker) call(ctx context.Context, n int) error {
	c := device.Call{Runs: n, Reads: w.pool.after}
	for _, s := range w.pool.before {
		now := w.memory[s.Offset:][:s.Length]
		if w.there == nil || !bytes.Equal(now, w.there[s.Offset:][:s.Length]) {
			if w.direct != nil {
				now = bytes.Clone(now) // the device may clear the memory
			}
			c.Writes = append(c.Writes, device.Piece{Offset: s.Offset, Bytes: now})
		}
	}
	r, err := device.Ticks(ctx, w.loaded, w.pool.prog.Image, w.ticks, c)
	if err != nil {
		w.there = nil
		return err
	}
	w.ticks += uint32(n)
	w.raise(r.Flags)
	for i, s := range w.pool.after {
		copy(w.memory[s.Offset:][:s.Length], r.Data[i])
	}
	if w.failed = false; w.direct != nil {
		return nil
	}
	w.there = append(w.there[:0], w.memory...)
	return nil
}

// Set writes an element of a variable, by the bits of its type: those of a float, 0 or 1 for a
// bool.
func (w *Worker) Set(s *image.Symbol, element int, bits uint64) {
	s.DType.Store(s.In(w.memory)[element*s.DType.Size():], graph.Canonical(s.DType, bits))
}

// Get reads the bits of an element of a variable.
func (w *Worker) Get(s *image.Symbol, element int) uint64 {
	return graph.Canonical(s.DType, s.DType.Load(s.In(w.memory)[element*s.DType.Size():]))
}
