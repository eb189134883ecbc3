package timing

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"
)

// A Recorder gathers the times of runs, of any number, in memory that does not grow with it:
// the first ones as they are, all of them in classes of 0.1 % once there are more. The zero
// Recorder is ready for use.
type Recorder struct {
	few     []int64 // while there are at most exact
	classes []int64 // how many there are of each class, of more
	count   int64
	total   float64
	lo, hi  int64
}

// exact is how many times are kept one by one: 32 KB.
const exact = 4096

// Add takes the time of one run.
func (r *Recorder) Add(d time.Duration) {
	t := int64(d)
	if r.count == 0 {
		r.lo, r.hi = t, t
	}
	r.count++
	r.total += float64(t)
	r.lo, r.hi = min(r.lo, t), max(r.hi, t)
	switch {
	case r.count <= exact:
		r.few = append(r.few, t)
		return
	case r.few != nil:
		for _, t := range r.few {
			r.classify(t)
		}
		r.few = nil
	}
	r.classify(t)
}

// classBits is how many leading bits two times of a class have in common.
const classBits = 11

// classOf is the class of a time. Those below 1<<classBits have one each.
func classOf(t int64) int {
	t = max(t, 0)
	shift := max(bits.Len64(uint64(t))-classBits, 0)
	return shift<<(classBits-1) + int(t>>shift)
}

// classify counts a time.
func (r *Recorder) classify(t int64) {
	class := classOf(t)
	if class >= len(r.classes) {
		r.classes = append(r.classes, make([]int64, class+1-len(r.classes))...)
	}
	r.classes[class]++
}

// classRange is the least and the greatest time of a class.
func classRange(class int) (from, to int64) {
	shift := max(class>>(classBits-1)-1, 0)
	from = int64(class-shift<<(classBits-1)) << shift
	return from, from + 1<<shift - 1
}

// Summary sums up what was added so far; of nothing, it is the zero Summary.
func (r *Recorder) Summary() Summary {
	if r.count == 0 {
		return Summary{}
	}
	s := Summary{Runs: int(r.count), Min: r.lo, Mean: r.total / float64(r.count), Max: r.hi}
	s.Histogram = emptyBuckets(s.Min, s.Max)
	percentiles := []struct {
		rank int64 // from 1
		time *int64
	}{{(r.count + 1) / 2, &s.P50}, {(99*r.count + 99) / 100, &s.P99}}
	seen := int64(0)
	add := func(from, to, n int64) {
		s.count(min(max(from+(to-from)/2, s.Min), s.Max), n)
		for seen += n; len(percentiles) > 0 && percentiles[0].rank <= seen; percentiles = percentiles[1:] {
			*percentiles[0].time = min(to, s.Max) // a class may end beyond the longest time
		}
	}
	slices.Sort(r.few)
	for _, t := range r.few {
		add(t, t, 1)
	}
	for class, n := range r.classes {
		if n > 0 {
			from, to := classRange(class)
			add(from, to, n)
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
