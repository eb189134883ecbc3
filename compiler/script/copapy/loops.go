package copapy

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// foriFunc is cp.fori(n, body, carry): carry = body(i, carry) for i from 0 to n-1,
// as one loop in the program.
func (m *module) foriFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	l := &staticLoop{m: m, t: t, name: fn, body: args[1], carry: args[2]}
	last, _, err := l.run(args[0], nil)
	return last, err
}

// scanFunc is cp.scan(n, body, carry, xs=None): carry, y = body(i, carry), or
// body(i, carry, x) with row i of xs, for i from 0 to n-1. It returns the last
// carry and the ys, stacked.
func (m *module) scanFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	l := &staticLoop{m: m, t: t, name: fn, body: args[1], carry: args[2], rows: true}
	var xs vm.Value
	if args[3] != nil && args[3] != vm.None {
		xs = args[3]
	}
	last, stacked, err := l.run(args[0], xs)
	if err != nil {
		return nil, err
	}
	return vm.NewTuple(last, stacked), nil
}

// staticLoop is one call of fori or scan.
type staticLoop struct {
	m     *module
	t     *vm.Thread
	name  string
	body  vm.Value
	carry vm.Value
	rows  bool // the body gives a carry and a row

	first []graph.Value // the carries of the first iteration
	weak  []bool        // which of them are plain numbers, whose type the body decides
	given []vm.Value    // by carry: what the script gave
	row   vm.Value      // what the body gave as its row

	widening int    // the carry that is tried as float64, or -1
	tried    []bool // by carry: that has been tried
	failedAt uint32 // where the body mixed f32 with f64 before that
}

// errRetry ends a trace that found that a plain number must start in a wider type.
var errRetry = errors.New("the first carry changes its type")

func (l *staticLoop) run(n, xs vm.Value) (last, stacked vm.Value, err error) {
	m, t := l.m, l.t
	iterations, err := l.iterations(n)
	if err != nil {
		return nil, nil, err
	}
	if !vm.IsCallable(l.body) {
		return nil, nil, vm.WithHint(vm.TypeErrorf("%s: the body must be a function, not '%s'", l.name, vm.TypeName(l.body)),
			"the arguments are the number of iterations, the body and the first carry")
	}
	m.At(t)
	if err := l.lift(l.carry); err != nil {
		return nil, nil, err
	}
	var arrays []graph.Value
	var like vm.Value
	if xs != nil {
		if like, err = l.liftRows(xs, &arrays); err != nil {
			return nil, nil, err
		}
		for _, v := range arrays {
			if v.Shape()[0] != iterations {
				return nil, nil, vm.ValueErrorf("%s: xs has %d rows for %d iterations", l.name, v.Shape()[0], iterations)
			}
		}
	}
	l.widening, l.tried = -1, make([]bool, len(l.first))
	failed := uint32(0)
	for {
		m.At(t)
		pos := m.Graph.Pos()
		carries, rows, err := m.Graph.Scan(iterations, l.first, arrays, func(iteration graph.Value, carry, x []graph.Value) (next, rows []graph.Value, err error) {
			leave := m.EnterBody()
			m.Mixed = false
			next, rows, err = l.iteration(iteration, carry, x, like)
			leave()
			failed = m.Graph.Pos()
			m.Graph.SetPos(pos)
			return next, rows, err
		})
		if errors.Is(err, errRetry) {
			continue
		}
		if err != nil && m.Mixed && l.widen(failed) {
			continue
		}
		if err != nil {
			return nil, nil, m.TraceError(err)
		}
		if last, err = m.fill(l.carry, &carries); err != nil || !l.rows {
			return last, nil, err
		}
		stacked, err = l.fillRows(l.row, &rows)
		return last, stacked, err
	}
}

// widen makes a plain float that the loop starts with one of float64, since the body has just
// mixed float32 with float64 at a place. One that brings the body no further is float32 again.
// It reports whether there is something to try.
func (l *staticLoop) widen(failedAt uint32) bool {
	set := func(k int, d graph.DType) {
		if v, err := l.m.Lift(l.t, l.name, l.given[k], d); err == nil {
			l.first[k] = v
		}
	}
	if l.widening >= 0 && failedAt == l.failedAt {
		set(l.widening, graph.F32)
	}
	l.failedAt = failedAt
	for k, v := range l.first {
		if l.weak[k] && !l.tried[k] && v.DType() == graph.F32 {
			l.widening, l.tried[k] = k, true
			set(k, graph.F64)
			return true
		}
	}
	return false
}

// iterations is how many there are, which is known while the program is traced.
func (l *staticLoop) iterations(n vm.Value) (int, error) {
	switch n := n.(type) {
	case int64:
		if n < 0 || n > graph.MaxIterations {
			return 0, vm.ValueErrorf("%s: %d iterations: 0 to %d are supported", l.name, n, graph.MaxIterations)
		}
		return int(n), nil
	case *array.Value:
		return 0, vm.WithHint(vm.TypeErrorf("%s: the number of iterations must be known while the program is traced", l.name),
			"give the largest number as a plain int, and keep the carry in the iterations that do not count: cp.iif(i < n, new, old)")
	}
	return 0, vm.TypeErrorf("%s: the number of iterations must be an int, not '%s'", l.name, vm.TypeName(n))
}

// lift collects the carries of the first iteration.
func (l *staticLoop) lift(x vm.Value) error {
	if elems, _, ok := array.Sequence(x); ok {
		for _, e := range elems {
			if err := l.lift(e); err != nil {
				return err
			}
		}
		return nil
	}
	if tensor, ok := x.(*array.Tensor); !ok && !array.IsTraced(x) && !array.IsNumber(x) || ok && !tensor.Traced() && len(tensor.Plain) == 0 {
		return vm.WithHint(vm.TypeErrorf("%s: the carry cannot be a '%s'", l.name, vm.TypeName(x)),
			"a carry is a number, a traced value, a vector, tensor or quaternion, or a list or tuple of those")
	}
	v, err := l.m.Lift(l.t, l.name, x, array.NoFloat)
	l.first, l.given, l.weak = append(l.first, v), append(l.given, x), append(l.weak, !array.IsTraced(x))
	return l.m.TraceError(err)
}

// liftRows collects the arrays of xs: a tuple has several, anything else is one.
func (l *staticLoop) liftRows(x vm.Value, out *[]graph.Value) (like vm.Value, err error) {
	if tuple, ok := x.(*vm.Tuple); ok {
		parts := make([]vm.Value, len(tuple.Elems))
		for i, e := range tuple.Elems {
			if parts[i], err = l.liftRows(e, out); err != nil {
				return nil, err
			}
		}
		return vm.NewTuple(parts...), nil
	}
	if !array.HasElements(x) {
		return nil, vm.TypeErrorf("%s: xs must be an array with a row for each iteration, or a tuple of such, not '%s'", l.name, vm.TypeName(x))
	}
	rows, err := l.m.NestedTensor(l.t, l.name, x)
	if err != nil {
		return nil, err
	}
	v, err := rows.Lift(l.t, array.NoFloat)
	*out = append(*out, v)
	return rows, err
}

// iteration traces the body.
func (l *staticLoop) iteration(iteration graph.Value, carry, x []graph.Value, like vm.Value) (next, rows []graph.Value, err error) {
	m, t := l.m, l.t
	state, err := m.fill(l.carry, &carry)
	if err != nil {
		return nil, nil, err
	}
	args := []vm.Value{m.Scalar(iteration), state}
	if like != nil {
		row, err := m.fill(like, &x)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, row)
	}
	r, err := t.Call(l.body, args...)
	if err != nil {
		return nil, nil, err
	}
	m.At(t)
	l.row = vm.None
	if l.rows {
		pair, ok := r.(*vm.Tuple)
		if !ok || len(pair.Elems) != 2 {
			return nil, nil, vm.WithHint(vm.TypeErrorf("scan: the body must return two values, the carry and the row, not '%s'", vm.TypeName(r)),
				"return carry, y; without rows use cp.fori")
		}
		r, l.row = pair.Elems[0], listed(pair.Elems[1])
	}
	if err := l.next(l.carry, r, &next); err != nil {
		return nil, nil, err
	}
	if l.row != vm.None {
		err = m.results(t, l.name, l.row, nil, &rows)
	}
	return next, rows, err
}

// next collects the carries that the body gives, which are like the first ones.
func (l *staticLoop) next(like, x vm.Value, out *[]graph.Value) error {
	if parts, _, ok := array.Sequence(like); ok {
		elems, _, isSequence := array.Sequence(x)
		if !isSequence || len(elems) != len(parts) {
			return vm.WithHint(vm.TypeErrorf("%s: the carry is a %s and the body gives a %s", l.name, sequenceText(like), sequenceText(x)),
				"the body returns a carry like the one that it is given")
		}
		for i, e := range elems {
			if err := l.next(parts[i], e, out); err != nil {
				return err
			}
		}
		return nil
	}
	k := len(*out)
	c := l.first[k]
	if !array.IsTraced(x) && !array.IsNumber(x) && !array.HasElements(x) {
		return vm.TypeErrorf("%s: carry %d is %s and the body gives a '%s'", l.name, k, carryText(c), vm.TypeName(x))
	}
	v, err := l.nextValue(x, c)
	if err != nil {
		return err
	}
	if !v.Shape().Equal(c.Shape()) {
		return vm.WithHint(vm.ValueErrorf("%s: carry %d is %s and the body gives %s", l.name, k, shapeText(c.Shape()), shapeText(v.Shape())),
			"the shape of a carry stays the same in all iterations; what grows from iteration to iteration is the rows of cp.scan")
	}
	if v, err = l.m.Widened(v, c.DType()); err != nil {
		return l.m.TraceError(err)
	}
	if v.DType() != c.DType() {
		if l.weak[k] {
			// A plain number has the type of what it meets, here of the next carry.
			if v.DType() == graph.F64 {
				l.first[k], err = l.m.Lift(l.t, l.name, l.given[k], v.DType())
			} else {
				l.first[k], err = l.m.Widened(c, v.DType())
			}
			if err != nil {
				return l.m.TraceError(err)
			}
			return errRetry
		}
		return vm.WithHint(vm.TypeErrorf("%s: carry %d is %s and the body gives %s", l.name, k, carryText(c), carryText(v)),
			"the type of a carry stays the same in all iterations: start from a float, or convert with int() or round()")
	}
	*out = append(*out, v)
	return nil
}

// nextValue is a next carry as a node.
func (l *staticLoop) nextValue(x vm.Value, c graph.Value) (graph.Value, error) {
	like := array.FloatType(c.DType())
	if _, isTensor := x.(*array.Tensor); isTensor || !array.HasElements(x) {
		if tensor, ok := x.(*array.Tensor); ok && tensor.Traced() {
			return tensor.Node, nil
		} else if ok {
			return tensor.Lift(l.t, like)
		}
		v, err := l.m.Constant(x, like)
		return v, l.m.TraceError(err)
	}
	rows, err := l.m.NestedTensor(l.t, l.name, x)
	if err != nil {
		return graph.Value{}, err
	}
	return rows.Lift(l.t, like)
}

// fillRows gives stacked rows the structure of what the body gave.
func (l *staticLoop) fillRows(like vm.Value, rows *[]graph.Value) (vm.Value, error) {
	if like == vm.None {
		return vm.None, nil
	}
	return l.m.fill(like, rows)
}

func sequenceText(x vm.Value) string {
	if elems, _, ok := array.Sequence(x); ok {
		return fmt.Sprintf("%s of %d", vm.TypeName(x), len(elems))
	}
	return "'" + vm.TypeName(x) + "'"
}

// carryText tells type and shape of a carry.
func carryText(v graph.Value) string {
	if len(v.Shape()) == 0 {
		return "a single " + array.PyType(v.DType())
	}
	return fmt.Sprintf("an array of %s of shape %v", array.PyType(v.DType()), v.Shape())
}

// outsideLoops refuses what cannot be done in the body of a loop.
func (m *module) outsideLoops(what, hint string) error {
	if m.Scope() == 0 {
		return nil
	}
	return vm.WithHint(vm.ValueErrorf("%s in the body of a loop", what), hint)
}
