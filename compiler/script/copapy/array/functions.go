package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// madeRows make arrays, or take several or something else than arrays alone.
func (m *Tracer) madeRows() []Row {
	return []Row{
		{Name: "array", Params: "values dtype?", Call: m.arrayFunc},
		{Name: "asarray", Params: "values dtype?", Call: m.arrayFunc, part: &part{itself: true}},
		{Name: "zeros", Params: "shape dtype?", Call: m.filled(0.0)},
		{Name: "ones", Params: "shape dtype?", Call: m.filled(1.0)},
		{Name: "empty", Params: "shape dtype?", Call: m.filled(0.0)},
		{Name: "full", Params: "shape fill_value dtype?", Call: m.fullFunc},
		{Name: "eye", Params: "rows cols? k? dtype?", Call: m.eyeFunc},
		{Name: "identity", Params: "size dtype?", Call: m.identityFunc},
		{Name: "arange", Params: "start stop? step? dtype?", Call: m.arangeFunc},
		{Name: "linspace", Params: "start stop num? endpoint? dtype?", Call: m.linspaceFunc},
		{Name: "logspace", Params: "start stop num? base?", Call: m.logspaceFunc},
		{Name: "diag", Params: "v k?", Call: m.diagFunc, part: diagonalPart},
		{Name: "diagonal", Params: "vec", Call: m.diagonalFunc, part: diagonalPart},
		{Name: "concat", Params: "tensors axis?", Call: m.concatFunc},
		{Name: "concatenate", Params: "tensors axis?", Call: m.concatFunc},
		{Name: "stack", Params: "tensors axis?", Call: m.Stack},
		{Name: "outer", Params: "a b", Call: m.outerFunc},
		{Name: "dot", Params: "a b", Call: m.dotFunc},
		{Name: "where", Params: "condition x y", Call: m.whereFunc},
		{Name: "map", Params: "func x", Call: m.mapFunc},
		{Name: "einsum", Params: "subscripts *operands", Free: m.einsumFunc},
		{Name: "softmax", Params: "x axis?", Call: m.softmaxFunc},
	}
}

// diagonalFunc is cp.diagonal(vec): cp.diag on the main diagonal.
func (m *Tracer) diagonalFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	x, err := m.NestedTensor(t, fn, args[0])
	if err != nil {
		return nil, err
	}
	return x.diag(t, fn, 0)
}

// tensorsArg takes a list of tensors, or of lists that make some, and an axis.
func (m *Tracer) tensorsArg(t *vm.Thread, fn string, args []vm.Value) (xs []vm.Value, axis int, err error) {
	if args[1] != nil {
		i, ok := vm.AsInt(args[1])
		if !ok || i < -graph.MaxRank || i > graph.MaxRank {
			return nil, 0, vm.ValueErrorf("%s: the axis must be an integer from %d to %d", fn, -graph.MaxRank, graph.MaxRank)
		}
		axis = int(i)
	}
	xs, err = t.Collect(args[0])
	return xs, axis, err
}

func (m *Tracer) concatFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	list, axis, err := m.tensorsArg(t, fn, args)
	if err != nil {
		return nil, err
	}
	xs := make([]*Tensor, len(list))
	for i, e := range list {
		if xs[i], err = m.NestedTensor(t, fn, e); err != nil {
			return nil, err
		}
	}
	return m.Concat(t, fn, xs, axis)
}

// Stack joins tensors of one shape along a new axis; scalars make a vector.
func (m *Tracer) Stack(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	list, axis, err := m.tensorsArg(t, fn, args)
	if err != nil {
		return nil, err
	}
	xs := make([]*Tensor, len(list))
	for i, e := range list {
		if IsNumber(e) || IsTraced(e) && len(ShapeOf(e)) == 0 {
			e = vm.NewList([]vm.Value{e})
			if xs[i], err = m.NestedTensor(t, fn, e); err != nil {
				return nil, err
			}
			continue
		}
		x, err := m.NestedTensor(t, fn, e)
		if err != nil {
			return nil, err
		}
		s := x.Shape()
		at := axis
		if at < 0 {
			at += len(s) + 1
		}
		if at < 0 || at > len(s) {
			return nil, vm.ValueErrorf("stack: axis %d is out of range for tensors of shape %v", axis, s)
		}
		r, err := x.Reshaped(slices.Insert(slices.Clone(s), at, 1))
		if err != nil {
			return nil, err
		}
		xs[i] = r.(*Tensor)
	}
	return m.Concat(t, fn, xs, axis)
}

func (m *Tracer) outerFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	v, err := m.Vectors(t, fn, args)
	if err != nil {
		return nil, err
	}
	column, err := v[0].Reshaped(graph.Shape{v[0].length(), 1})
	if err != nil {
		return nil, err
	}
	c := m.Calc(t)
	return c.Done(c.Mul(column, v[1]))
}

func (m *Tracer) dotFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	var err error
	var xs [2]*Tensor
	for i, e := range args {
		if _, isScalar := e.(*Value); isScalar || IsNumber(e) {
			return t.Binary(vm.OpMul, args[0], args[1])
		}
		if xs[i], err = m.NestedTensor(t, fn, e); err != nil {
			return nil, err
		}
	}
	c := m.Calc(t)
	return c.Done(c.contracted(xs[0], xs[1], max(len(xs[1].Shape())-2, 0)))
}

// whereFunc is cp.where(condition, x, y): x by element where the condition is
// true, otherwise y.
func (m *Tracer) whereFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	var err error
	for i, x := range args {
		if _, _, ok := Sequence(x); ok {
			if args[i], err = m.NestedTensor(t, fn, x); err != nil {
				return nil, err
			}
		}
	}
	c := m.Calc(t)
	c.Alike(args[1:]...)
	return c.Done(c.Where(args[0], args[1], args[2]))
}
