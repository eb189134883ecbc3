package lir

import "github.com/copaflash/copaflash/compiler/graph"

// Sorting is how a kernel sorts a line of n elements: runs by insertion, which merges double
// until there is one. Merges take two runs of one length, so the line is filled up with the
// largest of all numbers.
type Sorting struct {
	N, Run, Passes int
}

// longestRun is up to how many elements insertion takes no longer than a merge would.
const longestRun = 12

// SortingOf is how an op sorts a line of n elements, at least 1.
func SortingOf(op graph.Op, n int) Sorting {
	s := Sorting{N: n, Run: n}
	for s.Run > longestRun && op != InsertInts && op != InsertFloats {
		s.Passes++
		s.Run = (n + 1<<s.Passes - 1) >> s.Passes
	}
	return s
}

// ShortLine is up to how many elements insertion alone sorts: its code is a quarter of that of merges.
// Where mispredicted branches cost more, that is as long as a run.
func (m *Machine) ShortLine() int {
	if m.Lanes > 0 {
		return longestRun
	}
	return 32
}

// Whole is the length of the line, filled up.
func (s Sorting) Whole() int { return s.Run << s.Passes }

// The words in which a kernel finds what it sorts: the offset of the line and the numbers of a
// Sorting. Behind them lie as many words as the whole line has for it to work in, or twice as many
// where it gives places.
const SortingWords = 4

// Scratch is the number of words that a kernel needs besides the results.
func (s Sorting) Scratch(places bool) int {
	if places {
		return SortingWords + 2*s.Whole()
	}
	return SortingWords + s.Whole()
}

// Passed is how often a kernel passes a loop of the given name at most: see MARK in
// stencils/src/kernels/order.
func (s Sorting) Passed(loop string) uint64 {
	runs := (s.N + s.Run - 1) / s.Run
	return uint64(map[string]int{
		"run":     runs,
		"sorted":  runs,
		"element": s.N,
		"found":   s.N,
		"shift":   runs * s.Run * (s.Run - 1) / 2,
		"rest":    s.Whole() - s.N,
		"pass":    s.Passes,
		"merge":   1<<s.Passes - 1,
		"merged":  1<<s.Passes - 1,
		"step":    s.Passes * s.Whole() / 2,
		"back":    s.Whole(),
	}[loop])
}
