package opt

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// maxFold bounds the elements of an array, and the terms of its sums, that are
// computed at compile time: beyond it the data would outgrow the code it saves.
const maxFold = 1 << 16

// fold computes a node of the old graph whose operands are constants in the new
// one. It declines where that would raise a sticky flag.
func (o *pass) fold(id graph.ID) (graph.ID, bool) {
	n := o.from.Node(id)
	size := o.from.Elements(id)
	if n.Op == graph.OpMatMul {
		shape := o.to.ShapeOf(o.args[0])
		size *= shape[len(shape)-1]
	}
	for _, a := range o.args {
		size = max(size, o.to.Elements(a))
	}
	if size > maxFold || o.repeats(id) {
		return none()
	}
	words := make([][]uint32, len(o.args))
	for i, a := range o.args {
		words[i] = o.constantWords(a)
	}
	out := make([]uint32, o.from.Elements(id)*n.DType.Words())
	if eval.Node(o.from, id, words, out) != 0 {
		return none()
	}
	return keep(o.words(n.DType, n.Shape, out))
}

// repeats reports that a node only repeats a constant, or works on repeated
// constants in a way that rules know: making arrays of them would be slow.
func (o *pass) repeats(id graph.ID) bool {
	op := o.from.Node(id).Op
	switch op.Info().Sig {
	case graph.SigReduce, graph.SigStack, graph.SigConcat:
		return false
	}
	return op == graph.OpBroadcast || !slices.ContainsFunc(o.args, o.to.IsConst)
}

// isConstant reports whether a node of the new graph is a constant, or one
// repeated.
func (o *pass) isConstant(id graph.ID) bool {
	n := o.to.Node(id)
	if n.Op == graph.OpBroadcast {
		return o.to.IsConst(o.to.Args(id)[0])
	}
	return n.Op == graph.OpConst
}

// constantWords returns the elements of such a node.
func (o *pass) constantWords(id graph.ID) []uint32 {
	if o.to.IsConst(id) {
		return o.to.ConstBits(id)
	}
	out := make([]uint32, o.to.Elements(id)*o.to.Node(id).DType.Words())
	from := o.to.Args(id)[0]
	eval.Node(o.to, id, [][]uint32{o.to.ConstBits(from)}, out)
	return out
}

// foldScalar computes an elementwise op on scalar constants.
func (o *pass) foldScalar(op graph.Op, t graph.DType, args []graph.ID) (graph.ID, bool) {
	var words [3]uint64
	for i, a := range args {
		n := o.to.Node(a)
		if n.Op != graph.OpConst || n.Shape != graph.Scalar {
			return none()
		}
		words[i] = n.Word()
	}
	w, flags := eval.Scalar(op, o.to.Node(args[len(args)-1]).DType, words[:len(args)]...)
	if flags != 0 {
		return none()
	}
	return keep(o.to.ConstWord(t, w).ID())
}

// constant copies a constant of the old graph.
func (o *pass) constant(id graph.ID) graph.ID {
	n := o.from.Node(id)
	if n.Shape == graph.Scalar {
		if o.keepsAll(id) {
			return id
		}
		return o.to.Intern(n.Op, n.DType, n.Shape, n.Attr)
	}
	return o.words(n.DType, n.Shape, o.from.ConstBits(id))
}

// words makes a constant. An array of equal elements becomes one element,
// repeated: that needs no data, and rules see its value.
func (o *pass) words(t graph.DType, s graph.ShapeID, words []uint32) graph.ID {
	if s == graph.Scalar {
		return o.to.ConstWord(t, t.At(words, 0)).ID()
	}
	if len(words) == 0 {
		return o.to.ConstArray(t, s, words)
	}
	first := t.At(words, 0)
	for i := range len(words) / t.Words() {
		if t.At(words, i) != first {
			return o.to.ConstArray(t, s, words)
		}
	}
	return o.filled(t, s, first)
}

// filled is a constant with every element of these bits.
func (o *pass) filled(t graph.DType, s graph.ShapeID, word uint64) graph.ID {
	c := o.to.ConstWord(t, word).ID()
	if s == graph.Scalar {
		return c
	}
	return o.to.Intern(graph.OpBroadcast, t, s, 0, c)
}

// known returns the bits of a node that is one constant, or one repeated.
func (o *pass) known(id graph.ID) (word uint64, ok bool) {
	n := o.to.Node(id)
	if n.Op == graph.OpBroadcast {
		n = o.to.Node(o.to.Args(id)[0])
	}
	if n.Op == graph.OpConst && n.Shape == graph.Scalar {
		return n.Word(), true
	}
	return 0, false
}

// hoist computes an elementwise op on repeated scalars once, before repeating.
func (o *pass) hoist(n node) (graph.ID, bool) {
	var scalars [3]graph.ID
	for i, a := range n.args {
		if o.to.Node(a).Op != graph.OpBroadcast {
			return none()
		}
		scalars[i] = o.to.Args(a)[0]
		if o.to.Node(scalars[i]).Shape != graph.Scalar {
			return none()
		}
	}
	if o.to.Shape(n.shape).Elements() == 0 {
		return none() // the op is never carried out and raises nothing
	}
	scalar := node{shape: graph.Scalar}
	id, _ := o.make(scalar, n.op, n.t, scalars[:len(n.args)]...)
	return keep(o.to.Intern(graph.OpBroadcast, n.t, n.shape, 0, id))
}

// mayRaise reports whether computing a node could raise a sticky flag, in its
// operands' computation or its own, or in the next value of a state that it reads:
// then no rule may drop it.
func (o *pass) mayRaise(id graph.ID) bool {
	for i := len(o.raises); i <= int(id); i++ {
		at := graph.ID(i)
		args := o.to.Args(at)
		r := o.raisesItself(at, args)
		for _, a := range args {
			r = r || o.raises[a]
		}
		o.raises = append(o.raises, r)
	}
	return o.raises[id]
}

func (o *pass) raisesItself(id graph.ID, args []graph.ID) bool {
	n := o.to.Node(id)
	switch n.Op {
	case graph.OpState:
		return o.delayed
	case graph.OpScan:
		s, _ := o.to.ScanInfo(id)
		return s.Flags() != 0
	}
	if n.Op.Info().Flags == 0 || n.DType != graph.I32 {
		return false
	}
	w, ok := o.known(args[1])
	switch n.Op {
	case graph.OpFloorDiv:
		return !ok || w == 0 || int32(w) == -1
	case graph.OpMod:
		return !ok || w == 0
	}
	return !ok || int32(w) < 0 // shifts
}
