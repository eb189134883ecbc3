package sweep

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/copaflash/copaflash/compiler/device/pool"
)

// Chunk is the results of consecutive runs. Its bytes are used again for others when whoever was
// told of it returns.
type Chunk struct {
	First, Len int
	Rows       []byte // Len rows of Sweep.Width bytes
	CSV        []byte // the same as lines of text, where it was asked for
}

// chunkLen is how many runs a worker takes at a time: enough of them that handing them over costs
// nothing beside them, few enough that much is left to share.
func chunkLen(runs, workers int) int {
	const most, each = 1024, 64
	return min(max(runs/(workers*each), 1), most)
}

// Each carries out n runs from the first on with the workers of a pool of s.Program, and hands
// over their chunks in the order of the runs, whoever computed them. The workers write
// the lines of text, too, if csv asks for them. After an error of a run the
// results of all runs before it have been handed over; after the end of ctx, those up to some run.
func (s *Sweep) Each(ctx context.Context, p *pool.Pool, first, n int, csv bool, done func(Chunk) error) error {
	size := chunkLen(n, p.Workers())
	q := queue{done: done, waiting: map[int]entry{}}
	q.moved.L = &q.mu
	defer context.AfterFunc(ctx, q.moved.Broadcast)()
	err := p.Each(ctx, (n+size-1)/size, func(w *pool.Worker, i int) error {
		from := first + i*size
		var c Chunk
		if used, ok := q.used.Get().(*Chunk); ok {
			c = *used
		}
		rows, err := s.compute(ctx, w, c.Rows[:0], from, min(size, first+n-from))
		c = Chunk{First: from, Len: len(rows) / s.width, Rows: rows, CSV: c.CSV[:0]}
		if csv {
			c.CSV = s.AppendCSV(c.CSV, from, rows)
		}
		return q.put(ctx, i, c, err)
	})
	// Chunks are this package's matter: the error names the run.
	if chunk := (*pool.Error)(nil); errors.As(err, &chunk) {
		return chunk.Err
	}
	return err
}

// queue puts chunks in order.
type queue struct {
	mu      sync.Mutex
	moved   sync.Cond // next or stopped is another one
	next    int       // chunk that is handed over next
	waiting map[int]entry
	done    func(Chunk) error
	stopped error // why nothing is handed over any more

	used sync.Pool // chunks whose memory can be used again
}

type entry struct {
	Chunk
	err error
}

// maxAhead is how many chunks behind the next one are kept.
const maxAhead = 4096

// put hands over a chunk when all before it were. One that failed with err is the last.
func (q *queue) put(ctx context.Context, i int, c Chunk, err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	// The worker that has the next chunk never waits, so this ends.
	for i > q.next+maxAhead && q.stopped == nil && ctx.Err() == nil {
		q.moved.Wait()
	}
	q.waiting[i] = entry{c, err}
	for e, ok := q.waiting[q.next]; ok && q.stopped == nil; e, ok = q.waiting[q.next] {
		delete(q.waiting, q.next)
		if e.Len > 0 {
			q.stopped = q.done(e.Chunk)
		}
		q.used.Put(&e.Chunk)
		if q.stopped == nil {
			q.stopped = e.err
		}
		q.next++
		q.moved.Broadcast()
	}
	return cmp.Or(err, q.stopped)
}
