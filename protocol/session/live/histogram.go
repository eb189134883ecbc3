package live

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Histograms are three, of lateness, execution and slack.
const kinds = 3

// HistogramLength is the length of a block with so many buckets of each kind.
func HistogramLength(buckets int) int { return word + kinds*word*buckets }

// Bucket is the one that counts a time. Of histograms with n buckets the last one counts all that is beyond.
func Bucket(v uint32, n int) int { return min(packet.HistogramBucket(v), n-1) }

// Buckets is how many buckets there should be where times are hardly longer than longest and there is room for so many bytes:
// whole powers of two, 0 where not even times below 128 have room.
func Buckets(longest uint64, room int) int {
	const least = packet.HistogramLinear + packet.HistogramOctave
	n := least
	if longest >= 1<<32 {
		n = packet.HistogramBuckets
	}
	for n < packet.HistogramBuckets && Bucket(uint32(longest), packet.HistogramBuckets) >= n {
		n += packet.HistogramOctave
	}
	for n >= least && HistogramLength(n) > room {
		n -= packet.HistogramOctave
	}
	if n < least {
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
