package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/sweep"
)

// Work says how to work for collectors.
type Work struct {
	Server  Server
	Release string // jobs of any other are refused
	Name    string // of the worker, for people
	Device  device.Device
	Workers int           // programs at a time on the device; 0: one for each processor
	Idle    time.Duration // without work, after which it ends; 0: never
	Note    func(text string)
}

// Headers of results.
const (
	headerError  = "Copaflash-Error"
	headerWorker = "Copaflash-Worker"
)

// Run works until ctx ends, or there was no work for as long as Idle says.
func (w *Work) Run(ctx context.Context) error {
	conn, err := connect(ctx, w.Server, "copaflash sweep worker "+w.Name, w.Note)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := worker{Work: w, conn: conn, refused: map[string]time.Time{}}
	defer r.leave()
	last := time.Now()
	for ctx.Err() == nil {
		worked, err := r.look(ctx)
		if err != nil && ctx.Err() == nil {
			w.Note(err.Error() + ": trying again")
		}
		if worked {
			last = time.Now()
			continue
		}
		if w.Idle > 0 && time.Since(last) > w.Idle {
			return nil
		}
		// Workers that began at the same time do not ask at the same time.
		pause(ctx, lookEvery+rand.N(lookEvery))
	}
	return ctx.Err()
}

const lookEvery = 200 * time.Millisecond

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

type worker struct {
	*Work
	conn    *connection
	refused map[string]time.Time // jobs that are none for this worker, and when the collector was told
	current prepared
}

// prepared is a job that is ready to be worked on; name "": none.
type prepared struct {
	name    string
	job     *Job
	sweep   *sweep.Sweep
	workers *pool.Pool
}

// look works on the first job that has work.
func (w *worker) look(ctx context.Context) (worked bool, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	names := w.conn.js.StreamNames(limited, jetstream.WithStreamListSubject(root+"*.work.*"))
	var jobs []string
	for name := range names.Name() {
		if job := jobOf(name); job != "" {
			jobs = append(jobs, job)
		}
	}
	if err := names.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return false, fmt.Errorf("the server does not list its streams: %w", err)
	}
	for _, job := range jobs {
		if time.Since(w.refused[job]) < repeatRefusal {
			continue
		}
		worked, err := w.serve(ctx, job)
		if gone(err) {
			continue // it ended meanwhile
		}
		if worked || err != nil {
			return worked, err
		}
	}
	return false, nil
}

// repeatRefusal is when a collector is told again, as it may be another one.
const repeatRefusal = 3 * time.Second

func gone(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted)
}

// serve takes chunks of a job until there are none.
func (w *worker) serve(ctx context.Context, name string) (worked bool, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	chunks, err := w.conn.js.Consumer(limited, workStream(name), consumerName)
	if err != nil {
		return false, err
	}
	if w.current.name != name {
		if fits, err := w.prepare(limited, name); err != nil || !fits {
			return false, err
		}
	}
	for ctx.Err() == nil {
		batch, err := chunks.Fetch(1, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return worked, err
		}
		m, ok := <-batch.Messages()
		if !ok {
			if err := batch.Error(); err != nil && !gone(err) {
				return worked, err
			}
			return worked, nil
		}
		if err := w.do(ctx, m, chunks.CachedInfo().Config.AckWait); err != nil {
			return worked, err
		}
		worked = true
	}
	return worked, nil
}

// prepare compiles a job, unless it would have other bits here.
func (w *worker) prepare(ctx context.Context, name string) (fits bool, err error) {
	w.leave()
	stream, err := w.conn.js.Stream(ctx, resultStream(name))
	if err != nil {
		return false, err
	}
	text, err := stream.GetLastMsgForSubject(ctx, jobSubject(name))
	if err != nil {
		return false, err
	}
	p, err := w.load(ctx, name, text.Data)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		first := w.refused[name].IsZero()
		w.refused[name] = time.Now()
		why := w.Name + ": " + err.Error()
		if first {
			w.Note("job " + name + " refused: " + err.Error())
		}
		_ = w.conn.Publish(refusedSubject(name), []byte(why)) // told again while there is the job
		return false, nil
	}
	delete(w.refused, name)
	w.current = p
	w.Note(fmt.Sprintf("job %s: %d runs", name, p.sweep.Len()))
	return true, nil
}

func (w *worker) load(ctx context.Context, name string, text []byte) (p prepared, err error) {
	p.name = name
	if p.job, err = decodeJob(text, name); err != nil {
		return p, err
	}
	if p.job.Release != w.Release {
		return p, fmt.Errorf("the job is of copaflash %s, and this worker of copaflash %s", p.job.Release, w.Release)
	}
	if p.sweep, err = p.job.bind(w.Device); err != nil {
		return p, err
	}
	rows, err := p.job.known(ctx, w.Device, p.sweep)
	if err != nil {
		return p, err
	}
	for i, run := range knownRuns(p.sweep.Len()) {
		if i >= len(p.job.Known) || !bytes.Equal(rows[i], p.job.Known[i]) {
			return p, fmt.Errorf("run %d has other bits here than at the collector", run)
		}
	}
	p.workers, err = pool.New(ctx, w.Device, p.sweep.Program, w.Workers)
	return p, err
}

// leave gives up the job that is prepared.
func (w *worker) leave() {
	if w.current.workers != nil {
		w.current.workers.Close()
	}
	w.current = prepared{}
}

// do computes a chunk, stores its result, and only then takes it off the queue.
func (w *worker) do(ctx context.Context, m jetstream.Msg, lease time.Duration) error {
	p := &w.current
	chunk, err := strconv.Atoi(lastToken(m.Subject()))
	if err != nil || chunk < 0 || chunk >= p.job.chunks(p.sweep.Len()) {
		return m.Term()
	}
	stop := w.renew(m, lease)
	defer stop()
	first, n := p.job.span(p.sweep.Len(), chunk)
	rows := make([]byte, 0, n*p.sweep.Width())
	err = p.sweep.Each(ctx, p.workers, first, n, false, func(c sweep.Chunk) error {
		rows = append(rows, c.Rows...)
		return nil
	})
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), m.Nak()) // others go on at once
	}
	id := strconv.Itoa(chunk)
	r := &nats.Msg{Subject: resultSubject(p.name, id), Data: rows, Header: nats.Header{headerWorker: {w.Name}}}
	if err != nil {
		r.Data = nil
		r.Header.Set(headerError, strings.Join(strings.Fields(err.Error()), " "))
	}
	if err := publish(ctx, w.conn.js, r, "result-"+p.name+"-"+id); err != nil {
		return err
	}
	// If this gets lost the chunk is computed again, and its second result refused.
	return m.Ack()
}

// renew keeps the lease of a chunk while it is computed.
func (w *worker) renew(m jetstream.Msg, lease time.Duration) (stop func()) {
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(lease / 3)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				_ = m.InProgress() // a lease that ran out costs a chunk computed twice
			}
		}
	}()
	return func() { close(done) }
}
