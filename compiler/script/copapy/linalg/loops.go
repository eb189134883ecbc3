package linalg

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// straight is up to how many rows and columns a matrix is unrolled. Larger ones of traced
// numbers are worked on in loops, of which the code does not grow with the size.
const straight = 6

// flow builds the ops of a loop. The first error is kept in the graph.
type flow struct {
	*graph.Graph
	t graph.DType
}

// largeSquare reports whether a square matrix is worked on in loops.
func largeSquare(s graph.Shape) bool { return len(s) == 2 && s[0] == s[1] && s[0] > straight }

// traced is a matrix of traced numbers that is worked on in loops, as floats.
func (m solver) traced(t *vm.Thread, fn string, v vm.Value, large func(graph.Shape) bool) (f flow, a graph.Value, ok bool, err error) {
	x, err := m.NestedTensor(t, fn, v)
	if err != nil || !x.Traced() || !large(x.Shape()) {
		return flow{}, graph.Value{}, false, err
	}
	f, xs, err := m.floats(t, x)
	if err != nil {
		return flow{}, graph.Value{}, false, err
	}
	return f, xs[0], true, nil
}

// floats are arrays as nodes with floats of one type.
func (m solver) floats(t *vm.Thread, xs ...*array.Tensor) (flow, []graph.Value, error) {
	m.At(t)
	c := m.Calc(t)
	for _, x := range xs {
		c.Double = c.Double || array.IsDouble(x)
	}
	f := flow{m.Graph, graph.F32}
	if c.Double {
		f.t = graph.F64
	}
	out := make([]graph.Value, len(xs))
	for i, x := range xs {
		if x.Traced() {
			x, _ = c.Float(x).(*array.Tensor)
		}
		if c.Err != nil {
			return f, nil, c.Err
		}
		var err error
		if out[i], err = x.Lift(t, f.t); err != nil {
			return f, nil, err
		}
	}
	return f, out, nil
}

// counting are 0, 1, ... n-1.
func (f flow) counting(n int) graph.Value {
	xs := make([]int32, n)
	for i := range xs {
		xs[i] = int32(i)
	}
	return f.ConstI32(graph.Shape{n}, xs)
}

// fill is an array of equal elements.
func (f flow) fill(t graph.DType, x float64, s ...int) graph.Value {
	return f.Number(t, x).Broadcast(s...)
}

// column makes a vector a matrix of one column.
func column(v graph.Value) graph.Value { return v.Reshape(v.Shape()[0], 1) }

// sides are the right-hand sides of equations, a vector or the columns of a matrix, as rows.
func sides(b graph.Value) graph.Value {
	if len(b.Shape()) == 1 {
		return b.Reshape(1, b.Shape()[0])
	}
	return b.Transpose()
}

// within is an index that is known to be one of n.
func (f flow) within(v graph.Value, n int) graph.Value {
	return v.Max(f.I32(0)).Min(f.I32(int32(n - 1)))
}

// pivot is the place of the largest size in a column, of the rows that are left; one behind a NaN
// counts as larger. done tells of a row's number and, if there is one, of its element of a second vector
// whether it is none of them.
func (f flow) pivot(columns []graph.Value, done func(i, e graph.Value) graph.Value) (graph.Value, error) {
	n := columns[0].Shape()[0]
	first := []graph.Value{f.Number(f.t, -1), f.I32(0)}
	last, _, err := f.Scan(n, first, columns, func(i graph.Value, carry, row []graph.Value) (next, rows []graph.Value, err error) {
		size := row[0].Abs()
		stays := size.Le(carry[0]).Or(done(i, row[len(row)-1]))
		return []graph.Value{stays.Select(carry[0], size), stays.Select(carry[1], i)}, nil, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	return f.within(last[1], n), nil
}

// invert exchanges the sides of a @ x = y, one x for one y after the other: each time that y of
// those left whose row has the largest element in the column of x. So the inverse takes the
// place of the matrix, with rows and columns in another order.
func (f flow) invert(a graph.Value) (graph.Value, error) {
	n := a.Shape()[0]
	rows := f.counting(n)
	none := f.fill(graph.I32, -1, n)
	last, err := f.Fori(n, []graph.Value{a, none, none}, func(k graph.Value, carry []graph.Value) ([]graph.Value, error) {
		w, rowOf, columnOf := carry[0], carry[1], carry[2]
		c := w.Transpose().Take(k)
		at, err := f.pivot([]graph.Value{c, columnOf}, func(_, taken graph.Value) graph.Value { return taken.Ge(f.I32(0)) })
		if err != nil {
			return nil, err
		}
		here, there := rows.Eq(k), rows.Eq(at)
		scale := f.Number(f.t, 1).Div(c.Take(at))
		both, err := f.each([]graph.Value{w.Take(at), c}, func(i graph.Value, e []graph.Value) []graph.Value {
			return []graph.Value{i.Eq(k).Select(f.Number(f.t, 1), e[0]).Mul(scale), e[1].Mul(scale.Neg())}
		})
		if err != nil {
			return nil, err
		}
		r, q := both[0], both[1]
		w = w.Sub(column(c).Mul(r))
		w = here.Select(column(q), w)
		w = column(there).Select(r, w)
		return []graph.Value{w, here.Select(at, rowOf), there.Select(k, columnOf)}, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	flat, columns := last[0].Reshape(n*n), f.within(last[2], n)
	_, inverse, err := f.Scan(n, nil, []graph.Value{f.within(last[1], n)}, func(_ graph.Value, _, row []graph.Value) (next, rows []graph.Value, err error) {
		return nil, []graph.Value{flat.Take(row[0].Mul(f.I32(int32(n))).Add(columns))}, f.Err()
	})
	if err != nil {
		return graph.Value{}, err
	}
	return inverse[0], nil
}

// each makes vectors of others, element by element in a loop.
func (f flow) each(vs []graph.Value, of func(i graph.Value, e []graph.Value) []graph.Value) ([]graph.Value, error) {
	_, out, err := f.Scan(vs[0].Shape()[0], nil, vs, func(i graph.Value, _, e []graph.Value) (next, rows []graph.Value, err error) {
		return nil, of(i, e), f.Err()
	})
	return out, err
}
