package jit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/pool"
)

// program is a function compiled for one combination of shapes and loaded.
type program struct {
	f       *function
	prog    *compiler.Program
	in, out []variable
	states  bool // it remembers something between calls
	called  int  // when it was last called: a count of the function's calls

	mu     sync.Mutex // for what follows
	gone   bool       // it has ended
	loaded device.Program
	direct device.Direct // nil: it is elsewhere
	memory []byte        // its data block, or a copy
	pool   *pool.Pool    // for Map; nil: not yet

	// Of one that is elsewhere:
	writes []device.Piece // arguments in the order of their offsets; their bytes are parts of memory
	there  [][]byte       // what was written to each of them; nil: unknown
	reads  []device.Span
}

// errGone says that a program was released before it could be called.
var errGone = errors.New("the program was released")

// errShape says that arguments have other shapes than those that the program is for.
var errShape = errors.New("its arguments have other shapes than those of sample 0")

// hasRoom says what results do not fit in.
func (p *program) hasRoom(to unsafe.Pointer) error {
	for i := range p.out {
		v := &p.out[i]
		if v.form == number {
			continue
		}
		if err := v.room(unsafe.Add(to, v.offset), v.shape, 0); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return nil
}

// call runs the program. It fails with errShape for arguments that it is not for, and with errGone
// if it is not loaded any more.
func (p *program) call(ctx context.Context, args *pointers, to unsafe.Pointer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return errGone
	}
	if err := p.begin(p.memory, args, to); err != nil {
		return err
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	p.finish(to, p.memory)
	return nil
}

// begin stores arguments in a data block, if they are such as the program is for and there is room for the
// results.
func (p *program) begin(memory []byte, args *pointers, to unsafe.Pointer) error {
	for i := range p.in {
		if v := &p.in[i]; !v.put(memory, v.of(args)) {
			return errShape
		}
	}
	return p.hasRoom(to)
}

// finish takes the results out of a data block.
func (p *program) finish(to unsafe.Pointer, memory []byte) {
	for i := range p.out {
		v := &p.out[i]
		v.get(unsafe.Add(to, v.offset), memory)
	}
}

func (p *program) run(ctx context.Context) error {
	if p.direct != nil {
		return p.direct.Run(ctx)
	}
	return p.exchange(ctx)
}

// exchange writes the arguments that changed, runs the program once and reads the
// results, all in one call.
func (p *program) exchange(ctx context.Context) error {
	if p.f.dev.ctx.Err() != nil {
		return errClosed
	}
	c := device.Call{Runs: 1, Reads: p.reads}
	for i, a := range p.writes {
		if !bytes.Equal(p.there[i], a.Bytes) {
			c.Writes = append(c.Writes, a)
			p.there[i] = append(p.there[i][:0], a.Bytes...)
		}
	}
	r, err := p.loaded.Call(ctx, c)
	if err != nil {
		clear(p.there) // nobody knows what was written
		return err
	}
	for i, raw := range r.Data {
		copy(p.out[i].in(p.memory), raw)
	}
	return nil
}

// end lets no further call begin. It waits for the one under way, and reports false if somebody else did so before.
func (p *program) end() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.gone
	p.gone = true
	return first
}

// release gives the place on the device of a program that has ended to others.
func (p *program) release() {
	if p.pool != nil {
		p.pool.Close()
	}
	p.loaded.Release()
	p.f.dev.forget(p)
}
