package script_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numpyHead prints results as testdata/numpy.txt has them.
const numpyHead = `
def kind(xs):
    if not xs: return 'none'
    return 'bool' if isinstance(xs[0], bool) else 'float' if isinstance(xs[0], float) else 'int'
def shown(x):
    shape, xs = (x.shape, x.flatten().tolist()) if isinstance(x, cp.tensor) else ((), [x])
    return ' '.join([kind(xs), str(shape)] + [str(e) for e in xs])
def number(x):
    try: return tg.read_value(x)
    except (RuntimeError, TypeError): return x # known while tracing
def out(xs):
    try:
        tg.compile(*xs)
        tg.run()
    except ValueError: pass # all of it is known while tracing
    print('; '.join([shown(number(x)) for x in xs]))
tg = cp.Target()
`

// numpyAnswers reads a file of numpy_answers.py: what comes before all, the programs, and
// what NumPy gives for each.
func numpyAnswers(t *testing.T, file string) (setup, sources, wants []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		source, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case ok:
			sources, wants = append(sources, source), append(wants, want)
		case !strings.HasPrefix(source, "#"):
			setup = append(setup, source)
		}
	}
	require.Greater(t, len(sources), 300)
	return setup, sources, wants
}

// TestNumPy compares with what NumPy gives, as testdata/numpy.txt has it: types and
// shapes exactly, floats to 2e-6, of plain and of traced elements.
func TestNumPy(t *testing.T) {
	setup, sources, wants := numpyAnswers(t, "testdata/numpy.txt")
	for _, kind := range []struct{ name, head string }{{"traced", "V = cp.value\n"}, {"plain", "V = lambda x: x\n"}} {
		t.Run(kind.name, func(t *testing.T) {
			script := "import copapy as cp\n" + kind.head + numpyHead + strings.Join(setup, "\n") + "\n"
			for _, source := range sources {
				script += fmt.Sprintf("try: out([%s])\nexcept Exception as e: print(type(e).__name__, e)\n", source)
			}
			got, err := runText(t, script)
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(got), "\n")
			require.Len(t, lines, len(sources))
			for i, line := range lines {
				assert.True(t, sameNumbers(wants[i], line), "%s\nNumPy: %s\nhere:  %s", sources[i], wants[i], line)
			}
		})
	}
}

// sameNumbers compares word by word, numbers within what float32 rounds.
func sameNumbers(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		p, err1 := strconv.ParseFloat(strings.TrimSuffix(x[i], ";"), 64)
		q, err2 := strconv.ParseFloat(strings.TrimSuffix(y[i], ";"), 64)
		if err1 != nil || err2 != nil || !(math.Abs(p-q) <= 2e-6*(1+math.Abs(p))) {
			return false
		}
	}
	return true
}

// TestArrayGradients has derivatives worked out by hand: of products with a zero, of
// lengths and deviations that are 0, and of elements that are moved, repeated or dropped.
func TestArrayGradients(t *testing.T) {
	const head = `
u, z = cp.vector([cp.value(3.0), cp.value(4.0)]), cp.vector([cp.value(0.0), cp.value(0.0)])
m = cp.matrix([[cp.value(1.0), cp.value(2.0)], [cp.value(0.0), cp.value(4.0)]])
g = lambda y, x: run(cp.grad(y, x))
`
	checkPrograms(t, show+head, []scriptCase{
		{"lengths", "g(u.magnitude(), u); g(z.magnitude(), z); g(cp.distance(u, u), u); g(cp.norm(z), z); g(cp.norm(u * 0 + z, 3), z); g(cp.norm(m, axis=1).sum(), z)",
			"[0.6000000238418579, 0.800000011920929]\n[0.0, 0.0]\n[0.0, 0.0]\n[0.0, 0.0]\n[0.0, 0.0]\n[0.0, 0.0]\n"},
		{"length of a zero vector in double", "d = cp.f64(z)\ng(cp.norm(d), d)", "[0.0, 0.0]\n"},
		{"other norms", "g(cp.norm(-u, 1), u); g(cp.norm(u, cp.inf), u)", "[1.0, 1.0]\n[0.0, 1.0]\n"},
		{"statistics", "g(u.var(), u); g(u.std(ddof=1) * 2 ** 0.5, u); g(z.std(), z); g(u.ptp(), u); g(cp.average(u, weights=[1, 3]), u)",
			"[-0.5, 0.5]\n[-1.0, 1.0]\n[0.0, 0.0]\n[-1.0, 1.0]\n[0.25, 0.75]\n"},
		{"products", "g(u.prod(), u); g(m.prod(), m); g(m.prod(axis=0).sum(), m); g(u.cumprod().sum(), u)",
			"[4.0, 3.0]\n[[0.0, 0.0], [8.0, 0.0]]\n[[0.0, 4.0], [1.0, 2.0]]\n[5.0, 3.0]\n"},
		{"moved", "g(cp.roll(u, 1)[0], u); g(cp.flip(m)[0, 0], m); g(cp.tile(u, 3).sum(), u); g(u.repeat([1, 4]).sum(), u); g(u[[1, 1, 0]].sum(), u); g(cp.pad(u, 2, 'edge').sum(), u); g(cp.moveaxis(m, 0, 1)[0, 1], m); g(u[:, None][..., 0][1], u); g(cp.tril(m).sum(), m); g(cp.split(u, 2)[1].sum(), u)",
			"[0.0, 1.0]\n[[0.0, 0.0], [0.0, 1.0]]\n[3.0, 3.0]\n[1.0, 4.0]\n[1.0, 2.0]\n[3.0, 3.0]\n[[0.0, 0.0], [1.0, 0.0]]\n[0.0, 1.0]\n[[1.0, 0.0], [1.0, 1.0]]\n[0.0, 1.0]\n"},
		{"samples", "g(cp.diff(u).sum(), u); g(cp.trapezoid(u), u); g(cp.convolve(u, [1, 2, 3]).sum(), u); g(cp.polyval(u, 10.0), u); g(cp.interp(u, [0.0, 3.5, 5.5], [0.0, 7.0, 1.0]).sum(), u); g(cp.interp(9.0 + u[0], [0.0, 1.0], [2.0, 3.0]), u)",
			"[-1.0, 1.0]\n[0.5, 0.5]\n[6.0, 6.0]\n[10.0, 1.0]\n[2.0, -3.0]\n[0.0, 0.0]\n"},
		{"einsum", "g(cp.einsum('i,ij,j->', u, m, u), u); g(cp.einsum('ii', m), m); g(cp.einsum('ij,ij->ij', m, m).sum(), m)",
			"[14.0, 38.0]\n[[1.0, 0.0], [0.0, 1.0]]\n[[2.0, 4.0], [0.0, 8.0]]\n"},
		{"choices", "g(cp.clip(u, 3.5, 9).sum(), u); g(cp.select([u > 3.5], [u * 5], u).sum(), u); g(cp.heaviside(u, 0.5).sum(), u)", "[0.0, 1.0]\n[1.0, 5.0]\n[0.0, 0.0]\n"},
	})
}

// TestLengthCostsNothing: that the derivative of a length is 0 where the length is 0 adds
// no operation to a program that computes lengths only.
func TestLengthCostsNothing(t *testing.T) {
	const text = "v = cp.vector([cp.value(3.0), cp.value(4.0)])\ntg = cp.Target()\ntg.compile(%s)\n"
	for _, y := range []string{"v.magnitude()", "cp.norm(v)", "cp.distance(v, [0.0, 0.0])"} {
		programs := compiled(t, fmt.Sprintf(text, y))
		require.Len(t, programs, 1)
		for _, op := range []string{"eq.f32", "select.f32"} {
			assert.Zero(t, ops(programs[0], op), "%s of %s", op, y)
		}
		assert.Equal(t, 1, ops(programs[0], "sqrt.f32"), y)
	}
}
