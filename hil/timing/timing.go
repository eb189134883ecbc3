// Package timing sums up the times of many runs of a program: how long a run
// takes, and how much that varies (jitter).
package timing

import (
	"fmt"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Summary describes the times of a series of runs, in nanoseconds of the
// target's own timer. Percentiles are exact to 0.1 %.
type Summary struct {
	Runs      int      `json:"runs"`
	Min       int64    `json:"min"`
	Mean      float64  `json:"mean"`
	P50       int64    `json:"p50"`
	P99       int64    `json:"p99"`
	Max       int64    `json:"max"`
	Histogram []Bucket `json:"histogram,omitempty"`
}

// Bucket counts the runs that took from From up to, not including, To.
type Bucket struct {
	From  int64 `json:"from"` // ns
	To    int64 `json:"to"`   // ns
	Count int64 `json:"count"`
}

// Jitter is the difference between the longest and the shortest run, in ns.
func (s *Summary) Jitter() int64 { return s.Max - s.Min }

const (
	longest = int64(time.Hour)
	digits  = 3
	buckets = 12 // at most, in Histogram
)

// Summarise sums up the times of single runs; of none, it is the zero Summary.
func Summarise(times []time.Duration) Summary {
	if len(times) == 0 {
		return Summary{}
	}
	h := hdrhistogram.New(1, longest, digits)
	total := 0.0
	lo, hi := times[0], times[0]
	for _, t := range times {
		// Values outside of the range are counted at its ends.
		_ = h.RecordValue(min(max(int64(t), 1), longest))
		total += float64(t)
		lo, hi = min(lo, t), max(hi, t)
	}
	s := Summary{
		Runs: len(times),
		Min:  int64(lo),
		Mean: total / float64(len(times)),
		Max:  int64(hi),
	}
	// A percentile is the upper end of a class of the histogram, which may lie
	// a little beyond the longest time.
	s.P50 = min(h.ValueAtQuantile(50), s.Max)
	s.P99 = min(h.ValueAtQuantile(99), s.Max)
	s.Histogram = spread(times, s.Min, s.Max)
	return s
}

// spread sorts times into buckets of equal width.
func spread(times []time.Duration, lo, hi int64) []Bucket {
	width := (hi-lo)/buckets + 1
	out := make([]Bucket, (hi-lo)/width+1)
	for i := range out {
		out[i].From = lo + int64(i)*width
		out[i].To = out[i].From + width
	}
	for _, t := range times {
		out[(int64(t)-lo)/width].Count++
	}
	return out
}

// Draw renders the histogram as lines of text, the longest bar width wide.
func (s *Summary) Draw(width int) string {
	var most int64 = 1
	for _, b := range s.Histogram {
		most = max(most, b.Count)
	}
	var out strings.Builder
	for _, b := range s.Histogram {
		n := int(b.Count * int64(width) / most)
		if b.Count > 0 && n == 0 {
			n = 1
		}
		fmt.Fprintf(&out, "%10d ns %6d %s\n", b.From, b.Count, strings.Repeat("#", n))
	}
	return out.String()
}
