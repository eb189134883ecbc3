package jit

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/pool"
)

// pointer is that to the first element of a slice.
func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// batch is the arguments of many calls and the memory for their results: slices of them, or of series.
type batch struct {
	f    *function
	args pointers       // to the first elements of slices
	to   unsafe.Pointer // likewise
	n    int
}

// newBatch checks that slices have n elements each.
func newBatch(f *function, args pointers, to unsafe.Pointer, n int, lengths ...int) (b batch, err error) {
	for i, length := range lengths {
		if length != n {
			return b, fmt.Errorf("argument %d has %d samples, and there is room for the results of %d", i+1, length, n)
		}
	}
	return batch{f, args, to, n}, nil
}

// at is where arguments and results of a call are.
func (b *batch) at(i int) (args pointers, to unsafe.Pointer) {
	for k, base := range b.args {
		if base != nil {
			args[k] = unsafe.Add(base, uintptr(i)*b.f.strides[k])
		}
	}
	return args, unsafe.Add(b.to, uintptr(i)*b.f.stride)
}

// series is one of a batch of series.
func (b *batch) series(i int) (batch, error) {
	of := func(base unsafe.Pointer) *slice { return (*slice)(unsafe.Add(base, uintptr(i)*unsafe.Sizeof(slice{}))) }
	to := of(b.to)
	s := batch{f: b.f, to: to.data, n: to.len}
	for k, base := range b.args {
		if base == nil {
			continue
		}
		arg := of(base)
		if arg.len != s.n {
			return s, fmt.Errorf("argument %d has %d steps, and there is room for the results of %d", k+1, arg.len, s.n)
		}
		s.args[k] = arg.data
	}
	return s, nil
}

// mapped runs the function for the arguments of slices of n elements.
func (f *function) mapped(ctx context.Context, args pointers, to unsafe.Pointer, n int, lengths ...int) error {
	b, err := newBatch(f, args, to, n, lengths...)
	if err == nil && n > 0 {
		first, _ := b.at(0)
		err = f.parallel(ctx, n, &first, func(ctx context.Context, p *program, w *pool.Worker, i int) error {
			args, to := b.at(i)
			return p.step(ctx, w, &args, to)
		})
	}
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	return nil
}

// mappedSeries runs the function for the arguments of slices of n series.
func (f *function) mappedSeries(ctx context.Context, args pointers, to unsafe.Pointer, n int, lengths ...int) error {
	b, err := newBatch(f, args, to, n, lengths...)
	if err == nil {
		err = b.runSeries(ctx)
	}
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	return nil
}

func (b *batch) runSeries(ctx context.Context) error {
	var s batch // the first one with a step
	for i := 0; i < b.n && s.n == 0; i++ {
		var err error
		if s, err = b.series(i); err != nil {
			return &pool.Error{Sample: i, Err: err}
		}
	}
	if s.n == 0 {
		return nil
	}
	first, _ := s.at(0)
	return b.f.parallel(ctx, b.n, &first, func(ctx context.Context, p *program, w *pool.Worker, i int) error {
		s, err := b.series(i)
		for k := 0; err == nil && k < s.n; k++ {
			args, to := s.at(k)
			if err = p.step(ctx, w, &args, to); err != nil {
				err = fmt.Errorf("step %d: %w", k, err)
			}
		}
		return err
	})
}

// parallel calls do for n samples, each with a worker whose states are those of the start.
func (f *function) parallel(ctx context.Context, n int, first *pointers, do func(ctx context.Context, p *program, w *pool.Worker, i int) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(f.dev.ctx, stop)()
	for {
		p, err := f.specialised(ctx, first)
		if err != nil {
			return err
		}
		workers, err := p.workers(ctx)
		if err == nil {
			err = workers.Each(ctx, n, func(w *pool.Worker, i int) error {
				if p.states {
					w.Reset()
				}
				return do(ctx, p, w, i)
			})
		}
		if f.dev.ctx.Err() != nil && err != nil {
			return errClosed
		}
		var failed *pool.Error
		if again := errors.Is(err, errGone) || errors.Is(err, device.ErrReleased) && !errors.As(err, &failed); !again {
			return err
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

// step has a worker run the program once.
func (p *program) step(ctx context.Context, w *pool.Worker, args *pointers, to unsafe.Pointer) error {
	if err := p.begin(w.Memory(), args, to); err != nil {
		return err
	}
	if err := w.Run(ctx); err != nil {
		return err
	}
	p.finish(to, w.Memory())
	return nil
}
