package device

import (
	"math"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// bucketRange is the least time of a bucket and how many times belong into it.
func bucketRange(i int) (low, width uint64) {
	if i < packet.HistogramLinear {
		return uint64(i), 1
	}
	octave, at := (i-packet.HistogramLinear)/packet.HistogramOctave+1, (i-packet.HistogramLinear)%packet.HistogramOctave
	return uint64(packet.HistogramOctave+at) << octave, 1 << octave
}

// Figures are what a loop notes of one of its times, in counts of its timer.
type Figures struct {
	Min, Max uint32
	Total    uint64
}

// Note notes a time.
func (f *Figures) Note(v uint32, first bool) {
	if first || v < f.Min {
		f.Min = v
	}
	f.Max = max(f.Max, v)
	f.Total += uint64(v)
}

// Spread sums up the times of n ticks, of which histogram counts those of each bucket; it may be empty.
// length is the time of some counts.
func (f Figures) Spread(n uint32, histogram []uint32, length func(counts uint64) time.Duration) Spread {
	if n == 0 {
		return Spread{}
	}
	s := Spread{Min: length(uint64(f.Min)), Mean: length(f.Total / uint64(n)), Max: length(uint64(f.Max))}
	var all uint64
	for i, count := range histogram {
		if count > 0 {
			low, width := bucketRange(i)
			s.Buckets = append(s.Buckets, Bucket{Low: length(low), Width: length(low+width) - length(low), Count: uint64(count)})
			all += uint64(count)
		}
	}
	percentile := func(p float64) time.Duration {
		rank := max(uint64(math.Ceil(p*float64(all))), 1)
		for i, count := range histogram {
			if uint64(count) < rank {
				rank -= uint64(count)
				continue
			}
			// The middle of a bucket is at most 1.6 % off, and never beyond what was measured.
			low, width := bucketRange(i)
			middle := low + (width-1)/2
			if i == len(histogram)-1 && i < packet.HistogramBuckets-1 {
				middle = uint64(f.Max) // all that is beyond belongs here
			}
			return length(min(max(middle, uint64(f.Min)), uint64(f.Max)))
		}
		return 0
	}
	if all > 0 {
		s.P50, s.P99, s.P999 = percentile(0.5), percentile(0.99), percentile(0.999)
	}
	return s
}
