package math64

import "math"

func Cbrt(x float64) float64 {
	u := absBits(x)
	if u == 0 || u >= infBits {
		return x + x
	}
	k := int64(exponent(u)+1200) / 3
	m := scaled(math.Float64frombits(u), 1200-3*k)
	y := 1 + float64((m-1)*0x1.2492492492492p-3)
	for i := 0; i < 3; i++ {
		c := float64(float64(y*y) * y)
		y = y * (float64(c+float64(m+m)) / (float64(c+c) + m))
	}
	s := twoProd(y, y)
	c := times(s, dd{y, 0})
	y = y - ((c.h-m)+c.l)/(3*s.h)
	return math.Copysign(scaled(y, k-400), x)
}

func Hypot(x, y float64) float64 {
	u := absBits(x)
	v := absBits(y)
	if u < v {
		t := u
		u = v
		v = t
	}
	if absBits(x) == infBits || absBits(y) == infBits {
		return math.Float64frombits(infBits)
	}
	if u > infBits || v == 0 {
		return math.Float64frombits(u)
	}
	e := exponent(u)
	if e-exponent(v) > 60 {
		return math.Float64frombits(u)
	}
	a := scaled(math.Float64frombits(u), -e)
	b := scaled(math.Float64frombits(v), -e)
	r := root(plus(twoProd(a, a), twoProd(b, b)))
	return scaled(r.h+r.l, e)
}
