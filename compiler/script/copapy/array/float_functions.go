package array

import (
	"math"
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// exactRows are functions of the parts of floats and of the bits of ints, made of
// arithmetic and comparisons: no op sees the bits of a float.
func (m *Tracer) exactRows() []Row {
	return []Row{
		{Name: "copysign", Params: "x1 x2", Call: m.numbers(copySign)},
		{Name: "signbit", Params: "x", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.negative(a[0]) })},
		{Name: "nextafter", Params: "x1 x2", Call: m.numbers(nextAfter)},
		{Name: "ldexp", Params: "x1 x2", Call: m.Computed(func(c *Calc, a []vm.Value) vm.Value { return c.scaled(a[0], a[1]) }, 2, false)},
		{Name: "frexp", Params: "x", Call: m.numbers(frexp)},
		{Name: "popcount", Params: "n", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.ones(a[0], "popcount") })},
		{Name: "bitwise_count", Params: "n", Call: m.numbers(func(c *Calc, a []vm.Value) vm.Value { return c.ones(c.Abs(a[0]), "bitwise_count") })},
		{Name: "clz", Params: "n", Call: m.numbers(leadingZeros)},
		{Name: "nan_to_num", Params: "x nan? posinf? neginf?", Call: m.numbers(nanToNum)},
		{Name: "erf", Params: "x", Call: m.numbers(errorFunction)},
		{Name: "erfc", Params: "x", Call: m.numbers(complement)},
	}
}

// floats are x and y as floats of one type: those of 64 bits where one of them has these.
func (c *Calc) sameFloats(x, y vm.Value) (a, b vm.Value) {
	a, b = c.Float(x), c.Float(y)
	if IsDouble(x) && !IsFloat(y) || IsDouble(y) && !IsFloat(x) {
		a, b = c.floatBeside(x, y), c.floatBeside(y, x)
	}
	return a, b
}

// plainly applies f where all of xs are plain.
func (c *Calc) plainly(xs []vm.Value, f func(e []vm.Value) (vm.Value, error)) (r vm.Value, all bool) {
	for _, x := range xs {
		if IsTraced(x) {
			return nil, false
		}
	}
	if c.Err != nil {
		return int64(0), true
	}
	return c.Keep(c.Tracer.plainEach(c.Thread, xs, f)), true
}

// ofFloats is a function of plain floats.
func ofFloats(f func(x, y float64) vm.Value) func(e []vm.Value) (vm.Value, error) {
	return func(e []vm.Value) (vm.Value, error) {
		x, _ := vm.AsFloat(e[0])
		y, _ := vm.AsFloat(e[len(e)-1])
		return f(x, y), nil
	}
}

// negative tells numbers below 0, and -0, of which the reciprocal is below 0. A NaN has no
// sign on a target, where all are one.
func (c *Calc) negative(x vm.Value) vm.Value {
	if r, plain := c.plainly([]vm.Value{x}, ofFloats(func(x, _ float64) vm.Value { return math.Signbit(x) && x == x })); plain {
		return r
	}
	if !IsFloat(x) {
		return c.Compare(vm.OpLt, x, int64(0))
	}
	below := c.Compare(vm.OpLt, x, 0.0)
	zero := c.Compare(vm.OpEq, x, 0.0)
	return c.Binary(vm.OpBitOr, below, c.Binary(vm.OpBitAnd, zero, c.Compare(vm.OpLt, c.Div(1.0, x), 0.0)))
}

func copySign(c *Calc, a []vm.Value) vm.Value {
	if r, plain := c.plainly(a, ofFloats(func(x, y float64) vm.Value {
		if y != y {
			y = 1
		}
		return math.Copysign(x, y)
	})); plain {
		return r
	}
	size := c.Abs(c.floatBeside(c.Float(a[0]), a[1]))
	return c.Iif(c.negative(a[1]), c.Neg(size), size)
}

// format is what an exponent may be in a type of float.
type format struct {
	digits   int // of the significand, in bits
	min, max int // of exponents of normal numbers, with a significand from 1 to 2
	largest  float64
}

var formats = map[bool]format{
	false: {24, -126, 127, math.MaxFloat32},
	true:  {53, -1022, 1023, math.MaxFloat64},
}

// power is 2**k for an int k of a normal number, exactly: one factor for each bit.
func (c *Calc) power(k vm.Value, double bool) vm.Value {
	one := vm.Value(1.0)
	if double {
		one = c.Keep(c.Tracer.Cast(c.Thread, "ldexp", one, graph.F64))
	}
	size := c.Abs(k)
	p := one
	for bit := 0; 1<<bit <= formats[double].max; bit++ {
		here := c.Compare(vm.OpNe, c.Binary(vm.OpBitAnd, size, int64(1)<<bit), int64(0))
		factor := c.Iif(here, c.Mul(one, math.Ldexp(1, 1<<bit)), one)
		p = c.Mul(p, factor)
	}
	return c.Iif(c.Compare(vm.OpLt, k, int64(0)), c.Div(1.0, p), p)
}

// scaled is x * 2**n, rounded once. Two steps towards the limits of the exponent keep what
// is left in the range of normal numbers; below it the digits that a first step keeps are
// more than the last one rounds to.
func (c *Calc) scaled(x, n vm.Value) vm.Value {
	if IsFloat(n) {
		return c.Keep(nil, vm.WithHint(vm.TypeErrorf("ldexp: the exponent must be an int"), "convert it: int(x)"))
	}
	if r, plain := c.plainly([]vm.Value{x, n}, func(e []vm.Value) (vm.Value, error) {
		f, _ := vm.AsFloat(e[0])
		k, ok := vm.AsInt(e[1])
		if !ok {
			return nil, vm.TypeErrorf("ldexp: the exponent must be an int")
		}
		return math.Ldexp(f, int(max(min(k, 5000), -5000))), nil
	}); plain {
		return r
	}
	double := IsDouble(x)
	x = c.Float(x)
	f := formats[double]
	up, down := math.Ldexp(1, f.max), math.Ldexp(1, f.min+f.digits)
	for range 2 {
		over, under := c.Compare(vm.OpGt, n, int64(f.max)), c.Compare(vm.OpLt, n, int64(f.min))
		x = c.Iif(over, c.Mul(x, up), c.Iif(under, c.Mul(x, down), x))
		n = c.Iif(over, c.Sub(n, int64(f.max)), c.Iif(under, c.Sub(n, int64(f.min+f.digits)), n))
	}
	n = c.Clamp(n, int64(f.min), int64(f.max))
	return c.Mul(x, c.power(n, double))
}

// parts are m from 0.5 to 1 (or x where that is 0, infinite or NaN) and n with
// x == m * 2**n. The logarithm may be off by one next to a power of two.
func (c *Calc) parts(x vm.Value) (m, n vm.Value) {
	size := c.Abs(x)
	usual := c.Binary(vm.OpBitAnd, c.Call("isfinite", x), c.Compare(vm.OpNe, x, 0.0))
	x0 := c.Iif(usual, size, c.Mul(c.Keep(c.onesLike(x)), 0.5))
	n = c.Add(c.unary(vm.OpToInt, c.Call("floor", c.Call("log2", c.Call("stop_gradient", x0)))), int64(1))
	m = c.scaled(x0, c.Neg(n))
	low, high := c.Compare(vm.OpLt, m, 0.5), c.Compare(vm.OpGe, m, 1.0)
	m = c.Iif(low, c.Mul(m, 2.0), c.Iif(high, c.Mul(m, 0.5), m))
	n = c.Iif(low, c.Sub(n, int64(1)), c.Iif(high, c.Add(n, int64(1)), n))
	m = c.Iif(c.Compare(vm.OpLt, x, 0.0), c.Neg(m), m)
	return c.Iif(usual, m, x), c.Iif(usual, n, int64(0))
}

// onesLike is 1.0 in the type and shape of x.
func (c *Calc) onesLike(x vm.Value) (vm.Value, error) {
	var one vm.Value = 1.0
	if a, ok := x.(*Tensor); ok {
		var err error
		if one, err = a.filledLike(c.Thread, "ones_like", one, nil); err != nil {
			return nil, err
		}
	}
	if IsDouble(x) {
		return c.Tracer.Cast(c.Thread, "ones_like", one, graph.F64)
	}
	return one, nil
}

func frexp(c *Calc, a []vm.Value) vm.Value {
	if !IsTraced(a[0]) {
		part := func(f func(m float64, n int) vm.Value) vm.Value {
			r, _ := c.plainly(a, ofFloats(func(x, _ float64) vm.Value { return f(math.Frexp(x)) }))
			return r
		}
		return vm.NewTuple(part(func(m float64, _ int) vm.Value { return m }), part(func(_ float64, n int) vm.Value { return int64(n) }))
	}
	m, n := c.parts(c.Float(a[0]))
	return vm.NewTuple(m, n)
}

// nextAfter is the next float from x towards y: one unit of the last digit away, which is
// half as large below a power of two.
func nextAfter(c *Calc, a []vm.Value) vm.Value {
	if r, plain := c.plainly(a, ofFloats(func(x, y float64) vm.Value {
		if x == y {
			return y // as in C, also of zeros
		}
		return math.Nextafter(x, y)
	})); plain {
		return r
	}
	x, y := c.sameFloats(a[0], a[1])
	if c.Err != nil {
		return int64(0)
	}
	double := IsDouble(x) || IsDouble(y)
	f := formats[double]
	tiny := math.Ldexp(1, f.min-f.digits+1)
	s, err := commonShape(x, y)
	if err != nil {
		return c.Keep(nil, err)
	}
	x, y = c.widened(c.typedAs(x, double), s), c.widened(c.typedAs(y, double), s)
	m, n := c.parts(x)
	size := c.Abs(x)
	up := c.Compare(vm.OpGt, y, x)
	away := c.Compare(vm.OpEq, up, c.Compare(vm.OpGt, x, 0.0)) // from zero
	below := c.Binary(vm.OpBitAnd, c.Compare(vm.OpEq, c.Abs(m), 0.5), c.unary(vm.OpInvert, away))
	n = c.Sub(n, c.Iif(below, int64(f.digits+1), int64(f.digits)))
	n = c.Extremum("nextafter", graph.OpMax, n, int64(f.min-f.digits+1))
	one := c.Keep(c.onesLike(x))
	unit := c.Call("stop_gradient", c.scaled(one, n))
	next := c.Add(x, c.Iif(up, unit, c.Neg(unit)))
	next = c.Iif(c.Compare(vm.OpEq, next, 0.0), c.Iif(c.Compare(vm.OpLt, x, 0.0), c.Neg(c.Abs(next)), c.Abs(next)), next)
	next = c.Iif(c.Compare(vm.OpEq, x, 0.0), c.Iif(up, c.Mul(one, tiny), c.Mul(one, -tiny)), next)
	next = c.Iif(c.Compare(vm.OpEq, size, math.Inf(1)), c.Iif(up, c.Mul(one, -f.largest), c.Mul(one, f.largest)), next)
	next = c.Iif(c.Compare(vm.OpEq, x, y), y, next)
	return c.Iif(c.Binary(vm.OpBitOr, c.Call("isnan", x), c.Call("isnan", y)), c.Mul(one, math.NaN()), next)
}

// typedAs is a plain number as one of 64 bits where double is set.
func (c *Calc) typedAs(x vm.Value, double bool) vm.Value {
	if !double || IsTraced(x) || c.Err != nil {
		return x
	}
	return c.Keep(c.Tracer.Cast(c.Thread, "float", x, graph.F64))
}

// pattern checks an int whose 32 bits are counted.
func pattern(fn string, e vm.Value) (uint32, error) {
	n, ok := vm.AsInt(e)
	if _, isFloat := e.(float64); isFloat || !ok {
		return 0, vm.WithHint(vm.TypeErrorf("%s: must be an int of 32 bits, not '%s'", fn, vm.TypeName(e)), "convert it: int(x)")
	}
	if n < math.MinInt32 || n > math.MaxUint32 {
		return 0, vm.WithHint(vm.Raise(vm.OverflowError, "%s: the integer does not fit into 32 bits", fn), "take 32 bits of it: n & 0xffffffff")
	}
	return uint32(n), nil
}

// ones counts the bits that are 1, of 32, by adding neighbours.
func (c *Calc) ones(n vm.Value, fn string) vm.Value {
	if IsFloat(n) {
		return c.Keep(nil, vm.WithHint(vm.TypeErrorf("%s: must be an int, not a float", fn), "convert it: int(x)"))
	}
	if r, plain := c.plainly([]vm.Value{n}, func(e []vm.Value) (vm.Value, error) {
		w, err := pattern(fn, e[0])
		return int64(bits.OnesCount32(w)), err
	}); plain {
		return r
	}
	and := func(x vm.Value, mask int64) vm.Value { return c.Binary(vm.OpBitAnd, x, mask) }
	right := func(x vm.Value, by int64) vm.Value { return c.Binary(vm.OpRShift, x, by) }
	n = c.Add(n, int64(0))
	n = c.Sub(n, and(right(n, 1), 0x55555555))
	n = c.Add(and(n, 0x33333333), and(right(n, 2), 0x33333333))
	n = and(c.Add(n, right(n, 4)), 0x0f0f0f0f)
	return and(right(c.Mul(n, int64(0x01010101)), 24), 0xff)
}

// leadingZeros is 32 for 0.
func leadingZeros(c *Calc, a []vm.Value) vm.Value {
	n := a[0]
	if IsFloat(n) {
		return c.Keep(nil, vm.WithHint(vm.TypeErrorf("clz: must be an int, not a float"), "convert it: int(x)"))
	}
	if r, plain := c.plainly(a, func(e []vm.Value) (vm.Value, error) {
		w, err := pattern("clz", e[0])
		return int64(bits.LeadingZeros32(w)), err
	}); plain {
		return r
	}
	n = c.Add(n, int64(0))
	for by := int64(1); by < 32; by *= 2 { // ones behind the first one; the sign fills as well
		n = c.Binary(vm.OpBitOr, n, c.Binary(vm.OpRShift, n, by))
	}
	return c.Sub(int64(32), c.ones(n, "clz"))
}

// asPattern lets an int from 2**31 to 2**32-1 stand for its 32 bits beside &, | and ^ of
// traced ints.
func asPattern(op vm.BinaryOp, partner, other vm.Value) vm.Value {
	n, ok := other.(int64)
	if !ok || n <= math.MaxInt32 || n > math.MaxUint32 || op != vm.OpBitAnd && op != vm.OpBitOr && op != vm.OpBitXor {
		return other
	}
	if d, traced := TracedType(partner); !traced || d.IsFloat() {
		return other
	}
	return int64(int32(uint32(n)))
}
