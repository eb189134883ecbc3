package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// view is an array in memory.
type view struct {
	at      lir.Addr // of the first element
	size    int      // bytes of an element
	strides []int    // elements between neighbours, by axis
	loop    int32    // the first loops that may read it
	block   int32    // the first block that may read it
	spare   bool     // there is a word more behind the last element, which nothing reads
}

// newArray is an array that loops fill.
func (l *lowerer) newArray(s graph.Shape, t graph.DType) view {
	return view{at: l.f.Data.Room(s.Elements() * t.Words()), size: 4 * t.Words(), strides: rowMajor(s), loop: 1}
}

// rowMajor are the strides of elements that lie row by row without gaps.
func rowMajor(s graph.Shape) []int {
	strides := make([]int, len(s))
	step := 1
	for i := len(s) - 1; i >= 0; i-- {
		strides[i] = step
		step *= s[i]
	}
	return strides
}

// contiguous reports whether the elements of a view with this shape lie row by
// row without gaps.
func (v *view) contiguous(s graph.Shape) bool {
	step := 1
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != 1 && v.strides[i] != step {
			return false
		}
		step *= s[i]
	}
	return true
}

// each calls do with the place of every element, row by row.
func (v *view) each(s graph.Shape, do func(lir.Addr)) {
	if s.Elements() == 0 {
		return
	}
	index := make([]int, len(s))
	at := v.at
	for {
		do(at)
		i := len(s) - 1
		for ; i >= 0; i-- {
			index[i]++
			at = at.Plus(v.size * v.strides[i])
			if index[i] < s[i] {
				break
			}
			at = at.Plus(-v.size * v.strides[i] * s[i])
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func (l *lowerer) addView(v view) int32 {
	l.views = append(l.views, v)
	return int32(len(l.views) - 1)
}

func (l *lowerer) setView(id graph.ID, v view) {
	l.form[id], l.ref[id] = memory, l.addView(v)
}

// view is the array in memory, written there now where it is not yet.
func (l *lowerer) view(id graph.ID) view {
	if l.form[id] == memory {
		return l.views[l.ref[id]]
	}
	if i, ok := l.inMemory[id]; ok {
		return l.views[i]
	}
	var v view
	if shape := l.g.ShapeOf(id); l.form[id] == splat {
		x := lir.Val(l.ref[id])
		v = view{at: l.settle(x), size: l.f.Values[x].Class.Bytes(), strides: make([]int, len(shape)), loop: l.level[x] + 1, block: l.level[x]}
	} else {
		v = l.materialise(l.elements(id), shape, l.g.Node(id).DType)
	}
	l.inMemory[id] = l.addView(v)
	return v
}

// materialise writes elements to memory, each in the block that defines it, or
// finds that they lie there already.
func (l *lowerer) materialise(vs []lir.Val, shape graph.Shape, t graph.DType) view {
	v := view{size: 4 * t.Words(), strides: rowMajor(shape), loop: 1}
	for _, x := range vs {
		v.loop, v.block = max(v.loop, l.level[x]+1), max(v.block, l.level[x])
	}
	if len(vs) > 0 {
		v.at = l.f.Values[vs[0]].Home
	}
	for i, x := range vs {
		if h := l.f.Values[x].Home; h == lir.NoAddr || h != v.at.Plus(v.size*i) {
			v.at = lir.NoAddr
			break
		}
	}
	if v.at != lir.NoAddr && len(vs) > 0 {
		return v
	}
	v.at = l.f.Data.Room(len(vs) * t.Words())
	for i, x := range vs {
		to := v.at.Plus(v.size * i)
		l.writeElement(x, to)
		if info := &l.f.Values[x]; info.Home == lir.NoAddr {
			info.Home = to
		}
	}
	return v
}

// writeElement stores a value as an element of an array in memory.
func (l *lowerer) writeElement(x lir.Val, to lir.Addr) {
	l.store(x, to)
	l.written[to] = x
}

// readElement is the element of an array at a place that block k may read.
// Within the block that writes it there is no order between a store and a read
// of the place: there the element is the value that was stored.
func (l *lowerer) readElement(c lir.Class, at lir.Addr, k int32) lir.Val {
	if x, ok := l.written[at]; ok {
		return x
	}
	return l.homed(c, at, k)
}

// move lowers the ops that only rearrange elements.
func (l *lowerer) move(id graph.ID) {
	n, args := l.g.Node(id), l.g.Args(id)
	switch n.Op {
	case graph.OpStack:
		vs := make([]lir.Val, len(args))
		for i, a := range args {
			vs[i] = lir.Val(l.ref[a])
		}
		l.setElems(id, vs)
		return
	case graph.OpConcat:
		l.concat(id)
		return
	}
	from := args[0]
	fromShape, shape := l.g.ShapeOf(from), l.g.ShapeOf(id)
	if l.form[from] == scalar || l.form[from] == splat {
		l.ref[id] = l.ref[from]
		if l.form[id] = splat; len(shape) == 0 {
			l.form[id] = scalar
		}
		return
	}
	if l.form[from] == elems && l.plan.unrolled[id] || len(shape) == 0 && l.form[from] == elems {
		l.moveElems(id, from)
		return
	}
	v := l.view(from)
	if n.Op == graph.OpReshape {
		if strides, ok := v.reshaped(fromShape, shape); ok {
			v.strides = strides
		} else {
			if !v.contiguous(fromShape) {
				v = l.copyView(v, fromShape, n.DType)
			}
			v.strides = rowMajor(shape)
		}
	} else {
		v = rearrange(n, v, fromShape, shape)
	}
	if len(shape) == 0 {
		l.form[id], l.ref[id] = scalar, int32(l.readElement(lir.ClassOf(n.DType), v.at, v.block))
		return
	}
	l.setView(id, v)
}

// reshaped are the strides of a view in a shape that differs by axes of length 1 alone.
func (v *view) reshaped(from, to graph.Shape) (strides []int, ok bool) {
	k := 0
	for i, d := range from {
		if d == 1 {
			continue
		}
		for ; k < len(to) && to[k] == 1; k++ {
			strides = append(strides, 0)
		}
		if k == len(to) || to[k] != d {
			return nil, false
		}
		strides = append(strides, v.strides[i])
		k++
	}
	for ; k < len(to); k++ {
		if to[k] != 1 {
			return nil, false
		}
		strides = append(strides, 0)
	}
	return strides, true
}

// rearrange is the view that an index, slice, transpose or broadcast gives.
func rearrange(n *graph.Node, v view, from, to graph.Shape) view {
	v.strides = slices.Clone(v.strides)
	switch n.Op {
	case graph.OpIndex:
		v.at = v.at.Plus(v.size * int(n.Attr) * v.strides[0])
		v.strides = v.strides[1:]
	case graph.OpSlice:
		start, step := n.SliceRange()
		if to[0] > 0 {
			v.at = v.at.Plus(v.size * start * v.strides[0])
		}
		v.strides[0] *= step
	case graph.OpTranspose:
		v.strides[0], v.strides[1] = v.strides[1], v.strides[0]
	case graph.OpBroadcast:
		strides := make([]int, len(to))
		shift := len(to) - len(from)
		for i, d := range from {
			if d == to[shift+i] {
				strides[shift+i] = v.strides[i]
			}
		}
		v.strides = strides
	}
	return v
}

// moveElems rearranges an array of values: the rearranged view of their indices
// says which goes where.
func (l *lowerer) moveElems(id, from graph.ID) {
	n := l.g.Node(id)
	vs := l.elements(from)
	fromShape, shape := l.g.ShapeOf(from), l.g.ShapeOf(id)
	// A view of nothing in memory: the offset of a place is the index of an element.
	v := view{size: 1, strides: rowMajor(shape)}
	if n.Op != graph.OpReshape {
		v = rearrange(n, view{size: 1, strides: rowMajor(fromShape)}, fromShape, shape)
	}
	if len(shape) == 0 {
		l.form[id], l.ref[id] = scalar, int32(vs[v.at.Offset()])
		return
	}
	out := make([]lir.Val, 0, shape.Elements())
	v.each(shape, func(at lir.Addr) { out = append(out, vs[at.Offset()]) })
	l.setElems(id, out)
}

// copyTo copies a view to a place, row by row without gaps, and returns the loops
// that do it.
func (l *lowerer) copyTo(v view, shape graph.Shape, to lir.Addr, t graph.DType) int32 {
	dense := view{strides: rowMajor(shape), size: v.size}
	return l.copyStream(stream{t: t, at: v.at, strides: v.bytes()}, stream{t: t, at: to, strides: dense.bytes()}, shape, v.loop)
}

// copyStream copies elements of the given shape, in the given loops or later ones.
func (l *lowerer) copyStream(v, to stream, shape graph.Shape, loop int32) int32 {
	n := &nest{l: l, dims: shape, loop: loop}
	from, out := n.add(v), n.addWritten(to)
	n.collapse(0)
	n.place(n.around(func() []lir.Item {
		return n.rowMap(&expr{}, func(b *body, e int) { b.store(out, e, b.load(from, e)) })
	}))
	return n.loop
}

// copyView gives a view's elements a place of their own, row by row without gaps.
func (l *lowerer) copyView(v view, shape graph.Shape, t graph.DType) view {
	out := l.newArray(shape, t)
	if shape.Elements() > 0 {
		k := l.copyTo(v, shape, out.at, t)
		out.loop, out.block = k, k
	}
	return out
}
