package device

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pieces are what a data block would hold that began empty.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var s Pieces
		var block, set [64]byte
		for range 12 {
			at, n := rng.IntN(60), rng.IntN(12)
			w := Piece{Offset: uint32(at), Bytes: make([]byte, min(n, len(block)-at))}
			for i := range w.Bytes {
				w.Bytes[i] = byte(1 + rng.IntN(255))
				set[at+i] = 1
			}
			copy(block[at:], w.Bytes)
			s.Note(w)
			clear(w.Bytes) // it was copied
		}
		var got, known [64]byte
		for i, w := range s {
			copy(got[w.Offset:], w.Bytes)
			for k := range w.Bytes {
				known[int(w.Offset)+k] = 1
			}
			if i > 0 {
				require.Greater(t, uint64(w.Offset), s[i-1].end(), "they do not touch")
			}
		}
		from, to := rng.IntN(65), rng.IntN(65)
		from, to = min(from, to), max(from, to)
		require.Equal(t, bytes.Count(set[from:to], []byte{1}) == to-from, s.Cover([]Span{{uint32(from), uint32(to - from)}}))
		require.Equal(t, block, got)
		require.Equal(t, set, known)
	}
}
