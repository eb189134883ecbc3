package math64

import "math"

func integerKind(y float64) uint64 {
	u := absBits(y)
	e := u >> 52
	if e < 1023 {
		return 0
	}
	if e > 1075 {
		return 2
	}
	s := 1075 - e
	m := (u & 0xfffffffffffff) | 0x10000000000000
	if (m & ((uint64(1) << s) - 1)) != 0 {
		return 0
	}
	return 2 - ((m >> s) & 1)
}

func powFinite(a, y float64) float64 {
	l := logPair(dd{a, 0})
	t := twoProd(clamp(y, -0x1p80, 0x1p80), l.h)
	th := clamp(t.h, -746, 710)
	tl := float64(0)
	if th == t.h {
		tl = t.l + float64(y*l.l)
	}
	return expScaled(dd{th, tl}, 0)
}

func Pow(x, y float64) float64 {
	ax := absBits(x)
	ay := absBits(y)
	if ay == 0 || math.Float64bits(x) == oneBits {
		return 1
	}
	if ax > infBits || ay > infBits {
		return x + y
	}
	if ay == infBits {
		if ax == oneBits {
			return 1
		}
		if (ax > oneBits) == (y > 0) {
			return math.Float64frombits(infBits)
		}
		return 0
	}
	kind := integerKind(y)
	sign := float64(1)
	if x < 0 && kind == 0 && ax != infBits {
		return math.Float64frombits(nanBits)
	}
	if math.Float64bits(x) != ax && kind == 1 {
		sign = -1
	}
	if ax == 0 || ax == infBits {
		if (ax == 0) == (y > 0) {
			return math.Copysign(0, sign)
		}
		return math.Copysign(math.Float64frombits(infBits), sign)
	}
	return math.Copysign(powFinite(math.Float64frombits(ax), y), sign)
}
