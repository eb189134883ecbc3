package array

import (
	"math"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// The polynomials, the highest power first, are Chebyshev fits of exp(x*x) * erfc(x) * (1 + 2*x) as
// a function of (x - 2) / (x + 2), from x = 0.5 on; the largest errors are 6.6e-9 and 5.6e-17.
var erfcPolynomials = map[bool][]float64{
	false: {
		0.000277381382307, -0.000336292550237, -0.00152290289819, 0.0012335543009, 0.00874271161868, -0.00802814503723, -0.0542222160107,
		0.164050856634, -0.166030337904, -0.0927638176531, 1.27697838173,
	},
	true: {
		-3.3754412668772296038e-8, -5.7763402732853212094e-8, 5.2721392638067814878e-7, -9.2272638493103910162e-8, -1.4396114730010242203e-6,
		-6.2358831762653190362e-7, 1.9414036005760580169e-6, 5.0681747438756877575e-6, 3.5322674893943926055e-6, -0.000013401897392761336861,
		-0.000036379185778293131257, -1.5381829934036545318e-6, 0.00015103239732994158942, 0.00020637246280831322676, -0.0004543401882694532312,
		-0.0014568145323066594367, 0.0012713389289393651292, 0.0087226539131241870409, -0.0080340150811530093453, -0.054220000993253785617,
		0.16405128003341756327, -0.16603039761527403549, -0.092763826585745826803, 1.2769783815525286876,
	},
}

// nearErf is erf(x) for |x| below 1: its series, in powers of x*x.
func (c *Calc) nearErf(x vm.Value, double bool) vm.Value {
	terms := 11
	if double {
		terms = 20
	}
	u := c.Mul(x, x)
	coefficient := func(n int) float64 {
		return math.Pow(-1, float64(n)) / (math.Gamma(float64(n+1)) * float64(2*n+1)) * 2 / math.SqrtPi
	}
	var sum vm.Value = coefficient(terms)
	for n := terms - 1; n > 0; n-- {
		sum = c.Add(c.Mul(sum, u), coefficient(n))
	}
	// The first coefficient is 1 and a rest, so that x itself is not rounded.
	return c.Add(x, c.Mul(x, c.Add(c.Mul(sum, u), coefficient(0)-1)))
}

// farErfc is erfc(x) from 0.5 on. The square is taken of a number with few digits, and
// what it lacks is multiplied on, so that the exponent is not rounded.
func (c *Calc) farErfc(x vm.Value, double bool) vm.Value {
	x = c.Clamp(x, 0.5, 30.0)
	t := c.Div(c.Sub(x, 2.0), c.Add(x, 2.0))
	p := erfcPolynomials[double]
	var sum vm.Value = p[0]
	for _, k := range p[1:] {
		sum = c.Add(c.Mul(sum, t), k)
	}
	near := c.Call("stop_gradient", c.Div(c.Call("round", c.Mul(x, 16.0)), 16.0))
	power := c.Mul(c.Call("exp", c.Neg(c.Mul(near, near))), c.Call("exp", c.Mul(c.Sub(near, x), c.Add(near, x))))
	return c.Div(c.Mul(power, sum), c.Add(c.Mul(x, 2.0), 1.0))
}

func errorFunction(c *Calc, a []vm.Value) vm.Value {
	if r, plain := c.plainly(a, ofFloats(func(x, _ float64) vm.Value { return math.Erf(x) })); plain {
		return r
	}
	x := c.Float(a[0])
	double := IsDouble(x)
	size := c.Abs(x)
	far := c.Sub(1.0, c.farErfc(size, double))
	far = c.Iif(c.Compare(vm.OpLt, x, 0.0), c.Neg(far), far)
	r := c.Iif(c.Compare(vm.OpLt, size, 1.0), c.nearErf(c.Clamp(x, -1.0, 1.0), double), far)
	return c.Iif(c.Compare(vm.OpNe, x, x), x, r)
}

func complement(c *Calc, a []vm.Value) vm.Value {
	if r, plain := c.plainly(a, ofFloats(func(x, _ float64) vm.Value { return math.Erfc(x) })); plain {
		return r
	}
	x := c.Float(a[0])
	double := IsDouble(x)
	far := c.farErfc(c.Abs(x), double)
	far = c.Iif(c.Compare(vm.OpLt, x, 0.0), c.Sub(2.0, far), far)
	near := c.Sub(1.0, c.nearErf(c.Clamp(x, -1.0, 1.0), double))
	r := c.Iif(c.Compare(vm.OpLt, c.Abs(x), 0.5), near, far)
	return c.Iif(c.Compare(vm.OpNe, x, x), x, r)
}
