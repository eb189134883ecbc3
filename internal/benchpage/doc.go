// Package benchpage makes docs/benchmarks.md and its plot: it times the headline benchmark of the
// Python ancestor in every form that people run it in, beside what GCC and NumPy make of it.
package benchpage

import "time"

// Page is what the page says.
type Page struct {
	Machine  []string // processor, compiler and versions
	Date     time.Time
	Rounds   [2]int // fewest and most of a size
	Sizes    []int
	Series   []Series
	Comments []string // what is missing
}

// Series is a way to compute the benchmark, and its times in ns by the page's sizes.
type Series struct {
	Key, Name, How string
	Least, Median  []float64
}

// Keys of series.
const (
	keyCode    = "code"
	keyGo      = "go"
	keyRun     = "run"
	keyTurn    = "turn"
	keyGCC     = "gcc"
	keyLanes   = "lanes"
	keyFast    = "fast"
	keyNumPy   = "numpy"
	keyCall    = "ancestor-call"
	keyAncient = "ancestor"
)

// sizes are the nine that the ancestor publishes figures for.
var sizes = []int{10, 30, 60, 100, 200, 300, 400, 500, 600}

// past is figures of the ancestor, which is not run: by size, in ns.
type past struct {
	key, name, how string
	ns             map[int]float64
}

var ancestor = []past{
	{keyAncient, "Python ancestor, one evaluation", "one evaluation with everything that belongs to it",
		map[int]float64{100: 3900, 600: 14000}},
	{keyCall, "Python ancestor, `tg.run()`", "a call of `tg.run()` from CPython",
		map[int]float64{10: 1400, 600: 9900}},
}
