package copapy

import (
	"runtime/debug"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// This file has names and keywords of the Python ancestor that nothing else here would
// call so. docs/from-the-ancestor.md says what is different.

// ancestorKeywords are its names of parameters where others are used here.
var ancestorKeywords = map[string]map[string]string{
	"flatten": {"t": "x"},
	"trace":   {"t": "x"},
	"mean":    {"input_vector": "x"},
	"value":   {"source": "value"},
}

// renamed has the keywords of the ancestor under the names that they have here.
func renamed(name string, a vm.Args) vm.Args {
	names := ancestorKeywords[name]
	if names == nil || len(a.Kw) == 0 {
		return a
	}
	a.Kw = slices.Clone(a.Kw)
	for i, k := range a.Kw {
		if to, ok := names[k.Name]; ok {
			a.Kw[i].Name = to
		}
	}
	return a
}

// inOrder binds two arguments whose names the ancestor has the other way round, such as
// atan2(x, y) for what is atan2(y, x) here. Each may be meant where neither is given
// by position; where the first one is, both names stand for the second.
func inOrder(fn, p, q string, a vm.Args) ([]vm.Value, error) {
	if len(a.Pos) == 0 && len(a.Kw) > 0 {
		return nil, vm.WithHint(vm.TypeErrorf("%s() takes its first argument by position: '%s' and '%s' have changed places since the Python ancestor", fn, p, q),
			"write "+fn+"("+p+", "+q+")")
	}
	if len(a.Pos) == 1 && len(a.Kw) == 1 && a.Kw[0].Name == p {
		a.Kw = slices.Clone(a.Kw)
		a.Kw[0].Name = q
	}
	return a.Bind(fn, p, q)
}

func (m *module) castTo(class *vm.Class) Handler {
	return func(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
		return m.typed(t, fn, args[0], class)
	}
}

// dtypeNamed is the class of a type that is given by its name, as x.dtype has it.
func (m *module) dtypeNamed(v vm.Value) vm.Value {
	switch v {
	case "float":
		return vm.FloatClass
	case "int":
		return vm.IntClass
	case "bool":
		return vm.BoolClass
	}
	for class, d := range m.dtypes {
		if v == d.String() || v == pyType(d) {
			return class
		}
	}
	return v
}

// setAncestorNames sets what is no function.
func (m *module) setAncestorNames(mod *vm.Module) {
	mod.Set("NumLike", vm.NewTuple(m.valueClass, vm.IntClass, vm.FloatClass))
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	mod.Set("__version__", version)
}

// getScalar is x.get_scalar(i, j, ...): the element at these places.
func getScalar(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	x := a.Pos[0].(*Tensor)
	a.Pos = a.Pos[1:]
	if len(a.Kw) > 0 {
		return nil, vm.TypeErrorf("get_scalar() takes no keyword arguments")
	}
	s := x.shape()
	if len(a.Pos) != len(s) {
		return nil, vm.Raise(vm.IndexError, "get_scalar: %d indices for %d axes", len(a.Pos), len(s))
	}
	flat := 0
	for axis, v := range a.Pos {
		i, err := intArg("get_scalar", "an index", v, 0)
		if err != nil {
			return nil, err
		}
		if i < -s[axis] || i >= s[axis] {
			return nil, vm.Raise(vm.IndexError, "get_scalar: index %d is out of range for axis %d with length %d", i, axis, s[axis])
		}
		flat = flat*s[axis] + (i+s[axis])%s[axis]
	}
	return x.element(flat)
}

// homogenize is x itself: the elements of an array are all plain or all traced.
func (x *Tensor) homogenize(*vm.Thread, []vm.Value) (vm.Value, error) { return x, nil }

// CalledAttr makes x.size() the same as x.size.
func (x *Tensor) CalledAttr(name string, v vm.Value) vm.Value {
	if name != "size" {
		return nil
	}
	return vm.NewBuiltin("size", func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
		_, err := a.Bind("size")
		return v, err
	})
}

// homogenized makes constants of the plain components of a quaternion where some are traced.
func (c *calc) homogenized(q *Quaternion) vm.Value {
	if !slices.ContainsFunc(q.parts[:], isScalar) {
		return q
	}
	return c.each(q, func(x vm.Value) vm.Value {
		v, err := c.m.constant(x, graph.F32)
		if err != nil {
			return c.keep(nil, err)
		}
		return c.m.scalar(v)
	})
}

// listOf makes lists of generators and other iterables, also inside lists and tuples:
// what is compiled or read is gone through more than once.
func (m *module) listOf(t *vm.Thread, v vm.Value) (vm.Value, error) {
	if elems, like, ok := sequence(v); ok {
		if _, isQuaternion := like.(*Quaternion); isQuaternion {
			return v, nil
		}
		var out []vm.Value
		for i, e := range elems {
			listed, err := m.listOf(t, e)
			if err != nil {
				return nil, err
			}
			if listed != e && out == nil {
				out = slices.Clone(elems)
			}
			if out != nil {
				out[i] = listed
			}
		}
		if out == nil {
			return v, nil
		}
		return rebuild(out, like), nil
	}
	switch v.(type) {
	case *Value, *Tensor, *vm.Dict, string, nil:
		return v, nil
	}
	if isNumber(v) {
		return v, nil
	}
	it, err := t.Iter(v)
	if err != nil {
		return v, nil // what takes it says that it is no value
	}
	elems, err := t.Collect(it)
	if err != nil {
		return nil, err
	}
	return m.listOf(t, vm.NewList(elems))
}

// withoutConstants makes derivatives by numbers in an array 0: x has the array, and g the
// derivatives along its last axes.
func (m *module) withoutConstants(x, g graph.Value) (graph.Value, error) {
	if len(x.Shape()) == 0 {
		return g, nil
	}
	elems, _ := m.locateAll(x, func(id graph.ID) bool {
		op := m.g.Node(id).Op
		return moves[op] == nil && op != graph.OpStack && op != graph.OpConcat
	})
	mask := make([]uint32, len(elems))
	found := false
	for i, e := range elems {
		if m.g.IsConst(e.node) {
			mask[i], found = 1, true
		}
	}
	if !found {
		return g, nil
	}
	isConst, err := m.g.Const(graph.Tensor{DType: graph.Bool, Shape: x.Shape(), Bits: mask})
	if err != nil {
		return g, err
	}
	zero, err := m.g.Fill(g.DType(), g.Shape(), 0)
	if err != nil {
		return g, err
	}
	return m.g.Apply(graph.OpSelect, isConst, zero, g)
}
