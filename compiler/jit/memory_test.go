package jit

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// special32 and special64 are bits beside which rules change.
var (
	special32 = []uint32{0, 1 << 31, 1, 0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fbfffff, 0x7fc00000, 0xffc12345, 0x7fffffff, 0xffffffff, 0x7f7fffff, 0x00800000}
	special64 = []uint64{0, 1 << 63, 1, 0x7ff << 52, 0xfff << 52, 0x7ff<<52 + 1, 0xfff<<52 + 1, 0x7ff8 << 48, 0xfff8<<48 + 7, 1<<63 - 1, math.MaxUint64, 0x7ff<<52 - 1,
		0x7f800001_7f800001, 0x7fffffff, 0xffffffff}
)

// TestMove: for each length and special value at each place, copies have the canonical bits of each
// element and nothing else has changed.
func TestMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dtype := range []graph.DType{graph.F32, graph.F64, graph.I32} {
		size := dtype.Size()
		special := special64
		if size == 4 {
			special = nil
			for _, w := range special32 {
				special = append(special, uint64(w))
			}
		}
		for n := 1; n <= 75; n++ {
			for place := range n {
				from, want := make([]byte, size*n), make([]byte, size*n+8)
				to := make([]byte, size*n+8)
				for i := range n {
					bits := uint64(rng.Uint32N(1 << 30)) // no NaN, in either size
					if i == place {
						bits = special[rng.IntN(len(special))]
					}
					put := func(to []byte, bits uint64) {
						if size == 8 {
							binary.LittleEndian.PutUint64(to, bits)
						} else {
							binary.LittleEndian.PutUint32(to, uint32(bits))
						}
					}
					put(from[size*i:], bits)
					put(want[size*i:], graph.Canonical(dtype, bits))
				}
				for i := range 8 {
					to[size*n+i], want[size*n+i] = 0xa5, 0xa5
				}
				move(dtype, to[:size*n], from)
				require.Equal(t, want, to, "%v, %d elements, at %d", dtype, n, place)
			}
		}
	}
}

// TestNaN: the two ways to look for one agree with the rule, for all of the bits that matter.
func TestNaN(t *testing.T) {
	for _, w := range special32 {
		for n := 1; n < 20; n++ {
			for place := range n {
				words := make([]uint32, n)
				words[place] = w
				got := hasNaN32(graph.AppendWords(nil, words...))
				x := math.Float32frombits(w)
				require.Equal(t, x != x, got, "%#x at %d of %d", w, place, n)
			}
		}
	}
	for _, w := range special64 {
		x := math.Float64frombits(w)
		require.Equal(t, x != x, hasNaN64(binary.LittleEndian.AppendUint64(make([]byte, 8), w)), "%#x", w)
	}
}

// BenchmarkMove is the time to move 1000 elements in, against that to copy them.
func BenchmarkMove(b *testing.B) {
	for _, dtype := range []graph.DType{graph.F32, graph.F64, graph.I32, graph.Bool} {
		b.Run(dtype.String(), func(b *testing.B) {
			from, to := make([]float64, 1000), make([]byte, 1000*dtype.Size())
			least := func(do func()) float64 {
				best := time.Duration(math.MaxInt64)
				for range 1000 {
					start := time.Now()
					for range 50 {
						do()
					}
					best = min(best, time.Since(start))
				}
				return float64(best.Nanoseconds()) / 50
			}
			for b.Loop() {
				ours := least(func() { store(dtype, to, unsafe.Pointer(&from[0])) })
				plain := least(func() { copy(to, unsafe.Slice((*byte)(unsafe.Pointer(&from[0])), len(to))) })
				b.ReportMetric(ours, "ns/1000")
				b.ReportMetric(plain, "copy-ns")
				b.ReportMetric(ours/plain, "ratio")
			}
		})
	}
}
