package crmath

import (
	"bufio"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var oneArgument = map[string]struct {
	f      func(float32) float32
	exact  func(float32) *big.Float
	odd    bool
	low    uint32 // exponent field range of ordinary arguments
	high   uint32
	domain func(float32) bool
}{
	"sin":  {Sin, exactSin, true, 90, 254, anything},
	"cos":  {Cos, exactCos, false, 90, 254, anything},
	"tan":  {Tan, exactTan, true, 90, 254, anything},
	"asin": {Asin, exactAsin, true, 90, 126, anything},
	"acos": {Acos, exactAcos, false, 90, 126, anything},
	"atan": {Atan, exactAtan, true, 90, 160, anything},
	"exp":  {Exp, exactExp, false, 90, 133, func(x float32) bool { return -103 < x && x < 88 }},
	"log":  {Log, exactLog, false, 0, 254, func(x float32) bool { return x > 0 && x != 1 }},
	"sqrt": {Sqrt, exactSqrt, false, 0, 254, positive},

	"exp2":  {Exp2, exactExp2, false, 90, 133, func(x float32) bool { return -149 < x && x < 127 }},
	"expm1": {Expm1, exactExpm1, false, 20, 133, func(x float32) bool { return -103 < x && x < 88 }},
	"sinh":  {Sinh, exactSinh, true, 20, 133, func(x float32) bool { return -88 < x && x < 88 }},
	"cosh":  {Cosh, exactCosh, false, 20, 133, func(x float32) bool { return -88 < x && x < 88 }},
	"tanh":  {Tanh, exactTanh, true, 20, 130, anything},
	"log2":  {Log2, exactLog2, false, 0, 254, func(x float32) bool { return x > 0 && x != 1 }},
	"log10": {Log10, exactLog10, false, 0, 254, func(x float32) bool { return x > 0 && x != 1 }},
	"log1p": {Log1p, exactLog1p, false, 20, 254, func(x float32) bool { return x > -1 }},
	"cbrt":  {Cbrt, exactCbrt, true, 1, 254, anything},
}

var twoArguments = map[string]func(a, b float32) float32{"atan2": Atan2, "pow": Pow, "hypot": Hypot}

func exactSqrt(x float32) *big.Float { return sqrt(number(x)) }

func anything(float32) bool   { return true }
func positive(x float32) bool { return x > 0 }

// proven holds the files of the kernels' proof: hard cases and special values as
// decided by MPFR; vectors.txt holds what the compiled C kernels return.
var proven = []string{
	"../../../stencils/proof/hard.txt",
	"../../../stencils/proof/specials.txt",
	"testdata/vectors.txt",
}

func TestEqualsProvenKernels(t *testing.T) {
	seen := map[string]int{}
	for _, path := range proven {
		t.Run(path[strings.LastIndex(path, "/")+1:], func(t *testing.T) {
			f, err := os.Open(path)
			require.NoError(t, err)
			defer f.Close()
			for sc := bufio.NewScanner(f); sc.Scan(); {
				fields := strings.Fields(sc.Text())
				name, want := fields[0], hex(t, fields[len(fields)-1])
				var got float32
				switch len(fields) {
				case 3:
					got = oneArgument[name].f(math.Float32frombits(hex(t, fields[1])))
				case 4:
					a, b := hex(t, fields[1]), hex(t, fields[2])
					got = twoArguments[name](math.Float32frombits(a), math.Float32frombits(b))
				default:
					t.Fatalf("malformed line %q", sc.Text())
				}
				if bits := math.Float32bits(got); bits != want {
					t.Errorf("%s: got %08x", sc.Text(), bits)
				}
				seen[name]++
			}
		})
	}
	for name := range oneArgument {
		require.Greater(t, seen[name], 300, name)
	}
	for name := range twoArguments {
		require.Greater(t, seen[name], 3000, name)
	}
}

func hex(t *testing.T, s string) uint32 {
	v, err := strconv.ParseUint(s, 16, 32)
	require.NoError(t, err)
	return uint32(v)
}

func randomFloat(r *rand.Rand, low, high uint32) float32 {
	return math.Float32frombits(r.Uint32()&0x807fffff | (low+r.Uint32N(high-low+1))<<23)
}

// Whatever the float64 way decides, 512 bits must decide the same, and the error
// of the float64 value must stay far inside relBound.
func TestFastEqualsExact(t *testing.T) {
	for name, fn := range oneArgument {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			compared := 0
			for range 800 {
				x := randomFloat(r, fn.low, fn.high)
				if !fn.domain(x) {
					continue
				}
				compared++
				want := round(fn.exact(x))
				if got := fn.f(x); math.Float32bits(got) != math.Float32bits(want) {
					t.Errorf("%s(%x) = %x, exactly %x", name, x, got, want)
				}
			}
			require.Greater(t, compared, 100)
		})
	}
}

func TestApproximationError(t *testing.T) {
	approximations := map[string]func(x float64) float64{
		"sin": func(x float64) float64 { q, r := reduce(float32(x)); return quadrant(q, r) },
		"cos": func(x float64) float64 { q, r := reduce(float32(x)); return quadrant(q+1, r) },
		"tan": func(x float64) float64 {
			q, r := reduce(float32(x))
			if q&1 != 0 {
				return -1 / math.Tan(r)
			}
			return math.Tan(r)
		},
		"acos":  func(x float64) float64 { return math.Atan2(math.Sqrt((1-x)*(1+x)), x) },
		"sinh":  func(x float64) float64 { e := math.Expm1(math.Abs(x)); return math.Copysign((e+e/(e+1))/2, x) },
		"cosh":  func(x float64) float64 { e := math.Exp(math.Abs(x)); return (e + 1/e) / 2 },
		"tanh":  func(x float64) float64 { e := math.Expm1(2 * math.Abs(x)); return math.Copysign(e/(e+2), x) },
		"log2":  func(x float64) float64 { return math.Log(x) / math.Ln2 },
		"log10": func(x float64) float64 { return math.Log(x) / math.Ln10 },
		"asin":  math.Asin, "atan": math.Atan, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
		"log": math.Log, "log1p": math.Log1p, "cbrt": math.Cbrt,
	}
	for name, f := range approximations {
		r := rand.New(rand.NewPCG(3, 4))
		fn, worst := oneArgument[name], 0.0
		for range 500 {
			x := randomFloat(r, fn.low, fn.high)
			if !fn.domain(x) {
				continue
			}
			exact := fn.exact(x)
			e, _ := quo(sub(newFloat().SetFloat64(f(float64(x))), exact), exact).Float64()
			worst = max(worst, math.Abs(e))
		}
		require.Less(t, worst, 0x1p-50, name)
	}
}

func quadrant(q int, r float64) float64 {
	return [4]float64{math.Sin(r), math.Cos(r), -math.Sin(r), -math.Cos(r)}[q&3]
}

func TestExactKnownDigits(t *testing.T) {
	const digits = 60
	for _, c := range []struct {
		got  *big.Float
		want string
	}{
		{pi(), "3.14159265358979323846264338327950288419716939937510582097494"},
		{ln2(), "0.69314718055994530941723212145817656807550013436025525412068"},
		{exactExp(1), "2.71828182845904523536028747135266249775724709369995957496697"},
		{exactSin(1), "0.841470984807896506652502321630298999622563060798371065672752"},
		{exactCos(1), "0.540302305868139717400936607442976603732310420617922227670097"},
		{exactLog(10), "2.30258509299404568401799145468436420760110148862877297603333"},
		{exactAtan(1), "0.785398163397448309615660845819875721049292349843776455243736"},
		{exactAcos(0.5), "1.04719755119659774615421446109316762806572313312503527365831"},
	} {
		require.Equal(t, c.want, c.got.Text('g', digits))
	}
}

func TestSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		x := math.Float32frombits(r.Uint32())
		for name, fn := range oneArgument {
			if !fn.odd && name != "cos" && name != "cosh" {
				continue
			}
			a, b := fn.f(x), fn.f(-x)
			if fn.odd && b == b {
				b = -b
			}
			if math.Float32bits(a) != math.Float32bits(b) {
				t.Fatalf("%s(%x) = %x, mirrored %x", name, x, a, b)
			}
		}
		s, c := Sincos(x)
		require.Equal(t, math.Float32bits(Sin(x)), math.Float32bits(s))
		require.Equal(t, math.Float32bits(Cos(x)), math.Float32bits(c))
	}
}

// A correctly rounded monotone function is monotone, float by float.
func TestMonotone(t *testing.T) {
	for _, c := range []struct {
		name string
		low  float32
		sign float32
	}{
		{"exp", 0.5, 1}, {"exp", -3, 1}, {"log", 0.99, 1}, {"log", 5, 1}, {"atan", 0.99, 1},
		{"atan", 6, 1}, {"asin", 0.499, 1}, {"acos", 0.499, -1}, {"sin", 0.78, 1},
		{"cos", 0.78, -1}, {"tan", 1.5, 1},
	} {
		f, x := oneArgument[c.name].f, c.low
		for last := f(x); x < c.low+0.001; {
			x = math.Nextafter32(x, 100)
			v := f(x)
			require.GreaterOrEqual(t, c.sign*(v-last), float32(0), "%s at %x", c.name, x)
			last = v
		}
	}
}

// Atan2, Pow and Hypot against 512 bits: at most 0.51 ULP.
func TestTwoArgumentAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 1500 {
		y, x := randomFloat(r, 110, 145), randomFloat(r, 110, 145)
		exact := bigAtan(quo(number(y), number(x)))
		if x < 0 {
			if y < 0 {
				exact = sub(exact, pi())
			} else {
				exact = add(exact, pi())
			}
		}
		require.LessOrEqual(t, ulps(Atan2(y, x), exact), 0.51, "atan2(%x, %x)", y, x)

		exact = sqrt(add(mul(number(x), number(x)), mul(number(y), number(y))))
		require.LessOrEqual(t, ulps(Hypot(x, y), exact), 0.51, "hypot(%x, %x)", x, y)

		b, p := randomFloat(r, 100, 150), randomFloat(r, 110, 131)
		if b < 0 {
			b = -b
		}
		l := mul(number(p), bigLog(number(b)))
		if f, _ := l.Float64(); f < -103 || f > 88 {
			continue
		}
		require.LessOrEqual(t, ulps(Pow(b, p), bigExp(l)), 0.51, "pow(%x, %x)", b, p)
	}
}

// ulps is |got - exact| in units of the float32 spacing at exact.
func ulps(got float32, exact *big.Float) float64 {
	e := max(exact.MantExp(nil), -125)
	d, _ := scale(sub(number(got), exact), 24-e).Float64()
	return math.Abs(d)
}

func BenchmarkFunctions(b *testing.B) {
	var sink float32
	for _, c := range []struct {
		name string
		x    float32
	}{{"sin", 1.25}, {"sin", 1e9}, {"tan", 1.25}, {"asin", 0.3}, {"acos", 0.3}, {"atan", 2.5}, {"exp", 3.7}, {"log", 3.7}, {"sqrt", 3.7},
		{"expm1", 0.4}, {"tanh", 0.4}, {"log2", 3.7}, {"cbrt", 3.7},
	} {
		f := oneArgument[c.name].f
		b.Run(c.name, func(b *testing.B) {
			for i := range b.N {
				sink = f(c.x + float32(i&7)*0.0625)
			}
		})
	}
	for name, f := range twoArguments {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				sink = f(1.25+float32(i&7), 2.5)
			}
		})
	}
	_ = sink
}
