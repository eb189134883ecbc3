package libm

import "math"

// dd is the unevaluated sum of two float64, |l| at most half an ulp of h.
type dd struct{ h, l float64 }

func quickSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

func sum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func prod(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := sum(a.h, b.h), sum(a.l, b.l)
	s = quickSum(s.h, s.l+t.h)
	return quickSum(s.h, s.l+t.l)
}

func (a dd) neg() dd { return dd{-a.h, -a.l} }

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	p := prod(a.h, b.h)
	return quickSum(p.h, p.l+(math.FMA(a.h, b.l, a.l*b.h)))
}

func (a dd) mulF(b float64) dd {
	p := prod(a.h, b)
	return quickSum(p.h, math.FMA(a.l, b, p.l))
}

func (a dd) div(b dd) dd {
	q1 := a.h / b.h
	r := a.sub(b.mulF(q1))
	q2 := r.h / b.h
	r = r.sub(b.mulF(q2))
	return quickSum(q1, q2).add(dd{r.h / b.h, 0})
}

func (a dd) sqrt() dd {
	if a.h <= 0 {
		return dd{}
	}
	q := math.Sqrt(a.h)
	r := a.sub(prod(q, q))
	return quickSum(q, r.h/(2*q))
}

func (a dd) scale(k int) dd { return dd{math.Ldexp(a.h, k), math.Ldexp(a.l, k)} }

func (a dd) float() float64 { return a.h + a.l }

// Constants to 107 bits and more.
var (
	one  = dd{1, 0}
	ln2  = dd{0.6931471805599453, 2.3190468138462996e-17}
	ln10 = dd{2.302585092994046, -2.1707562233822494e-16}
)

// halfPi is pi/2 in three parts.
var halfPi = [3]float64{1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33}
