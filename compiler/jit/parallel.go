package jit

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/device/pool"
)

// pointer is that to the first element of a slice.
func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// at is where the arguments of a sample are.
func (f *function) at(args *pointers, sample int) *pointers {
	var p pointers
	for i, base := range args {
		if base != nil {
			p[i] = unsafe.Add(base, uintptr(sample)*f.strides[i])
		}
	}
	return &p
}

// parallel runs the function for the samples in slices of n elements.
func (f *function) parallel(ctx context.Context, args *pointers, to unsafe.Pointer, n int, lengths ...int) error {
	for i, length := range lengths {
		if length != n {
			return fmt.Errorf("jit: argument %d has %d samples, and there is room for the results of %d", i+1, length, n)
		}
	}
	if n == 0 {
		return nil
	}
	p, workers, err := f.pool(ctx, args)
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(f.dev.ctx, stop)()
	err = workers.Each(ctx, n, func(w *pool.Worker, sample int) error {
		return p.sample(ctx, w, f.at(args, sample), unsafe.Add(to, uintptr(sample)*f.stride))
	})
	if err != nil && f.dev.ctx.Err() != nil {
		err = errClosed
	}
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	return nil
}

// pool is the program for the first sample, and the workers who have it.
func (f *function) pool(ctx context.Context, args *pointers) (*program, *pool.Pool, error) {
	for {
		p, err := f.specialised(ctx, args)
		if err != nil {
			return nil, nil, err
		}
		workers, err := p.workers(ctx)
		if !errors.Is(err, errGone) {
			return p, workers, err
		}
	}
}

// workers are those who have the program.
func (p *program) workers(ctx context.Context) (*pool.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, errGone
	}
	if p.pool == nil {
		var err error
		if p.pool, err = pool.New(ctx, single{p.f.dev.place}, p.prog, p.f.dev.workers); err != nil {
			return nil, err
		}
	}
	return p.pool, nil
}

// sample has a worker run the program for one sample.
func (p *program) sample(ctx context.Context, w *pool.Worker, args *pointers, to unsafe.Pointer) error {
	if p.states {
		w.Reset()
	}
	memory := w.Memory()
	for i := range p.in {
		v := &p.in[i]
		var bytes []byte
		if v.symbol != nil {
			bytes = v.symbol.In(memory)
		}
		if !v.put(bytes, v.of(args)) {
			return errShape
		}
	}
	if err := p.hasRoom(to); err != nil {
		return err
	}
	if err := w.Run(ctx); err != nil {
		return err
	}
	for i := range p.out {
		v := &p.out[i]
		v.get(unsafe.Add(to, v.offset), v.symbol.In(memory))
	}
	return nil
}
