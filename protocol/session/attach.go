package session

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/live"
)

// Running returns the digest of the program whose loop runs there, nil if none does.
func (s *Session) Running(ctx context.Context) ([]byte, error) {
	r, err := s.Status(ctx)
	if err != nil || r.State != packet.StateTicking {
		return nil, err
	}
	return r.Digest, nil
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
	l := &Loop{s: s, image: m, unsure: true}
	s.looped.Store(true)
	l.length.Store(uint64(len(m.Data)) + uint64(m.BSS))
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
	if n == nil || n.Start != r.Start || !bytes.Equal(n.Digest[:], l.note.Digest[:]) {
		l.note.Period, l.guessed = s.Info().TimerHz/1000, true
		return l, nil
	}
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
	if r.Counts.Swap == packet.SwapPending || r.Counts.Swap == packet.SwapTrial {
		l.arena = nil // the lists of the swap may lie anywhere
	}
	return l, nil
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
