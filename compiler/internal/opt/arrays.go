package opt

import "github.com/copaflash/copaflash/compiler/graph"

var arrays = map[graph.Op]rule{
	graph.OpStack:     simplifyStack,
	graph.OpIndex:     simplifyIndex,
	graph.OpTake:      simplifyTake,
	graph.OpSlice:     simplifySlice,
	graph.OpReshape:   simplifyReshape,
	graph.OpTranspose: simplifyTranspose,
	graph.OpBroadcast: simplifyBroadcast,
}

// simplifyStack finds all elements of one vector stacked in their order.
func simplifyStack(o *pass, n node) (graph.ID, bool) {
	v, ok := o.operand(n.args[0], graph.OpIndex)
	if !ok || o.to.Node(v).Shape != n.shape {
		return none()
	}
	for i, a := range n.args {
		if w, ok := o.operand(a, graph.OpIndex); !ok || w != v || o.to.Node(a).Attr != uint64(i) {
			return none()
		}
	}
	return keep(v)
}

func simplifyIndex(o *pass, n node) (graph.ID, bool) {
	a, i := n.args[0], n.attr
	from := o.to.Node(a)
	switch from.Op {
	case graph.OpStack:
		return o.element(a, i)
	case graph.OpConst:
		if n.shape == graph.Scalar {
			return keep(o.to.ConstWord(n.t, n.t.At(o.to.ConstBits(a), int(i))).ID())
		}
	case graph.OpSlice:
		start, step := from.SliceRange()
		return keep(o.build(node{n.op, n.t, n.shape, uint64(start + int(i)*step), o.to.Args(a)}))
	}
	return o.repeatedScalar(n)
}

// simplifyTake finds what is known to be taken.
func simplifyTake(o *pass, n node) (graph.ID, bool) {
	by := n.args[1]
	rows := o.to.ShapeOf(n.args[0])[0]
	if o.mayRaise(by) {
		return none()
	}
	if o.to.Node(by).Shape == graph.Scalar && (o.to.IsConst(by) || rows == 1) {
		place := 0
		if o.to.IsConst(by) {
			place = graph.TakePlace(int32(uint32(o.to.Node(by).Word())), rows)
		}
		return keep(o.build(node{graph.OpIndex, n.t, n.shape, uint64(place), n.args[:1]}))
	}
	return o.repeatedScalar(n)
}

// element answers with an element of a stack, if nothing is lost with the
// others. mayRaise of the whole stack covers them all.
func (o *pass) element(stack graph.ID, i uint64) (graph.ID, bool) {
	if o.mayRaise(stack) {
		return none()
	}
	return keep(o.to.Args(stack)[i])
}

// repeatedScalar is for ops that only move elements, on a repeated scalar.
func (o *pass) repeatedScalar(n node) (graph.ID, bool) {
	x, ok := o.operand(n.args[0], graph.OpBroadcast)
	if !ok || o.to.Node(x).Shape != graph.Scalar {
		return none()
	}
	if n.shape == graph.Scalar {
		return keep(x)
	}
	return keep(o.to.Intern(graph.OpBroadcast, n.t, n.shape, 0, x))
}

// simplifySlice makes one slice of two, so that there are never chains of them.
func simplifySlice(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	y, ok := o.operand(x, graph.OpSlice)
	if !ok {
		return o.repeatedScalar(n)
	}
	outer := graph.Node{Attr: n.attr}
	first, by := o.to.Node(x).SliceRange()
	start, step := outer.SliceRange()
	start, step = first+start*by, step*by
	rows := o.to.Shape(n.shape)[0]
	if rows <= 1 {
		step = 1 // any step would do: one and the same is best
	}
	if rows == 0 {
		start = 0
	}
	if o.to.Node(y).Shape == n.shape && start == 0 && step == 1 {
		return keep(y)
	}
	return keep(o.to.Intern(n.op, n.t, n.shape, graph.SliceAttr(start, step), y))
}

func simplifyReshape(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	if y, ok := o.operand(x, graph.OpReshape); ok {
		x = y
	}
	if o.to.Node(x).Shape == n.shape {
		return keep(x)
	}
	n.args = []graph.ID{x}
	if id, ok := o.repeatedScalar(n); ok {
		return keep(id)
	}
	return keep(o.to.Intern(n.op, n.t, n.shape, 0, x))
}

func simplifyTranspose(o *pass, n node) (graph.ID, bool) {
	if y, ok := o.operand(n.args[0], graph.OpTranspose); ok {
		return keep(y)
	}
	return o.repeatedScalar(n)
}

func simplifyBroadcast(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	if y, ok := o.operand(x, graph.OpBroadcast); ok {
		x = y
	}
	if o.to.Node(x).Shape == n.shape {
		return keep(x)
	}
	return keep(o.to.Intern(n.op, n.t, n.shape, 0, x))
}
