package session

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newStream returns a stream of n CHUNKs of 10 bytes of the image and 15 on
// the line.
func newStream(seq uint16, n, window int) *stream {
	return &stream{seq: seq, window: window, more: func(seq uint16) (*flight, error) {
		if n == 0 {
			return nil, nil
		}
		n--
		return &flight{seq: seq, bytes: 10, frame: make([]byte, 15)}, nil
	}}
}

// sendAll sends what may be sent and returns the sequence numbers.
func sendAll(t *testing.T, s *stream) []uint16 {
	var seqs []uint16
	for {
		f, err := s.next()
		require.NoError(t, err)
		if f == nil {
			return seqs
		}
		seqs = append(seqs, f.seq)
		s.sent(f)
	}
}

func TestStreamKeepsTheWindow(t *testing.T) {
	s := newStream(1, 100, 47)
	assert.Equal(t, []uint16{1, 2, 3}, sendAll(t, s))
	assert.NotNil(t, s.acknowledge(2, 0))
	assert.Equal(t, []uint16{4}, sendAll(t, s))
	s.window = 1000
	assert.Len(t, sendAll(t, s), 29, "32 sequence numbers, 2 to 33")
	s.window = 5
	assert.NotNil(t, s.acknowledge(34, 0))
	assert.Equal(t, []uint16{34}, sendAll(t, s), "one goes even so")
}

func TestStreamSendsAgainWhatLaterOnesPassed(t *testing.T) {
	s := newStream(1, 6, 1000)
	require.Len(t, sendAll(t, s), 6)
	assert.NotNil(t, s.acknowledge(2, 1<<0|1<<2), "1, 3, 5 arrived, 2 and 4 did not")
	assert.Equal(t, []uint16{2, 4}, sendAll(t, s), "6 may still be on its way")
	assert.NotNil(t, s.acknowledge(2, 1<<0|1<<2|1<<3), "6 arrived: 2 and 4 are behind it now")
	assert.Empty(t, sendAll(t, s))
	assert.NotNil(t, s.acknowledge(4, 1<<0|1<<1), "2 arrived: 4 follows")
	assert.Empty(t, sendAll(t, s))
	assert.NotNil(t, s.acknowledge(7, 0))
	assert.True(t, s.done())
	assert.Equal(t, 60, s.delivered)
	assert.Zero(t, s.underway)
	assert.Equal(t, 2, s.resent)
}

func TestStreamExpiry(t *testing.T) {
	s := newStream(1, 5, 1000)
	require.Len(t, sendAll(t, s), 5)
	s.expire()
	assert.Equal(t, []uint16{1}, sendAll(t, s), "the oldest goes again")
	assert.Equal(t, 15, s.underway)
	assert.NotNil(t, s.acknowledge(3, 1<<1), "the acknowledgement of 1, 2 and 5 was lost, and 3 and 4")
	assert.Equal(t, []uint16{3, 4}, sendAll(t, s))
	assert.NotNil(t, s.acknowledge(6, 0))
	assert.True(t, s.done())
}

// TestStreamOnASlowLine: time runs out, but nothing was lost.
func TestStreamOnASlowLine(t *testing.T) {
	s := newStream(1, 5, 1000)
	require.Len(t, sendAll(t, s), 5)
	s.expire()
	require.Equal(t, []uint16{1}, sendAll(t, s))
	assert.NotNil(t, s.acknowledge(2, 0), "of the first sending or of the second")
	assert.Empty(t, sendAll(t, s), "perhaps the others are still on their way")
	assert.NotNil(t, s.acknowledge(4, 0))
	s.expire()
	assert.Equal(t, []uint16{4, 5}, sendAll(t, s), "and now they are not")
	assert.NotNil(t, s.acknowledge(6, 0))
	assert.True(t, s.done())
	assert.Equal(t, 50, s.delivered)
	assert.Zero(t, s.underway)
}

func TestStreamIgnoresWhatWasNeverSent(t *testing.T) {
	s := newStream(100, 10, 1000)
	require.Len(t, sendAll(t, s), 10)
	for _, next := range []uint16{99, 111, 5000, 40000} {
		assert.Nil(t, s.acknowledge(next, 0xffffffff), "%d", next)
	}
	assert.Nil(t, s.acknowledge(100, 0))
	assert.Len(t, s.flights, 10)
}

// On any line that keeps the order and is not always bad, the stream comes to
// its end, with a bounded number of repetitions.
func TestStreamOnRandomLines(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(200)
		first := uint16(rng.Uint32())
		s := newStream(first, n, 15*(1+rng.IntN(40)))
		loss := rng.Float64() * 0.4
		received := map[uint16]bool{}
		next := first
		for steps := 0; !s.done(); steps++ {
			require.Less(t, steps, 100*n+1000, "seed %d", seed)
			if f, _ := s.next(); f != nil && rng.IntN(3) > 0 {
				s.sent(f)
				if rng.Float64() >= loss {
					received[f.seq] = true
				}
				continue
			}
			for received[next] {
				next++
			}
			var bitmap uint32
			for i := range uint16(32) {
				if received[next+1+i] {
					bitmap |= 1 << i
				}
			}
			if rng.Float64() >= loss {
				s.acknowledge(next, bitmap)
			}
			if rng.IntN(4) == 0 {
				s.expire()
			}
			require.GreaterOrEqual(t, s.underway, 0)
			require.True(t, slices.IsSortedFunc(s.flights, func(a, b *flight) int { return int(int16(a.seq - b.seq)) }))
		}
		assert.Equal(t, 10*n, s.delivered, "seed %d", seed)
		assert.Equal(t, first+uint16(n), next)
	}
}
