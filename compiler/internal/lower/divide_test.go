package lower

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// someDivisors are small ones, those about powers of two, the largest, and others.
func someDivisors(rng *rand.Rand) []uint32 {
	var list []uint32
	for n := range uint32(130) {
		list = append(list, n+1)
	}
	for k := 8; k < 32; k++ {
		list = append(list, 1<<k-1, 1<<k, 1<<k+1)
	}
	for range 300 {
		list = append(list, max(1, rng.Uint32()>>(1+rng.IntN(31))))
	}
	return slices.DeleteFunc(list, func(n uint32) bool { return n > 1<<31 })
}

// TestReciprocals: where a reciprocal stands for a divisor, it gives the quotients about its multiples, of the first and last
// numbers, and of others; there is one for all numbers without a sign, and of 32 bits where products are small.
func TestReciprocals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for _, n := range someDivisors(rng) {
		for _, most := range []uint32{n, 2*n - 1, 255, 4095, 1 << 16, math.MaxInt32, 1 << 31, math.MaxUint32, rng.Uint32(), rng.Uint32() >> 12} {
			if most < n || n == 1 {
				continue
			}
			narrow := uint32(math.MaxUint32) >> rng.IntN(2)
			r, ok := reciprocalOf(n, most, narrow)
			if !ok {
				require.Greater(t, most, uint32(1<<31), "%d", n)
				continue
			}
			require.False(t, r.wide && uint64(most)*(2*uint64(most)+1) <= uint64(narrow), "%d up to %d", n, most)
			list := []uint32{0, most}
			for range 10 {
				x := rng.Uint32() % max(most, 1) / n * n
				list = append(list, x, x+n-1, rng.Uint32()%max(most, 1))
			}
			list = append(list, most/n*n, most-(most+1)%n)
			for _, x := range list {
				if x > most {
					continue
				}
				product := uint64(x) * uint64(r.factor)
				if !r.wide {
					require.LessOrEqual(t, product, uint64(narrow))
				}
				require.Equal(t, uint64(x/n), product>>r.shift, "%d / %d up to %d: %+v", x, n, most, r)
			}
		}
	}
}

// calculator carries out the code of divisions of many numbers at once.
type calculator struct {
	*lowerer
	t    *testing.T
	made map[lir.Val][]uint32
	n    int
}

var (
	mulHigh, mulShr = lir.Of(lir.MulHigh, graph.I32), lir.Of(lir.MulShr, graph.I32)
	orOp, xorOp     = lir.Of(graph.OpOr, graph.I32), lir.Of(graph.OpXor, graph.I32)
	addOp, subOp    = lir.Of(graph.OpAdd, graph.I32), lir.Of(graph.OpSub, graph.I32)
	mulOp           = lir.Of(graph.OpMul, graph.I32)
	rest, restUp    = lir.Of(lir.Rest, graph.I32), lir.Of(lir.RestUp, graph.I32)
)

var calculated = map[lir.Op]func(a, b, imm uint32) uint32{
	addOp:   func(a, b, _ uint32) uint32 { return a + b },
	subOp:   func(a, b, _ uint32) uint32 { return a - b },
	mulOp:   func(a, b, _ uint32) uint32 { return a * b },
	andOp:   func(a, b, _ uint32) uint32 { return a & b },
	orOp:    func(a, b, _ uint32) uint32 { return a | b },
	xorOp:   func(a, b, _ uint32) uint32 { return a ^ b },
	negate:  func(a, _, _ uint32) uint32 { return -a },
	shrBy:   func(a, _, imm uint32) uint32 { return uint32(int32(a) >> imm) },
	ushrBy:  func(a, _, imm uint32) uint32 { return a >> imm },
	mulHigh: func(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) },
	mulShr:  func(a, b, imm uint32) uint32 { return uint32(uint64(a) * uint64(b) >> (32 + imm)) },
	rest:    func(a, b, _ uint32) uint32 { return uint32((int64(int32(a))%int64(b) + int64(b)) % int64(b)) },
	restUp:  func(a, b, _ uint32) uint32 { return uint32(int32(a) % int32(b)) },
}

func (c *calculator) emit(in lir.Ins) lir.Val {
	do := calculated[in.Op]
	require.NotNil(c.t, do, in.Op.String())
	switch in.Op {
	case shrBy, ushrBy:
		require.True(c.t, 1 <= in.Imm && in.Imm <= 31)
	case rest, restUp:
		n, ok := c.constantOf(in.B)
		require.True(c.t, ok && int32(n) > 0)
		for _, a := range c.made[in.A] {
			require.True(c.t, in.Op == rest || int32(a) >= 0)
		}
	}
	d := c.newVal(lir.Int, 0)
	for i := range c.n {
		c.made[d] = append(c.made[d], do(c.at(in.A, i), c.at(in.B, i), in.Imm))
	}
	return d
}

func (c *calculator) at(v lir.Val, i int) uint32 {
	if x, ok := c.constantOf(v); ok || v == 0 {
		return x
	}
	return c.made[v][i]
}

// TestDivisionsByConstants: quotients and rests are those of the oracle, for divisors of both signs, of the ends of intervals, of
// numbers about multiples, and of others.
func TestDivisionsByConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	intervals := []interval{
		anyInteger, {math.MinInt32 + 1, math.MaxInt32}, {0, math.MaxInt32}, {math.MinInt32, 0}, {math.MinInt32, -1}, {-1 << 30, 1 << 30},
		{0, 255}, {0, 508}, {-255, 255}, {-4096, 4095}, {100, 120}, {-7, -7}, {0, 0}, {-1, 0}, {-32768, 32767}, {1000, 100000}, nothing,
	}
	shr := *anything()
	shr.Ops[mulShr].Valid = true
	divides := *anything()
	divides.Ops[rest].Valid, divides.Ops[restUp].Valid = true, true
	divisors := someDivisors(rng)
	for i, m := range []*lir.Machine{anything(), &shr, &divides} {
		m.Ops[shrBy].Valid, m.Ops[ushrBy].Valid, m.Ops[mulHigh].Valid = true, true, true
		for k, magnitude := range divisors {
			if i > 0 && k%16 != 0 {
				continue
			}
			for _, in := range intervals {
				for _, n := range []int32{int32(magnitude), -int32(magnitude)} {
					testDivision(t, rng, m, in, n)
				}
			}
		}
	}
}

func testDivision(t *testing.T, rng *rand.Rand, m *lir.Machine, in interval, n int32) {
	p := &program{m: m, f: &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}, words: map[constant]lir.Val{}, level: make([]int32, 1)}
	c := calculator{newLowerer(p, graph.New(), nil), t, map[lir.Val][]uint32{}, 0}
	x := c.newVal(lir.Int, 0)
	of := in
	if of.isEmpty() {
		of = anyInteger
	}
	for _, about := range []int64{of.low, of.high, 0, int64(n), int64(n) * 2, rng.Int64N(of.high-of.low+1) + of.low, rng.Int64N(of.high-of.low+1) / int64(n) * int64(n)} {
		for by := range int64(5) {
			if a := about + by - 2; a >= of.low && a <= of.high {
				c.made[x] = append(c.made[x], uint32(a))
			}
		}
	}
	c.n = len(c.made[x])
	d := divider{p, graph.I32, c.integer, c.emit, map[division]parts{}}
	for _, op := range []graph.Op{graph.OpFloorDiv, graph.OpMod} {
		v, ok := d.divide(op, x, c.integer(int(n)), in)
		if in.isEmpty() || n == -1 && in.low == math.MinInt32 && op == graph.OpFloorDiv {
			require.False(t, ok, "%d", n)
			continue
		}
		require.True(t, ok, "%d in %v", n, in)
		for i, a := range c.made[x] {
			want, flags := eval.Scalar(op, graph.I32, uint64(a), uint64(uint32(n)))
			require.Zero(t, flags)
			require.Equal(t, int32(want), int32(c.at(v, i)), "%s of %d and %d, from %d to %d", op, int32(a), n, in.low, in.high)
		}
	}
}
