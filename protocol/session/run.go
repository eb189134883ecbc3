package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// runnerLimit is the greatest limit that a runner sets itself when RUN names
// none (SPEC.md, RUN).
const runnerLimit = 10 * time.Second

// bytesReply is what a READ or SAMPLES answer has beside the bytes: header,
// checksum, map, code, status, key and length.
const bytesReply = packet.HeaderLength + packet.TrailerLength + 1 + 2 + 2 + 1 + 3

// A Run says what to run.
type Run struct {
	Entry  uint32        // index into Image.Entries
	Count  uint32        // runs, at least 1
	Period time.Duration // from start to start; 0: back to back
	Limit  time.Duration // for each run; 0: the runner's own
}

// Run runs a loaded image. Times in the answer are ticks of the runner's
// timer. It fails with a FaultError when the program faults or a run takes too
// long; the answer then tells of the runs before. When ctx is cancelled, the
// runner is stopped by the next request, after the run that is under way.
func (s *Session) Run(ctx context.Context, r Run) (packet.RunResponse, error) {
	period, err := micros("period", r.Period)
	if err != nil {
		return packet.RunResponse{}, err
	}
	limit, err := micros("limit", r.Limit)
	if err != nil {
		return packet.RunResponse{}, err
	}
	// Between two runs the runner hears whether somebody asks for it.
	each := r.Limit
	if each == 0 {
		each = runnerLimit
	}
	answer, err := s.call(ctx, &packet.RunRequest{Entry: r.Entry, Count: r.Count, Period: period, Limit: limit}, smallReply, each)
	if a, ok := answer.(*packet.RunResponse); ok {
		return *a, err
	}
	return packet.RunResponse{}, err
}

func micros(what string, d time.Duration) (uint32, error) {
	us := d.Microseconds()
	if us < 0 || us > math.MaxUint32 || us == 0 && d != 0 {
		return 0, fmt.Errorf("%s of %v: want 0, or 1 us to %v", what, d, time.Duration(math.MaxUint32)*time.Microsecond)
	}
	return uint32(us), nil
}

// Samples returns the ticks of single runs of the last Run, from the given
// one. The runner keeps the first Info().SampleCapacity of them.
func (s *Session) Samples(ctx context.Context, first, count uint32) ([]uint32, error) {
	samples := make([]uint32, 0, min(count, 1<<16))
	for count > 0 {
		n := min(count, uint32(s.room(bytesReply)/4))
		answer, err := s.call(ctx, &packet.SamplesRequest{First: first, Count: n}, bytesReply+4*int(n), 0)
		if err != nil {
			return samples, err
		}
		b := answer.(*packet.SamplesResponse).Bytes
		if len(b) != 4*int(n) {
			return samples, fmt.Errorf("samples: %d bytes for %d runs", len(b), n)
		}
		for ; len(b) > 0; b = b[4:] {
			samples = append(samples, binary.LittleEndian.Uint32(b))
		}
		first, count = first+n, count-n
	}
	return samples, nil
}

// room returns how many bytes fit a packet beside the given overhead.
func (s *Session) room(overhead int) int { return int(s.Info().MaxPacket) - overhead }

// Read returns length bytes of the program's data from offset.
func (s *Session) Read(ctx context.Context, offset uint32, length int) ([]byte, error) {
	data := make([]byte, 0, min(length, 1<<20))
	for len(data) < length {
		n := min(length-len(data), s.room(bytesReply))
		answer, err := s.call(ctx, &packet.ReadRequest{Offset: offset, Length: uint32(n)}, bytesReply+n, 0)
		if err != nil {
			return nil, err
		}
		b := answer.(*packet.ReadResponse).Bytes
		if len(b) != n {
			return nil, fmt.Errorf("read: %d bytes instead of %d", len(b), n)
		}
		data = append(data, b...)
		offset += uint32(n)
	}
	return data, nil
}

// writeExtra is what a WRITE has beside the bytes: header, checksum, map,
// code, offset, key and length.
const writeExtra = packet.HeaderLength + packet.TrailerLength + 1 + 2 + 6 + 1 + 3

// Write replaces bytes of the program's data from offset.
func (s *Session) Write(ctx context.Context, offset uint32, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), s.room(writeExtra))
		if _, err := s.call(ctx, &packet.WriteRequest{Offset: offset, Bytes: data[:n]}, smallReply, 0); err != nil {
			return err
		}
		data = data[n:]
		offset += uint32(n)
	}
	return nil
}

// Status returns the runner's state, its last fault and its link counters.
func (s *Session) Status(ctx context.Context) (packet.StatusResponse, error) {
	answer, err := s.call(ctx, &packet.StatusRequest{}, smallReply, 0)
	if a, ok := answer.(*packet.StatusResponse); ok {
		return *a, err
	}
	return packet.StatusResponse{}, err
}

// Drop unloads the program.
func (s *Session) Drop(ctx context.Context) error {
	_, err := s.call(ctx, &packet.DropRequest{}, smallReply, 0)
	return err
}
