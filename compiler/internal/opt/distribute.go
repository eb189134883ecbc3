package opt

import "github.com/copaflash/copaflash/compiler/graph"

// Sums of inner products of a vector with a vector that is shifted by a scalar
// need that product once: (v+s)@w + (v+t)@w = v@w + v@w + s*sum(w) + t*sum(w).

// shifted is a multiple of an inner product, taken apart: factor * ((vector ± by) @ with).
type shifted struct {
	pair     pair
	factor   uint64
	by       graph.ID // a scalar; None: the vector is not shifted
	inverted bool     // by is subtracted
}

// pair are the operands of an inner product: the vector that may be shifted, and the other.
type pair struct{ vector, with graph.ID }

// distribute takes inner products apart that have their vectors in common with others of the sum.
func (o *pass) distribute(n node, leaves []leaf) []leaf {
	members := map[pair]int{}
	shifts := map[pair]int{}
	forms := make([][]shifted, len(leaves))
	for i, l := range leaves {
		forms[i] = o.shiftedForms(l)
		for _, s := range forms[i] {
			members[s.pair]++
			if s.by != graph.None {
				shifts[s.pair]++
			}
		}
	}
	if len(shifts) == 0 {
		return leaves
	}
	apart := make([]leaf, 0, 2*len(leaves))
	for i, l := range leaves {
		best := -1
		for k, s := range forms[i] {
			if s.by != graph.None && members[s.pair] > 1 && (best < 0 || members[s.pair] > members[forms[i][best].pair]) {
				best = k
			}
		}
		if best < 0 {
			apart = append(apart, l)
			continue
		}
		s := forms[i][best]
		dot := o.build(node{op: graph.OpDot, t: n.t, shape: n.shape, args: []graph.ID{s.pair.vector, s.pair.with}})
		sum := o.build(node{op: graph.OpSum, t: n.t, shape: n.shape, args: []graph.ID{s.pair.with}})
		sum, _ = o.make(n, graph.OpMul, n.t, sum, s.by)
		apart = append(apart, leaf{id: o.times(n, dot, s.factor), inverted: l.inverted},
			leaf{id: o.times(n, sum, s.factor), inverted: l.inverted != s.inverted})
	}
	return apart
}

// times multiplies by a constant.
func (o *pass) times(n node, id graph.ID, factor uint64) graph.ID {
	if factor == oneF32 {
		return id
	}
	id, _ = o.make(n, graph.OpMul, n.t, id, o.filled(n.t, n.shape, factor))
	return id
}

// shiftedForms are the ways to read an operand of a sum as an inner product, if it is one that nothing else needs.
func (o *pass) shiftedForms(l leaf) []shifted {
	if !l.only {
		return nil
	}
	base, factor := o.multiple(l.id)
	if n := o.to.Node(base); n.Op != graph.OpDot || !n.Fast {
		return nil
	}
	args := o.to.Args(base)
	a, b := args[0], args[1]
	pairs := []pair{{a, b}, {b, a}}
	if a == b {
		pairs = pairs[:1]
	}
	var forms []shifted
	for _, p := range pairs {
		forms = append(forms, shifted{p, factor, graph.None, false})
		if vector, by, inverted, ok := o.shift(p.vector); ok {
			forms = append(forms, shifted{pair{vector, p.with}, factor, by, inverted})
		}
	}
	return forms
}

// shift takes a vector apart to which a scalar was added, or from which one was subtracted.
func (o *pass) shift(id graph.ID) (vector, by graph.ID, inverted, ok bool) {
	n, args := o.to.Node(id), o.to.Args(id)
	if !n.Fast || n.Op != graph.OpAdd && n.Op != graph.OpSub {
		return graph.None, graph.None, false, false
	}
	if s, ok := o.operand(args[1], graph.OpBroadcast); ok && o.to.Node(s).Shape == graph.Scalar {
		return args[0], s, n.Op == graph.OpSub, true
	}
	if s, ok := o.operand(args[0], graph.OpBroadcast); ok && n.Op == graph.OpAdd && o.to.Node(s).Shape == graph.Scalar {
		return args[1], s, false, true
	}
	return graph.None, graph.None, false, false
}
