package opt

import "github.com/copaflash/copaflash/compiler/graph"

// inOrder is a row that iterations take of an array that none of them changes: row start + step * i in iteration i.
type inOrder struct {
	of          graph.ID // the array, in the body
	start, step int
}

// mostOfRow is how many elements such rows have at most: a row of more is copied where it is sliced, and lies where it is where it
// is taken.
const mostOfRow = 16

// sliceRows makes slices of what iterations take in order, for which pointers walk. It reports whether there was any.
func (o *pass) sliceRows(d *draft) bool {
	taken, list := d.takenInOrder()
	if len(list) == 0 {
		return false
	}
	params, uses := d.params(), d.Body.Users(d.Results)
	next := draft{Scan: graph.Scan{Iterations: d.Iterations, Body: graph.New(), Carries: d.Carries, Slices: d.Slices}, outs: d.outs}
	moved := make([]graph.ID, d.Body.NumNodes())
	shapeOf := func(i int) graph.Shape {
		shape := o.to.ShapeOf(d.args[i])
		if i >= d.Carries && i < d.Carries+d.Slices {
			shape = shape[1:]
		}
		return shape
	}
	operand := func(i int) {
		if id := next.param(o.to.Node(d.args[i]).DType, shapeOf(i)); params[1+i] != graph.None {
			moved[params[1+i]] = id
		}
		next.args = append(next.args, d.args[i])
	}
	next.param(graph.I32, graph.Shape{})
	for i := range d.Carries + d.Slices {
		operand(i)
	}
	for _, row := range list {
		rows := o.rows(d, row)
		p := next.param(o.to.Node(rows).DType, o.to.ShapeOf(rows)[1:])
		next.args = append(next.args, rows)
		next.Slices++
		for id, by := range taken {
			if by == row {
				moved[id], uses[id] = p, 0 // not copied
			}
		}
	}
	for i := d.Carries + d.Slices; i < len(d.args); i++ {
		operand(i)
	}
	next.copy(d.Body, uses, moved)
	for _, id := range d.Results {
		next.Results = append(next.Results, moved[id])
	}
	*d = next
	return true
}

// takenInOrder finds the nodes that take rows in order, and these rows in the order of the first nodes.
func (d *draft) takenInOrder() (taken map[graph.ID]inOrder, list []inOrder) {
	uses := d.Body.Users(d.Results)
	found := map[inOrder]bool{}
	further := map[graph.ID]bool{} // of these rows or elements are taken
	for id := graph.ID(d.Body.NumNodes() - 1); id >= 0; id-- {
		if d.Body.Node(id).Op == graph.OpTake && uses[id] > 0 {
			further[d.Body.Args(id)[0]] = true
		}
	}
	for i := range d.Body.NumNodes() {
		id := graph.ID(i)
		if d.Body.Node(id).Op != graph.OpTake || uses[id] == 0 {
			continue
		}
		if n := d.Body.Node(id); n.Shape != graph.Scalar && (further[id] || d.Body.Elements(id) > mostOfRow) {
			continue
		}
		if row, ok := d.inOrder(id); ok {
			if taken == nil {
				taken = map[graph.ID]inOrder{}
			}
			if taken[id] = row; !found[row] {
				found[row], list = true, append(list, row)
			}
		}
	}
	return taken, list
}

// inOrder reads what a node takes in each iteration.
func (d *draft) inOrder(id graph.ID) (row inOrder, ok bool) {
	args := d.Body.Args(id)
	switch from := d.Body.Node(args[0]); {
	case from.Op == graph.OpParam && int(from.Attr) > d.Carries+d.Slices, from.Op == graph.OpConst:
	default:
		return row, false
	}
	if d.Body.Node(args[1]).Shape != graph.Scalar {
		return row, false
	}
	step, start, ok := d.line(args[1])
	last, rows := start+step*int64(d.Iterations-1), int64(d.Body.ShapeOf(args[0])[0])
	if !ok || step == 0 || min(start, last) < 0 || max(start, last) >= rows {
		return row, false
	}
	return inOrder{args[0], int(start), int(step)}, true
}

// steepest bounds the factors of a line, so that numbers of lines do not overflow.
const steepest = 1 << 24

// line finds step and start of an integer that is start + step * i in iteration i.
func (d *draft) line(id graph.ID) (step, start int64, ok bool) {
	n, args := d.Body.Node(id), d.Body.Args(id)
	switch {
	case n.Op == graph.OpParam && n.Attr == 0:
		return 1, 0, true
	case n.Op == graph.OpConst && n.DType == graph.I32 && n.Shape == graph.Scalar:
		return 0, int64(int32(uint32(n.Word()))), true
	case n.Op != graph.OpAdd && n.Op != graph.OpSub && n.Op != graph.OpMul && n.Op != graph.OpShl:
		return 0, 0, false
	}
	s, a, known := d.line(args[0])
	t, b, also := d.line(args[1])
	switch n.Op {
	case graph.OpAdd:
		step, start = s+t, a+b
	case graph.OpSub:
		step, start = s-t, a-b
	case graph.OpMul:
		step, start = s*b+t*a, a*b
		known = known && s*t == 0 && max(s, -s, a, -a, t, -t, b, -b) < steepest
	case graph.OpShl:
		known = known && also && t == 0 && b >= 0 && b < 24 && max(s, -s, a, -a) < steepest
		if known {
			step, start = s<<b, a<<b
		}
	}
	return step, start, known && also && max(step, -step, start, -start) < 1<<48
}

// rows are the rows that iterations take in order, as an array of the new graph.
func (o *pass) rows(d *draft, row inOrder) graph.ID {
	n := d.Body.Node(row.of)
	var of graph.ID
	if n.Op == graph.OpConst {
		shape, err := o.to.InternShape(d.Body.ShapeOf(row.of))
		if err != nil {
			panic(err) // interned in the body
		}
		of = o.to.ConstArray(n.DType, shape, d.Body.ConstBits(row.of))
	} else {
		of = d.args[n.Attr-1]
	}
	shape := o.to.ShapeOf(of)
	if row.start == 0 && row.step == 1 && shape[0] == d.Iterations {
		return of
	}
	s, err := o.to.InternShape(append(graph.Shape{d.Iterations}, shape[1:]...))
	if err != nil {
		panic(err) // of no more elements
	}
	return o.build(node{op: graph.OpSlice, t: n.DType, shape: s, attr: graph.SliceAttr(row.start, row.step), args: []graph.ID{of}})
}
