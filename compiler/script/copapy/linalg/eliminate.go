package linalg

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// unrolled is up to how many elements a matrix and its right-hand sides have that are unrolled:
// as many as one of 6 rows with the identity.
const unrolled = straight * 2 * straight

// solveLarge is solve of a matrix or right-hand sides with more than a few elements, not all of
// which are known. done says that it is one.
func (m solver) solveLarge(t *vm.Thread, fn string, a, b *array.Tensor, pivot bool) (r vm.Value, done bool, err error) {
	s, of := a.Shape(), b.Shape()
	if len(s) != 2 || s[0] != s[1] || len(of) > 2 || of[0] != s[0] || of.Elements() == 0 || !a.Traced() && !b.Traced() {
		return nil, false, nil
	}
	if n := s[0]; n <= straight && n*n+of.Elements() <= unrolled {
		return nil, false, nil
	}
	if !a.Traced() {
		if isSparse(a) {
			return nil, false, nil
		}
		inverse, err := m.plainInverse(t, fn, a, pivot)
		if err != nil {
			return nil, true, err
		}
		r, err = m.times(t, inverse, b)
		return r, true, err
	}
	f, xs, err := m.floats(t, a, b)
	if err != nil {
		return nil, true, m.TraceError(err)
	}
	r, err = m.Wrap(f.solve(xs[0], xs[1], pivot))
	return r, true, err
}

// isSparse reports whether a known matrix has as many zeros as one of three diagonals: substituting
// takes fewer operations than a product with the inverse.
func isSparse(a *array.Tensor) bool {
	others := 0
	for _, e := range a.Plain {
		if x, ok := vm.AsFloat(e); !ok || x != 0 {
			others++
		}
	}
	return others <= 3*a.Shape()[0]
}

// plainInverse is the inverse of a known matrix, by the steps of solve.
func (m solver) plainInverse(t *vm.Thread, fn string, a *array.Tensor, pivot bool) (vm.Value, error) {
	g, err := m.squareGrid(t, fn, a)
	if err != nil {
		return nil, err
	}
	s, err := g.appendUnit()
	if err != nil {
		return nil, err
	}
	return g.solve(s, pivot)
}

// times is the product of a known matrix and what is traced, as floats.
func (m solver) times(t *vm.Thread, a vm.Value, b *array.Tensor) (vm.Value, error) {
	c := m.Calc(t)
	return c.Done(c.Matmul(a, c.Float(b)))
}

// solve makes the identity of the matrix, column after column: the row with the largest element
// in it is divided by that element and changes places with the one that belongs there, and all
// others lose what they have of it. So the right-hand sides become the solution. Equations are
// the columns of w, the elements of which lie next to each other.
func (f flow) solve(a, b graph.Value, pivot bool) (graph.Value, error) {
	n, sides := a.Shape()[0], sides(b)
	w, err := f.Concat(a.Transpose(), sides)
	if err != nil {
		return graph.Value{}, err
	}
	equations := f.counting(n)
	last, err := f.Fori(n, []graph.Value{w}, func(k graph.Value, carry []graph.Value) ([]graph.Value, error) {
		w, c := carry[0], carry[0].Take(k)
		at := k
		rows := []graph.Value{w.Transpose().Take(k)}
		if pivot {
			var err error
			if at, err = f.pivot([]graph.Value{c}, func(i, _ graph.Value) graph.Value { return i.Lt(k) }); err != nil {
				return nil, err
			}
			rows = append(rows, w.Transpose().Take(at))
		}
		largest, own := c.Take(at), c.Take(k)
		out, err := f.each(rows, func(_ graph.Value, e []graph.Value) []graph.Value {
			scaled := e[len(e)-1].Div(largest)
			return []graph.Value{scaled, e[0].Sub(own.Mul(scaled))}[:len(e)]
		})
		if err != nil {
			return nil, err
		}
		w = w.Sub(column(out[0]).Mul(c))
		if pivot {
			w = equations.Eq(at).Select(column(out[1]), w)
		}
		return []graph.Value{equations.Eq(k).Select(column(out[0]), w)}, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	if len(b.Shape()) == 1 {
		return f.Index(last[0], n)
	}
	x := last[0].Slice(n, sides.Shape()[0], 1).Transpose()
	return x, f.Err()
}

// det is the product of the pivots of an elimination, whose sign changes with each exchange. A row
// that is exchanged for the pivot's loses what it has of it right away; the others do afterwards.
// It works on the transpose, which has the same determinant.
func (f flow) det(w graph.Value) (graph.Value, error) {
	n := w.Shape()[0]
	zero, one, rows := f.Number(f.t, 0), f.Number(f.t, 1), f.counting(n)
	last, err := f.Fori(n, []graph.Value{w, one}, func(k graph.Value, carry []graph.Value) ([]graph.Value, error) {
		w, d := carry[0], carry[1]
		c := w.Take(k)
		at, err := f.pivot([]graph.Value{c}, func(i, _ graph.Value) graph.Value { return i.Lt(k) })
		if err != nil {
			return nil, err
		}
		pivot := c.Take(at)
		none := pivot.Eq(zero)
		divisor := none.Select(one, pivot)
		factor := func(e graph.Value) graph.Value { return none.Select(zero, e.Div(divisor)) }
		own := factor(c.Take(k))
		r := w.Transpose().Take(at)
		out, err := f.each([]graph.Value{c, w.Transpose().Take(k), r}, func(i graph.Value, e []graph.Value) []graph.Value {
			return []graph.Value{i.Gt(k).Select(factor(e[0]), zero), e[1].Sub(own.Mul(e[2]))}
		})
		if err != nil {
			return nil, err
		}
		w = w.Sub(column(r).Mul(out[0]))
		w = rows.Eq(at).Select(column(out[1]), w)
		return []graph.Value{w, d.Mul(at.Eq(k).Select(pivot, pivot.Neg()))}, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	return last[1], nil
}

// cholesky makes column after column of the triangle: what the columns before it leave of that of
// the matrix, divided by the root of its first element.
func (f flow) cholesky(a graph.Value) (graph.Value, error) {
	n := a.Shape()[0]
	zero, columns := f.Number(f.t, 0), f.counting(n)
	last, _, err := f.Scan(n, []graph.Value{f.fill(f.t, 0, n, n)}, []graph.Value{a.Transpose()}, func(k graph.Value, carry, row []graph.Value) (next, rows []graph.Value, err error) {
		l, c := carry[0], row[0]
		done := l.MatMul(l.Take(k))
		root := c.Take(k).Sub(done.Take(k)).Sqrt()
		out, err := f.each([]graph.Value{c, done}, func(i graph.Value, e []graph.Value) []graph.Value {
			below := i.Gt(k)
			rest := below.Select(e[0], zero).Sub(e[1])
			return []graph.Value{below.Select(rest.Div(root), i.Eq(k).Select(root, zero))}
		})
		if err != nil {
			return nil, nil, err
		}
		return []graph.Value{columns.Eq(k).Select(column(out[0]), l)}, nil, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	return last[0], nil
}
