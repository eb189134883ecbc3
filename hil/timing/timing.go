// Package timing summarises the times of many runs of a program: how long a run
// takes, and how much that varies (jitter).
package timing

import (
	"fmt"
	"strings"
	"time"
)

// Summary describes the times of a series of runs, in nanoseconds of the
// target's own timer. Percentiles are exact for few runs, and to 0.1 % for more than 4096.
type Summary struct {
	Runs      int      `json:"runs"`
	Min       int64    `json:"min"`
	Mean      float64  `json:"mean"`
	P50       int64    `json:"p50"`
	P99       int64    `json:"p99"`
	Max       int64    `json:"max"`
	Histogram []Bucket `json:"histogram,omitempty"`
}

// Bucket counts the runs that took from From up to, not including, To. Buckets have the same
// width, or where the longest run took more than four times as long as the shortest one the
// same ratio of To to From: one late run does not put all others into one bucket.
type Bucket struct {
	From  int64 `json:"from"` // ns
	To    int64 `json:"to"`   // ns
	Count int64 `json:"samples"`
}

const (
	buckets = 12 // at most, in Histogram
	spread  = 4  // from here on of longest to shortest run buckets have equal ratios
)

// Summarise sums up the times of single runs; of none, it is the zero Summary.
func Summarise(times []time.Duration) Summary {
	var r Recorder
	for _, t := range times {
		r.Add(t)
	}
	return r.Summary()
}

// Draw renders the histogram as lines of text, the longest bar width wide.
func (s *Summary) Draw(width int) string {
	var most int64 = 1
	for _, b := range s.Histogram {
		most = max(most, b.Count)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%13s %7s\n", "from", "samples")
	for _, b := range s.Histogram {
		n := int(b.Count * int64(width) / most)
		if b.Count > 0 && n == 0 {
			n = 1
		}
		fmt.Fprintf(&out, "%s\n", strings.TrimRight(fmt.Sprintf("%10d ns %7d %s", b.From, b.Count, strings.Repeat("#", n)), " "))
	}
	return out.String()
}
