package session

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// Running returns the digest of the program whose loop runs there, nil if none does.
func (s *Session) Running(ctx context.Context) ([]byte, error) {
	if err := s.Decided(ctx); err != nil {
		return nil, err
	}
	r, err := s.Status(ctx)
	if err != nil || r.State != packet.StateTicking {
		return nil, err
	}
	return r.Digest, nil
}

// decision is how long Decided waits.
const decision = 3 * time.Second

// Decided waits until it is known which program a loop goes on with, if another host has asked for a swap and is gone, or for
// as long as that is worth waiting for.
func (s *Session) Decided(ctx context.Context) error {
	r, err := s.Status(ctx)
	if err != nil || r.State != packet.StateTicking {
		return err
	}
	l := s.strange(&packet.Image{})
	patience, cancel := context.WithTimeout(ctx, decision)
	defer cancel()
	_, err = l.poll(patience, 0, func(c *packet.LoopCounts) bool { return !onTrial(c) })
	if ctx.Err() == nil && patience.Err() != nil {
		return nil
	}
	return err
}

func onTrial(c *packet.LoopCounts) bool {
	return c.Swap == packet.SwapPending || c.Swap == packet.SwapTrial
}

// strange is a loop of which no more is known than its image.
func (s *Session) strange(m *packet.Image) *Loop {
	l := &Loop{s: s, image: m, unsure: true}
	s.looped.Store(true)
	l.length.Store(uint64(len(m.Data)) + uint64(m.BSS))
	l.note.Period, l.guessed = s.Info().TimerHz/1000, true
	return l
}

// AttachLoop takes over the loop that runs there, or the one that has ended last. m must be the image whose
// loop it is. It ends a capture that its host has left.
func (s *Session) AttachLoop(ctx context.Context, m *packet.Image) (*Loop, error) {
	return s.attachLoop(ctx, m, m.Digest())
}

// AttachStranger takes over the loop that runs there, or the one that has ended last, of a program that is not
// known here. It can be asked for its state, and stopped; nothing can be read or set.
func (s *Session) AttachStranger(ctx context.Context) (*Loop, error) {
	r, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	var digest [packet.DigestLength]byte
	copy(digest[:], r.Digest)
	return s.attachLoop(ctx, &packet.Image{}, digest)
}

func (s *Session) attachLoop(ctx context.Context, m *packet.Image, digest [packet.DigestLength]byte) (*Loop, error) {
	if err := s.canLoop(); err != nil {
		return nil, err
	}
	l := s.strange(m)
	r, err := l.counts(ctx)
	if err != nil {
		return nil, err
	}
	l.note.Start, l.note.Digest = r.Start, digest
	capacity := s.Info().LiveCapacity
	head, err := l.readLive(ctx, []Span{{Length: live.NoteLength}})
	if err != nil {
		return nil, err
	}
	n := live.ReadNote(head[0], capacity)
	if n == nil || n.Start != r.Start && n.Start != 0 {
		return l, nil
	}
	if n.Start == 0 { // it was written before the START, by a host that has not come to the end of it or that has stored it
		n.Start = r.Start
		if err := l.do(ctx, l.s.writeTo(&regionLive, []Piece{n.StartPiece()})...); err != nil {
			return nil, err
		}
	}
	if n.Digest != digest {
		if gone, err := l.goOver(ctx, n, digest); err != nil || !gone {
			return l, err
		}
		if !onTrial(&r.Counts) {
			if err := l.do(ctx, l.s.writeTo(&regionLive, []Piece{{Bytes: n.Append(nil)}})...); err != nil {
				return nil, err
			}
		}
	}
	l.guessed = false
	l.note, l.code, l.data = *n, n.Code, n.Data
	l.share(capacity)
	if n.Staged == l.staging[0].At {
		l.staged = 1
	}
	for _, place := range []uint32{n.Safe, n.Tasks} {
		if err := l.reserve(ctx, place, place == n.Tasks); err != nil {
			return nil, err
		}
	}
	if r.Counts.Capture == packet.CaptureArmed || r.Counts.Capture == packet.CaptureTriggered {
		if err := l.do(ctx, &step{request: &packet.CaptureRequest{}, reply: smallReply}); err != nil {
			return nil, err
		}
	}
	if onTrial(&r.Counts) {
		l.arena, l.lacking = nil, ErrOnTrial // the lists of the swap may lie anywhere
	}
	return l, nil
}

// goOver takes a note of before a swap for the program of that swap. It reports whether that is the one with this digest.
func (l *Loop) goOver(ctx context.Context, n *live.Note, digest [packet.DigestLength]byte) (bool, error) {
	capacity := l.s.Info().LiveCapacity
	if n.Next == 0 || uint64(n.Next)+live.NextLength > uint64(capacity) {
		return false, nil
	}
	next, err := l.readLive(ctx, []Span{{Offset: n.Next, Length: live.NextLength}})
	return err == nil && n.GoOver(next[0], digest, capacity), err
}

// reserve keeps the place of a list that a swap has left among what is free otherwise.
func (l *Loop) reserve(ctx context.Context, place uint32, tasks bool) error {
	if place < l.note.Free {
		return nil
	}
	capacity := l.s.Info().LiveCapacity
	head, err := l.readLive(ctx, []Span{{Offset: place, Length: 4}})
	if err != nil {
		return err
	}
	count := binary.LittleEndian.Uint32(head[0])
	length := 4 + 8*uint64(count)
	if uint64(place)+length > uint64(capacity) {
		l.arena = nil
		return nil
	}
	if !tasks {
		items, err := l.readLive(ctx, []Span{{Offset: place + 4, Length: int(8 * count)}})
		if err != nil {
			return err
		}
		for b := items[0]; len(b) >= 8; b = b[8:] {
			length += uint64(binary.LittleEndian.Uint32(b[4:]))
		}
	}
	if uint64(place)+length > uint64(capacity) {
		l.arena = nil
		return nil
	}
	if l.arena != nil {
		b := live.Block{At: place, Length: uint32(length)}
		l.arena.Reserve(b)
		l.swapped = append(l.swapped, b)
	}
	return nil
}
