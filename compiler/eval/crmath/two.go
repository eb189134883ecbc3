package crmath

import "math"

// Atan2, Pow and Hypot follow stencils/src/kernels/f32/atan.h, pow.h and hypot.h operation by
// operation: the results are equal to the last bit. A product that is added to
// something is converted explicitly, since Go may otherwise fuse the two on
// arm64 and round once instead of twice.

// atanTable holds high and low parts of atan(j/8), then of pi/2 - atan(j/8).
var atanTable = [18][2]float64{
	{0x0.0p+0, 0x0.0p+0},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
	{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
	{0x1.7249faa996a21p+0, 0x1.a8cc1e7480c68p-54},
	{0x1.5368c951e9cfdp+0, -0x1.96f47948a99f1p-54},
	{0x1.3647503caf55cp+0, 0x1.17e21d9a42c9ap-55},
	{0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
	{0x1.031f57e54adbep+0, 0x1.338b4259c0270p-54},
	{0x1.dac670561bb4fp-1, 0x1.a2b7f222f65e2p-55},
	{0x1.b434ee31013fdp-1, -0x1.0520d0701d877p-55},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// atanCore returns atan(n/d) for 0 <= n <= d, d > 0 and finite, or its
// complement to pi/2.
func atanCore(n, d float32, complement bool) float64 {
	w := n / d
	j := int32(float32(w*8) + 0.5)
	c, nd, dd := float64(j)*0.125, float64(n), float64(d)
	t := (nd - float64(c*dd)) / (dd + float64(c*nd))
	base := &atanTable[j]
	if complement {
		t = -t
		base = &atanTable[j+9]
	}
	z := t * t
	z2 := z * z
	p := (-0x1.555555555552bp-2 + float64(z*0x1.9999999953411p-3)) +
		float64(z2*((-0x1.249247f4aad9ap-3+float64(z*0x1.c717f713376b9p-4))+
			float64(z2*-0x1.7085d4c0325c2p-4)))
	return base[0] + (t + (base[1] + float64(float64(t*z)*p)))
}

// Atan2 returns the angle of the point (x, y) in radians, -pi to pi; at most
// 0.51 ULP. Zeros and infinities as in C99 F.9.1.4.
func Atan2(y, x float32) float32 {
	if x != x || y != y {
		return nan
	}
	const inf = 0x7f800000
	ay, ax := math.Float32bits(y)&0x7fffffff, math.Float32bits(x)&0x7fffffff
	steep := ay > ax
	n, d := ay, ax
	if steep {
		n, d = ax, ay
	}
	one := math.Float32bits(1)
	switch { // 0/0 counts as 0/1, inf/inf as 1/1, finite/inf as 0/1
	case n == inf:
		n, d = one, one
	case d == inf:
		n, d = 0, one
	case d == 0:
		d = one
	}
	a := atanCore(math.Float32frombits(n), math.Float32frombits(d), steep)
	if math.Signbit(float64(x)) {
		a = 0x1.921fb54442d18p+1 - (a - 0x1.1a62633145c07p-53)
	}
	return float32(math.Copysign(a, float64(y)))
}

// log2Table holds 1/c and log2(c) of 16 intervals of the significand.
var log2Table = [16][2]float64{
	{0x1.6434430000000p+0, -0x1.e7ff7a0a0b400p-2}, {0x1.5544de2000000p+0, -0x1.a8b851982cc00p-2},
	{0x1.47a37b8000000p+0, -0x1.6c812e7e53000p-2}, {0x1.3b10398000000p+0, -0x1.32afabc523000p-2},
	{0x1.2f5900e000000p+0, -0x1.f5689a0414800p-3}, {0x1.249d522000000p+0, -0x1.8af8efaf38800p-3},
	{0x1.1a8a5c0000000p+0, -0x1.23755d61d4800p-3}, {0x1.110b968000000p+0, -0x1.7ce9b818bc000p-4},
	{0x1.0838c76000000p+0, -0x1.7599fb2322000p-5}, {0x1.0000000000000p+0, 0x0.0p+0},
	{0x1.e1da228000000p-1, 0x1.669e727910000p-4}, {0x1.c73a3b8000000p-1, 0x1.5b4046ca13800p-3},
	{0x1.af20a80000000p-1, 0x1.fbf6a1f805000p-3}, {0x1.99825a0000000p-1, 0x1.49fb60fa22400p-2},
	{0x1.862eb38000000p-1, 0x1.916723bc0b800p-2}, {0x1.7441358000000p-1, 0x1.d6e3e0a2a5800p-2},
}

// log2Core takes a positive finite float64 that holds a float32.
func log2Core(x float64) float64 {
	b := math.Float64bits(x)
	t := b + (0x3ff0000000000000 - 0x3fe6800000000000)
	k := t >> 52 // biased exponent of x = 2^k m, 45/64 <= m < 45/32
	m := math.Float64frombits(b - k<<52 + 0x3ff0000000000000)
	entry := &log2Table[t>>48&15]
	r := float64(m*entry[0]) - 1 // exact
	z := r * r
	p0 := -0x1.71547652b82fep-1 + float64(r*0x1.ec709dc3a0301p-2)
	p1 := (-0x1.71547652b87e2p-2 + float64(r*0x1.2776c5111416ap-2)) +
		float64(z*(-0x1.ec709dc03bc4bp-3+float64(r*0x1.a617360949974p-3)))
	p2 := (-0x1.71546a5d8361p-3 + float64(r*0x1.49059ec91d829p-3)) + float64(z*-0x1.27f992601db89p-3)
	p := float64(z * (p0 + float64(z*(p1+float64(float64(z*z)*p2)))))
	return (float64(int64(k)-1023) + entry[1]) + (float64(r*0x1.71547652b82fep+0) + p)
}

// exp2Core returns 2**t for -151 <= t <= 129.
func exp2Core(t float64) float64 {
	s := t + 0x1.8p52
	r := t - (s - 0x1.8p52)
	z := r * r
	z2 := z * z
	p0 := (0x1.ebfbdff82c5a4p-3 + float64(r*0x1.c6b08d7049fdap-5)) +
		float64(z*(0x1.3b2ab6fba01acp-7+float64(r*0x1.5d87fe78cf8d3p-10)))
	p1 := (0x1.4309130ec0559p-13 + float64(r*0x1.ffcbfba08a2e4p-17)) +
		float64(z*(0x1.62bfc7d2d3cfep-20+float64(r*0x1.b5268dd759382p-24)))
	p2 := 0x1.e61afd0bc2aecp-28 + float64(r*0x1.e784010d51459p-32)
	p := 1 + (float64(r*0x1.62e42fefa39efp-1) + float64(z*(p0+float64(z2*(p1+float64(z2*p2))))))
	return p * math.Float64frombits((math.Float64bits(s)+1023)<<52)
}

// Pow returns x**y; at most 0.51 ULP. Special values as in C99 F.9.4.4: x**0
// and 1**y are 1 even for NaN, a negative x with a y that is not an integer is NaN.
func Pow(x, y float32) float32 {
	const inf, one = 0x7f800000, 0x3f800000
	ax, ay := math.Float32bits(x)&0x7fffffff, math.Float32bits(y)&0x7fffffff
	integral, odd := parity(y)
	switch {
	case ay == 0 || x == 1 || ax == one && ay == inf:
		return 1
	case ax > inf || ay > inf || x < 0 && ax < inf && !integral:
		return nan
	}
	var l float64
	switch ax {
	case 0:
		l = math.Inf(-1)
	case inf:
		l = math.Inf(1)
	default:
		l = log2Core(float64(math.Float32frombits(ax)))
	}
	t := min(max(float64(y)*l, -151), 129)
	r := float32(exp2Core(t))
	if odd && math.Signbit(float64(x)) {
		r = -r
	}
	return r
}

// Hypot returns the length of the vector (x, y); at most 0.51 ULP. Special
// values as in C99 F.9.4.3: an infinity wins over a NaN.
func Hypot(x, y float32) float32 {
	switch {
	case math.IsInf(float64(x), 0) || math.IsInf(float64(y), 0):
		return float32(math.Inf(1))
	case x != x || y != y:
		return nan
	}
	dx, dy := float64(x), float64(y)
	return float32(math.Sqrt(float64(dx*dx) + float64(dy*dy)))
}

// parity tells whether y is an integer (infinities count) and whether it is odd.
func parity(y float32) (integral, odd bool) {
	d := float64(y)
	if math.Abs(d) >= 1<<24 {
		return true, false
	}
	n := int64(d)
	return float64(n) == d, float64(n) == d && n&1 != 0
}
