package opt

import "github.com/copaflash/copaflash/compiler/graph"

var arrays = map[graph.Op]rule{
	graph.OpStack:     simplifyStack,
	graph.OpIndex:     simplifyIndex,
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
			return keep(o.to.ConstWord(n.t, o.to.ConstBits(a)[i]).ID())
		}
	case graph.OpSlice:
		start, step := from.SliceRange()
		return keep(o.build(node{n.op, n.t, n.shape, uint64(start + int(i)*step), o.to.Args(a)}))
	case graph.OpBroadcast:
		if x := o.to.Args(a)[0]; o.to.Node(x).Shape == graph.Scalar {
			return keep(o.build(node{graph.OpBroadcast, n.t, n.shape, 0, []graph.ID{x}}))
		}
	}
	return none()
}

// element answers with an element of a stack, if nothing is lost with the
// others. mayRaise of the whole stack covers them all.
func (o *pass) element(stack graph.ID, i uint64) (graph.ID, bool) {
	if o.mayRaise(stack) {
		return none()
	}
	return keep(o.to.Args(stack)[i])
}

func simplifyReshape(o *pass, n node) (graph.ID, bool) {
	x := n.args[0]
	if y, ok := o.operand(x, graph.OpReshape); ok {
		x = y
	}
	if o.to.Node(x).Shape == n.shape {
		return keep(x)
	}
	if y, ok := o.operand(x, graph.OpBroadcast); ok && o.to.Node(y).Shape == graph.Scalar {
		return keep(o.build(node{graph.OpBroadcast, n.t, n.shape, 0, []graph.ID{y}}))
	}
	return keep(o.to.Intern(n.op, n.t, n.shape, 0, x))
}

func simplifyTranspose(o *pass, n node) (graph.ID, bool) {
	if y, ok := o.operand(n.args[0], graph.OpTranspose); ok {
		return keep(y)
	}
	if y, ok := o.operand(n.args[0], graph.OpBroadcast); ok && o.to.Node(y).Shape == graph.Scalar {
		return keep(o.build(node{graph.OpBroadcast, n.t, n.shape, 0, []graph.ID{y}}))
	}
	return none()
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
