package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/copaflash/copaflash/compiler/sweep"
)

// Collection says how to collect a job.
type Collection struct {
	Server  Server
	Job     *Job
	Lease   time.Duration // 0: DefaultLease
	Discard bool          // what an earlier collector of the same job left, instead of going on with it
	Note    func(text string)
	Done    func(sweep.Chunk) error // told of the chunks in the order of the runs
}

// Collect queues the chunks of a job that have no results yet and waits for all results.
// After an error of a run it deletes the job; when ctx ends it leaves it to a later collector.
func (s *Collection) Collect(ctx context.Context, bound *sweep.Sweep) error {
	text, name, err := s.Job.encode()
	if err != nil {
		return err
	}
	c := collector{Collection: s, name: name, runs: bound.Len(), width: bound.Width(), waiting: map[int][]byte{}}
	c.chunks = s.Job.chunks(c.runs)
	if c.conn, err = connect(ctx, s.Server, "copaflash sweep", s.Note); err != nil {
		return err
	}
	defer c.conn.Close()
	if most := c.conn.MaxPayload(); int64(len(text)) > most {
		return &Error{Message: fmt.Sprintf("the program's graph has %d bytes, more than the %d that the server takes in a message", len(text), most),
			Next: "raise max_payload in the settings of the server"}
	}
	if s.Discard {
		c.remove(ctx, workStream(name), resultStream(name))
	}
	if err := c.prepare(ctx, text); err != nil {
		return err
	}
	err = c.run(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// What failed here, such as writing a file, may be mended: the next collector goes on.
	if run := (*RunError)(nil); err == nil || errors.As(err, &run) {
		c.remove(context.WithoutCancel(ctx), workStream(name), resultStream(name))
	}
	if errors.Is(err, errEnded) {
		// Nobody would get that chunk again: the next collector queues it anew.
		c.remove(context.WithoutCancel(ctx), workStream(name))
	}
	return err
}

// errEnded is what became of the workers of a chunk.
var errEnded = errors.New("each has ended or lost its connection")

// RunError is that of a run on a worker, which any other would have, too.
type RunError struct{ Text, Worker string }

func (e *RunError) Error() string { return e.Text + " (at " + e.Worker + ")" }

type collector struct {
	*Collection
	conn        *connection
	name        string
	runs, width int
	chunks      int
	results     jetstream.Stream
	next        int            // chunk that is handed over next
	waiting     map[int][]byte // rows of chunks behind it
}

// create makes a stream with three replicas, or where there are not so many servers with one.
func (c *collector) create(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	cfg.Storage, cfg.MaxAge = jetstream.FileStorage, keepJobs
	cfg.MaxMsgsPerSubject, cfg.Discard, cfg.DiscardNewPerSubject = 1, jetstream.DiscardNew, true
	cfg.Duplicates = 2 * time.Minute
	if there, err := c.conn.js.Stream(ctx, cfg.Name); err == nil {
		return there, nil // an earlier collector's
	}
	var err error
	for _, cfg.Replicas = range []int{3, 1} {
		var s jetstream.Stream
		if s, err = c.conn.js.CreateStream(ctx, cfg); err == nil {
			return s, nil
		}
	}
	return nil, &Error{"the server does not make a stream", "the account must allow two streams, and there must be room on the server's disk", err}
}

// prepare makes the streams of the job, or finds them.
func (c *collector) prepare(ctx context.Context, text []byte) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var err error
	c.results, err = c.create(limited, jetstream.StreamConfig{Name: resultStream(c.name), Subjects: []string{jobSubject(c.name), resultSubject(c.name, "*")}})
	if err != nil {
		return err
	}
	// The job is there before any work: workers look for work first.
	if err := publish(ctx, c.conn.js, &nats.Msg{Subject: jobSubject(c.name), Data: text}, "job-"+c.name); err != nil {
		return err
	}
	work, err := c.create(limited, jetstream.StreamConfig{Name: workStream(c.name), Subjects: []string{workSubject(c.name, "*")}, Retention: jetstream.WorkQueuePolicy})
	if err != nil {
		return err
	}
	lease := c.Lease
	if lease == 0 {
		lease = DefaultLease
	}
	_, err = work.CreateOrUpdateConsumer(limited, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxDeliver: maxTries, MaxAckPending: -1,
	})
	if err != nil {
		return &Error{"the server makes no consumer of the work", "see what the server's log says", err}
	}
	return nil
}

const consumerName = "workers"

// queue publishes the chunks that have no result yet.
func (c *collector) queue(ctx context.Context) error {
	info, err := c.results.Info(ctx, jetstream.WithSubjectFilter(resultSubject(c.name, "*")))
	if err != nil {
		return &Error{"the server does not tell which results there are", "start the command again: it goes on where this one ended", err}
	}
	if n := len(info.State.Subjects); n > 0 {
		c.Note(fmt.Sprintf("an earlier command has left the results of %d of %d chunks: going on from there", n, c.chunks))
	}
	for i := range c.chunks {
		chunk := strconv.Itoa(i)
		if _, done := info.State.Subjects[resultSubject(c.name, chunk)]; done {
			continue
		}
		if err := publish(ctx, c.conn.js, &nats.Msg{Subject: workSubject(c.name, chunk)}, "work-"+c.name+"-"+chunk); err != nil {
			return err
		}
	}
	return nil
}

// run hands over results until there are all.
func (c *collector) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if err := c.listen(stop); err != nil {
		return err
	}
	go func() {
		if err := c.queue(ctx); err != nil {
			stop(err)
		}
	}()
	results, err := c.conn.js.OrderedConsumer(ctx, resultStream(c.name), jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultSubject(c.name, "*")}})
	if err != nil {
		return c.lost(ctx, err)
	}
	iter, err := results.Messages()
	if err != nil {
		return c.lost(ctx, err)
	}
	defer iter.Stop()
	defer context.AfterFunc(ctx, iter.Stop)()
	silent := time.AfterFunc(silence, func() {
		c.Note("no worker has sent a result yet; start one on any machine with: copaflash sweep worker --nats " + Redacted(c.Server.URL))
	})
	defer silent.Stop()
	for c.next < c.chunks {
		m, err := iter.Next()
		if err != nil {
			return c.lost(ctx, err)
		}
		silent.Stop()
		if err := c.take(m); err != nil {
			return err
		}
	}
	return nil
}

// silence is when a collector says that nobody works for it.
const silence = 5 * time.Second

// lost is why there are no more results.
func (c *collector) lost(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return &Error{"the results of the sweep cannot be read any more", "another collector of the same sweep may have ended it; start the command again", err}
}

// take keeps a result and hands over all that are next.
func (c *collector) take(m jetstream.Msg) error {
	chunk, err := strconv.Atoi(lastToken(m.Subject()))
	if err != nil || chunk < 0 || chunk >= c.chunks {
		return nil // not of a worker of ours
	}
	if _, twice := c.waiting[chunk]; twice || chunk < c.next {
		return nil
	}
	if why := m.Headers().Get(headerError); why != "" {
		return &RunError{why, m.Headers().Get(headerWorker)}
	}
	if _, n := c.Job.span(c.runs, chunk); len(m.Data()) != n*c.width {
		return fmt.Errorf("the worker %s has sent %d bytes for chunk %d instead of %d", m.Headers().Get(headerWorker), len(m.Data()), chunk, n*c.width)
	}
	c.waiting[chunk] = m.Data()
	for rows, ok := c.waiting[c.next]; ok; rows, ok = c.waiting[c.next] {
		delete(c.waiting, c.next)
		first, n := c.Job.span(c.runs, c.next)
		c.next++
		if err := c.Done(sweep.Chunk{First: first, Len: n, Rows: rows}); err != nil {
			return err
		}
	}
	return nil
}

// listen hears of workers that refuse the job, and of chunks that nobody lived through.
func (c *collector) listen(stop context.CancelCauseFunc) error {
	told := map[string]bool{}
	_, err := c.conn.Subscribe(refusedSubject(c.name), func(m *nats.Msg) {
		if text := string(m.Data); !told[text] && len(told) < 20 {
			told[text] = true
			c.Note("a worker refuses: " + text)
		}
	})
	if err == nil {
		_, err = c.conn.Subscribe("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES."+workStream(c.name)+"."+consumerName, func(*nats.Msg) {
			stop(&Error{fmt.Sprintf("%d workers in a row were given the same chunk, and there is no result", maxTries),
				"see what they say on their terminals; the same command goes on with the results that there are", errEnded})
		})
	}
	if err != nil {
		return &Error{"the server takes no subscription", "the user must be allowed to subscribe to " + root + ">", err}
	}
	return nil
}

// remove deletes streams of the job.
func (c *collector) remove(ctx context.Context, streams ...string) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, stream := range streams {
		if err := c.conn.js.DeleteStream(limited, stream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			c.Note("the stream " + stream + " is left on the server: " + err.Error())
		}
	}
}

// patience is how long a server may take for what is asked of it, the choice of a new leader included.
const patience = 30 * time.Second

// publish stores a message, with patience while servers start again or choose a leader. That there is one of
// its subject already is as good.
func publish(ctx context.Context, js jetstream.JetStream, m *nats.Msg, id string) error {
	end := time.Now().Add(patience)
	for {
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err := js.PublishMsg(limited, m, jetstream.WithMsgID(id))
		cancel()
		switch {
		case err == nil, strings.Contains(err.Error(), "maximum messages per subject"):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, nats.ErrMaxPayload), time.Now().After(end):
			return &Error{"the server does not store a message", "see what the server's log says; start the command again to go on", err}
		}
		time.Sleep(100 * time.Millisecond)
	}
}
