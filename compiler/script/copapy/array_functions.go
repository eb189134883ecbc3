package copapy

import (
	"maps"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// arrayFunctions are the functions that make or take tensors.
func (m *module) arrayFunctions() map[string]vm.GoFunc {
	f := map[string]vm.GoFunc{
		"zeros":         m.filled("zeros", int64(0)),
		"ones":          m.filled("ones", int64(1)),
		"full":          m.fullFunc,
		"eye":           m.eyeFunc,
		"identity":      m.identityFunc,
		"arange":        m.arangeFunc,
		"linspace":      m.linspaceFunc,
		"diagonal":      m.diagonalFunc,
		"concat":        m.concatFunc,
		"stack":         m.stackFunc,
		"outer":         m.outerFunc,
		"dot":           m.dotFunc,
		"where":         m.whereFunc,
		"softmax":       m.softmaxFunc,
		"rotate_vector": m.rotateVector,
	}
	for name, g := range vectorFunctions {
		f[name] = m.geometryFunc(name, g)
	}
	for _, name := range []string{"trace", "sum", "mean", "flatten", "transpose", "cumsum", "argmax", "argmin"} {
		f[name] = m.methodFunc(name)
	}
	maps.Copy(f, m.linalgFunctions())
	return f
}

// methodFunc makes cp.trace(x) of x.trace(), and so on.
func (m *module) methodFunc(name string) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		if len(a.Pos) == 0 {
			return nil, vm.TypeErrorf("%s() missing 1 required positional argument: 't'", name)
		}
		x, err := m.nestedTensor(t, name, a.Pos[0])
		if err != nil {
			return nil, err
		}
		return tensorMethods[name](t, x, vm.Args{Pos: a.Pos[1:], Kw: a.Kw})
	}
}

// repeated makes a plain tensor of one number.
func (m *module) repeated(t *vm.Thread, s graph.Shape, v vm.Value) (vm.Value, error) {
	if err := t.Charge(16 * int64(s.Elements())); err != nil {
		return nil, err
	}
	return m.plainTensor(s, slices.Repeat([]vm.Value{v}, s.Elements())), nil
}

func (m *module) filled(name string, v vm.Value) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		args, err := a.Bind(name, "shape")
		if err != nil {
			return nil, err
		}
		s, err := lengths(name, args)
		if err != nil {
			return nil, err
		}
		return m.repeated(t, s, v)
	}
}

func (m *module) fullFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("full", "shape", "fill_value")
	if err != nil {
		return nil, err
	}
	s, err := lengths("full", args[:1])
	if err != nil {
		return nil, err
	}
	if x, ok := args[1].(*Value); ok {
		m.at(t)
		return m.wrap(m.g.Broadcast(x.v, s))
	}
	if !isNumber(args[1]) {
		return nil, vm.TypeErrorf("full: must be a number or a traced scalar, not '%s'", vm.TypeName(args[1]))
	}
	return m.repeated(t, s, args[1])
}

func (m *module) eyeFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("eye", "rows", "cols?")
	if err != nil {
		return nil, err
	}
	if args[1] == nil || args[1] == vm.None {
		args[1] = args[0]
	}
	return m.unit(t, "eye", args)
}

func (m *module) identityFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("identity", "size")
	if err != nil {
		return nil, err
	}
	return m.unit(t, "identity", []vm.Value{args[0], args[0]})
}

// unit is a matrix with ones where the row is the column.
func (m *module) unit(t *vm.Thread, name string, dims []vm.Value) (vm.Value, error) {
	s, err := lengths(name, dims)
	if err != nil {
		return nil, err
	}
	x, err := m.repeated(t, s, int64(0))
	if err == nil {
		for i := range min(s[0], s[1]) {
			x.(*Tensor).plain[i*s[1]+i] = int64(1)
		}
	}
	return x, err
}

// arangeFunc counts from start to below stop: start + i*step, each rounded once.
func (m *module) arangeFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("arange", "start", "stop?", "step?")
	if err != nil {
		return nil, err
	}
	start, stop, step := args[0], args[1], args[2]
	if stop == nil || stop == vm.None {
		start, stop = int64(0), start
	}
	if step == nil {
		step = int64(1)
	}
	var f [3]float64
	for i, x := range []vm.Value{start, stop, step} {
		if !isNumber(x) {
			return nil, vm.TypeErrorf("arange: must be a number, not '%s'", vm.TypeName(x))
		}
		f[i], _ = vm.AsFloat(x)
	}
	if f[2] == 0 {
		return nil, vm.ValueErrorf("arange: the step cannot be zero")
	}
	count := math.Ceil((f[1] - f[0]) / f[2])
	if !(count <= graph.MaxElements) {
		return nil, vm.ValueErrorf("arange: at most %d elements are supported", graph.MaxElements)
	}
	n := max(int(count), 0)
	if err := t.Charge(32 * int64(n)); err != nil {
		return nil, err
	}
	c := m.calc(t)
	out := make([]vm.Value, n)
	for i := range out {
		out[i] = c.add(start, c.mul(int64(i), step))
	}
	return c.done(m.plainVector(out))
}

// linspaceFunc gives num numbers from start to stop, both included.
func (m *module) linspaceFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("linspace", "start", "stop", "num?")
	if err != nil {
		return nil, err
	}
	n := int64(50)
	if args[2] != nil {
		var ok bool
		if n, ok = vm.AsInt(args[2]); !ok || n < 0 || n > graph.MaxElements {
			return nil, vm.ValueErrorf("linspace: the number of elements must be an integer from 0 to %d", graph.MaxElements)
		}
	}
	if err := t.Charge(32 * n); err != nil {
		return nil, err
	}
	c := m.calc(t)
	out := make([]vm.Value, n)
	for i := range out {
		switch {
		case i == 0:
			out[i] = c.mul(args[0], 1.0)
		case int64(i) == n-1:
			out[i] = c.mul(args[1], 1.0)
		default:
			out[i] = c.add(args[0], c.mul(c.sub(args[1], args[0]), float64(i)/float64(n-1)))
		}
	}
	return c.done(c.vector(out...))
}

// diagonalFunc makes a matrix with a vector on its diagonal and zeros elsewhere,
// and takes the diagonal of a matrix.
func (m *module) diagonalFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	args, err := a.Bind("diagonal", "vec")
	if err != nil {
		return nil, err
	}
	x, err := m.nestedTensor(t, "diagonal", args[0])
	if err != nil {
		return nil, err
	}
	if len(x.shape()) == 2 {
		return x.diagonal(t, "diagonal")
	}
	n := x.length()
	if len(x.shape()) != 1 {
		return nil, vm.ValueErrorf("diagonal: needs a vector or a matrix, not a tensor of shape %v", x.shape())
	}
	if n*n > graph.MaxElements {
		return nil, vm.ValueErrorf("diagonal: at most %d elements are supported", graph.MaxElements)
	}
	mask, err := m.unit(t, "diagonal", []vm.Value{int64(n), int64(n)})
	if err != nil {
		return nil, err
	}
	c := m.calc(t)
	return c.done(c.iif(c.compare(vm.OpNe, mask, int64(0)), x, int64(0)))
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

func (m *module) concatFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	list, axis, err := m.tensorsArg(t, "concat", a)
	if err != nil {
		return nil, err
	}
	xs := make([]*Tensor, len(list))
	for i, e := range list {
		if xs[i], err = m.nestedTensor(t, "concat", e); err != nil {
			return nil, err
		}
	}
	return m.concat(t, "concat", xs, axis)
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
		if xs[i], err = m.nestedTensor(t, "dot", e); err != nil {
			return nil, err
		}
	}
	m.at(t)
	return m.matmul(t, xs[0], xs[1])
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
	m.at(t)
	return m.iif(t, args[0], args[1], args[2])
}
