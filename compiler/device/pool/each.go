package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/copaflash/copaflash/compiler/device"
)

// Error says which sample failed, and why.
type Error struct {
	Sample int
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("sample %d: %v", e.Sample, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Samples are handed out in chunks: large enough that handing out costs nothing, small enough
// that workers end at about the same time.
const (
	chunksOfWorker = 32
	maxChunk       = 1024
)

// Each calls do for the samples 0 to n-1, each once, from as many goroutines as there are workers. It ends when
// all are done, with ctx, or with the first sample that fails: its error is an *Error, and is
// that of the lowest sample that fails, for any number of workers. Some samples above it may
// have been done.
func (p *Pool) Each(ctx context.Context, n int, do func(w *Worker, sample int) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.workers) == 0 {
		return fmt.Errorf("pool: %w", device.ErrReleased)
	}
	j := job{ctx: ctx, n: n, do: do, chunk: min(max(1, n/(chunksOfWorker*len(p.workers))), maxChunk)}
	j.failed.Store(int64(n))
	var wait sync.WaitGroup
	for i, w := range p.workers {
		w.flags = 0
		if i > 0 && i*j.chunk < n {
			wait.Go(func() { j.work(w) })
		}
	}
	j.work(p.workers[0])
	wait.Wait()
	if j.err == nil {
		return nil
	}
	if err := ctx.Err(); err != nil && errors.Is(j.err, err) {
		return err // which says nothing of a sample
	}
	return &Error{Sample: int(j.failed.Load()), Err: j.err}
}

// Flags are those that the runs of the last Each have raised.
func (p *Pool) Flags() (f device.Flags) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.workers {
		f |= w.flags
	}
	return f
}

// job is an Each under way.
type job struct {
	ctx      context.Context
	n, chunk int
	do       func(w *Worker, sample int) error

	next   atomic.Int64 // the first sample that nobody has
	_      [64]byte
	failed atomic.Int64 // the lowest sample that failed; n: none
	mu     sync.Mutex   // for the two together
	err    error
}

// work does chunks until there are none. As they are handed out in order, whoever has a lower
// sample than the one that failed goes on up to it.
func (j *job) work(w *Worker) {
	for {
		to := int(j.next.Add(int64(j.chunk)))
		for i := to - j.chunk; i < min(to, j.n); i++ {
			if int64(i) > j.failed.Load() {
				return
			}
			err := j.ctx.Err()
			if err == nil {
				err = j.do(w, i)
			}
			if err != nil {
				j.fail(i, err)
				return
			}
		}
		if to >= j.n {
			return
		}
	}
}

func (j *job) fail(sample int, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if int64(sample) < j.failed.Load() {
		j.failed.Store(int64(sample))
		j.err = err
	}
}
