package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// The type of a result depends on the types of what it is made of, never on which numbers
// plain arrays happen to have: an array is of one type, and what meets is first brought to
// a common one.

// KindOf is the type of a number, traced scalar or array; that of a plain float is F32.
func KindOf(v vm.Value) graph.DType {
	switch x := v.(type) {
	case *Value:
		return x.Node.DType()
	case *Tensor:
		return x.elementType()
	case float64:
		return graph.F32
	case bool:
		return graph.Bool
	}
	return graph.I32
}

// asKind is a plain number as one of a wider type.
func asKind(t *vm.Thread, v vm.Value, d graph.DType) (vm.Value, error) {
	switch {
	case d.IsFloat():
		return t.Unary(vm.OpToFloat, v)
	case d == graph.I32:
		if b, ok := v.(bool); ok {
			return int64(boolInt(b)), nil
		}
	}
	return v, nil
}

// unify makes plain numbers of several types those of the widest, in a slice of its own.
func unify(t *vm.Thread, elems []vm.Value) ([]vm.Value, error) {
	if len(elems) == 0 {
		return elems, nil
	}
	low, high := KindOf(elems[0]), KindOf(elems[0])
	for _, e := range elems[1:] {
		k := KindOf(e)
		low, high = min(low, k), max(high, k)
	}
	if low == high {
		return elems, nil
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		var err error
		if out[i], err = asKind(t, e, high); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// together brings plain numbers and plain arrays that a result is chosen from to one type.
func together(t *vm.Thread, xs ...vm.Value) error {
	d := KindOf(xs[0])
	for _, x := range xs[1:] {
		d = max(d, KindOf(x))
	}
	for i, x := range xs {
		var err error
		if a, ok := x.(*Tensor); ok && a.elementType() != d {
			xs[i], err = a.mapPlain(func(_ int, e vm.Value) (vm.Value, error) { return asKind(t, e, d) })
			if r, ok := xs[i].(*Tensor); ok {
				r.none = d
			}
		} else if !ok {
			xs[i], err = asKind(t, x, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Alike makes floats of traced ints and bools that are to be computed with beside float64: an
// int that became a float on the way would be one of 32 bits. From then on c makes doubles.
func (c *Calc) Alike(xs ...vm.Value) {
	for _, x := range xs {
		c.Double = c.Double || IsDouble(x)
	}
	if !c.Double {
		return
	}
	for i, x := range xs {
		if d, traced := TracedType(x); traced && !d.IsFloat() && c.Err == nil {
			xs[i] = c.Keep(c.Tracer.Cast(c.Thread, "float", x, graph.F64))
		}
	}
}

// alikeFloats is alike, and makes floats of all traced ints where any of xs is a float.
func (c *Calc) alikeFloats(xs ...vm.Value) {
	c.Alike(xs...)
	float := false
	for _, x := range xs {
		float = float || IsFloat(x)
	}
	for i, x := range xs {
		if d, traced := TracedType(x); float && traced && !d.IsFloat() {
			xs[i] = c.Float(x)
		}
	}
}

// AlikeTensors is alike for arrays.
func (c *Calc) AlikeTensors(xs ...*Tensor) {
	vs := make([]vm.Value, len(xs))
	for i, x := range xs {
		vs[i] = x
	}
	c.Alike(vs...)
	for i, v := range vs {
		if x, ok := v.(*Tensor); ok && c.Err == nil {
			xs[i] = x
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
