package script_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/hil/target"
)

// runOn runs a script on a target of this machine and returns what it has printed and what it was
// warned of.
func runOn(t testing.TB, name, text string, compiled func(*copapy.Stats)) string {
	t.Helper()
	var out bytes.Buffer
	warn := func(text string) { fmt.Fprintln(&out, "warning:", text) }
	err := script.Run(t.Context(), writeScript(t, text), script.Options{
		Stdout:   &out,
		Warn:     warn,
		Compiled: compiled,
		Open: func(ctx context.Context) (device.Device, error) {
			dev, err := target.Open(ctx, name, target.Options{Warn: warn})
			if err == nil {
				t.Cleanup(dev.Close)
			}
			return dev, err
		},
	})
	require.NoError(t, err)
	return out.String()
}

// try shows what becomes of each of the lines below it.
const try = `import copapy as cp
def show(*fs):
    for f in fs:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)
`

// betweenRuns are scripts that write and read between runs.
var betweenRuns = map[string]string{
	"types": `
x, d, i, b = cp.value(0.1), cp.value(0.1, dtype=cp.f64), cp.value(3), cp.value(True)
ys = [x / 3.0, d / 3, i // 2, i * 7, ~i, cp.iif(b, x, -x), b]
tg = cp.Target()
tg.compile(ys, d, i)
show(lambda: tg.read_value(ys), lambda: tg.read_value(x), lambda: tg.read_value([x, d, i, b]))
tg.run()
show(lambda: tg.read_value(ys))
numbers = [0.0, -0.0, 1e-45, 3.4e38, 1e39, -1e300, float("inf"), float("nan"), 16777217.0, 0.1, 7, -1, 2**31 - 1, -2**31, 2**31, 2**53 + 1,
    2**70, -2**70, 10**400, True, False, 2.75, -2.75, 2147483646.5, 2147483648.0, "7", None, [1.0], (), {}, x, cp.tensor(2.5), cp.vector([2.5])]
for n in numbers:
    print(n if isinstance(n, (int, float, str)) else type(n))
    for v in [x, d, i, b]:
        show(lambda: tg.write_value(v, n), lambda: tg.read_value([x, d, i, b]))
        tg.run()
        show(lambda: tg.read_value(ys))
`,
	"arrays": `
v, m, k, w = cp.value([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), cp.value([[1, 2, 3], [4, 5, 6]]), cp.value([True, False, True]), cp.value(cp.arange(1000) * 0.5)
d = cp.value([0.1, 0.2], dtype=cp.f64)
s = [cp.value(1.0), cp.value(2.0), cp.value(3.0)]
j = cp.vector(s)
ys = [v * 2.0, m @ m.T, cp.where(k, v[:3], -v[:3]), w.sum(), d / 3, j * 2.0, v[1:3] + v[3:5]]
tg = cp.Target()
tg.compile(ys)
tg.run()
places = [v, m, k, d, j, v[0], v[1:3], v[::2], v[::-1], v.reshape(2, 3), m.T, m[1], m[1, 2], m[:, 1], m.reshape(-1), s, (s[0], s[2]),
    cp.vector([v[5], s[0]]), cp.vector([s[0], s[0]]), cp.vector([s[0], 1.0]), cp.vector([v[0] + 1, s[1]]), ys[0], [v, m], w[:3], w[990:], v[2:],
    cp.concatenate([v, j]), cp.broadcast_to(s[0], (2, 2)), cp.vector([1.0, 2.0])]
data = [7.5, 7, [1.5, 2.5], (1.5, 2.5), [1, 2], [1, 2.5], [True, False, True], [1.5, 2.5, 3.5], [9, 8, 7], [float(i) for i in range(6)], list(range(6)), range(6), (n * 0.5 for n in range(3)),
    cp.arange(6), cp.arange(6) * 0.25, cp.arange(6).reshape(2, 3), [[1, 2, 3], [4, 5, 6]], [[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]], ((1, 2), (3, 4), (5, 6)), [[1, 2], [3]], [2**31, 1, 1],
    [1e40, 2.0], ["a", 1.0], [None, 1.0], [s[0], 1.0], [], [[]], [cp.tensor(1.0), 2.0], cp.vector([1.5, 2.5]), cp.vector([True, False, True]), "ab", None, {1: 2, 3: 4}, [[1.0, 2.0], cp.arange(6)], [2.5, 3, True],
    cp.arange(9) * 1.5, [0.5] * 9, [[0.5, 1.5], [2.5, 3.5]]]
for p in places:
    for n in data:
        show(lambda: tg.write_value(p, n), lambda: tg.read_value([v, m, k, d, s, p]))
    tg.run()
    show(lambda: tg.read_value(ys), lambda: tg.read_value(p), lambda: tg.read_value([p, [p, 2.5, cp.arange(2)], (p,)]))
for n in [[i * 0.25 for i in range(1000)], cp.arange(1000) * 0.125, cp.arange(1000), tuple(range(1000)), [0.5] * 999, [0.5] * 999 + [1]]:
    show(lambda: tg.write_value(w, n), lambda: tg.read_value(w)[::100], lambda: tg.read_value(w[995:]))
    tg.run()
    show(lambda: tg.read_value(ys[3]))
a = tg.read_value(v)
a[0] = 99.0
show(lambda: tg.read_value(v), lambda: type(tg.read_value(m)), lambda: tg.read_value(m[0])[1])
`,
	"states": `
u, z = cp.value(1.0), cp.value(0)
n, h = cp.state(0), cp.state([1.0, 2.0])
n.next = n + 1
h.next = h * u
q = n // z
tg = cp.Target()
tg.compile(n, h.sum(), q)
show(lambda: tg.read_value(n), lambda: tg.read_value(h), lambda: tg.read_value(q))
for i in range(3):
    show(lambda: tg.run(), lambda: tg.read_value([n, h, q]), lambda: tg.read_value(n))
    tg.write_value(u, 0.5 * i)
    tg.write_value(h[1], i)
    show(lambda: tg.read_value([n, h]))
show(lambda: tg.write_value(n, 40.5), lambda: tg.run(3), lambda: tg.read_value([n, h, u]))
show(lambda: tg.reset(), lambda: tg.read_value([n, h, u]), lambda: tg.run(), lambda: tg.read_value([n, h]))
tg.write_value(n, 7)
show(lambda: tg.reset(), lambda: tg.write_value(n, 8), lambda: tg.read_value(n), lambda: tg.read_value(n * u))
show(lambda: tg.run(0), lambda: tg.run(limit=0.5), lambda: tg.run(n=2, limit=1), lambda: tg.run(-1), lambda: tg.run(1, 2, 3, 4), lambda: tg.run(limit="a"), lambda: tg.run(cp.tensor(2)), lambda: tg.read_value(n))
show(lambda: tg.write_value(z, 2), lambda: tg.run(), lambda: tg.read_value(q))
`,
	"extended": `
x, unused, c = cp.value(2.0), cp.value(5.0), cp.value([1.0, 2.0])
y = x * 3.0
tg = cp.Target()
show(lambda: tg.run(), lambda: tg.read_value(y), lambda: tg.write_value(x, 1.0))
tg.compile(y)
show(lambda: tg.read_value(y), lambda: tg.read_value(x), lambda: tg.read_value(unused), lambda: tg.read_value([x, unused, 3.0]))
tg.write_value(x, 4.0)
tg.write_value(unused, 6.0)
tg.run()
show(lambda: tg.read_value(y), lambda: tg.read_value(unused), lambda: tg.read_value([y, unused, c, 2]), lambda: tg.read_value(cp.vector([x, unused])))
show(lambda: tg.read_value(y * unused), lambda: tg.read_value([x, y, unused, c]), lambda: tg.write_value(unused, 7.0), lambda: tg.read_value(y * unused), lambda: tg.run(), lambda: tg.read_value(y * unused))
show(lambda: tg.write_value(c[1], 9.0), lambda: tg.read_value(c * x), lambda: tg.read_value("a"), lambda: tg.read_value([y, "a"]), lambda: tg.read_value(None), lambda: tg.read_value(3), lambda: tg.read_value(cp.arange(3)), lambda: tg.read_value({1: y}))
nested = [y]
nested.append(nested)
show(lambda: tg.read_value(nested), lambda: tg.write_value(nested, nested), lambda: tg.write_value(c, nested), lambda: tg.read_value([[[[[[y]]]]]]), lambda: tg.read_value([]), lambda: tg.read_value(e for e in [x, y]))
show(lambda: tg.write_value(variables=x, data=1.5), lambda: tg.write_value(x), lambda: tg.write_value(x, 1, 2), lambda: tg.read_value(), lambda: tg.read_value(variables=x), lambda: tg.read_value(x, y), lambda: tg.run(m=1))
tg.compile(x, y + 1)
show(lambda: tg.read_value(x), lambda: tg.read_value(y), lambda: tg.run(), lambda: tg.read_value([x, y]), lambda: tg.write_value(x, 8), lambda: tg.read_value([x, y]), lambda: tg.run(), lambda: tg.read_value([x, y]))
class Mine(cp.Target):
    def run(self, *n):
        super().run(*n)
        return self.read_value(y)
with Mine() as other:
    other.compile(y)
    show(lambda: other.run(), lambda: other.write_value(x, -1), lambda: other.run(), lambda: tg.read_value(x))
show(lambda: other.run(), lambda: other.read_value(y), lambda: other.write_value(x, 1.0), lambda: tg.close(), lambda: tg.read_value(x), lambda: tg.close())
`,
	"quaternion": `
q = cp.quaternion(cp.value(1.0), cp.value(0.0), cp.value(0.0), cp.value(0.0))
r = q * q
tg = cp.Target()
tg.compile(r)
tg.run()
show(lambda: tg.read_value(r), lambda: tg.write_value(q, cp.quaternion(0.5, 0.5, 0.5, 0.5)), lambda: tg.run(), lambda: tg.read_value([q, r]), lambda: tg.write_value(q, [1.0, 2.0, 3.0, 4.0]), lambda: tg.read_value(q))
show(lambda: tg.write_value(r, 1.0), lambda: tg.write_value(q, [1.0, 2.0]), lambda: tg.run(), lambda: tg.read_value((r, q)), lambda: type(tg.read_value(r)))
`,
	"jit": `
@cp.jit
def f(a, b=2):
    return a * b
@cp.jit
def g(v, c):
    v = cp.vector(v)
    return v * c, [v[0], 3.0, cp.arange(2)]
@cp.jit
def fixed(a):
    return 4
calls = [(1.5, 2.5), (1.5, 2), (2, 3), (True, 3), (2**31 - 1, 3), (2**31, 3), (1.5, 2.5), (2.5,), (0.5, cp.tensor(2.0)), (10**400, 1.0), (1.5, True), ("a", 1.0), (), (1.0, 2.0, 3.0), (2, 3), (float("nan"), 1.0)]
for args in calls + calls[::-1]:
    show(lambda: f(*args))
for args in [([1.0, 2.0], 2.0), ((1, 2), 2), (cp.vector([1.0, 2.0]), 2.0), (cp.arange(1000) * 0.5, 2), ([0.5] * 1000, 0.5), ([1.5, 2], 2.0), ([1.0, 2.0], 3.0)]:
    show(lambda: [p if len(p) < 5 else p[::100] for p in g(*args)])
show(lambda: fixed(1.0), lambda: fixed(2.0), lambda: f(a=1.0), lambda: f(1.0, cp.value(2.0)) is None)
class Plant:
    gain = 2.0
    @cp.jit
    def step(self, x):
        return x * self.gain
p = Plant()
show(lambda: p.step(1.5), lambda: p.step(2.5))
p.gain = 3.0
show(lambda: p.step(1.5), lambda: p.step(2.5))
for i in range(140):
    g([0.5] * (i + 1), 2.0)
show(lambda: f(1.5, 2.5), lambda: g([1.0, 2.0], 2.0)[0])
`,
}

// localNames are the targets of this machine.
func localNames() []string {
	if runtime.GOOS == "linux" {
		return []string{target.LocalName, target.SandboxName}
	}
	return []string{target.LocalName}
}

// TestBetweenRuns: what a script writes and reads between runs is the same wherever its programs run.
func TestBetweenRuns(t *testing.T) {
	for what, text := range betweenRuns {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			want := strings.Split(runOn(t, target.Oracle, try+text, nil), "\n")
			require.Greater(t, len(want), 10)
			for _, name := range localNames() {
				got := strings.Split(runOn(t, name, try+text, nil), "\n")
				for i := range min(len(got), len(want)) {
					require.Equal(t, want[i], got[i], "line %d on %s", i+1, name)
				}
				require.Len(t, got, len(want), name)
			}
		})
	}
}

// turns are bodies of loops with what they need, and how often they allocate.
var turns = []struct {
	name, setup, body string
	mallocs           float64
}{
	{"run", "", "tg.run()", 0},
	{"write", "", "tg.write_value(x, 0.5)", 0},
	{"read", "", "tg.read_value(y)", 1},
	{"turn", "", "tg.write_value(x, 0.5); tg.run(); tg.read_value(y)", 1},
	{"int", "x = cp.value(1)\ny = x + 1\ntg.compile(y)", "tg.write_value(x, 0.0); tg.run(); tg.read_value(y)", 0},
	{"bool", "x = cp.value(True)\ny = ~x\ntg.compile(y)", "tg.write_value(x, False); tg.run(); tg.read_value(y)", 0},
	{"element", "v = cp.value([1.0, 2.0])\ne, y = v[1], v.sum()\ntg.compile(y)", "tg.write_value(e, 0.5); tg.run(); tg.read_value(y)", 1},
	{"jit", "f = cp.jit(lambda a, b: a * b)", "f(0.5, 2)", 1},
	{"method", "a = [0.5]", "a.index(0.5)", 0},
	{"function", "a = [0.5]", "len(a)", 0},
}

const turning = `import copapy as cp
x = cp.value(0.25)
y = x * 2.0 + 1.0
tg = cp.Target()
tg.compile(y)
tg.run()
%s
def turns(rounds):
    for _ in range(rounds):
        for _ in range(100):
            %s
turns(%d)
`

// TestTurnsAllocate holds how often a turn of a loop allocates in the process: a float that is read
// is boxed, and that is all, whether somebody asks for the times of the runs or not.
func TestTurnsAllocate(t *testing.T) {
	mallocs := func(text string, timed func(time.Duration)) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		runOn(t, target.LocalName, text, func(s *copapy.Stats) { s.Timed = timed })
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs)
	}
	const rounds = 40
	for _, c := range turns {
		for what, timed := range map[string]func(time.Duration){"": nil, ", timed": func(time.Duration) {}} {
			few, many := fmt.Sprintf(turning, c.setup, c.body, 1), fmt.Sprintf(turning, c.setup, c.body, 1+rounds)
			mallocs(few, timed) // what is made once for all scripts
			least := mallocs(many, timed) - mallocs(few, timed)
			for range 2 { // something else may allocate meanwhile
				least = min(least, mallocs(many, timed)-mallocs(few, timed))
			}
			assert.InDelta(t, c.mallocs, least/(100*rounds), 0.2, c.name+what)
		}
	}
}

// leastTime is the time of a turn of a loop in ns: the least of many rounds, which other work on the
// machine disturbs less than their mean.
func leastTime(b *testing.B, name, setup, body string) float64 {
	b.Helper()
	text := fmt.Sprintf("import time\n"+strings.Replace(turning, "turns(%d)\n", "", 1), setup, body) + `best, end = 1e9, time.perf_counter() + 0.5
while time.perf_counter() < end:
    start = time.perf_counter_ns()
    turns(1)
    best = min(best, (time.perf_counter_ns() - start) / 100)
print(best)
`
	ns, err := strconv.ParseFloat(strings.TrimSpace(runOn(b, name, text, nil)), 64)
	require.NoError(b, err)
	return ns
}

// turn reports the time of a turn on a target, and how many times that of an empty loop's it is.
func turn(b *testing.B, setup, body string) {
	for _, name := range localNames() {
		b.Run(name, func(b *testing.B) {
			ns, empty, call := 0.0, 0.0, 0.0
			for range b.N {
				ns = leastTime(b, name, setup, body)
				empty, call = leastTime(b, name, "", "pass"), leastTime(b, name, "a = [0.5]", "a.index(0.5)")
			}
			b.ReportMetric(ns, "ns/turn")
			b.ReportMetric(ns/empty, "empty-turns")
			b.ReportMetric(ns/call, "list.index()s")
		})
	}
}

// BenchmarkTargetRun is tg.run() in a loop.
func BenchmarkTargetRun(b *testing.B) { turn(b, "", "tg.run()") }

// BenchmarkTargetTurn is a write, a run and a read.
func BenchmarkTargetTurn(b *testing.B) {
	turn(b, "", "tg.write_value(x, 0.5); tg.run(); tg.read_value(y)")
}

// BenchmarkTargetArrays is the same with 1000 floats each way, as an array and as a list.
func BenchmarkTargetArrays(b *testing.B) {
	const setup = "x = cp.value(cp.arange(1000) * 0.5)\ny = x * 2.0\ntg.compile(y)\na = cp.arange(1000) * 0.25\nl = a.tolist()"
	for _, form := range []string{"a", "l"} {
		b.Run(map[string]string{"a": "array", "l": "list"}[form], func(b *testing.B) {
			turn(b, setup, "tg.write_value(x, "+form+"); tg.run(); tg.read_value(y)")
		})
	}
}

// BenchmarkTargetJIT is a call of a function under cp.jit.
func BenchmarkTargetJIT(b *testing.B) {
	turn(b, "f = cp.jit(lambda a, b: a * b)", "f(0.5, 2.0)")
}
