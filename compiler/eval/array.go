package eval

import "github.com/copaflash/copaflash/compiler/graph"

// lanes is the width of the summation tree, see graph.LaneTree.
const lanes = 8

// laneSum adds n terms of type t in the order of graph.LaneTree.
func laneSum(t graph.DType, n int, term func(k int) uint64) uint64 {
	if n == 0 {
		return 0
	}
	add := scalars[graph.OpAdd].kernel(t)
	var lane [lanes]uint64
	for k := range n {
		if k < lanes {
			lane[k] = term(k)
			continue
		}
		lane[k%lanes], _ = add(lane[k%lanes], term(k), 0)
	}
	for w := lanes / 2; w > 0; w /= 2 {
		for j := 0; j < w && j+w < n; j++ {
			lane[j], _ = add(lane[j], lane[j+w], 0)
		}
	}
	return lane[0]
}

// node is what the array ops see of one node and its operands.
type node struct {
	g     *graph.Graph
	id    graph.ID
	out   []uint32
	args  [][]uint32
	shape graph.Shape // of the first operand
}

// dtype is the type of the result, which is that of every operand but an index.
func (n node) dtype() graph.DType { return n.g.Node(n.id).DType }

// arrays has the ops that are not elementwise.
var arrays = [graph.NumOps]func(n node){
	graph.OpStack:     evalStack,
	graph.OpIndex:     evalIndex,
	graph.OpTake:      evalTake,
	graph.OpSlice:     evalSlice,
	graph.OpConcat:    evalConcat,
	graph.OpReshape:   evalReshape,
	graph.OpTranspose: evalTranspose,
	graph.OpBroadcast: evalBroadcast,
	graph.OpSort:      evalSort,
	graph.OpArgsort:   evalArgsort,
	graph.OpSum:       func(n node) { n.reduce(laneSum) },
	graph.OpAMax:      func(n node) { n.reduce(inOrder(graph.OpMax)) },
	graph.OpAMin:      func(n node) { n.reduce(inOrder(graph.OpMin)) },
	graph.OpDot:       evalDot,
	graph.OpMatMul:    evalMatMul,
}

func evalStack(n node) {
	t := n.dtype()
	for i, a := range n.args {
		t.Put(n.out, i, t.At(a, 0))
	}
}

func evalIndex(n node) {
	i := int(n.g.Node(n.id).Attr)
	copy(n.out, n.args[0][i*len(n.out):])
}

func evalTake(n node) {
	size := n.shape[1:].Elements() * n.dtype().Words() // words of what each index takes
	for k, by := range n.args[1] {
		row := graph.TakePlace(int32(by), n.shape[0])
		copy(n.out[k*size:(k+1)*size], n.args[0][row*size:])
	}
}

func evalSlice(n node) {
	start, step := n.g.Node(n.id).SliceRange()
	rows := n.g.ShapeOf(n.id)[0]
	if rows == 0 {
		return
	}
	size := len(n.out) / rows
	for k := range rows {
		from := (start + k*step) * size
		copy(n.out[k*size:(k+1)*size], n.args[0][from:])
	}
}

func evalConcat(n node) {
	at := 0
	for _, a := range n.args {
		at += copy(n.out[at:], a)
	}
}

func evalReshape(n node) { copy(n.out, n.args[0]) }

func evalTranspose(n node) {
	rows, cols, t := n.shape[0], n.shape[1], n.dtype()
	for i := range rows {
		for j := range cols {
			t.Put(n.out, j*rows+i, t.At(n.args[0], i*cols+j))
		}
	}
}

func evalBroadcast(n node) {
	to, t := n.g.ShapeOf(n.id), n.dtype()
	// stride[i] is the distance in the operand of neighbours along axis i of the
	// result: 0 along repeated axes.
	stride := make([]int, len(to))
	step, shift := 1, len(to)-len(n.shape)
	for i := len(n.shape) - 1; i >= 0; i-- {
		if n.shape[i] != 1 {
			stride[shift+i] = step
		}
		step *= n.shape[i]
	}
	at := make([]int, len(to))
	from := 0
	for k := range n.g.Elements(n.id) {
		t.Put(n.out, k, t.At(n.args[0], from))
		for i := len(to) - 1; i >= 0; i-- {
			at[i]++
			from += stride[i]
			if at[i] < to[i] {
				break
			}
			from -= stride[i] * to[i]
			at[i] = 0
		}
	}
}

// fold makes one number of type t of n terms.
type fold func(t graph.DType, n int, term func(k int) uint64) uint64

// inOrder applies an op to the terms from the first on.
func inOrder(op graph.Op) fold {
	return func(t graph.DType, n int, term func(k int) uint64) uint64 {
		f, r := scalars[op].kernel(t), term(0)
		for k := 1; k < n; k++ {
			r, _ = f(r, term(k), 0)
		}
		return r
	}
}

// reduce folds the elements along the axis of the node, or all.
func (n node) reduce(f fold) {
	t, a := n.dtype(), n.args[0]
	axis := n.g.Node(n.id).Axis()
	if axis < 0 {
		t.Put(n.out, 0, f(t, n.shape.Elements(), func(k int) uint64 { return t.At(a, k) }))
		return
	}
	length, inner := n.shape[axis], n.shape[axis+1:].Elements()
	for i := range n.g.Elements(n.id) {
		base := i/inner*length*inner + i%inner
		t.Put(n.out, i, f(t, length, func(k int) uint64 { return t.At(a, base+k*inner) }))
	}
}

func evalDot(n node) {
	n.dtype().Put(n.out, 0, n.inner(n.shape[0], 0, 0, 1))
}

// inner is the inner product of length elements of the operands: from a on, and
// from b on by stride.
func (n node) inner(length, a, b, stride int) uint64 {
	t := n.dtype()
	mul := scalars[graph.OpMul].kernel(t)
	return laneSum(t, length, func(k int) uint64 {
		w, _ := mul(t.At(n.args[0], a+k), t.At(n.args[1], b+k*stride), 0)
		return w
	})
}

func evalMatMul(n node) {
	length := n.shape[len(n.shape)-1]
	cols := 1
	if b := n.g.ShapeOf(n.g.Args(n.id)[1]); len(b) == 2 {
		cols = b[1]
	}
	for i := range n.g.Elements(n.id) {
		n.dtype().Put(n.out, i, n.inner(length, i/cols*length, i%cols, cols))
	}
}
