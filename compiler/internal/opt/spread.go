package opt

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Each addition to the lanes of a sum waits for the one before it, and that is what long sums in vectors take. With fast
// arithmetic they become shorter: terms of some parts of one length are added to each other first.

const (
	longSum = 256
	// sideBySide is how many additions, of all sums of one length in a loop, leave no time to wait.
	sideBySide = 4
	// sumLanes are those of graph.LaneTree: parts of whole lanes leave no terms over.
	sumLanes = 8
	// maxPartSteps is how many operations a part may carry out on each element of its operands: with more, these
	// are what takes the time.
	maxPartSteps = 3
)

// spreader divides the long sums of a graph.
type spreader struct {
	from, to *graph.Graph
	uses     []int32
	id       []graph.ID  // from nodes of the graph to those of the new one
	lengths  map[int]int // how many long sums there are, by terms
}

// isLong reports whether a node is a long sum that may be divided, and of how many terms.
func (s *spreader) isLong(id graph.ID) (terms int, ok bool) {
	n := s.from.Node(id)
	if !n.Fast || n.DType != graph.F32 || n.Shape != graph.Scalar || n.Op != graph.OpDot && n.Op != graph.OpSum {
		return 0, false
	}
	args := s.from.Args(id)
	if shape := s.from.ShapeOf(args[0]); len(shape) != 1 || shape[0] < longSum {
		return 0, false
	}
	steps := 0
	for _, a := range args {
		if !s.divides(a, args, &steps) {
			return 0, false
		}
	}
	return s.from.ShapeOf(args[0])[0], true
}

// divides reports whether parts of one of the operands of a node take no more time than the whole: it is computed for
// the node alone, in few steps, or lies in memory.
func (s *spreader) divides(id graph.ID, operands []graph.ID, steps *int) bool {
	if !s.alone(id, operands) {
		return true
	}
	if *steps++; !spreads(s.from.Node(id)) || *steps > maxPartSteps {
		return false
	}
	args := s.from.Args(id)
	return !slices.ContainsFunc(args, func(a graph.ID) bool { return !s.divides(a, args, steps) })
}

// alone reports whether an operation on elements is an operand of some node only.
func (s *spreader) alone(id graph.ID, operands []graph.ID) bool {
	uses := s.uses[id]
	for _, a := range operands {
		if a == id {
			uses--
		}
	}
	return uses == 0 && s.from.Node(id).Op.Info().Elementwise
}

// spreads reports whether an operation on elements is carried out in parts.
func spreads(n *graph.Node) bool {
	switch n.Op {
	case graph.OpAdd, graph.OpSub, graph.OpMul, graph.OpNeg, graph.OpAbs:
		return n.DType == graph.F32
	}
	return false
}

// spread divides a long sum, if there are few of its length.
func (s *spreader) spread(id graph.ID) (graph.ID, bool) {
	terms, ok := s.isLong(id)
	if !ok {
		return graph.None, false
	}
	if s.lengths == nil {
		s.lengths = map[int]int{}
		for k := range s.uses {
			if n, ok := s.isLong(graph.ID(k)); ok && s.uses[k] > 0 {
				s.lengths[n]++
			}
		}
	}
	parts := partsOf(terms, s.lengths[terms])
	if parts == 1 {
		return graph.None, false
	}
	size := terms / parts &^ (sumLanes - 1)
	shape := s.vector(size)
	var list []graph.ID
	for k := range parts {
		args := s.part(id, k*size, shape)
		term := args[0]
		if len(args) == 2 {
			term = s.to.Intern(graph.OpMul, graph.F32, shape, 0, args...)
		}
		list = append(list, term)
	}
	for len(list) > 1 { // in pairs, which wait for nothing
		half := list[:0]
		for k := 0; k < len(list); k += 2 {
			sum := list[k]
			if k+1 < len(list) {
				sum = s.to.Intern(graph.OpAdd, graph.F32, shape, 0, sum, list[k+1])
			}
			half = append(half, sum)
		}
		list = half
	}
	sum := s.to.Intern(graph.OpSum, graph.F32, graph.Scalar, 0, list[0])
	if rest := terms - parts*size; rest > 0 {
		n := s.from.Node(id)
		left := s.to.Intern(n.Op, n.DType, n.Shape, n.Attr, s.part(id, terms-rest, s.vector(rest))...)
		sum = s.to.Intern(graph.OpAdd, graph.F32, graph.Scalar, 0, sum, left)
	}
	return sum, true
}

// partsOf is into how many parts a sum is divided of which there are so many: about as many as keep the adders busy, and
// such that no terms are left over if possible.
func partsOf(terms, sums int) int {
	if sums >= sideBySide {
		return 1
	}
	parts := (sideBySide + sums - 1) / sums
	for _, k := range [...]int{parts, parts + 1, parts - 1} {
		if k > 1 && terms%(k*sumLanes) == 0 {
			return k
		}
	}
	return parts
}

// vector is the shape of a vector of so many elements.
func (s *spreader) vector(terms int) graph.ShapeID {
	shape, err := s.to.InternShape(graph.Shape{terms})
	if err != nil {
		panic(err) // it is smaller than what there is
	}
	return shape
}

// part is the operands of some terms.
func (s *spreader) part(id graph.ID, start int, shape graph.ShapeID) (args []graph.ID) {
	operands := s.from.Args(id)
	for _, a := range operands {
		args = append(args, s.slice(a, operands, start, shape))
	}
	return args
}

// slice is a part of an operand, see divides.
func (s *spreader) slice(id graph.ID, operands []graph.ID, start int, shape graph.ShapeID) graph.ID {
	n, old := s.from.Node(id), s.from.Args(id)
	switch {
	case n.Op == graph.OpBroadcast && s.from.Node(old[0]).Shape == graph.Scalar:
		return s.to.Intern(n.Op, n.DType, shape, 0, s.id[old[0]])
	case n.Op == graph.OpSlice:
		first, by := n.SliceRange()
		return s.to.Intern(n.Op, n.DType, shape, graph.SliceAttr(first+start*by, by), s.id[old[0]])
	case !s.alone(id, operands):
		return s.to.Intern(graph.OpSlice, n.DType, shape, graph.SliceAttr(start, 1), s.id[id])
	}
	var args []graph.ID
	for _, a := range old {
		args = append(args, s.slice(a, old, start, shape))
	}
	return s.to.Intern(n.Op, n.DType, shape, n.Attr, args...)
}
