package eval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

var (
	inf     = float32(math.Inf(1))
	nan     = float32(math.NaN())
	negZero = float32(math.Copysign(0, -1))
	tiny    = float32(math.SmallestNonzeroFloat32)
)

const (
	minInt = math.MinInt32
	maxInt = math.MaxInt32
)

// TestEveryOpHasAMeaning derives from the table which operand types an op takes.
func TestEveryOpHasAMeaning(t *testing.T) {
	for op := range graph.NumOps {
		info := op.Info()
		if info.Sig == graph.SigSource || op == graph.OpScan {
			continue // a loop is computed node by node, see TestLoops
		}
		if !info.Elementwise {
			require.NotNil(t, arrays[op], "%v", op)
			continue
		}
		require.Nil(t, arrays[op], "%v", op)
		var reached [graph.F64 + 1]bool
		for dt := graph.Bool; dt <= graph.F64; dt++ {
			g := graph.New()
			args := make([]graph.Value, info.Arity)
			for i := range args {
				args[i], _ = g.Input("", dt, graph.Shape{}, nil)
			}
			v, err := g.Apply(op, args...)
			if err != nil || v.Op() != op {
				continue
			}
			ids := g.Args(v.ID())
			reached[g.Node(ids[len(ids)-1]).DType] = true
		}
		for dt := graph.Bool; dt <= graph.F64; dt++ {
			require.Equal(t, reached[dt], scalars[op].kernel(dt) != nil, "%v on %v", op, dt)
		}
	}
	require.Panics(t, func() { Scalar(graph.OpAnd, graph.F32, 0, 0) })
	require.Panics(t, func() { Scalar(graph.OpAdd, graph.F32, 0) })
}

func f(x float32) uint64 { return uint64(math.Float32bits(x)) }

func d(x float64) uint64 { return math.Float64bits(x) }

func TestFloat(t *testing.T) {
	tests := []struct {
		op         graph.Op
		a, b, want float32
	}{
		{graph.OpNeg, 0, 0, negZero},
		{graph.OpNeg, nan, 0, nan},
		{graph.OpAbs, negZero, 0, 0},
		{graph.OpAbs, -inf, 0, inf},
		{graph.OpSign, -3, 0, -1},
		{graph.OpSign, tiny, 0, 1},
		{graph.OpSign, negZero, 0, negZero},
		{graph.OpSign, nan, 0, nan},
		{graph.OpSqrt, -1, 0, nan},
		{graph.OpSqrt, negZero, 0, negZero},
		{graph.OpFloor, -0.5, 0, -1},
		{graph.OpFloor, negZero, 0, negZero},
		{graph.OpFloor, -inf, 0, -inf},
		{graph.OpTrunc, -0.5, 0, negZero},
		{graph.OpTrunc, 2.9, 0, 2},
		{graph.OpCeil, -0.5, 0, negZero},
		{graph.OpCeil, tiny, 0, 1},
		{graph.OpCeil, 8388607.5, 0, 8388608},
		{graph.OpRound, 0.5, 0, 0},
		{graph.OpRound, 1.5, 0, 2},
		{graph.OpRound, 2.5, 0, 2},
		{graph.OpRound, -0.5, 0, negZero},
		{graph.OpRound, -2.5000002, 0, -3},
		{graph.OpRound, 0.49999997, 0, 0},
		{graph.OpRound, -inf, 0, -inf},
		{graph.OpStop, nan, 0, nan},
		{graph.OpAcos, 1, 0, 0},
		{graph.OpAcos, 1.1, 0, nan},

		{graph.OpAdd, 16777216, 1, 16777216},
		{graph.OpAdd, tiny, tiny, 2 * tiny},
		{graph.OpSub, inf, inf, nan},
		{graph.OpMul, 0, inf, nan},
		{graph.OpMul, 1e-30, 1e-15, 1e-45},
		{graph.OpDiv, 1, 0, inf},
		{graph.OpDiv, 1, negZero, -inf},
		{graph.OpDiv, 0, 0, nan},

		{graph.OpFloorDiv, 7, 2, 3},
		{graph.OpFloorDiv, -7, 2, -4},
		{graph.OpFloorDiv, 7, -2, -4},
		{graph.OpFloorDiv, -7, -2, 3},
		{graph.OpFloorDiv, 1, 0.1, 9},
		{graph.OpFloorDiv, 7, 0, inf},
		{graph.OpFloorDiv, -7, 0, -inf},
		{graph.OpFloorDiv, 0, 0, nan},
		{graph.OpFloorDiv, -1, inf, -1},
		{graph.OpFloorDiv, 1, inf, 0},
		{graph.OpFloorDiv, inf, 2, nan},
		{graph.OpFloorDiv, 0, -3, negZero},
		{graph.OpFloorDiv, -tiny, 1e30, -1},
		{graph.OpFloorDiv, 1e30, 1e-30, inf},

		{graph.OpMod, 7, 2, 1},
		{graph.OpMod, -7, 2, 1},
		{graph.OpMod, 7, -2, -1},
		{graph.OpMod, -7, -2, -1},
		{graph.OpMod, 6, -2, negZero},
		{graph.OpMod, -6, 2, 0},
		{graph.OpMod, 7, 0, nan},
		{graph.OpMod, -1, inf, inf},
		{graph.OpMod, 1, -inf, -inf},
		{graph.OpMod, 1, inf, 1},
		{graph.OpMod, inf, 2, nan},
		{graph.OpMod, -1e-20, 3, 3},
		{graph.OpMod, 1e38, 3e-40, float32(math.Mod(float64(float32(1e38)), float64(float32(3e-40))))},

		{graph.OpFmod, -7, 2, -1},
		{graph.OpFmod, 7, -2, 1},
		{graph.OpFmod, -6, 2, negZero},
		{graph.OpFmod, 5, inf, 5},
		{graph.OpFmod, inf, 5, nan},
		{graph.OpFmod, 5, 0, nan},
		{graph.OpFmod, 1e38, 3e-40, float32(math.Mod(float64(float32(1e38)), float64(float32(3e-40))))},
		{graph.OpHypot, 3, -4, 5},
		{graph.OpHypot, 3e38, 4e37, 3.0265493e38},
		{graph.OpHypot, 3e38, 3e38, inf},
		{graph.OpHypot, tiny, 0, tiny},
		{graph.OpHypot, 3e-42, 4e-42, 5e-42},
		{graph.OpHypot, nan, -inf, inf},
		{graph.OpHypot, nan, 1, nan},

		{graph.OpMin, 0, negZero, negZero},
		{graph.OpMin, negZero, 0, negZero},
		{graph.OpMax, 0, negZero, 0},
		{graph.OpMax, negZero, 0, 0},
		{graph.OpMin, nan, 1, nan},
		{graph.OpMin, 1, nan, nan},
		{graph.OpMax, nan, 1, nan},
		{graph.OpMax, 1, nan, nan},
		{graph.OpMin, -inf, 1, -inf},
		{graph.OpMax, -inf, 0, 0}, // relu(-inf)

		{graph.OpPow, -8, 1.0 / 3, nan},
		{graph.OpPow, nan, 0, 1},
		{graph.OpPow, 1, nan, 1},
		{graph.OpPow, -inf, 0.5, inf},
		{graph.OpAtan2, 0, negZero, math.Pi},
	}
	for _, tt := range tests {
		words := []uint64{f(tt.a), f(tt.b)}[:tt.op.Info().Arity]
		got, flags := Scalar(tt.op, graph.F32, words...)
		require.Equal(t, graph.Canonical(graph.F32, f(tt.want)), got, "%v(%v, %v) gives %v, want %v", tt.op, tt.a, tt.b, floatOf(got), tt.want)
		require.Zero(t, flags)
	}
}

func TestInt(t *testing.T) {
	const divide, shift = graph.FlagDivide, graph.FlagShift
	tests := []struct {
		op         graph.Op
		a, b, want int32
		flags      uint32
	}{
		{graph.OpNeg, minInt, 0, minInt, 0},
		{graph.OpAbs, minInt, 0, minInt, 0},
		{graph.OpAbs, -5, 0, 5, 0},
		{graph.OpSign, minInt, 0, -1, 0},
		{graph.OpNot, 0, 0, -1, 0},
		{graph.OpAdd, maxInt, 1, minInt, 0},
		{graph.OpSub, minInt, 1, maxInt, 0},
		{graph.OpMul, 1 << 20, 1 << 13, 0, 0},
		{graph.OpMul, 65537, 65537, 131073, 0},
		{graph.OpFloorDiv, 7, 0, 0, divide},
		{graph.OpFloorDiv, 0, 0, 0, divide},
		{graph.OpFloorDiv, minInt, -1, minInt, divide},
		{graph.OpFloorDiv, minInt + 1, -1, maxInt, 0},
		{graph.OpFloorDiv, -7, 2, -4, 0},
		{graph.OpFloorDiv, 7, -2, -4, 0},
		{graph.OpMod, 7, 0, 7, divide},
		{graph.OpMod, minInt, 0, minInt, divide},
		{graph.OpMod, minInt, -1, 0, 0},
		{graph.OpMod, -7, 2, 1, 0},
		{graph.OpMod, 7, -2, -1, 0},
		{graph.OpMod, -6, 3, 0, 0},
		{graph.OpMin, -1, 1, -1, 0},
		{graph.OpMax, -1, 1, 1, 0},
		{graph.OpShl, 1, 31, minInt, 0},
		{graph.OpShl, 1, 32, 0, 0},
		{graph.OpShl, 1, 33, 0, 0},
		{graph.OpShl, 1, maxInt, 0, 0},
		{graph.OpShl, 1, -1, 0, shift},
		{graph.OpShr, -8, 1, -4, 0},
		{graph.OpShr, -8, 32, -1, 0},
		{graph.OpShr, 8, 33, 0, 0},
		{graph.OpShr, -8, minInt, 0, shift},
	}
	for _, tt := range tests {
		words := []uint64{intWord(tt.a), intWord(tt.b)}[:tt.op.Info().Arity]
		got, flags := Scalar(tt.op, graph.I32, words...)
		require.Equal(t, tt.want, int32(got), "%v(%d, %d)", tt.op, tt.a, tt.b)
		require.Equal(t, tt.flags, flags, "flags of %v(%d, %d)", tt.op, tt.a, tt.b)
	}
}

func TestCasts(t *testing.T) {
	tests := []struct {
		op         graph.Op
		from       graph.DType
		word, want uint64
	}{
		{graph.OpToI32, graph.F32, f(nan), 0},
		{graph.OpToI32, graph.F32, f(inf), maxInt},
		{graph.OpToI32, graph.F32, f(-inf), 1 << 31},
		{graph.OpToI32, graph.F32, f(1 << 31), maxInt},
		{graph.OpToI32, graph.F32, f(-1 << 31), 1 << 31},
		{graph.OpToI32, graph.F32, f(2147483520), 2147483520},
		{graph.OpToI32, graph.F32, f(-2.9), 0xfffffffe},
		{graph.OpToI32, graph.F32, f(-0.9), 0},
		{graph.OpToI32, graph.Bool, 1, 1},
		{graph.OpToF32, graph.Bool, 1, f(1)},
		{graph.OpToF32, graph.I32, 16777217, f(16777216)},
		{graph.OpToF32, graph.I32, 16777219, f(16777220)},
		{graph.OpToF32, graph.I32, maxInt, f(1 << 31)},
		{graph.OpToF32, graph.I32, 1 << 31, f(-1 << 31)},
		{graph.OpToF32, graph.F64, d(math.NaN()), f(nan)},
		{graph.OpToF32, graph.F64, d(1 + 0x1p-24), f(1)},
		{graph.OpToF32, graph.F64, d(1 + 0x3p-24), f(1 + 0x1p-22)},
		{graph.OpToF32, graph.F64, d(1 + 0x1p-24 + 0x1p-52), f(1 + 0x1p-23)},
		{graph.OpToF32, graph.F64, d(0x1p-150), f(0)},
		{graph.OpToF32, graph.F64, d(-0x1.000001p-150), f(-tiny)},
		{graph.OpToF32, graph.F64, d(math.MaxFloat64), f(inf)},
		{graph.OpToF64, graph.F32, f(tiny), d(0x1p-149)},
		{graph.OpToF64, graph.F32, f(nan), graph.NaN64},
		{graph.OpToF64, graph.F32, f(negZero), d(math.Copysign(0, -1))},
		{graph.OpToF64, graph.I32, maxInt, d(maxInt)},
		{graph.OpToF64, graph.I32, 1 << 31, d(minInt)},
		{graph.OpToF64, graph.Bool, 1, d(1)},
		{graph.OpToI32, graph.F64, d(2147483647.9), maxInt},
		{graph.OpToI32, graph.F64, d(-2147483648.9), 1 << 31},
		{graph.OpToI32, graph.F64, d(1e300), maxInt},
		{graph.OpToI32, graph.F64, d(math.NaN()), 0},
		{graph.OpToI32, graph.F64, d(-0.99), 0},
		{graph.OpToBool, graph.F64, d(math.NaN()), 1},
		{graph.OpToBool, graph.F64, d(math.Copysign(0, -1)), 0},
		{graph.OpToBool, graph.F64, d(0x1p-1074), 1},
		{graph.OpToBool, graph.F32, f(nan), 1},
		{graph.OpToBool, graph.F32, f(negZero), 0},
		{graph.OpToBool, graph.F32, f(tiny), 1},
		{graph.OpToBool, graph.I32, 1 << 31, 1},
		{graph.OpToBool, graph.I32, 0, 0},
	}
	for _, tt := range tests {
		got, flags := Scalar(tt.op, tt.from, tt.word)
		require.Equal(t, tt.want, got, "%v(%v 0x%08x)", tt.op, tt.from, tt.word)
		require.Zero(t, flags)
	}
}

func TestCompare(t *testing.T) {
	ops := []graph.Op{graph.OpLt, graph.OpLe, graph.OpGt, graph.OpGe, graph.OpEq, graph.OpNe}
	tests := []struct {
		a, b float32
		want [6]uint64 // in the order of ops
	}{
		{1, 2, [6]uint64{1, 1, 0, 0, 0, 1}},
		{2, 1, [6]uint64{0, 0, 1, 1, 0, 1}},
		{negZero, 0, [6]uint64{0, 1, 0, 1, 1, 0}},
		{nan, 0, [6]uint64{0, 0, 0, 0, 0, 1}},
		{nan, nan, [6]uint64{0, 0, 0, 0, 0, 1}},
		{inf, inf, [6]uint64{0, 1, 0, 1, 1, 0}},
	}
	for _, tt := range tests {
		for i, op := range ops {
			got, _ := Scalar(op, graph.F32, f(tt.a), f(tt.b))
			require.Equal(t, tt.want[i], got, "%v(%v, %v)", op, tt.a, tt.b)
		}
	}
	for x, want := range map[float32][2]uint64{1: {0, 1}, -inf: {0, 0}, nan: {1, 0}, tiny: {0, 1}, math.MaxFloat32: {0, 1}} {
		isnan, _ := Scalar(graph.OpIsNaN, graph.F32, f(x))
		isfinite, _ := Scalar(graph.OpIsFinite, graph.F32, f(x))
		require.Equal(t, want, [2]uint64{isnan, isfinite}, "%v", x)
	}
	for i, op := range ops {
		got, _ := Scalar(op, graph.I32, 1<<31, 1)
		require.Equal(t, [6]uint64{1, 1, 0, 0, 0, 1}[i], got, "%v(MIN, 1)", op)
	}
}

func rat(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

// floorRat is the largest integer not above r.
func floorRat(r *big.Rat) *big.Int {
	q, m := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// TestModIsExact compares % with the exact rational a - b*floor(a/b), rounded
// once, and // with the exact floor where float32 can count that far.
func TestModIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	floors := 0
	for range 100_000 {
		a, b := math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32())
		if rng.IntN(2) == 0 { // near each other, so that quotients are small
			b = a * float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(20)-15))
		}
		if b == 0 || a == 0 || math.IsInf(float64(a), 0) || math.IsInf(float64(b), 0) || a != a || b != b {
			continue
		}
		q := floorRat(new(big.Rat).Quo(rat(a), rat(b)))
		exact := new(big.Rat).Sub(rat(a), new(big.Rat).Mul(rat(b), new(big.Rat).SetInt(q)))
		want, _ := exact.Float32()
		if want == 0 {
			want = zeroLike(b)
		}
		require.Equal(t, f(want), f(mod(a, b)), "%v %% %v", a, b)
		if q.CmpAbs(big.NewInt(1<<22)) < 0 {
			floors++
			want, _ := new(big.Float).SetInt(q).Float32()
			got := floorDiv(a, b)
			require.True(t, want == got, "%v // %v: want %v, got %v", a, b, want, got)
		}
	}
	require.Greater(t, floors, 20_000)
}

func TestIntDivisionIsPythons(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 100_000 {
		a, b := int32(rng.Uint32()), int32(rng.Uint32())>>rng.IntN(31)
		if b == 0 || a == minInt && b == -1 {
			continue
		}
		q := int64(math.Floor(float64(a) / float64(b))) // exact: a quotient this close to an integer is one
		got, _ := Scalar(graph.OpFloorDiv, graph.I32, intWord(a), intWord(b))
		require.Equal(t, int32(q), int32(got), "%d // %d", a, b)
		got, _ = Scalar(graph.OpMod, graph.I32, intWord(a), intWord(b))
		require.Equal(t, int32(int64(a)-q*int64(b)), int32(got), "%d %% %d", a, b)
	}
}
