package linalg

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// largeFactor reports whether a matrix is reflected in loops.
func largeFactor(s graph.Shape) bool {
	return len(s) == 2 && min(s[0], s[1]) > 0 && s.Elements() > straight*straight
}

// reflected is a matrix whose first columns became an upper triangle by reflections: see triangle.
type reflected struct {
	w   graph.Value
	v   graph.Value // in row k the vector of the k-th reflection, which begins with k zeros
	tau graph.Value
}

// triangle is grid.triangle as a loop: of a row that has none below it nothing is reflected.
func (f flow) triangle(a graph.Value, n int) (reflected, error) {
	rows, zero, one := a.Shape()[0], f.Number(f.t, 0), f.Number(f.t, 1)
	columns := f.counting(a.Shape()[1])
	last, out, err := f.Scan(n, []graph.Value{a}, nil, func(k graph.Value, carry, _ []graph.Value) (next, out []graph.Value, err error) {
		w, c := carry[0], carry[0].Transpose().Take(k)
		largest, _, err := f.Scan(rows, []graph.Value{zero}, []graph.Value{c}, func(i graph.Value, most, e []graph.Value) (next, rows []graph.Value, err error) {
			return []graph.Value{i.Ge(k).Select(most[0].Max(e[0].Abs()), most[0])}, nil, f.Err()
		})
		if err != nil {
			return nil, nil, err
		}
		size := largest[0].Eq(zero).Select(one, largest[0]).Stop()
		squares, x, err := f.Scan(rows, []graph.Value{zero}, []graph.Value{c}, func(i graph.Value, sum, e []graph.Value) (next, rows []graph.Value, err error) {
			x := i.Ge(k).Select(e[0], zero).Div(size)
			return []graph.Value{i.Gt(k).Select(sum[0].Add(x.Mul(x)), sum[0])}, []graph.Value{x}, f.Err()
		})
		if err != nil {
			return nil, nil, err
		}
		first, rest := x[0].Take(k), squares[0]
		upright := rest.Eq(zero) // there is nothing to reflect
		length := upright.Select(first.Abs(), first.Mul(first).Add(rest).Sqrt())
		diagonal := first.Lt(zero).Select(length, length.Neg())
		head := first.Sub(diagonal)
		tau := upright.Select(zero, f.Number(f.t, 2).Div(upright.Select(one, head.Mul(head).Add(rest))))
		corner := upright.Select(first, diagonal).Mul(size)
		parts, err := f.each([]graph.Value{x[0], c}, func(i graph.Value, e []graph.Value) []graph.Value {
			here := i.Eq(k)
			return []graph.Value{here.Select(head, e[0]), here.Select(corner, i.Gt(k).Select(zero, e[1]))}
		})
		if err != nil {
			return nil, nil, err
		}
		w = columns.Eq(k).Select(column(parts[1]), f.reflect(w, parts[0], tau))
		return []graph.Value{w}, []graph.Value{parts[0], tau}, f.Err()
	})
	if err != nil {
		return reflected{}, err
	}
	return reflected{last[0], out[0], out[1]}, nil
}

// reflect takes v * (tau * (v . x)) off each column x.
func (f flow) reflect(w, v, tau graph.Value) graph.Value {
	return w.Sub(column(v).Mul(v.MatMul(w).Mul(tau)))
}

// qr is grid's qr as loops.
func (f flow) qr(a graph.Value) (q, r graph.Value, err error) {
	s := a.Shape()
	n := min(s[0], s[1])
	h, err := f.triangle(a, n)
	if err != nil {
		return q, r, err
	}
	unit := column(f.counting(s[0])).Eq(f.counting(n)).Select(f.Number(f.t, 1), f.Number(f.t, 0))
	last, err := f.Fori(n, []graph.Value{unit}, func(i graph.Value, carry []graph.Value) ([]graph.Value, error) {
		k := f.I32(int32(n - 1)).Sub(i)
		return []graph.Value{f.reflect(carry[0], h.v.Take(k), h.tau.Take(k))}, f.Err()
	})
	if err != nil {
		return q, r, err
	}
	return last[0], h.w.Slice(0, n, 1), f.Err()
}

// lstsq reflects the right-hand sides with the matrix, and substitutes back: the solution grows
// from its last row, and what is not there yet is 0.
func (f flow) lstsq(a, b graph.Value) (graph.Value, error) {
	n, sides := a.Shape()[1], sides(b)
	whole, err := f.Concat(a.Transpose(), sides)
	if err != nil {
		return graph.Value{}, err
	}
	h, err := f.triangle(whole.Transpose(), n)
	if err != nil {
		return graph.Value{}, err
	}
	count, rows := sides.Shape()[0], f.counting(n)
	left, right := h.w.Transpose().Slice(0, n, 1).Transpose(), h.w.Transpose().Slice(n, count, 1).Transpose()
	last, err := f.Fori(n, []graph.Value{f.fill(f.t, 0, n, count)}, func(i graph.Value, carry []graph.Value) ([]graph.Value, error) {
		k := f.I32(int32(n - 1)).Sub(i)
		r := left.Take(k)
		pivot := r.Take(k)
		x, err := f.each([]graph.Value{right.Take(k), r.MatMul(carry[0])}, func(_ graph.Value, e []graph.Value) []graph.Value {
			return []graph.Value{e[0].Sub(e[1]).Div(pivot)}
		})
		if err != nil {
			return nil, err
		}
		return []graph.Value{column(rows).Eq(k).Select(x[0], carry[0])}, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	return last[0].Reshape(slices.Concat(graph.Shape{n}, b.Shape()[1:])...), f.Err()
}

// lstsqLarge is lstsq of a matrix with more than a few elements or right-hand sides, not all of which
// are known. done says that it is one.
func (m solver) lstsqLarge(t *vm.Thread, fn string, a, b *array.Tensor) (r vm.Value, done bool, err error) {
	s, of := a.Shape(), b.Shape()
	if len(s) != 2 || s[0] < s[1] || len(of) > 2 || of[0] != s[0] || of.Elements() == 0 || !a.Traced() && !b.Traced() {
		return nil, false, nil
	}
	if !largeFactor(s) && s.Elements()+of.Elements() <= unrolled {
		return nil, false, nil
	}
	if a.Traced() {
		f, xs, err := m.floats(t, a, b)
		if err != nil {
			return nil, true, m.TraceError(err)
		}
		r, err = m.Wrap(f.lstsq(xs[0], xs[1]))
		return r, true, err
	}
	g, err := m.grid(t, fn, a)
	if err != nil {
		return nil, true, err
	}
	of, err = g.appendUnit()
	if err != nil {
		return nil, true, err
	}
	inverse, err := g.lstsq(s[1], of)
	if err != nil {
		return nil, true, err
	}
	r, err = m.times(t, inverse, b)
	return r, true, err
}
