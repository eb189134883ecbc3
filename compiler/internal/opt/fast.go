package opt

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// The fast rules are exact for real numbers, and for floats change no more than
// the rounding, the sign of a zero, and results that are not finite or become so
// on the way. They are, beside the rules of this package that ask for pass.fast:
//
//	x*0 = 0    x+0 = x    x-x = 0    0-x = -x    x/c = x*(1/c)
//	sums: constants and multiples of one value become one, (x+1)+2 = x+3 and
//	x*c1+x*c2 = x*(c1+c2), and four terms or more are added as a sum node adds
//	inner products: (v+a)@w + (v+b)@w = v@w*2 + (a+b)*sum(w), for scalars a and b
//	products: constants become one, (x*2)*y/4 = (x*y)*0.5
//	terms of products of matrices that are known to be zero are left out
//	sums of many terms, of vectors or of their products, are those of some parts
//
// x/x is not 1: that is wrong for 0, which is finite. Variables of a product keep
// their order, since other partial products could overflow.
//
// A chain is a tree of additions and subtractions, or of multiplications and
// divisions by constants, all marked, in which every node but the root has one
// user, that is the tree. It is taken apart into its terms when the root is reached.

// All of this is for f32: chains of doubles stay as they are written.

// Words of float constants that the rules look for.
const (
	posZero  = 0x00000000
	oneF32   = 0x3f800000
	minusOne = 0xbf800000
	twoF32   = 0x40000000
	signF32  = 0x80000000
)

// family says which nodes can be in one chain.
type family uint8

const (
	noChain family = iota
	sums
	factors
)

// inFast reports whether a rule looks for the mark of such a node.
func inFast(op graph.Op, t graph.DType) bool {
	switch op {
	case graph.OpAdd, graph.OpSub, graph.OpMul, graph.OpDiv, graph.OpDot, graph.OpSum:
		return t == graph.F32
	}
	return false
}

// familyOf is that of a node of the old graph.
func (o *pass) familyOf(n *graph.Node, id graph.ID) family {
	if n.DType != graph.F32 || !o.all && !n.Fast {
		return noChain
	}
	switch n.Op {
	case graph.OpAdd, graph.OpSub:
		return sums
	case graph.OpMul:
		return factors
	case graph.OpDiv:
		if _, ok := o.divisor(id); ok {
			return factors
		}
	}
	return noChain
}

// divisor is the constant by which a division divides.
func (o *pass) divisor(id graph.ID) (word uint64, ok bool) {
	d := o.from.Args(id)[1]
	if o.from.Node(d).Op == graph.OpBroadcast {
		d = o.from.Args(d)[0]
	}
	n := o.from.Node(d)
	if n.Op != graph.OpConst || n.Shape != graph.Scalar {
		return 0, false
	}
	inverse := 1 / math.Float32frombits(uint32(n.Word()))
	return n.Word(), isOrdinary(uint64(math.Float32bits(inverse)))
}

// findChains finds the inner nodes of all chains.
func (o *pass) findChains() {
	if !o.all && !o.from.Marked() {
		return
	}
	for i, uses := range o.uses {
		n := o.from.Node(graph.ID(i))
		if uses == 0 {
			continue
		}
		f := o.familyOf(n, graph.ID(i))
		if f == noChain {
			continue
		}
		if o.inner == nil {
			o.inner = make([]bool, len(o.uses))
		}
		for k, a := range o.from.Args(graph.ID(i)) {
			if k == 1 && n.Op == graph.OpDiv {
				break
			}
			o.inner[a] = o.uses[a] == 1 && o.familyOf(o.from.Node(a), a) == f
		}
	}
}

func (o *pass) isInner(id graph.ID) bool { return o.inner != nil && o.inner[id] }

// leaf is an operand of a chain.
type leaf struct {
	id       graph.ID // in the new graph; None for a divisor
	inverted bool     // subtracted
	only     bool     // nothing else needs it
	divisor  uint64   // a constant
}

// chain rewrites the chain with this root, if it is one.
func (o *pass) chain(root graph.ID, moved []graph.ID) (graph.ID, bool) {
	n := o.from.Node(root)
	f := o.familyOf(n, root)
	if f == noChain {
		return none()
	}
	leaves, inner := o.takeApart(root, moved)
	like := node{t: n.DType, shape: n.Shape}
	if f == sums {
		if n.Shape == graph.Scalar {
			leaves = o.distribute(like, leaves)
		}
		if id, ok := o.sumOf(like, leaves); ok {
			return id, true
		}
	} else if len(inner) > 0 {
		if id, ok := o.productOf(like, leaves); ok {
			return id, true
		}
	}
	slices.Sort(inner)
	for _, id := range inner {
		o.to.SetPos(o.from.Node(id).Pos)
		moved[id] = o.rewriteNode(id, moved)
	}
	o.to.SetPos(n.Pos)
	return none()
}

// takeApart lists the operands of a chain, those of inner nodes first, and its
// inner nodes.
func (o *pass) takeApart(root graph.ID, moved []graph.ID) (leaves []leaf, inner []graph.ID) {
	open := []leaf{{id: root}} // nodes of the old graph, the next one last
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at.id == graph.None {
			leaves = append(leaves, at)
			continue
		}
		if at.id != root && !o.inner[at.id] {
			at.id, at.only = moved[at.id], o.uses[at.id] == 1
			leaves = append(leaves, at)
			continue
		}
		if at.id != root {
			inner = append(inner, at.id)
		}
		args := o.from.Args(at.id)
		second := leaf{id: args[1], inverted: at.inverted}
		switch o.from.Node(at.id).Op {
		case graph.OpSub:
			second.inverted = !at.inverted
		case graph.OpDiv:
			w, _ := o.divisor(at.id)
			second = leaf{id: graph.None, divisor: w}
		}
		first := leaf{id: args[0], inverted: at.inverted}
		if second.id != graph.None && o.inner[second.id] && !o.inner[first.id] {
			first, second = second, first // t + sum was sum + t: operands of a node are in order of age
		}
		open = append(open, second, first)
	}
	return leaves, inner
}

// term is a multiple of a value in a sum.
type term struct {
	base   graph.ID
	factor uint64   // of base
	whole  graph.ID // the product, while it is a single operand of the sum
	minus  bool     // whole is subtracted
}

// sumOf adds the operands of a sum, or declines where that would change nothing.
func (o *pass) sumOf(n node, leaves []leaf) (graph.ID, bool) {
	terms := make([]term, 0, len(leaves))
	find := func(base graph.ID) int {
		return slices.IndexFunc(terms, func(t term) bool { return t.base == base })
	}
	if len(leaves) > 16 {
		at := make(map[graph.ID]int, len(leaves)) // by base: 1 + its place in terms
		find = func(base graph.ID) int {
			if at[base] == 0 {
				at[base] = len(terms) + 1 // where it is about to be
				return -1
			}
			return at[base] - 1
		}
	}
	constant, constants := uint64(signF32), 0 // x + -0 is x for every x
	for _, l := range leaves {
		if w, ok := o.known(l.id); ok {
			if l.inverted {
				w ^= signF32
			}
			if sum, _ := eval.Scalar(graph.OpAdd, n.t, constant, w); ordinary(graph.OpAdd, constant, w, sum) {
				constant = sum
				constants++
				continue
			}
		}
		base, factor := o.multiple(l.id)
		if l.inverted {
			factor ^= signF32
		}
		if i := find(base); i >= 0 {
			if sum, _ := eval.Scalar(graph.OpAdd, n.t, terms[i].factor, factor); ordinary(graph.OpAdd, terms[i].factor, factor, sum) {
				terms[i] = term{base: base, factor: sum, whole: graph.None}
				continue
			}
		}
		terms = append(terms, term{base, factor, l.id, l.inverted})
	}
	merged := len(leaves) - len(terms) - min(constants, 1)
	if merged == 0 && len(leaves) < 4 {
		return none()
	}
	var plus, minus []graph.ID
	for _, t := range terms {
		id, negative := t.whole, t.minus
		if id == graph.None {
			negative = t.factor == minusOne
			if negative {
				id = t.base
			} else if t.factor&^signF32 == 0 {
				id, _ = o.make(n, graph.OpMul, n.t, t.base, o.filled(n.t, n.shape, posZero))
			} else {
				id, _ = o.make(n, graph.OpMul, n.t, t.base, o.filled(n.t, n.shape, t.factor))
			}
		}
		if w, ok := o.known(id); ok && w&^signF32 == 0 {
			continue
		}
		if negative {
			minus = append(minus, id)
		} else {
			plus = append(plus, id)
		}
	}
	if constant&^signF32 != 0 {
		plus = append(plus, o.filled(n.t, n.shape, constant))
	}
	switch {
	case len(plus)+len(minus) == 0:
		return keep(o.filled(n.t, n.shape, posZero))
	case len(minus) == 0:
		return keep(o.lanes(n, plus))
	case len(plus) == 0:
		return o.make(n, graph.OpNeg, n.t, o.lanes(n, minus))
	}
	return o.make(n, graph.OpSub, n.t, o.lanes(n, plus), o.lanes(n, minus))
}

// multiple takes a node apart into a value and the constant that it is multiplied by.
func (o *pass) multiple(id graph.ID) (base graph.ID, factor uint64) {
	base, factor = id, oneF32
	for {
		n, args := o.to.Node(base), o.to.Args(base)
		x, by := graph.None, uint64(0)
		switch {
		case n.Op == graph.OpNeg:
			x, by = args[0], minusOne
		case !n.Fast:
		case n.Op == graph.OpAdd && args[0] == args[1]:
			x, by = args[0], twoF32
		case n.Op == graph.OpMul:
			if y, _, w, ok := o.split(node{args: args}); ok && isOrdinary(w) {
				x, by = y, w
			}
		}
		if x == graph.None {
			return base, factor
		}
		p, _ := eval.Scalar(graph.OpMul, graph.F32, factor, by)
		if !ordinary(graph.OpMul, factor, by, p) {
			return base, factor
		}
		base, factor = x, p
	}
}

// lanes adds terms in the order of graph.LaneTree, which has short chains.
func (o *pass) lanes(n node, terms []graph.ID) graph.ID {
	const width = 8
	for i := width; i < len(terms); i++ {
		terms[i%width], _ = o.make(n, graph.OpAdd, n.t, terms[i%width], terms[i])
	}
	terms = terms[:min(len(terms), width)]
	for w := width / 2; w > 0; w /= 2 {
		for j := 0; j < w && j+w < len(terms); j++ {
			terms[j], _ = o.make(n, graph.OpAdd, n.t, terms[j], terms[j+w])
		}
		terms = terms[:min(len(terms), w)]
	}
	return terms[0]
}

// productOf multiplies the operands of a product, the constant last, or declines
// if there are no two constants to combine.
func (o *pass) productOf(n node, leaves []leaf) (graph.ID, bool) {
	var rest []graph.ID
	constant, constants := uint64(oneF32), 0
	for _, l := range leaves {
		op, w, known := graph.OpDiv, l.divisor, true
		if l.id != graph.None {
			op = graph.OpMul
			w, known = o.known(l.id)
		}
		if !known {
			rest = append(rest, l.id)
			continue
		}
		p, _ := eval.Scalar(op, n.t, constant, w)
		if !ordinary(graph.OpMul, constant, w, p) {
			return none()
		}
		constant = p
		constants++
	}
	if constants < 2 {
		return none()
	}
	if len(rest) == 0 {
		return keep(o.filled(n.t, n.shape, constant))
	}
	id := rest[0]
	for _, r := range rest[1:] {
		id, _ = o.make(n, graph.OpMul, n.t, id, r)
	}
	return o.make(n, graph.OpMul, n.t, id, o.filled(n.t, n.shape, constant))
}

// ordinary reports whether joining two constants by an addition or multiplication
// lost nothing but rounding: all are finite, and no product underflowed.
func ordinary(op graph.Op, a, b, result uint64) bool {
	for _, w := range [...]uint64{a, b, result} {
		if x := float64(math.Float32frombits(uint32(w))); math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return op == graph.OpAdd || isOrdinary(result) || a&^signF32 == 0 || b&^signF32 == 0
}

// isOrdinary reports whether a word is a normal float32: neither zero nor
// subnormal, infinite or NaN.
func isOrdinary(w uint64) bool {
	exponent := w >> 23 & 0xff
	return exponent != 0 && exponent != 0xff
}
