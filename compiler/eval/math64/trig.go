package math64

import "math"

// pi / 2.
const (
	halfPiH = 0x1.921fb54442d18p+0
	halfPiL = 0x1.1a62633145c07p-54
)

// turns is a number of quarter turns, modulo 4, and the rest of an angle.
type turns struct {
	n uint64
	r dd
}

// twoOverPi has 64 zeros and then the first 1184 bits of 2/pi.
var twoOverPi = [39]uint32{
	0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
	0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
	0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046,
}

func reduce(u uint64) turns {
	if u <= 0x3fe921fb54442d18 {
		return turns{0, dd{math.Float64frombits(u), 0}}
	}
	e := int64(u>>52) - 1075 + 62
	s := uint64(e) >> 5
	sh := uint64(e&31) + 2
	m := (u & 0xfffffffffffff) | 0x10000000000000
	m0 := (m << sh) & 0xffffffff
	m1 := (m << sh) >> 32
	m2 := m >> (64 - sh)
	var p [10]uint64
	for i := 0; i < 7; i++ {
		w := uint64(twoOverPi[(s+6)-uint64(i)])
		a := uint64(w * m0)
		b := uint64(w * m1)
		c := uint64(w * m2)
		p[i] += a & 0xffffffff
		p[i+1] += (a >> 32) + (b & 0xffffffff)
		p[i+2] += (b >> 32) + (c & 0xffffffff)
		p[i+3] += c >> 32
	}
	for i := 0; i < 7; i++ {
		p[i+1] += p[i] >> 32
		p[i] &= 0xffffffff
	}
	q := p[7] & 3
	f0 := (p[6] << 32) | p[5]
	f1 := (p[4] << 32) | p[3]
	f2 := (p[2] << 32) | p[1]
	sign := float64(1)
	if f0>>63 != 0 {
		q = q + 1
		sign = -1
		f0 = ^f0
		f1 = ^f1
		f2 = ^f2
	}
	d0 := fromInt(int64(f0>>16)) * 0x1p-48
	d1 := fromInt(int64(((f0<<32)|(f1>>32))&0xffffffffffff)) * 0x1p-96
	d2 := fromInt(int64(((f1<<16)|(f2>>48))&0xffffffffffff)) * 0x1p-144
	d3 := fromInt(int64(f2&0xffffffffffff)) * 0x1p-192
	a := fastTwoSum(d2, d3)
	b := fastTwoSum(d1, a.h)
	c := fastTwoSum(d0, b.h)
	f := fastTwoSum(c.h, c.l+(b.l+a.l))
	r := times(f, dd{halfPiH, halfPiL})
	return turns{q & 3, dd{sign * r.h, sign * r.l}}
}

func sinPair(r dd) dd {
	z := twoProd(r.h, r.h)
	zl := z.l + 2*float64(r.h*r.l)
	c := twoProd(z.h, r.h)
	cl := c.l + (float64(z.h*r.l) + float64(zl*r.h))
	t := twoProd(c.h, -0x1.5555555555555p-3)
	tl := t.l + (float64(c.h*-0x1.5555555555555p-57) + float64(cl*-0x1.5555555555555p-3))
	u := float64(float64(c.h*z.h) * (0x1.1111111111111p-7 + float64(z.h*(-0x1.a01a01a01a01ap-13+float64(z.h*(0x1.71de3a556c734p-19+float64(z.h*(-0x1.ae64567f544e4p-26+float64(z.h*(0x1.6124613a86d09p-33+float64(z.h*(-0x1.ae7f3e733b81fp-41+float64(z.h*0x1.952c77030ad4ap-49)))))))))))))
	a := fastTwoSum(r.h, t.h)
	return fastTwoSum(a.h, a.l+(r.l+(tl+u)))
}

func cosPair(r dd) dd {
	z := twoProd(r.h, r.h)
	zl := z.l + 2*float64(r.h*r.l)
	u := float64(float64(z.h*z.h) * (0x1.5555555555555p-5 + float64(z.h*(-0x1.6c16c16c16c17p-10+float64(z.h*(0x1.a01a01a01a01ap-16+float64(z.h*(-0x1.27e4fb7789f5cp-22+float64(z.h*(0x1.1eed8eff8d898p-29+float64(z.h*(-0x1.93974a8c07c9dp-37+float64(z.h*(0x1.ae7f3e733b81fp-45+float64(z.h*-0x1.6827863b97d97p-53)))))))))))))))
	a := fastTwoSum(1, -0.5*z.h)
	return fastTwoSum(a.h, a.l+(u-0.5*zl))
}

func sinOf(n uint64, r dd) float64 {
	s := sinPair(r)
	if (n & 1) != 0 {
		s = cosPair(r)
	}
	v := s.h + s.l
	if (n & 2) != 0 {
		return -v
	}
	return v
}

func Sin(x float64) float64 {
	u := absBits(x)
	if u >= infBits {
		return x - x
	}
	if u < 0x3e40000000000000 {
		return x
	}
	t := reduce(u)
	v := sinOf(t.n, t.r)
	if x < 0 {
		return -v
	}
	return v
}

func Cos(x float64) float64 {
	u := absBits(x)
	if u >= infBits {
		return x - x
	}
	t := reduce(u)
	return sinOf(t.n+1, t.r)
}

func Tan(x float64) float64 {
	u := absBits(x)
	if u >= infBits {
		return x - x
	}
	if u < 0x3e40000000000000 {
		return x
	}
	t := reduce(u)
	s := sinPair(t.r)
	c := cosPair(t.r)
	q := over(s, c)
	if (t.n & 1) != 0 {
		q = over(dd{-c.h, -c.l}, s)
	}
	v := q.h + q.l
	if x < 0 {
		return -v
	}
	return v
}
