package math64

import "math"

// dd is the sum of two doubles, h the nearest double to it.
type dd struct{ h, l float64 }

// Bits of 1, infinity and the NaN that leaves a function.
const (
	oneBits = 0x3ff0000000000000
	infBits = 0x7ff0000000000000
	nanBits = 0x7ff8000000000000
)

func fromInt(n int64) float64 { return float64(n) }

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

func twoProd(a, b float64) dd {
	p := float64(a * b)
	as := float64(a * 0x1.0000002p27)
	bs := float64(b * 0x1.0000002p27)
	ah := as - (as - a)
	bh := bs - (bs - b)
	al := a - ah
	bl := b - bh
	return dd{p, ((float64(ah*bh) - p) + (float64(ah*bl) + float64(al*bh))) + float64(al*bl)}
}

func times(a, b dd) dd {
	p := twoProd(a.h, b.h)
	return fastTwoSum(p.h, p.l+(float64(a.h*b.l)+float64(a.l*b.h)))
}

func plus(a, b dd) dd {
	s := twoSum(a.h, b.h)
	return fastTwoSum(s.h, s.l+(a.l+b.l))
}

func over(a, b dd) dd {
	q := a.h / b.h
	p := twoProd(q, b.h)
	return fastTwoSum(q, ((a.h-p.h)+((a.l-p.l)-float64(q*b.l)))/b.h)
}

func root(a dd) dd {
	s := math.Sqrt(a.h)
	p := twoProd(s, s)
	return fastTwoSum(s, ((a.h-p.h)+(a.l-p.l))/(s+s))
}

func power2(n int64) float64 {
	return math.Float64frombits(uint64(n+1023) << 52)
}

func scaled(x float64, n int64) float64 {
	half := n >> 1
	return float64(float64(x*power2(half)) * power2(n-half))
}

func absBits(x float64) uint64 {
	return math.Float64bits(x) & 0x7fffffffffffffff
}

func clamp(x, low, high float64) float64 {
	if x < low {
		return low
	}
	if x > high {
		return high
	}
	return x
}

func exponent(u uint64) int64 {
	if u < 0x10000000000000 {
		return int64(math.Float64bits(math.Float64frombits(u)*0x1p54)>>52) - 1077
	}
	return int64(u>>52) - 1023
}
