package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// What is made of each element of a product of matrices alone, as W @ x + b is, is computed where the sum is: nothing of the
// product goes to memory.

// planBehind finds nests of ops on elements that are the only ones to read such a product.
func (l *lowerer) planBehind() {
	for id := range graph.ID(l.g.NumNodes()) {
		if n := l.g.Node(id); l.plan.root[id] != id || !n.Op.Info().Elementwise || l.waits[id] {
			continue
		}
		nodes := append(slices.Clone(l.plan.members[id]), id)
		if slices.ContainsFunc(nodes, l.staysApart) {
			continue
		}
		for _, of := range nodes {
			k := slices.IndexFunc(l.g.Args(of), func(a graph.ID) bool { return l.isBehind(a, id) })
			if k < 0 {
				continue
			}
			product := l.g.Args(of)[k]
			if l.plan.behind == nil {
				l.plan.behind = map[graph.ID]graph.ID{}
			}
			l.plan.behind[id], l.form[product] = product, virtual
			break
		}
	}
}

// staysApart reports whether a node is not computed where the sums of a product are: it takes an element, or calls a kernel.
func (l *lowerer) staysApart(id graph.ID) bool {
	n, args := l.g.Node(id), l.g.Args(id)
	return !n.Op.Info().Elementwise || n.DType.Words() != 1 || l.m.Ops[lir.Of(n.Op, l.g.Node(args[len(args)-1]).DType)].Kernel
}

// isBehind reports whether a node is a product of which nothing but one nest of its shape reads the results, and whose terms do
// not lie next to each other in vectors: those are folded into vectors of results.
func (l *lowerer) isBehind(product, root graph.ID) bool {
	n := l.g.Node(product)
	const width = 4
	return n.Op == graph.OpMatMul && l.uses[product] == 1 && !l.plan.unrolled[product] && l.form[product] == absent && n.DType.Words() == 1 &&
		l.g.ShapeOf(product).Equal(l.g.ShapeOf(root)) && l.g.Elements(product) > 1 && l.terms(product) > 0 &&
		(l.m.Lanes == 0 || l.terms(product) < width)
}

// buildBehind makes the expression of a node that is made of a product, whose elements are its first step.
func (n *nest) buildBehind(product, into graph.ID) *expr {
	axes := make([]int, len(n.l.g.ShapeOf(into))+1)
	for i := range axes {
		axes[i] = i
	}
	axes[len(axes)-1] = -1 // that of the terms
	n.sum = 1 + product
	nodes := append([]graph.ID{product}, n.l.plan.members[into]...)
	x := n.build(append(nodes, into), along(axes))
	return &x
}

// put writes element e of the results, or what is made of it.
func (r *reducer) put(b *body, e int, v lir.Val) {
	if r.behind != nil {
		vals := r.behind.evalOf(b, e, v)
		v = vals[len(vals)-1]
	}
	b.store(r.to, e, v)
}
