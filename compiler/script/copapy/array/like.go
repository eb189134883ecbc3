package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// elementType is what the elements of an array are: the widest of plain ones.
func (x *Tensor) elementType() graph.DType {
	if x.Traced() {
		return x.Node.DType()
	}
	if len(x.Plain) == 0 {
		return noneByDefault(x.none)
	}
	d := graph.Bool
	for _, e := range x.Plain {
		d = max(d, KindOf(e))
	}
	return d
}

// noneByDefault is the type of an array without elements where nothing tells it.
func noneByDefault(d graph.DType) graph.DType {
	if d == NoFloat {
		return graph.F32
	}
	return d
}

// emptyLike gives an array without elements the type of x.
func emptyLike(r vm.Value, x *Tensor) vm.Value {
	if a, ok := r.(*Tensor); ok && !a.Traced() && len(a.Plain) == 0 {
		a.none = x.elementType()
	}
	return r
}

// ofType makes a number or traced scalar one of type d; float64 only of what is plain.
func (m *Tracer) ofType(t *vm.Thread, v vm.Value, d graph.DType) (vm.Value, error) {
	switch d {
	case graph.Bool:
		return t.Compare(vm.OpNe, v, int64(0))
	case graph.I32:
		return t.Unary(vm.OpToInt, v)
	}
	if s, isScalar := v.(*Value); isScalar && s.Node.DType() != d {
		return m.Cast(t, "full_like", v, d)
	}
	return t.Unary(vm.OpToFloat, v)
}

// like is cp.zeros_like(x, dtype=None) and its kin: one number in the shape and type
// of x.
func like(fn string, n int64) func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
	return func(x *Tensor, t *vm.Thread, args []vm.Value) (vm.Value, error) {
		return x.filledLike(t, fn, n, args[0])
	}
}

// fullLike is cp.full_like(x, fill_value, dtype=None).
func (x *Tensor) fullLike(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	if _, isScalar := args[0].(*Value); !isScalar && !IsNumber(args[0]) {
		return nil, vm.TypeErrorf("full_like: must be a number or a traced scalar, not '%s'", vm.TypeName(args[0]))
	}
	return x.filledLike(t, "full_like", args[0], args[1])
}

func (x *Tensor) filledLike(t *vm.Thread, fn string, v, dtype vm.Value) (vm.Value, error) {
	var err error
	if dtype == nil || dtype == vm.None {
		v, err = x.m.ofType(t, v, x.elementType())
	} else {
		v, err = x.m.Typed(t, fn, v, dtype)
	}
	if err != nil {
		return nil, err
	}
	one, err := x.m.Vector(t, []vm.Value{v})
	if err != nil {
		return nil, err
	}
	return one.BroadcastTo(t, fn, slices.Clone(x.Shape()))
}
