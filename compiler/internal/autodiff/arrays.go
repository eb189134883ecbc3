package autodiff

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

func stackBack(s *step) {
	for i := range s.args {
		if s.want(i) {
			at := func(v graph.Value) graph.Value { return v.Index(i) }
			s.give(s.args[i], flow{v: at(s.adj), guard: s.moved(s.guard, at)})
		}
	}
}

func indexBack(s *step) {
	a, row := s.args[0], int(s.g.Node(s.y.ID()).Attr)
	s.rows[a] = append(s.rows[a], rowFlow{row, flow{v: s.adj, guard: s.guard}})
}

// takeBack gives each row what the indices that take it have: nothing, where none does, of which
// nothing shows, as of the side not taken of a select.
func takeBack(s *step) {
	if !s.want(0) {
		return
	}
	shape := s.arg(0).Shape()
	n := shape[0]
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	by := s.arg(1)
	if taken := by.Shape(); len(taken) > 0 {
		k := taken.Elements()
		if k > fewTaken {
			s.give(s.args[0], s.scatter(by, n))
			return
		}
		spread := func(v graph.Value) graph.Value { return v.Reshape(1, k).Broadcast(n, k) }
		own := s.g.ConstI32(graph.Shape{n}, rows).Reshape(n, 1).Broadcast(n, k)
		here := own.Eq(spread(place(by, n)))
		if s.guard != 0 {
			here = here.And(spread(s.condition(s.guard)))
		}
		adj := here.Select(spread(s.adj), like(s.adj, 0).Broadcast(n, k)).SumAxis(1)
		s.give(s.args[0], flow{v: adj, guard: s.under(0, here.ToI32().SumAxis(1).ToBool(), false), zeroed: true})
		return
	}
	repeat := func(v graph.Value) graph.Value { return v.Broadcast(shape...) }
	column := slices.Repeat(graph.Shape{1}, len(shape))
	column[0] = n
	here := s.g.ConstI32(graph.Shape{n}, rows).Eq(place(by, n)).Reshape(column...)
	s.give(s.args[0], flow{v: repeat(s.adj), guard: s.under(s.moved(s.guard, repeat), repeat(here), false)})
}

// fewTaken is up to how many elements are taken that each row is compared with.
const fewTaken = 16

// scatter adds the adjoint of each element that is taken to that of its row, one after the other.
func (s *step) scatter(by graph.Value, n int) flow {
	k := by.Shape().Elements()
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	own := s.g.ConstI32(graph.Shape{n}, rows)
	none, adj, zero := s.g.I32(0).Broadcast(n), s.adj.Reshape(k), like(s.adj, 0)
	carry := []graph.Value{zero.Broadcast(n), none}
	xs := []graph.Value{place(by, n).Reshape(k), adj}
	if s.guard != 0 {
		xs = append(xs, s.condition(s.guard).Reshape(k))
	}
	last, _, err := s.g.Scan(k, carry, xs, func(_ graph.Value, c, x []graph.Value) (next, out []graph.Value, err error) {
		at, e, shown := x[0], x[1], s.g.I32(1)
		if len(x) > 2 {
			e, shown = x[2].Select(e, zero), x[2].ToI32()
		}
		here := own.Eq(at)
		return []graph.Value{here.Select(c[0].Take(at).Add(e), c[0]), here.Select(c[1].Take(at).Or(shown), c[1])}, nil, s.g.Err()
	})
	if err != nil {
		panic(err) // what is built of a checked graph fits
	}
	return flow{v: last[0], guard: s.under(0, last[1].ToBool(), false), zeroed: true}
}

// place is the row, of n, that an index takes.
func place(by graph.Value, n int) graph.Value {
	g := by.Graph()
	last := g.I32(int32(n - 1))
	return by.Lt(g.I32(0)).Select(by.Add(g.I32(int32(n))), by).Max(g.I32(0)).Min(last)
}

// sortBack brings each row of adjoints into the order that the elements had.
func sortBack(s *step) {
	x := s.arg(0)
	shape := x.Shape()
	length := shape[len(shape)-1]
	if shape.Elements() == 0 {
		return
	}
	// The place that each element goes to, counted over all lines.
	to := x.Argsort().Argsort()
	if lines := shape.Elements() / length; lines > 1 {
		first := make([]int32, lines)
		for i := range first {
			first[i] = int32(i * length)
		}
		to = to.Reshape(lines, length).Add(s.g.ConstI32(graph.Shape{lines, 1}, first))
	}
	to = to.Reshape(shape.Elements())
	back := func(v graph.Value) graph.Value {
		return v.Reshape(shape.Elements()).Take(to).Reshape(shape...)
	}
	s.give(s.args[0], flow{v: back(s.adj), guard: s.moved(s.guard, back)})
}

func concatBack(s *step) {
	row := 0
	for i := range s.args {
		n := s.arg(i).Shape()[0]
		if s.want(i) {
			first := row
			part := func(v graph.Value) graph.Value { return v.Slice(first, n, 1) }
			s.give(s.args[i], flow{v: part(s.adj), guard: s.moved(s.guard, part)})
		}
		row += n
	}
}

func reshapeBack(s *step) {
	back := func(v graph.Value) graph.Value { return v.Reshape(s.arg(0).Shape()...) }
	s.give(s.args[0], flow{v: back(s.adj), guard: s.moved(s.guard, back)})
}

func transposeBack(s *step) {
	s.give(s.args[0], flow{v: s.adj.Transpose(), guard: s.moved(s.guard, graph.Value.Transpose)})
}

// sliceBack puts the rows back where they came from, among zeros. The other rows
// are guarded like the side not taken of a select: nothing of them shows, even
// where they have no derivative.
func sliceBack(s *step) {
	start, step := s.g.Node(s.y.ID()).SliceRange()
	rows := s.arg(0).Shape()[0]
	back := func(v graph.Value) graph.Value { return spread(v, start, step, rows) }
	f := flow{v: back(s.adj), guard: s.moved(s.guard, back)}
	if shape := s.y.Shape(); f.guard == 0 && shape[0] < rows {
		f.guard = s.under(0, back(s.g.Bool(true).Broadcast(shape...)), false)
		f.zeroed = true
	}
	s.give(s.args[0], f)
}

// spread returns an array of rows rows of which row start + k*step is row k of v
// and the others are 0 or false.
func spread(v graph.Value, start, step, rows int) graph.Value {
	n := v.Shape()[0]
	if n == 0 {
		return blank(v, rows)
	}
	if step < 0 {
		start, step = start+(n-1)*step, -step
		v = v.Slice(n-1, n, -1)
	}
	if step > 1 && n > 1 {
		// Each row as one line of a matrix, followed by the zeros up to the next.
		s := v.Shape()
		inner := s[1:].Elements()
		m := v.Reshape(n, inner)
		gap := blank(m.Transpose(), (step-1)*inner)
		m = m.Graph().ConcatOf(m.Transpose(), gap).Transpose()
		v = m.Reshape(append([]int{n * step}, s[1:]...)...).Slice(0, (n-1)*step+1, 1)
	}
	parts := []graph.Value{v}
	if start > 0 {
		parts = []graph.Value{blank(v, start), v}
	}
	if rest := rows - start - v.Shape()[0]; rest > 0 {
		parts = append(parts, blank(v, rest))
	}
	return v.Graph().ConcatOf(parts...)
}

// blank is n rows of zeros like the rows of v.
func blank(v graph.Value, n int) graph.Value {
	shape := append([]int{n}, v.Shape()[1:]...)
	return v.Graph().ConstWord(v.DType(), 0).Broadcast(shape...)
}

// broadcastBack sums over the axes that were repeated.
func broadcastBack(s *step) {
	from, to := s.arg(0).Shape(), s.y.Shape()
	fold := func(v graph.Value) graph.Value {
		shift := len(to) - len(from)
		for axis := len(to) - 1; axis >= 0; axis-- {
			if axis < shift || from[axis-shift] != to[axis] {
				v = v.SumAxis(axis)
			}
		}
		return v.Reshape(from...)
	}
	sum := fold(s.lift(flow{v: s.adj, guard: s.guard}, 0))
	s.give(s.args[0], flow{v: sum, guard: s.moved(s.guard, func(cond graph.Value) graph.Value {
		return fold(cond.ToI32()).ToBool() // where any repetition counts
	})})
}

// sumBack repeats the adjoint along the axes that were summed.
func sumBack(s *step) {
	back := s.along()
	s.give(s.args[0], flow{v: back(s.adj), guard: s.moved(s.guard, back)})
}

// along is what repeats a value of the shape of the result along the axes that were reduced.
func (s *step) along() func(graph.Value) graph.Value {
	from := s.arg(0).Shape()
	kept := graph.Shape{}
	if axis := s.g.Node(s.y.ID()).Axis(); axis >= 0 {
		kept = slices.Clone(from)
		kept[axis] = 1
	}
	return func(v graph.Value) graph.Value { return v.Reshape(kept...).Broadcast(from...) }
}

// extremumBack gives the adjoint to the elements that equal the result, which share it. Where
// one is NaN there are none.
func extremumBack(s *step) {
	back := s.along()
	wins := s.arg(0).Eq(back(s.y))
	axis := graph.AllAxes
	if a := s.g.Node(s.y.ID()).Axis(); a >= 0 {
		axis = a
	}
	winners := like(s.y, 1).Mul(wins.ToI32().SumAxis(axis))
	s.give(s.args[0], flow{v: back(s.adj.Div(winners)), guard: s.under(s.moved(s.guard, back), wins, false)})
}

func dotBack(s *step) {
	shape := s.arg(0).Shape()
	repeat := func(v graph.Value) graph.Value { return v.Broadcast(shape...) }
	adj, guard := repeat(s.adj), s.moved(s.guard, repeat)
	for i := range s.args {
		if s.want(i) {
			s.give(s.args[i], flow{v: adj.Mul(s.arg(1 - i)), guard: guard})
		}
	}
}

// matMulBack sees vectors as matrices with one row (left) or column (right).
func matMulBack(s *step) {
	a, b := s.arg(0), s.arg(1)
	m, n, p := 1, b.Shape()[0], 1
	if s := a.Shape(); len(s) == 2 {
		m = s[0]
	}
	if s := b.Shape(); len(s) == 2 {
		p = s[1]
	}
	adj := s.lift(flow{v: s.adj, guard: s.guard}, 0).Reshape(m, p)
	part := func(i int, v graph.Value) {
		shape := s.arg(i).Shape()
		s.give(s.args[i], flow{v: v.Reshape(shape...), guard: s.moved(s.guard, func(cond graph.Value) graph.Value {
			return cond.ToI32().Sum().ToBool().Broadcast(shape...)
		})})
	}
	if s.want(0) {
		part(0, adj.MatMul(b.Reshape(n, p).Transpose()))
	}
	if s.want(1) {
		part(1, a.Reshape(m, n).Transpose().MatMul(adj))
	}
}
