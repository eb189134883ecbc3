package transporttest

import (
	"bytes"
	"math/rand/v2"
)

// Faults says what goes wrong in one direction. Rates are probabilities from 0
// to 1; the same seed gives the same faults.
type Faults struct {
	Seed         uint64
	DropFrame    float64 // a frame vanishes with its delimiter
	CorruptFrame float64 // a byte of a frame is changed
	TruncFrame   float64 // a frame loses its end, delimiter included
	DropByte     float64 // a byte vanishes
	FlipBit      float64 // a bit of a byte is flipped
	Garbage      float64 // noise stands before a frame
	DoubleFrame  float64 // a frame arrives twice
	// Lose, if set, says for each frame from 0 whether it vanishes.
	Lose func(frame int) bool
}

// A spoiler applies faults to a stream of bytes.
type spoiler struct {
	Faults
	rng *rand.Rand
}

func newSpoiler(f Faults) *spoiler { return &spoiler{f, rand.New(rand.NewPCG(f.Seed, 0x5eed))} }

// pass returns what is left of p. A frame must lie in one call.
func (s *spoiler) pass(p []byte, t *Tally) []byte {
	var out []byte
	for len(p) > 0 {
		n := bytes.IndexByte(p, 0) + 1
		if n == 0 {
			n = len(p)
		}
		out = append(out, s.frame(bytes.Clone(p[:n]), t)...)
		p = p[n:]
	}
	return s.each(out, t)
}

func (s *spoiler) frame(f []byte, t *Tally) []byte {
	if len(f) < 2 {
		return f // a lone delimiter
	}
	number := t.Frames
	t.Frames++
	if s.Lose != nil && s.Lose(number) || s.hit(s.DropFrame) {
		t.Dropped++
		return nil
	}
	if s.hit(s.CorruptFrame) {
		t.Spoiled++
		f[s.rng.IntN(len(f)-1)] ^= byte(1 + s.rng.IntN(255))
	}
	if s.hit(s.TruncFrame) {
		t.Spoiled++
		f = f[:s.rng.IntN(len(f)-1)]
	}
	if s.hit(s.Garbage) {
		t.Spoiled++
		noise := make([]byte, 1+s.rng.IntN(40))
		for i := range noise {
			noise[i] = byte(s.rng.Uint32())
		}
		f = append(noise, f...)
	}
	if s.hit(s.DoubleFrame) {
		t.Doubled++
		f = append(f, f...)
	}
	return f
}

func (s *spoiler) each(p []byte, t *Tally) []byte {
	if s.DropByte == 0 && s.FlipBit == 0 {
		return p
	}
	kept := p[:0]
	for _, b := range p {
		if s.hit(s.DropByte) {
			t.Dropped++
			continue
		}
		if s.hit(s.FlipBit) {
			t.Spoiled++
			b ^= 1 << s.rng.IntN(8)
		}
		kept = append(kept, b)
	}
	return kept
}

func (s *spoiler) hit(rate float64) bool { return rate > 0 && s.rng.Float64() < rate }
