package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

func evalSort(n node) {
	n.eachLine(func(line, out []uint32, places []int32) {
		for k, p := range places {
			out[k] = line[p]
		}
	})
}

func evalArgsort(n node) {
	n.eachLine(func(_, out []uint32, places []int32) {
		for k, p := range places {
			out[k] = uint32(p)
		}
	})
}

// eachLine calls do with each line of words along the last axis, that of the result, and the
// places of its elements in their order.
func (n node) eachLine(do func(line, out []uint32, places []int32)) {
	length := n.shape[len(n.shape)-1]
	if length == 0 {
		return
	}
	compare := func(a, b uint32) int { return cmp.Compare(int32(a), int32(b)) }
	if n.g.Node(n.g.Args(n.id)[0]).DType == graph.F32 {
		compare = compareFloats
	}
	places := make([]int32, length)
	for at := 0; at < len(n.out); at += length {
		line := n.args[0][at : at+length]
		for k := range places {
			places[k] = int32(k)
		}
		slices.SortStableFunc(places, func(i, j int32) int { return compare(line[i], line[j]) })
		do(line, n.out[at:at+length], places)
	}
}

// compareFloats puts NaNs last. -0 equals +0.
func compareFloats(a, b uint32) int {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	switch {
	case x < y || x == x && y != y:
		return -1
	case x > y || x != x && y == y:
		return 1
	}
	return 0
}
