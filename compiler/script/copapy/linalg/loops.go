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

// traced is a matrix of traced numbers that is worked on in loops, as floats.
func (m solver) traced(t *vm.Thread, fn string, v vm.Value) (f flow, a graph.Value, ok bool, err error) {
	x, err := m.NestedTensor(t, fn, v)
	if err != nil || !x.Traced() {
		return flow{}, graph.Value{}, false, err
	}
	s := x.Shape()
	if len(s) != 2 || min(s[0], s[1]) <= straight {
		return flow{}, graph.Value{}, false, nil
	}
	m.At(t)
	c := m.Calc(t)
	c.Double = array.IsDouble(x)
	if x, ok = c.Float(x).(*array.Tensor); !ok || c.Err != nil {
		_, err := c.Done(nil)
		return flow{}, graph.Value{}, false, err
	}
	return flow{m.Graph, x.Node.DType()}, x.Node, true, nil
}

// counting are 0, 1, ... n-1.
func (f flow) counting(n int) graph.Value {
	xs := make([]int32, n)
	for i := range xs {
		xs[i] = int32(i)
	}
	return f.ConstI32(graph.Shape{n}, xs)
}

// one is an array of equal elements.
func (f flow) fill(t graph.DType, x float64, s ...int) graph.Value {
	return f.Number(t, x).Broadcast(s...)
}

// column makes a vector a matrix of one column.
func column(v graph.Value) graph.Value { return v.Reshape(v.Shape()[0], 1) }

// within is an index that is known to be one of n.
func (f flow) within(v graph.Value, n int) graph.Value {
	return v.Max(f.I32(0)).Min(f.I32(int32(n - 1)))
}

// pivot is the place of the largest size in a column, among the rows where taken is negative; a
// NaN counts as larger than all others.
func (f flow) pivot(column, taken graph.Value) (graph.Value, error) {
	first := []graph.Value{f.Number(f.t, -1), f.I32(0)}
	last, _, err := f.Scan(column.Shape()[0], first, []graph.Value{column, taken}, func(i graph.Value, carry, row []graph.Value) (next, rows []graph.Value, err error) {
		most, at := carry[0], carry[1]
		size := row[0].Abs()
		more := size.Gt(most).Or(size.Ne(size)).And(row[1].Lt(f.I32(0)))
		return []graph.Value{more.Select(size, most), more.Select(i, at)}, nil, nil
	})
	if err != nil {
		return graph.Value{}, err
	}
	return f.within(last[1], column.Shape()[0]), nil
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
		at, err := f.pivot(c, columnOf)
		if err != nil {
			return nil, err
		}
		here, there := rows.Eq(k), rows.Eq(at)
		scale := f.Number(f.t, 1).Div(c.Take(at))
		r, q, err := f.both(w.Take(at), c, func(i, r, c graph.Value) (graph.Value, graph.Value) {
			return i.Eq(k).Select(f.Number(f.t, 1), r).Mul(scale), c.Mul(scale.Neg())
		})
		if err != nil {
			return nil, err
		}
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

// both makes two vectors of two others, element by element in a loop.
func (f flow) both(a, b graph.Value, of func(i, a, b graph.Value) (graph.Value, graph.Value)) (x, y graph.Value, err error) {
	_, out, err := f.Scan(a.Shape()[0], nil, []graph.Value{a, b}, func(i graph.Value, _, row []graph.Value) (next, rows []graph.Value, err error) {
		x, y := of(i, row[0], row[1])
		return nil, []graph.Value{x, y}, f.Err()
	})
	if err != nil {
		return graph.Value{}, graph.Value{}, err
	}
	return out[0], out[1], nil
}
