package session

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// A Call is one use of a loaded program: bytes are written, it is run, and bytes
// are read. All of it is sent at once where that is safe, and takes one round trip
// of the line then.
type Call struct {
	Writes  []Piece // in this order
	Run     Run     // Count 0: none
	Samples uint32  // how many runs' ticks to read, from the first
	Reads   []Span
}

// A Piece is bytes of the program's data and where they lie.
type Piece = live.Piece

// A Span is a place in the program's data.
type Span = live.Span

// A Result is what came of a Call.
type Result struct {
	// Run is the answer to RUN. If it was lost and the run was a single one, its
	// ticks are taken from its sample, so that they are 2^32-1 at most.
	Run     packet.RunResponse
	Samples []uint32
	Data    [][]byte // of the Reads
}

// program is what is known about the program on the runner; the zero value knows nothing.
type program struct {
	digest  []byte
	code    uint64 // bytes
	data    uint64 // bytes of the data block
	entries int
}

// Call carries out c. It fails with a FaultError when the program faults or a run
// takes too long; the result's Run then tells of the runs before, and Data
// is empty. When ctx is cancelled, the runner is stopped by the next request,
// after the run that is under way.
func (s *Session) Call(ctx context.Context, c Call) (Result, error) {
	var run *step
	if c.Run.Count > 0 {
		var err error
		if run, err = s.runStep(c.Run); err != nil {
			return Result{}, err
		}
	}
	var result Result
	err := s.exclusive(ctx, func() error {
		result = Result{}
		return s.carryOut(ctx, &c, run, &result)
	})
	return result, err
}

// carryOut carries out a call in an open session.
//
// Steps behind a RUN may be sent together with it only if nothing that they would
// need to know can be lost. A WRITE whose answer is lost was carried out, and could
// only have been refused for a place outside of the data block, which is
// checked here for programs that this session has loaded. Of a RUN whose answer
// is lost, STATUS tells whether it faulted. A READ can be repeated.
func (s *Session) carryOut(ctx context.Context, c *Call, run *step, result *Result) error {
	if err := s.checkSamples(0, c.Samples); err != nil {
		return err
	}
	writes := s.writeSteps(c.Writes)
	queries := append(s.sampleSteps(0, c.Samples), s.readSteps(c.Reads)...)
	switch {
	case run == nil:
		if err := s.insist(ctx, append(writes, queries...)); err != nil {
			return err
		}
	case !s.knows(c):
		if err := s.insist(ctx, writes); err != nil {
			return err
		}
		if err := s.insist(ctx, []*step{run}); err != nil {
			return result.ran(run, s.Info().TimerHz)
		}
	default:
		all := append(append(writes, run), queries...)
		if err := s.series(ctx, s.opt.Timeout, all...); err != nil {
			return err
		}
		if err := firstRefusal(writes); err != nil {
			return err
		}
		if run.lost() {
			if err := s.recoverRun(ctx, run); err != nil {
				return err
			}
		}
	}
	if run != nil {
		if err := result.ran(run, s.Info().TimerHz); err != nil {
			return err
		}
	}
	if err := s.insist(ctx, queries); err != nil {
		return err
	}
	result.collect(c.Reads, queries)
	return nil
}

// knows reports whether the program is one that this session has loaded, and the
// call lies within it.
func (s *Session) knows(c *Call) bool {
	for _, w := range c.Writes {
		if uint64(w.Offset)+uint64(len(w.Bytes)) > s.program.data {
			return false
		}
	}
	return s.program.digest != nil && int64(c.Run.Entry) < int64(s.program.entries)
}

// ran takes the answer to RUN of a runner whose timer has so many counts a second.
func (r *Result) ran(run *step, hz uint64) error {
	if a, ok := run.answer.(*packet.RunResponse); ok {
		r.Run = *a
	}
	var refused *RemoteError
	if run.run.Period != 0 && errors.As(run.err, &refused) && refused.Status == packet.StatusBadLength {
		period, _ := counts(run.run.Period, hz)
		return &PeriodError{Period: period, Hz: hz}
	}
	return run.err
}

// recoverRun finds out what a single run has come to whose answer was lost. It was
// started, since a step behind it was carried out and the program is known. A
// fault would have left the runner faulted.
func (s *Session) recoverRun(ctx context.Context, run *step) error {
	status := &step{request: &packet.StatusRequest{}, reply: smallReply}
	steps := append([]*step{status}, s.sampleSteps(0, min(1, s.Info().SampleCapacity))...)
	if s.program.data >= stickyLength {
		steps = append(steps, s.readSteps([]Span{{Length: stickyLength}})...)
	}
	if err := s.insist(ctx, steps[:1]); err != nil {
		return err
	}
	st := status.answer.(*packet.StatusResponse)
	switch {
	case st.State == packet.StateReady:
	case st.State == packet.StateFaulted && st.Fault != nil:
		run.answer = &packet.RunResponse{Status: packet.StatusFault, Fault: st.Fault}
		run.err = refusal(run.answer)
		return nil
	default:
		run.err = &RemoteError{Op: packet.MsgRun, Status: packet.StatusBadState}
		return nil
	}
	if err := s.insist(ctx, steps[1:]); err != nil {
		return err
	}
	answer := &packet.RunResponse{Runs: 1}
	for _, q := range steps[1:] {
		word := binary.LittleEndian.Uint32(q.answer.(*packet.ReadResponse).Bytes)
		if q.ofSamples() {
			answer.Total, answer.Min, answer.Max = uint64(word), uint64(word), uint64(word)
		} else {
			answer.Sticky = word
		}
	}
	run.answer = answer
	return nil
}

// stickyLength is that of the sticky arithmetic flags, with which the data block begins.
const stickyLength = 4

// runStep returns the step of a run. Behind several runs nothing is sent: between
// them the runner drops what it receives. During a single one that stays in
// the runner's queue.
func (s *Session) runStep(r Run) (*step, error) {
	if err := checkTime("period", r.Period); err != nil {
		return nil, err
	}
	if err := checkTime("limit", r.Limit); err != nil {
		return nil, err
	}
	if r.Limit > runnerLimit {
		return nil, &LimitError{r.Limit}
	}
	// Between two runs the runner hears whether somebody asks for it.
	each := r.Limit
	if each == 0 {
		each = runnerLimit
	}
	st := &step{
		request: &packet.RunRequest{}, run: &r, // the times of the request are known when the runner is
		reply: smallReply, work: each, alone: r.Count != 1,
		span: times(r.Count, max(each, r.Period)),
	}
	st.mortal = st.alone && !r.Stay
	return st, nil
}

// silence is how long a runner may hear nothing before it ends several runs: its host, which gives up after its own patience,
// repeats its question at least four times in that, and one of them gets through a good line.
func (s *Session) silence(st *step, limit time.Duration) time.Duration {
	q := question{bytes: len(st.frame) + len(s.knock) + st.reply, limit: limit, work: st.work, several: true}
	patience, _ := s.timing.patience(&q)
	first := s.timing.wait(q.bytes)
	silence := longestPause(first, patience)*pausesInPatience + first
	return min(max(silence, minSilence), maxSilence)
}

const (
	minSilence = 2 * time.Second
	maxSilence = math.MaxUint32 * time.Microsecond // that RUN of every version can state
)

// times is a product, or the longest time there is.
func times(n uint32, d time.Duration) time.Duration {
	if d > 0 && time.Duration(n) > math.MaxInt64/renewals/d {
		return math.MaxInt64 / renewals
	}
	return time.Duration(n) * d
}

// room returns how many bytes fit a packet beside the given overhead.
func (s *Session) room(overhead int) int { return int(s.Info().MaxPacket) - overhead }

// bytesReply is what an answer to READ has beside the bytes: header,
// checksum, map, code, status, key and length; and the tick while a loop runs.
const bytesReply = packet.HeaderLength + packet.TrailerLength + 1 + 2 + 2 + 1 + 3 + 6

// writeExtra is what a WRITE has beside the bytes: header, checksum, map,
// code, offset, key, length and region.
const writeExtra = packet.HeaderLength + packet.TrailerLength + 1 + 2 + 6 + 1 + 3 + 2

// What requests for live memory and for samples name.
var regionLive, regionSamples = packet.RegionLive, packet.RegionSamples

func (s *Session) writeSteps(pieces []Piece) []*step { return s.writeTo(nil, pieces) }

func (s *Session) writeTo(region *packet.Region, pieces []Piece) []*step {
	var steps []*step
	for _, p := range pieces {
		for len(p.Bytes) > 0 {
			n := min(len(p.Bytes), s.room(writeExtra))
			steps = append(steps, &step{request: &packet.WriteRequest{Offset: p.Offset, Bytes: p.Bytes[:n], Region: region}, reply: smallReply})
			p.Bytes = p.Bytes[n:]
			p.Offset += uint32(n)
		}
	}
	return steps
}

func (s *Session) readSteps(spans []Span) []*step { return s.readFrom(nil, spans) }

func (s *Session) readFrom(region *packet.Region, spans []Span) []*step {
	var steps []*step
	for _, p := range spans {
		for p.Length > 0 {
			n := min(p.Length, s.room(bytesReply))
			steps = append(steps, &step{request: &packet.ReadRequest{Offset: p.Offset, Length: uint32(n), Region: region}, reply: bytesReply + n})
			p.Offset += uint32(n)
			p.Length -= n
		}
	}
	return steps
}

// fetch reads a span of a region; it is called within exclusive.
func (s *Session) fetch(ctx context.Context, region *packet.Region, p Span) ([]byte, error) {
	spans := []Span{p}
	steps := s.readFrom(region, spans)
	if err := s.insist(ctx, steps); err != nil {
		return nil, err
	}
	var r Result
	r.collect(spans, steps)
	return r.Data[0], nil
}

// sampleBytes is how many a sample has.
const sampleBytes = 4

// checkSamples refuses samples that the runner has no room for, whose places may not be numbers of 32 bits.
func (s *Session) checkSamples(first, count uint32) error {
	if uint64(first)+uint64(count) > min(uint64(s.Info().SampleCapacity), math.MaxUint32/sampleBytes) {
		return &RemoteError{Op: packet.MsgRead, Status: packet.StatusOutOfRange}
	}
	return nil
}

// sampleSteps reads samples that were checked, whole ones with each step.
func (s *Session) sampleSteps(first, count uint32) []*step {
	var steps []*step
	for count > 0 {
		n := min(count, uint32(s.room(bytesReply)/sampleBytes))
		length := n * sampleBytes
		steps = append(steps, &step{
			request: &packet.ReadRequest{Offset: first * sampleBytes, Length: length, Region: &regionSamples}, reply: bytesReply + int(length),
		})
		first, count = first+n, count-n
	}
	return steps
}

// ofSamples reports whether a step is one of sampleSteps.
func (st *step) ofSamples() bool {
	q, ok := st.request.(*packet.ReadRequest)
	return ok && q.Region == &regionSamples
}

// collect takes the answers to READs of samples, and of the spans, which are all there.
func (r *Result) collect(spans []Span, queries []*step) {
	r.Data = make([][]byte, len(spans))
	at := 0 // in spans
	for _, q := range queries {
		b := q.answer.(*packet.ReadResponse).Bytes
		if q.ofSamples() {
			for ; len(b) > 0; b = b[sampleBytes:] {
				r.Samples = append(r.Samples, binary.LittleEndian.Uint32(b))
			}
			continue
		}
		for len(r.Data[at]) == spans[at].Length {
			at++
		}
		r.Data[at] = append(r.Data[at], b...)
	}
}
