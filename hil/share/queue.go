package share

import (
	"sync"

	"github.com/copaflash/copaflash/compiler/device"
)

// Bounds of what waits for a slow client.
const (
	queueRecords = 4096
	queueBytes   = 1 << 20
)

// queue holds records until their client takes them. When it is full the oldest make room, and the first one
// behind them tells how many they were.
type queue struct {
	mu      sync.Mutex
	records []device.Record
	bytes   int
	ended   bool
	lost    uint32 // after the last one
	err     error
	ready   chan struct{} // has a token when there is something to take
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// put never waits.
func (q *queue) put(r device.Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return
	}
	q.records, q.bytes = append(q.records, r), q.bytes+len(r.Data)
	drop := 0
	for len(q.records)-drop > queueRecords || q.bytes > queueBytes && drop < len(q.records)-1 {
		old := q.records[drop]
		q.bytes -= len(old.Data)
		drop++
		q.records[drop].Drops += old.Drops + 1
	}
	q.records = q.records[drop:]
	q.wake()
}

// end is the end of the stream, for a reason or without one; lost is how many records did not come after the last one.
func (q *queue) end(err error, lost uint32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		q.ended, q.err, q.lost = true, err, lost
		q.wake()
	}
}

// atOnce bounds the records of one message.
const atOnce = 256

// take gives what is there, at most atOnce records.
func (q *queue) take() (records []device.Record, ended bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.records), atOnce)
	records, q.records = q.records[:n:n], q.records[n:]
	for _, r := range records {
		q.bytes -= len(r.Data)
	}
	if len(q.records) > 0 || q.ended {
		q.wake()
	}
	return records, q.ended && len(q.records) == 0, q.err
}
