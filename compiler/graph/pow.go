package graph

import "math"

// mostFactors is the largest exponent whose power is multiplied out. A product of eight is off
// by 5.2 units in the last place at most, its quotient by 6.5, and takes a hundredth of the time of
// the kernel where doubles are computed in software.
const mostFactors = 8

// Pow is v ** w, in the common type of both (at least i32). Where w is a constant scalar n
// with an integer value, written as an int or as a float, these do not become op pow:
//
//   - v and n are ints, n >= 0, and v is not a float: multiplications, which wrap around
//   - n from 0 to 8: 1, or multiplications, in the order of squaring from the right (r
//     unset, b = v: for each bit of n from the lowest, r = r*b where it is set, then b = b*b)
//   - n from -8 to -1: 1 / v**k / v**(-n-k) with k = (1-n)//2, where a power of v that is
//     beyond all floats stands for a result that is 0 anyway
//
// Any other power is the op pow, whose error does not grow with the exponent and is the same
// for an exponent that only the target knows. An int with a negative n, or with a float,
// becomes a float first.
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
			return g.powInt(a, n, max(a.DType(), b.DType(), I32))
		}
	}
	return g.Apply(OpPow, a, b)
}

// integerConst returns the value of a scalar constant that is an integer of 32 bits.
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

// powInt is a ** n in type t, or a float where n is negative.
func (g *Graph) powInt(a Value, n int64, t DType) (Value, error) {
	if n < 0 {
		t = max(t, F32)
	}
	one := g.Number(t, 1)
	base := Value{g, g.convert(a.id, t)}
	switch {
	case n == 0:
		return g.Broadcast(one, a.Shape())
	case n > 0 && (n <= mostFactors || !t.IsFloat()):
		return g.powPositive(base, uint64(n))
	case n < -mostFactors || n > 0:
		return g.Apply(OpPow, base, g.Number(t, float64(n)))
	}
	k := (1 - n) / 2
	p, err := g.powPositive(base, uint64(k))
	if err != nil {
		return p, err
	}
	r, err := g.Apply(OpDiv, one, p)
	if err != nil || k == -n {
		return r, err
	}
	if p, err = g.powPositive(base, uint64(-n-k)); err != nil {
		return p, err
	}
	return g.Apply(OpDiv, r, p)
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
