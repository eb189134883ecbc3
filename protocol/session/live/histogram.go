package live

import (
	"encoding/binary"
	"math/bits"
)

// Histograms are three, of lateness, execution and slack, with a bucket for each time below 64 and 32 for each
// power of two from there on (SPEC.md, histograms).
const (
	kinds      = 3
	linear     = 64
	perOctave  = 32
	maxBuckets = linear + 26*perOctave
)

// HistogramLength is the length of a block with so many buckets of each kind.
func HistogramLength(buckets int) int { return word + kinds*word*buckets }

// Bucket is the one that counts a time. Of histograms with n buckets the last one counts all that is beyond.
func Bucket(v uint32, n int) int {
	i := int(v)
	if v >= linear {
		e := 31 - bits.LeadingZeros32(v)
		i = linear + (e-6)*perOctave + int(v>>(e-5)&(perOctave-1))
	}
	return min(i, n-1)
}

// Buckets is how many buckets there should be where times are hardly longer than longest and there is room for so many bytes:
// whole powers of two, 0 where not even times below 128 have room.
func Buckets(longest uint64, room int) int {
	n := linear + perOctave
	if longest >= 1<<32 {
		n = maxBuckets
	}
	for n < maxBuckets && Bucket(uint32(longest), maxBuckets) >= n {
		n += perOctave
	}
	for n >= linear+perOctave && HistogramLength(n) > room {
		n -= perOctave
	}
	if n < linear+perOctave {
		return 0
	}
	return n
}

// Part is the part of a block that has counts of one kind between two times: its offset in the block, its length, and the first bucket.
func Part(kind, buckets int, low, high uint32) (offset, length, first int) {
	first = Bucket(low, buckets)
	last := max(Bucket(high, buckets), first)
	return word + (kind*buckets+first)*word, (last - first + 1) * word, first
}

// Counts adds the buckets in a part of a block to a histogram.
func Counts(histogram []uint32, first int, part []byte) {
	for i := 0; i+word <= len(part); i += word {
		histogram[first+i/word] = binary.LittleEndian.Uint32(part[i:])
	}
}
