package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// What was assigned as arrays is taken as such again when the elements of an array are joined: one array, or
// some whose elements come in turn, as those of even and odd index do.

// maxTurns is how many arrays may take turns.
const maxTurns = 4

// turns finds, from part i on, k arrays with n elements in turn, each at least so long; 0, 0 where there are none.
func (x *Tensor) turns(i, least int, like graph.DType) (k, n int) {
	for k = 1; k <= maxTurns && i+k*least <= len(x.parts); k++ {
		if !x.takeTurns(i, k, least, like) {
			continue
		}
		n = len(x.parts)
		for j := range k {
			n = min(n, x.row(i+j, k, n, like))
		}
		return k, n
	}
	return 0, 0
}

// takeTurns reports whether k arrays have so many elements in turn from part i on. No more is looked at, since most parts begin none.
func (x *Tensor) takeTurns(i, k, least int, like graph.DType) bool {
	arrays := false
	for j := range k {
		base, _ := x.elementOf(i + j)
		arrays = arrays || base != graph.None
		if x.row(i+j, k, least, like) < least {
			return false
		}
	}
	return arrays
}

// row is how many parts, one in k from i on and at most so many, are neighbours in an array of one axis, or the same.
func (x *Tensor) row(i, k, most int, like graph.DType) (n int) {
	base, first := x.elementOf(i)
	for n = 1; n < most && i+n*k < len(x.parts); n++ {
		other, at := x.elementOf(i + n*k)
		if base == graph.None && !samePart(x.parts[i], x.parts[i+n*k], like) || base != graph.None && (other != base || at != first+n) {
			break
		}
	}
	return n
}

// elementOf is the array of one axis that a part is an element of, and which one; None for any other part.
func (x *Tensor) elementOf(i int) (of graph.ID, at int) {
	v, ok := x.parts[i].(*Value)
	if !ok || v.Node.Op() != graph.OpIndex {
		return graph.None, 0
	}
	g := x.m.Graph
	if of = g.Args(v.Node.ID())[0]; len(g.ShapeOf(of)) != 1 {
		return graph.None, 0
	}
	return of, int(g.Node(v.Node.ID()).Attr)
}

// samePart reports whether two parts are one traced value, or numbers of the same bits beside others of type like.
func samePart(a, b vm.Value, like graph.DType) bool {
	x, traced := a.(*Value)
	y, also := b.(*Value)
	if traced || also {
		return traced && also && x.Node.ID() == y.Node.ID()
	}
	t, v, err := Number(a, like)
	u, w, errToo := Number(b, like)
	return err == nil && errToo == nil && t == u && v == w
}

// woven is the array of the parts from i on that turns has found.
func (x *Tensor) woven(i, k, n int, like graph.DType) (graph.Value, error) {
	g := x.m.Graph
	rows := make([]graph.Value, k)
	for j := range rows {
		of, at := x.elementOf(i + j)
		row, err := g.Value(of), error(nil)
		if of != graph.None {
			row, err = g.Slice(row, at, n, 1)
		} else if row, err = x.m.Constant(x.parts[i+j], like); err == nil {
			row, err = g.Broadcast(row, graph.Shape{n})
		}
		if err == nil && k > 1 {
			row, err = g.Reshape(row, graph.Shape{1, n})
		}
		if err != nil {
			return row, err
		}
		rows[j] = row
	}
	v, err := g.Concat(rows...)
	if err == nil && k > 1 {
		if v, err = g.Transpose(v); err == nil {
			v, err = g.Reshape(v, graph.Shape{k * n})
		}
	}
	return v, err
}
