package timing

import (
	"math"
	"sort"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Recorder gathers the times of runs, of any number, in memory that does not grow with it:
// the first ones as they are, all of them in classes of 0.1 % once there are more. The zero
// Recorder is ready for use.
type Recorder struct {
	few     []time.Duration         // while there are at most exact
	classes *hdrhistogram.Histogram // of more
	count   int64
	total   float64
	lo, hi  time.Duration
}

// exact is how many times are kept one by one: 32 KB.
const exact = 4096

// Add takes the time of one run.
func (r *Recorder) Add(t time.Duration) {
	if r.count == 0 {
		r.lo, r.hi = t, t
	}
	r.count++
	r.total += float64(t)
	r.lo, r.hi = min(r.lo, t), max(r.hi, t)
	if r.count <= exact {
		r.few = append(r.few, t)
		return
	}
	if r.classes == nil {
		r.classes = classesOf(r.few)
		r.few = nil
	}
	record(r.classes, t)
}

func classesOf(times []time.Duration) *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, longest, digits)
	for _, t := range times {
		record(h, t)
	}
	return h
}

// record counts a time; one outside of the range is counted at its end.
func record(h *hdrhistogram.Histogram, t time.Duration) {
	_ = h.RecordValue(min(max(int64(t), 1), longest))
}

// Summary sums up what was added so far; of nothing, it is the zero Summary.
func (r *Recorder) Summary() Summary {
	if r.count == 0 {
		return Summary{}
	}
	s := Summary{Runs: int(r.count), Min: int64(r.lo), Mean: r.total / float64(r.count), Max: int64(r.hi)}
	h := r.classes
	if h == nil {
		h = classesOf(r.few)
	}
	// A percentile is the upper end of a class of the histogram, which may lie
	// a little beyond the longest time.
	s.P50 = min(h.ValueAtQuantile(50), s.Max)
	s.P99 = min(h.ValueAtQuantile(99), s.Max)
	s.Histogram = emptyBuckets(s.Min, s.Max)
	for _, t := range r.few {
		s.count(int64(t), 1)
	}
	if r.classes != nil {
		for _, bar := range h.Distribution() {
			if bar.Count > 0 {
				s.count(min(max(bar.From+(bar.To-bar.From)/2, s.Min), s.Max), bar.Count)
			}
		}
	}
	return s
}

// emptyBuckets reach from lo to hi.
func emptyBuckets(lo, hi int64) []Bucket {
	if hi/spread > max(lo, 1) {
		return equalRatios(lo, hi)
	}
	width := (hi-lo)/buckets + 1
	out := make([]Bucket, (hi-lo)/width+1)
	for i := range out {
		out[i].From = lo + int64(i)*width
		out[i].To = out[i].From + width
	}
	return out
}

// equalRatios are buckets whose ends have the same ratio, but for rounding to 1 ns.
func equalRatios(lo, hi int64) []Bucket {
	first, from := float64(max(lo, 1)), lo
	var out []Bucket
	for i := 1; i <= buckets; i++ {
		to := int64(first * math.Pow(float64(hi)/first, float64(i)/buckets))
		if i == buckets {
			to = hi + 1
		}
		if to > from {
			out = append(out, Bucket{From: from, To: to})
			from = to
		}
	}
	return out
}

// count adds n runs of a time from Min to Max to the histogram.
func (s *Summary) count(t, n int64) {
	i := sort.Search(len(s.Histogram)-1, func(i int) bool { return t < s.Histogram[i].To })
	s.Histogram[i].Count += n
}
