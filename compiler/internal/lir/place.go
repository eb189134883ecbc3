package lir

import "github.com/copaflash/copaflash/compiler/graph"

// ShortestLine is the number of elements that a line must have for a kernel to find the place of
// the largest or smallest, as it goes by blocks of so many.
const ShortestLine = 8

// Passed is how often a kernel that works on a line of n elements passes a loop of the given name
// at most.
func Passed(op graph.Op, n int, loop string) uint64 {
	switch op {
	case LargestFloat, SmallestFloat, LargestInt, SmallestInt:
		return uint64(map[string]int{"number": n, "block": (n + ShortestLine - 1) / ShortestLine, "end": 1, "rest": ShortestLine, "found": 1}[loop])
	}
	return SortingOf(op, n).Passed(loop)
}
