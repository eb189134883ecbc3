package linalg

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// reflector is a Householder reflection of the rows from one on: x loses
// v * (tau * (v . x)).
type reflector struct {
	from int
	v    []vm.Value
	tau  vm.Value
}

// reflect reflects columns from one on of the rows.
func (g *grid) reflect(rows [][]vm.Value, h *reflector, from int) {
	g.tick()
	for j := from; j < len(rows[0]); j++ {
		s := g.Mul(h.v[0], rows[h.from][j])
		for i, v := range h.v[1:] {
			s = g.Add(s, g.Mul(v, rows[h.from+1+i][j]))
		}
		s = g.Mul(h.tau, s)
		for i, v := range h.v {
			rows[h.from+i][j] = g.minus(rows[h.from+i][j], s, v)
		}
	}
}

// triangle makes the first n columns upper triangular by reflections, which also
// go over the columns behind. A diagonal element gets the sign that is opposite to
// that of the element it replaces, so that nothing cancels; with zeros below it that element
// stays as it is, as in LAPACK. Columns are divided by their largest element first: the squares
// of large ones would overflow, and those of small ones vanish.
func (g *grid) triangle(n int) []*reflector {
	var hs []*reflector
	for k := range n {
		if k == len(g.rows)-1 {
			break // nothing is below the last row
		}
		x := make([]vm.Value, 0, len(g.rows)-k)
		for _, row := range g.rows[k:] {
			x = append(x, row[k])
		}
		size := g.size(x)
		for i, e := range x {
			x[i] = g.Div(e, size)
		}
		rest := g.Squares(x[1:])
		upright := g.Compare(vm.OpEq, rest, 0.0) // there is nothing to reflect
		length := g.Call("sqrt", g.Squares(x))
		diagonal := g.Iif(g.Compare(vm.OpLt, x[0], 0.0), length, g.Neg(length))
		h := &reflector{from: k, v: x}
		first := x[0]
		h.v[0] = g.Sub(first, diagonal)
		square := g.Add(g.Mul(h.v[0], h.v[0]), rest)
		if upright == true {
			h.tau = 0.0
		} else {
			h.tau = g.Iif(upright, 0.0, g.Div(2.0, square))
		}
		g.reflect(g.rows, h, k+1)
		g.rows[k][k] = g.Mul(g.Iif(upright, first, diagonal), size)
		for _, row := range g.rows[k+1:] {
			row[k] = 0.0
		}
		hs = append(hs, h)
		if g.Err != nil {
			return nil
		}
	}
	return hs
}

// size is the largest absolute value, 1 where all are 0. What is divided by it and multiplied
// again has no derivative by it.
func (c *grid) size(x []vm.Value) vm.Value {
	most := c.Abs(x[0])
	for _, e := range x[1:] {
		most = c.Extremum("max", graph.OpMax, most, c.Abs(e))
	}
	return c.Call("stop_gradient", c.Iif(c.Compare(vm.OpEq, most, 0.0), 1.0, most))
}

// tallGrid takes a matrix with at least as many rows as columns.
func (m solver) tallGrid(t *vm.Thread, fn string, v vm.Value) (*grid, error) {
	g, err := m.grid(t, fn, v)
	if err == nil && len(g.rows) < len(g.rows[0]) {
		return nil, vm.ValueErrorf("%s: needs at least as many rows as columns, not shape (%d, %d)", fn, len(g.rows), len(g.rows[0]))
	}
	return g, err
}

// qrFunc is cp.qr(a) for an (m, n) matrix: with k the smaller of m and n, q of shape (m, k) with
// orthonormal columns and an upper triangle r of shape (k, n) with q @ r == a.
func (m solver) qrFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if f, a, ok, err := m.traced(t, fn, args[0], largeFactor); err != nil || ok {
		if err != nil {
			return nil, err
		}
		q, r, err := f.qr(a)
		if err != nil {
			return nil, m.TraceError(err)
		}
		left, err := m.Wrap(q, nil)
		if err != nil {
			return nil, err
		}
		right, err := m.Wrap(r, nil)
		return vm.NewTuple(left, right), err
	}
	g, err := m.grid(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	rows, columns := len(g.rows), len(g.rows[0])
	n := min(rows, columns)
	hs := g.triangle(n)
	if g.Err != nil {
		return nil, g.Err
	}
	q := &grid{Calc: g.Calc, fn: fn}
	for i := range rows {
		row := slices.Repeat([]vm.Value{0.0}, n)
		if i < n {
			row[i] = 1.0
		}
		q.rows = append(q.rows, row)
	}
	for _, h := range slices.Backward(hs) {
		q.reflect(q.rows, h, h.from) // the columns before it are still zero there
	}
	left, err := q.columns(rows, 0, graph.Shape{rows, n})
	if err != nil {
		return nil, err
	}
	right, err := g.columns(n, 0, graph.Shape{n, columns})
	if err != nil {
		return nil, err
	}
	return vm.NewTuple(left, right), nil
}

// lstsqFunc is cp.lstsq(a, b): the x for which the squares of a @ x - b have the
// smallest sum, for a matrix of full rank with at least as many rows as columns.
func (m solver) lstsqFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	a, b, err := m.pair(t, fn, args)
	if err != nil {
		return nil, err
	}
	if r, done, err := m.lstsqLarge(t, fn, a, b); done {
		return r, err
	}
	g, err := m.tallGrid(t, fn, a)
	if err != nil {
		return nil, err
	}
	n := len(g.rows[0])
	s, err := g.append(b)
	if err != nil {
		return nil, err
	}
	return g.lstsq(n, s)
}

// lstsq solves the equations whose right-hand sides of shape s stand behind n columns.
func (g *grid) lstsq(n int, s graph.Shape) (vm.Value, error) {
	g.triangle(n)
	if g.Err != nil {
		return nil, g.Err
	}
	g.backSubstitute(n)
	return g.columns(n, n, slices.Concat(graph.Shape{n}, s[1:]))
}
