package linalg

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Rows work on matrices of fixed size. Small ones are unrolled into scalar operations, larger ones are
// worked on in loops, in a fixed order, without branches: the time depends on the size
// only, and the bits are the same on every target. A result that does not exist
// (of a singular matrix, say) is inf or NaN where the numbers are traced, and an
// error where they are plain. Elements become floats.
func Rows(tracer *array.Tracer) []array.Row {
	m := solver{tracer}
	return []array.Row{
		{Name: "solve", Params: "a b pivot?", Call: m.overStacks(2, m.solveFunc, ofSolve)},
		{Name: "inv", Params: "a", Call: m.overStacks(1, m.invFunc, matrices)},
		{Name: "det", Params: "a", Call: m.overStacks(1, m.detFunc, matrices)},
		{Name: "cholesky", Params: "a", Call: m.overStacks(1, m.choleskyFunc, matrices)},
		{Name: "qr", Params: "a", Call: m.qrFunc},
		{Name: "lstsq", Params: "a b", Call: m.lstsqFunc},
		{Name: "matrix_power", Params: "a n", Call: m.matrixPowerFunc},
		{Name: "norm", Params: "x ord? axis? keepdims?", Call: m.OfArray(m.norm)},
	}
}

// solver has the functions for the values of one script.
type solver struct{ *array.Tracer }

// grid is a matrix as rows of numbers and traced scalars.
type grid struct {
	*array.Calc
	fn   string
	rows [][]vm.Value
	ints map[vm.Value]vm.Value // by a float that was made of a traced int: that
}

// grid takes a matrix apart.
func (m solver) grid(t *vm.Thread, fn string, v vm.Value) (*grid, error) {
	x, err := m.NestedTensor(t, fn, v)
	if err != nil {
		return nil, err
	}
	s := x.Shape()
	if len(s) != 2 || s[0] == 0 || s[1] == 0 {
		return nil, vm.ValueErrorf("%s: needs a matrix, not a tensor of shape %v", fn, s)
	}
	elems, err := x.Elements()
	if err != nil {
		return nil, err
	}
	g := &grid{Calc: m.Calc(t), fn: fn}
	g.Double = array.IsDouble(x)
	for i := range s[0] {
		g.rows = append(g.rows, g.floats(elems[i*s[1]:(i+1)*s[1]]))
	}
	return g, g.Err
}

// Square are the elements of a square matrix as floats, by row.
func Square(m *array.Tracer, t *vm.Thread, fn string, v vm.Value) ([][]vm.Value, error) {
	g, err := solver{m}.squareGrid(t, fn, v)
	if err != nil {
		return nil, err
	}
	return g.rows, nil
}

func (m solver) squareGrid(t *vm.Thread, fn string, v vm.Value) (*grid, error) {
	g, err := m.grid(t, fn, v)
	if err == nil && len(g.rows) != len(g.rows[0]) {
		return nil, vm.ValueErrorf("%s: needs a square matrix, not one of shape (%d, %d)", fn, len(g.rows), len(g.rows[0]))
	}
	return g, err
}

// append puts the elements of a vector or the rows of a matrix behind the rows
// and returns the shape of that right-hand side.
func (g *grid) append(v vm.Value) (graph.Shape, error) {
	b, err := g.Tracer.NestedTensor(g.Thread, g.fn, v)
	if err != nil {
		return nil, err
	}
	s := b.Shape()
	if len(s) > 2 || s[0] != len(g.rows) || s.Elements() == 0 {
		return nil, vm.ValueErrorf("%s: a right-hand side of shape %v does not fit %d equations", g.fn, s, len(g.rows))
	}
	elems, err := b.Elements()
	if err != nil {
		return nil, err
	}
	w := s[1:].Elements()
	if g.Double = g.Double || array.IsDouble(b); g.Double {
		for i := range g.rows { // floats of ints become doubles beside those
			for j, e := range g.rows[i] {
				if k, wasInt := g.ints[e]; wasInt {
					g.rows[i][j] = g.Float(k)
				}
			}
		}
	}
	for i := range g.rows {
		g.rows[i] = append(g.rows[i], g.floats(elems[i*w:(i+1)*w])...)
	}
	return s, g.Err
}

func (g *grid) floats(elems []vm.Value) []vm.Value {
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		out[i] = g.Float(e)
		if d, traced := array.TracedType(e); traced && !d.IsFloat() {
			if g.ints == nil {
				g.ints = map[vm.Value]vm.Value{}
			}
			g.ints[out[i]] = e
		}
	}
	return out
}

func isZero(v vm.Value) bool { return v == 0.0 }

// minus is a - f*b; a zero that is known while tracing takes nothing off.
func (c *grid) minus(a, f, b vm.Value) vm.Value {
	if isZero(f) || isZero(b) {
		return a
	}
	return c.Sub(a, c.Mul(f, b))
}

// pivot exchanges row k with each row below that has a larger element in column
// k, one after the other, and tells each time whether it did.
func (g *grid) pivot(k int, swapped func(did vm.Value)) {
	for i := k + 1; i < len(g.rows); i++ {
		upper, lower := g.rows[k], g.rows[i]
		larger := g.Compare(vm.OpGt, g.Abs(lower[k]), g.Abs(upper[k]))
		for j := k; j < len(upper); j++ {
			upper[j], lower[j] = g.Iif(larger, lower[j], upper[j]), g.Iif(larger, upper[j], lower[j])
		}
		if swapped != nil {
			swapped(larger)
		}
	}
}

// eliminate makes zeros below the diagonal in column k.
func (g *grid) eliminate(k int, factor func(below, pivot vm.Value) vm.Value) {
	g.tick()
	for i := k + 1; i < len(g.rows); i++ {
		f := factor(g.rows[i][k], g.rows[k][k])
		for j := k + 1; j < len(g.rows[i]); j++ {
			g.rows[i][j] = g.minus(g.rows[i][j], f, g.rows[k][j])
		}
	}
}

// tick accounts for the work on every element once.
func (g *grid) tick() {
	if err := g.Thread.Tick(len(g.rows) * len(g.rows[0])); err != nil {
		g.Keep(nil, err)
	}
}

// backSubstitute solves the upper triangle of the first n rows and columns for
// the columns behind them, and leaves the solution there.
func (g *grid) backSubstitute(n int) {
	for i := n - 1; i >= 0; i-- {
		g.tick()
		row := g.rows[i]
		if isZero(row[i]) {
			g.Keep(nil, vm.ValueErrorf("%s: the matrix is singular", g.fn))
			return
		}
		for j := n; j < len(row); j++ {
			s := row[j]
			for q := i + 1; q < n; q++ {
				s = g.minus(s, row[q], g.rows[q][j])
			}
			row[j] = g.Div(s, row[i])
		}
	}
}

// columns are those from one on, of the first n rows, in a shape.
func (g *grid) columns(n, from int, s graph.Shape) (vm.Value, error) {
	var out []vm.Value
	for _, row := range g.rows[:n] {
		out = append(out, row[from:]...)
	}
	return g.Done(g.Tensor(s, out))
}

// solve eliminates with partial pivoting and substitutes back.
func (g *grid) solve(s graph.Shape, pivot bool) (vm.Value, error) {
	n := len(g.rows)
	for k := range n {
		if pivot {
			g.pivot(k, nil)
		}
		if isZero(g.rows[k][k]) {
			return nil, vm.ValueErrorf("%s: the matrix is singular", g.fn)
		}
		g.eliminate(k, func(below, pivot vm.Value) vm.Value { return g.Div(below, pivot) })
		if g.Err != nil {
			return nil, g.Err
		}
	}
	g.backSubstitute(n)
	return g.columns(n, n, s)
}

// solveFunc is cp.solve(a, b, pivot=True): x with a @ x == b, for a vector or the
// columns of a matrix b. Without pivoting it takes fewer operations, for matrices
// that do not need it, such as positive definite ones.
func (m solver) solveFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	var err error
	pivot := true
	if args[2] != nil {
		if pivot, err = t.Truth(args[2]); err != nil {
			return nil, err
		}
	}
	a, b, err := m.pair(t, fn, args)
	if err != nil {
		return nil, err
	}
	if r, done, err := m.solveLarge(t, fn, a, b, pivot); done {
		return r, err
	}
	g, err := m.squareGrid(t, fn, a)
	if err != nil {
		return nil, err
	}
	s, err := g.append(b)
	if err != nil {
		return nil, err
	}
	return g.solve(s, pivot)
}

// pair are a matrix and its right-hand sides.
func (m solver) pair(t *vm.Thread, fn string, args []vm.Value) (a, b *array.Tensor, err error) {
	if a, err = m.NestedTensor(t, fn, args[0]); err != nil {
		return nil, nil, err
	}
	if s := a.Shape(); len(s) == 2 && s.Elements() > 0 { // otherwise that is what is wrong
		b, err = m.NestedTensor(t, fn, args[1])
		return a, b, err
	}
	_, err = m.grid(t, fn, a)
	return nil, nil, err
}

// invFunc is cp.inv(a), the solution for the columns of the identity; of larger matrices see invert.
func (m solver) invFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if f, a, ok, err := m.traced(t, fn, args[0], largeSquare); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return m.Wrap(f.invert(a))
	}
	g, err := m.squareGrid(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	s, err := g.appendUnit()
	if err != nil {
		return nil, err
	}
	return g.solve(s, true)
}

// appendUnit puts the identity behind the rows.
func (g *grid) appendUnit() (graph.Shape, error) {
	n := int64(len(g.rows))
	one, err := g.Tracer.Unit(g.Thread, g.fn, []vm.Value{n, n}, 0, nil)
	if err != nil {
		return nil, err
	}
	return g.append(one)
}

// detFunc is cp.det(a): expanded by the first row up to 3 rows, otherwise by
// elimination, where a singular matrix gives 0.
func (m solver) detFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if f, a, ok, err := m.traced(t, fn, args[0], largeSquare); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return m.Wrap(f.det(a))
	}
	g, err := m.squareGrid(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	if len(g.rows) <= 3 {
		return g.Done(g.expand(g.rows))
	}
	var sign vm.Value = 1.0
	for k := range g.rows {
		g.pivot(k, func(did vm.Value) { sign = g.Iif(did, g.Neg(sign), sign) })
		g.eliminate(k, func(below, pivot vm.Value) vm.Value {
			if isZero(pivot) {
				return 0.0 // and so is what stands below
			}
			return g.Iif(g.Compare(vm.OpEq, pivot, 0.0), 0.0, g.Div(below, pivot))
		})
		if g.Err != nil {
			return nil, g.Err
		}
	}
	d := sign
	for k, row := range g.rows {
		d = g.Mul(d, row[k])
	}
	return g.Done(d)
}

// expand is the determinant of a small matrix by cofactors of its first row.
func (c *grid) expand(rows [][]vm.Value) vm.Value {
	if len(rows) == 1 {
		return rows[0][0]
	}
	var d vm.Value
	for j, e := range rows[0] {
		minor := make([][]vm.Value, len(rows)-1)
		for i, row := range rows[1:] {
			minor[i] = slices.Concat(row[:j], row[j+1:])
		}
		term := c.Mul(e, c.expand(minor))
		switch {
		case j == 0:
			d = term
		case j%2 == 1:
			d = c.Sub(d, term)
		default:
			d = c.Add(d, term)
		}
	}
	return d
}

// choleskyFunc is cp.cholesky(a): the lower triangle l with l @ l.T == a, for a
// symmetric positive definite matrix, of which the lower triangle is read.
func (m solver) choleskyFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if f, a, ok, err := m.traced(t, fn, args[0], largeSquare); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return m.Wrap(f.cholesky(a))
	}
	g, err := m.squareGrid(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	for j, pivot := range g.rows {
		g.tick()
		for i := j; i < len(g.rows); i++ {
			row := g.rows[i]
			s := row[j]
			for k := range j {
				s = g.minus(s, row[k], pivot[k])
			}
			if i > j {
				row[j] = g.Div(s, pivot[j])
				continue
			}
			if d, plain := s.(float64); plain && !(d > 0) {
				return nil, vm.ValueErrorf("cholesky: the matrix is not positive definite")
			}
			row[j] = g.Call("sqrt", s)
		}
		for i := range j {
			g.rows[i][j] = 0.0
		}
	}
	n := len(g.rows)
	return g.columns(n, 0, graph.Shape{n, n})
}
