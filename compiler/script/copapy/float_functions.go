package copapy

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
		{Name: "signbit", Params: "x", Call: m.numbers(func(c *calc, a []vm.Value) vm.Value { return c.negative(a[0]) })},
		{Name: "nextafter", Params: "x1 x2", Call: m.numbers(nextAfter)},
		{Name: "ldexp", Params: "x1 x2", Call: m.computed(func(c *calc, a []vm.Value) vm.Value { return c.scaled(a[0], a[1]) }, 2, false)},
		{Name: "frexp", Params: "x", Call: m.numbers(frexp)},
		{Name: "popcount", Params: "n", Call: m.numbers(func(c *calc, a []vm.Value) vm.Value { return c.ones(a[0], "popcount") })},
		{Name: "bitwise_count", Params: "n", Call: m.numbers(func(c *calc, a []vm.Value) vm.Value { return c.ones(c.abs(a[0]), "bitwise_count") })},
		{Name: "clz", Params: "n", Call: m.numbers(leadingZeros)},
		{Name: "nan_to_num", Params: "x nan? posinf? neginf?", Call: m.numbers(nanToNum)},
		{Name: "erf", Params: "x", Call: m.numbers(errorFunction)},
		{Name: "erfc", Params: "x", Call: m.numbers(complement)},
	}
}

// floats are x and y as floats of one type: those of 64 bits where one of them has these.
func (c *calc) sameFloats(x, y vm.Value) (a, b vm.Value) {
	a, b = c.float(x), c.float(y)
	if isDouble(x) && !isFloat(y) || isDouble(y) && !isFloat(x) {
		a, b = c.floatBeside(x, y), c.floatBeside(y, x)
	}
	return a, b
}

// plainly applies f where all of xs are plain.
func (c *calc) plainly(xs []vm.Value, f func(e []vm.Value) (vm.Value, error)) (r vm.Value, all bool) {
	for _, x := range xs {
		if isTraced(x) {
			return nil, false
		}
	}
	if c.err != nil {
		return int64(0), true
	}
	return c.keep(c.m.plainEach(c.t, xs, f)), true
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
func (c *calc) negative(x vm.Value) vm.Value {
	if r, plain := c.plainly([]vm.Value{x}, ofFloats(func(x, _ float64) vm.Value { return math.Signbit(x) && x == x })); plain {
		return r
	}
	if !isFloat(x) {
		return c.compare(vm.OpLt, x, int64(0))
	}
	below := c.compare(vm.OpLt, x, 0.0)
	zero := c.compare(vm.OpEq, x, 0.0)
	return c.binary(vm.OpBitOr, below, c.binary(vm.OpBitAnd, zero, c.compare(vm.OpLt, c.div(1.0, x), 0.0)))
}

func copySign(c *calc, a []vm.Value) vm.Value {
	if r, plain := c.plainly(a, ofFloats(func(x, y float64) vm.Value {
		if y != y {
			y = 1
		}
		return math.Copysign(x, y)
	})); plain {
		return r
	}
	size := c.abs(c.floatBeside(c.float(a[0]), a[1]))
	return c.iif(c.negative(a[1]), c.neg(size), size)
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
func (c *calc) power(k vm.Value, double bool) vm.Value {
	one := vm.Value(1.0)
	if double {
		one = c.keep(c.m.cast(c.t, "ldexp", one, graph.F64))
	}
	size := c.abs(k)
	p := one
	for bit := 0; 1<<bit <= formats[double].max; bit++ {
		here := c.compare(vm.OpNe, c.binary(vm.OpBitAnd, size, int64(1)<<bit), int64(0))
		factor := c.iif(here, c.mul(one, math.Ldexp(1, 1<<bit)), one)
		p = c.mul(p, factor)
	}
	return c.iif(c.compare(vm.OpLt, k, int64(0)), c.div(1.0, p), p)
}

// scaled is x * 2**n, rounded once. Two steps towards the limits of the exponent keep what
// is left in the range of normal numbers; below it the digits that a first step keeps are
// more than the last one rounds to.
func (c *calc) scaled(x, n vm.Value) vm.Value {
	if isFloat(n) {
		return c.keep(nil, vm.WithHint(vm.TypeErrorf("ldexp: the exponent must be an int"), "convert it: int(x)"))
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
	double := isDouble(x)
	x = c.float(x)
	f := formats[double]
	up, down := math.Ldexp(1, f.max), math.Ldexp(1, f.min+f.digits)
	for range 2 {
		over, under := c.compare(vm.OpGt, n, int64(f.max)), c.compare(vm.OpLt, n, int64(f.min))
		x = c.iif(over, c.mul(x, up), c.iif(under, c.mul(x, down), x))
		n = c.iif(over, c.sub(n, int64(f.max)), c.iif(under, c.sub(n, int64(f.min+f.digits)), n))
	}
	n = c.clamp(n, int64(f.min), int64(f.max))
	return c.mul(x, c.power(n, double))
}

// parts are m from 0.5 to 1 (or x where that is 0, infinite or NaN) and n with
// x == m * 2**n. The logarithm may be off by one next to a power of two.
func (c *calc) parts(x vm.Value) (m, n vm.Value) {
	size := c.abs(x)
	usual := c.binary(vm.OpBitAnd, c.call("isfinite", x), c.compare(vm.OpNe, x, 0.0))
	x0 := c.iif(usual, size, c.mul(c.keep(c.onesLike(x)), 0.5))
	n = c.add(c.unary(vm.OpToInt, c.call("floor", c.call("log2", c.call("stop_gradient", x0)))), int64(1))
	m = c.scaled(x0, c.neg(n))
	low, high := c.compare(vm.OpLt, m, 0.5), c.compare(vm.OpGe, m, 1.0)
	m = c.iif(low, c.mul(m, 2.0), c.iif(high, c.mul(m, 0.5), m))
	n = c.iif(low, c.sub(n, int64(1)), c.iif(high, c.add(n, int64(1)), n))
	m = c.iif(c.compare(vm.OpLt, x, 0.0), c.neg(m), m)
	return c.iif(usual, m, x), c.iif(usual, n, int64(0))
}

// onesLike is 1.0 in the type and shape of x.
func (c *calc) onesLike(x vm.Value) (vm.Value, error) {
	var one vm.Value = 1.0
	if a, ok := x.(*Tensor); ok {
		var err error
		if one, err = a.filledLike(c.t, "ones_like", one, nil); err != nil {
			return nil, err
		}
	}
	if isDouble(x) {
		return c.m.cast(c.t, "ones_like", one, graph.F64)
	}
	return one, nil
}

func frexp(c *calc, a []vm.Value) vm.Value {
	if !isTraced(a[0]) {
		part := func(f func(m float64, n int) vm.Value) vm.Value {
			r, _ := c.plainly(a, ofFloats(func(x, _ float64) vm.Value { return f(math.Frexp(x)) }))
			return r
		}
		return vm.NewTuple(part(func(m float64, _ int) vm.Value { return m }), part(func(_ float64, n int) vm.Value { return int64(n) }))
	}
	m, n := c.parts(c.float(a[0]))
	return vm.NewTuple(m, n)
}

// nextAfter is the next float from x towards y: one unit of the last digit away, which is
// half as large below a power of two.
func nextAfter(c *calc, a []vm.Value) vm.Value {
	if r, plain := c.plainly(a, ofFloats(func(x, y float64) vm.Value {
		if x == y {
			return y // as in C, also of zeros
		}
		return math.Nextafter(x, y)
	})); plain {
		return r
	}
	x, y := c.sameFloats(a[0], a[1])
	if c.err != nil {
		return int64(0)
	}
	double := isDouble(x) || isDouble(y)
	f := formats[double]
	tiny := math.Ldexp(1, f.min-f.digits+1)
	s, err := commonShape(x, y)
	if err != nil {
		return c.keep(nil, err)
	}
	x, y = c.widened(c.typedAs(x, double), s), c.widened(c.typedAs(y, double), s)
	m, n := c.parts(x)
	size := c.abs(x)
	up := c.compare(vm.OpGt, y, x)
	away := c.compare(vm.OpEq, up, c.compare(vm.OpGt, x, 0.0)) // from zero
	below := c.binary(vm.OpBitAnd, c.compare(vm.OpEq, c.abs(m), 0.5), c.unary(vm.OpInvert, away))
	n = c.sub(n, c.iif(below, int64(f.digits+1), int64(f.digits)))
	n = c.extremum("nextafter", graph.OpMax, n, int64(f.min-f.digits+1))
	one := c.keep(c.onesLike(x))
	unit := c.call("stop_gradient", c.scaled(one, n))
	next := c.add(x, c.iif(up, unit, c.neg(unit)))
	next = c.iif(c.compare(vm.OpEq, next, 0.0), c.iif(c.compare(vm.OpLt, x, 0.0), c.neg(c.abs(next)), c.abs(next)), next)
	next = c.iif(c.compare(vm.OpEq, x, 0.0), c.iif(up, c.mul(one, tiny), c.mul(one, -tiny)), next)
	next = c.iif(c.compare(vm.OpEq, size, math.Inf(1)), c.iif(up, c.mul(one, -f.largest), c.mul(one, f.largest)), next)
	next = c.iif(c.compare(vm.OpEq, x, y), y, next)
	return c.iif(c.binary(vm.OpBitOr, c.call("isnan", x), c.call("isnan", y)), c.mul(one, math.NaN()), next)
}

// typedAs is a plain number as one of 64 bits where double is set.
func (c *calc) typedAs(x vm.Value, double bool) vm.Value {
	if !double || isTraced(x) || c.err != nil {
		return x
	}
	return c.keep(c.m.cast(c.t, "float", x, graph.F64))
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
func (c *calc) ones(n vm.Value, fn string) vm.Value {
	if isFloat(n) {
		return c.keep(nil, vm.WithHint(vm.TypeErrorf("%s: must be an int, not a float", fn), "convert it: int(x)"))
	}
	if r, plain := c.plainly([]vm.Value{n}, func(e []vm.Value) (vm.Value, error) {
		w, err := pattern(fn, e[0])
		return int64(bits.OnesCount32(w)), err
	}); plain {
		return r
	}
	and := func(x vm.Value, mask int64) vm.Value { return c.binary(vm.OpBitAnd, x, mask) }
	right := func(x vm.Value, by int64) vm.Value { return c.binary(vm.OpRShift, x, by) }
	n = c.add(n, int64(0))
	n = c.sub(n, and(right(n, 1), 0x55555555))
	n = c.add(and(n, 0x33333333), and(right(n, 2), 0x33333333))
	n = and(c.add(n, right(n, 4)), 0x0f0f0f0f)
	return and(right(c.mul(n, int64(0x01010101)), 24), 0xff)
}

// leadingZeros is 32 for 0.
func leadingZeros(c *calc, a []vm.Value) vm.Value {
	n := a[0]
	if isFloat(n) {
		return c.keep(nil, vm.WithHint(vm.TypeErrorf("clz: must be an int, not a float"), "convert it: int(x)"))
	}
	if r, plain := c.plainly(a, func(e []vm.Value) (vm.Value, error) {
		w, err := pattern("clz", e[0])
		return int64(bits.LeadingZeros32(w)), err
	}); plain {
		return r
	}
	n = c.add(n, int64(0))
	for by := int64(1); by < 32; by *= 2 { // ones behind the first one; the sign fills as well
		n = c.binary(vm.OpBitOr, n, c.binary(vm.OpRShift, n, by))
	}
	return c.sub(int64(32), c.ones(n, "clz"))
}

// asPattern lets an int from 2**31 to 2**32-1 stand for its 32 bits beside &, | and ^ of
// traced ints.
func asPattern(op vm.BinaryOp, partner, other vm.Value) vm.Value {
	n, ok := other.(int64)
	if !ok || n <= math.MaxInt32 || n > math.MaxUint32 || op != vm.OpBitAnd && op != vm.OpBitOr && op != vm.OpBitXor {
		return other
	}
	if d, traced := tracedType(partner); !traced || d.IsFloat() {
		return other
	}
	return int64(int32(uint32(n)))
}
