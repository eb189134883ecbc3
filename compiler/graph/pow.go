package graph

import "math"

// Pow is v ** w. Where w is a constant scalar n with an integer value, in any
// type, it is expanded into multiplications, in the order of squaring from the
// right (r unset, b = v: for each bit of n from the lowest, r = r*b where it is
// set, then b = b*b), so that every target rounds alike:
//
//	n == 0   1 in the type of v (at least i32)
//	n < 0    1 / v**-n, computed in f32, or in f64 where v is
//
// Any other power is the op pow, in the same type.
func (v Value) Pow(w Value) Value {
	if v.id < 0 {
		return v
	}
	if w.g == v.g && w.id < 0 {
		return w
	}
	return v.g.keep(v.g.Pow(v, w))
}

// Pow is a ** b; see Value.Pow.
func (g *Graph) Pow(a, b Value) (Value, error) {
	if g.owns(a) && g.owns(b) && !mixed(a.DType(), b.DType()) {
		if n, ok := g.integerConst(b.id); ok {
			return g.powInt(a, n)
		}
	}
	return g.Apply(OpPow, a, b)
}

// integerConst returns the value of a scalar constant that is an integer.
func (g *Graph) integerConst(id ID) (int64, bool) {
	n := &g.nodes[id]
	if n.Op != OpConst || n.Shape != Scalar {
		return 0, false
	}
	var f float64
	switch n.DType {
	case F32:
		f = float64(math.Float32frombits(uint32(n.Word())))
	case F64:
		f = math.Float64frombits(n.Word())
	default:
		return int64(int32(n.Word())), true
	}
	i := int64(max(-1<<31, min(f, 1<<31)))
	return i, float64(i) == f
}

func (g *Graph) powInt(a Value, n int64) (Value, error) {
	t := max(a.DType(), I32)
	if n < 0 {
		t = max(t, F32)
	}
	one := g.Number(t, 1)
	base := Value{g, g.convert(a.id, t)}
	if n == 0 {
		return g.Broadcast(one, a.Shape())
	}
	r, err := g.powPositive(base, uint64(max(n, -n)))
	if err != nil || n > 0 {
		return r, err
	}
	return g.Apply(OpDiv, one, r)
}

func (g *Graph) powPositive(b Value, n uint64) (r Value, err error) {
	for {
		if n&1 != 0 {
			if !r.Valid() {
				r = b
			} else if r, err = g.Apply(OpMul, r, b); err != nil {
				return r, err
			}
		}
		if n >>= 1; n == 0 {
			return r, nil
		}
		if b, err = g.Apply(OpMul, b, b); err != nil {
			return b, err
		}
	}
}
