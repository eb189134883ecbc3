package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// arrayFunctions are the functions that make or take tensors.
func (m *module) arrayFunctions() map[string]vm.GoFunc {
	f := map[string]vm.GoFunc{
		"array":         m.arrayFunc("array"),
		"asarray":       m.arrayFunc("asarray"),
		"zeros":         m.filled("zeros", 0.0),
		"ones":          m.filled("ones", 1.0),
		"empty":         m.filled("empty", 0.0),
		"full":          m.fullFunc,
		"eye":           m.eyeFunc,
		"identity":      m.identityFunc,
		"arange":        m.arangeFunc,
		"linspace":      m.linspaceFunc,
		"logspace":      m.logspaceFunc,
		"diag":          m.diagFunc,
		"diagonal":      m.diagonalFunc,
		"concat":        m.concatFunc("concat"),
		"concatenate":   m.concatFunc("concatenate"),
		"stack":         m.stackFunc,
		"outer":         m.outerFunc,
		"dot":           m.dotFunc,
		"where":         m.whereFunc,
		"map":           m.mapFunc,
		"einsum":        m.einsumFunc,
		"softmax":       m.softmaxFunc,
		"rotate_vector": m.rotateVector,
	}
	for name, g := range vectorFunctions {
		f[name] = m.geometryFunc(name, g)
	}
	for _, name := range []string{"trace", "sum", "mean", "flatten", "reshape", "transpose", "cumsum", "argmax", "argmin"} {
		f[name] = m.methodFunc(name)
	}
	return unite(f, m.linalgFunctions(), m.tableFunctions(), m.joinFunctions(), m.elementwiseFunctions())
}

// methodFunc makes cp.trace(x) of x.trace(), and so on.
func (m *module) methodFunc(name string) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		first, rest, err := firstArgument(name, a)
		if err != nil {
			return nil, err
		}
		x, err := m.arrayArg(t, name, first)
		if err != nil {
			return nil, err
		}
		return tensorMethods[name](t, x, rest)
	}
}

// diagonalFunc is cp.diagonal(vec): cp.diag on the main diagonal.
func (m *module) diagonalFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("diagonal", "vec")
	if err != nil {
		return nil, err
	}
	x, err := m.nestedTensor(t, "diagonal", args[0])
	if err != nil {
		return nil, err
	}
	return viewOf("diag", x, nil, func(of *Tensor, _ []vm.Value) (vm.Value, error) { return of.diag(t, "diagonal", 0) })
}

// tensorsArg takes a list of tensors, or of lists that make some, and an axis.
func (m *module) tensorsArg(t *vm.Thread, fn string, a vm.Args) (xs []vm.Value, axis int, err error) {
	args, err := a.Bind(fn, "tensors", "axis?")
	if err != nil {
		return nil, 0, err
	}
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

func (m *module) concatFunc(name string) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		list, axis, err := m.tensorsArg(t, name, a)
		if err != nil {
			return nil, err
		}
		xs := make([]*Tensor, len(list))
		for i, e := range list {
			if xs[i], err = m.nestedTensor(t, name, e); err != nil {
				return nil, err
			}
		}
		return m.concat(t, name, xs, axis)
	}
}

// stackFunc joins tensors of one shape along a new axis; scalars make a vector.
func (m *module) stackFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	list, axis, err := m.tensorsArg(t, "stack", a)
	if err != nil {
		return nil, err
	}
	xs := make([]*Tensor, len(list))
	for i, e := range list {
		if isNumber(e) || isTraced(e) && len(shapeOf(e)) == 0 {
			e = vm.NewList([]vm.Value{e})
			if xs[i], err = m.nestedTensor(t, "stack", e); err != nil {
				return nil, err
			}
			continue
		}
		x, err := m.nestedTensor(t, "stack", e)
		if err != nil {
			return nil, err
		}
		s := x.shape()
		at := axis
		if at < 0 {
			at += len(s) + 1
		}
		if at < 0 || at > len(s) {
			return nil, vm.ValueErrorf("stack: axis %d is out of range for tensors of shape %v", axis, s)
		}
		r, err := x.reshaped(slices.Insert(slices.Clone(s), at, 1))
		if err != nil {
			return nil, err
		}
		xs[i] = r.(*Tensor)
	}
	return m.concat(t, "stack", xs, axis)
}

func (m *module) outerFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("outer", "a", "b")
	if err != nil {
		return nil, err
	}
	v, err := m.vectors(t, "outer", args)
	if err != nil {
		return nil, err
	}
	column, err := v[0].reshaped(graph.Shape{v[0].length(), 1})
	if err != nil {
		return nil, err
	}
	c := m.calc(t)
	return c.done(c.mul(column, v[1]))
}

func (m *module) dotFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("dot", "a", "b")
	if err != nil {
		return nil, err
	}
	var xs [2]*Tensor
	for i, e := range args {
		if _, isScalar := e.(*Value); isScalar || isNumber(e) {
			return t.Binary(vm.OpMul, args[0], args[1])
		}
		if xs[i], err = m.nestedTensor(t, "dot", e); err != nil {
			return nil, err
		}
	}
	c := m.calc(t)
	return c.done(c.contracted(xs[0], xs[1], max(len(xs[1].shape())-2, 0)))
}

// whereFunc is cp.where(condition, x, y): x by element where the condition is
// true, otherwise y.
func (m *module) whereFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("where", "condition", "x", "y")
	if err != nil {
		return nil, err
	}
	for i, x := range args {
		if _, _, ok := sequence(x); ok {
			if args[i], err = m.nestedTensor(t, "where", x); err != nil {
				return nil, err
			}
		}
	}
	c := m.calc(t)
	c.alike(args[1:]...)
	return c.done(c.where(args[0], args[1], args[2]))
}
