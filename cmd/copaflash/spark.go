package main

import "math"

// blocks are the heights of a sparkline, from the lowest.
var blocks = []rune("▁▂▃▄▅▆▇█")

// A trace is the last values of a variable, and its range since the first one.
type trace struct {
	values   []float64 // oldest first
	low      float64   // of all finite values so far
	high     float64
	anything bool // there was a finite one
}

// add takes a value; at most width of them are kept.
func (t *trace) add(x float64, width int) {
	if len(t.values) >= width {
		t.values = append(t.values[:0], t.values[len(t.values)-width+1:]...)
	}
	t.values = append(t.values, x)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	if !t.anything {
		t.low, t.high, t.anything = x, x, true
	}
	t.low, t.high = min(t.low, x), max(t.high, x)
}

// line draws the values that are kept between the least and the greatest of them. A value that is
// no number is a gap, an infinite one at its end of the line.
func (t *trace) line() string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range t.values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			low, high = min(low, x), max(high, x)
		}
	}
	line := make([]rune, len(t.values))
	for i, x := range t.values {
		switch {
		case math.IsNaN(x):
			line[i] = ' '
		case x <= low:
			line[i] = blocks[0]
		case x >= high:
			line[i] = blocks[len(blocks)-1]
		default: // halves, as the difference may overflow
			at := (x/2 - low/2) / (high/2 - low/2) * float64(len(blocks))
			line[i] = blocks[max(min(int(at), len(blocks)-1), 0)]
		}
	}
	return string(line)
}
