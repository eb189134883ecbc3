package model

import (
	"encoding/binary"
	"math"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A loop is one in which no tick ever comes: what a runner must answer about it.
type loop struct {
	known  bool // there has been one since BEGIN
	begun  uint64
	end    packet.LoopEnd
	staged bool
	safe   uint32
}

// A beside is what is loaded beside the program of the loop.
type beside struct {
	image
	state packet.State
}

// loading tells what BEGIN, CHUNK, SEAL and DROP are about, and its state.
func (r *Runner) loading() (*image, *packet.State) {
	if r.state == packet.StateTicking {
		return &r.beside.image, &r.beside.state
	}
	return &r.image, &r.state
}

// place finds room of so many bytes in a memory in which a running program has some.
func place(capacity, at, used uint32, n uint64) (where, room uint32) {
	if n <= uint64(at) {
		return 0, capacity
	}
	where = min((at+used+63)&^63, capacity)
	return where, capacity - where
}

// list returns the bytes that a list names and where they lie in live memory, which is behind it; ok is false if it is not valid.
func (r *Runner) list(at uint32) (spans [][2]uint32, values uint32, ok bool) {
	word := func(at uint64) (uint32, bool) {
		if at%4 != 0 || at+4 > uint64(len(r.live)) {
			return 0, false
		}
		return binary.LittleEndian.Uint32(r.live[at:]), true
	}
	count, ok := word(uint64(at))
	if !ok || uint64(at)+4+8*uint64(count) > uint64(len(r.live)) {
		return nil, 0, false
	}
	behind := uint64(at) + 4 + 8*uint64(count)
	place := behind
	for i := range uint64(count) {
		offset, _ := word(uint64(at) + 4 + 8*i)
		n, _ := word(uint64(at) + 8 + 8*i)
		if offset%4 != 0 || n%4 != 0 || !within(offset, n, r.dataLength()) || place+uint64(n) > uint64(len(r.live)) {
			return nil, 0, false
		}
		spans = append(spans, [2]uint32{offset, n})
		place += uint64(n)
	}
	return spans, uint32(behind), true
}

func (r *Runner) startLoop(q *packet.StartRequest) (packet.Status, []any) {
	const most = 1 << 40
	if r.state != packet.StateReady {
		return packet.StatusBadState, nil
	}
	r.loop = loop{begun: r.now + r.TimerHz>>9, safe: q.Safe}
	if q.Period == 0 || q.Period|q.Limit|q.Silence >= most {
		return packet.StatusBadLength, nil
	}
	if len(q.Tasks)%2 != 0 || len(q.Tasks) == 0 || len(q.Tasks) > 2*packet.MaxEntries {
		return packet.StatusBadLength, nil
	}
	for i := 0; i < len(q.Tasks); i += 2 {
		switch {
		case q.Tasks[i] >= uint32(len(r.image.Entries)):
			return packet.StatusOutOfRange, nil
		case q.Tasks[i+1] == 0:
			return packet.StatusBadLength, nil
		}
	}
	if _, _, ok := r.list(q.Safe); q.Safe != 0 && !ok {
		return packet.StatusOutOfRange, nil
	}
	if h := q.Histograms; h != 0 {
		if h%4 != 0 || uint64(h)+4 > uint64(len(r.live)) {
			return packet.StatusOutOfRange, nil
		}
		bytes := 12 * uint64(binary.LittleEndian.Uint32(r.live[h:]))
		if bytes == 0 || bytes > math.MaxUint32 || uint64(h)+4+bytes > uint64(len(r.live)) {
			return packet.StatusOutOfRange, nil
		}
		clear(r.live[h+4:][:bytes])
	}
	if r.dataLength() >= 4 {
		clear(r.data[r.image.dataAt:][:4])
	}
	r.loop.known = true
	r.fault = nil
	r.beside.state = packet.StateIdle // the first error of a CHUNK is told once, until there is a BEGIN
	r.state = packet.StateTicking
	return packet.StatusOK, []any{2, r.loop.begun}
}

func (r *Runner) stopLoop() (packet.Status, []any) {
	if r.state == packet.StateTicking {
		r.state = packet.StateReady
		r.loop.end = packet.LoopEndStopped
		if r.loop.safe != 0 {
			r.scatter(r.loop.safe)
		}
	}
	return r.liveAnswer()
}

// scatter gives variables the values behind a list, if that is still valid.
func (r *Runner) scatter(at uint32) {
	spans, values, _ := r.list(at)
	for _, s := range spans {
		copy(r.data[r.image.dataAt+s[0]:][:s[1]], r.live[values:])
		values += s[1]
	}
}

func (r *Runner) liveAnswer() (packet.Status, []any) {
	if !r.loop.known {
		return packet.StatusBadState, nil
	}
	counts := []any{r.loop.end, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	return packet.StatusOK, []any{2, counts, 3, r.loop.begun, 4, make([]byte, 48), 5, 0}
}

func (r *Runner) apply(q *packet.ApplyRequest) (packet.Status, []any) {
	switch _, _, ok := r.list(q.List); {
	case r.state != packet.StateTicking:
		return packet.StatusBadState, nil
	case r.loop.staged:
		return packet.StatusBusy, nil
	case !ok:
		return packet.StatusOutOfRange, nil
	}
	r.loop.staged = q.List != 0
	return packet.StatusOK, []any{2, 0}
}
