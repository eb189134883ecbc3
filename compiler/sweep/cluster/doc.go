// Package cluster spreads the chunks of a sweep over workers on other machines, by way of a
// NATS server with JetStream.
//
// A job is a graph with its sweep. Its name is the digest of both, so that a collector that
// was interrupted finds its job again. Each job has two streams:
//
//	copaflash-JOB-work     copaflash.sweep.JOB.work.CHUNK     a work queue: one empty message for each chunk
//	copaflash-JOB-results  copaflash.sweep.JOB.job            the Job
//	                       copaflash.sweep.JOB.result.CHUNK   the rows of a chunk, or why there are none
//
// A stream takes one message for each subject and refuses a second one, so a chunk is queued
// once, and has one result, however often it was computed. A worker leases a chunk and
// acknowledges it when its result is stored. If it ends before, the lease runs out and another
// one gets the chunk. The collector deletes both streams when it has all results.
//
// Graphs travel, never machine code: each worker compiles for itself, and computes a few
// runs that the collector knows before it takes any.
package cluster

import "time"

// Times of jobs and leases.
const (
	DefaultLease = 10 * time.Second   // a worker that is silent so long has lost its chunk
	keepJobs     = 7 * 24 * time.Hour // how long streams hold what an interrupted collector left, and work may wait
	maxTries     = 10                 // workers that may end over one chunk
)

// Error is what is wrong with servers or workers, with the next step.
type Error struct {
	Message, Next string
	Err           error // may be nil
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint is the next step.
func (e *Error) Hint() string { return e.Next }
