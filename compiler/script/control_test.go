package script_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script"
)

// TestRoles: names, units and limits of a script arrive in the image.
func TestRoles(t *testing.T) {
	p := compiled(t, `import copapy as cp
kp = cp.param("kp", 2.0, unit="V/rad", low=0, high=0.1*30)
n = cp.param("n", 3, low=0)
v = cp.input("v", [1.0, 2.0], unit="m")
on = cp.input("on", True)
e = cp.log("e", kp * v[0] - v[1], every=10, unit="V")
u = cp.output("u", e * n, low=-12, high=12, safe=1, unit="V")
w = cp.output("w", v * 2, low=-1, safe=[0.5, 0])
cp.output("flag", on & (u > 0), safe=False)
tg = cp.Target()
tg.compile()
`)[0].Image
	require.EqualValues(t, image.Version, p.Version)
	number := func(x float64) *float64 { return &x }
	three := float64(float32(0.1 * 30))
	for name, want := range map[string]struct {
		kind image.Kind
		meta image.Meta
	}{
		"kp":   {image.Input, image.Meta{Role: graph.RoleParam, Unit: "V/rad", Low: number(0), High: &three}},
		"n":    {image.Input, image.Meta{Role: graph.RoleParam, Low: number(0)}},
		"v":    {image.Input, image.Meta{Role: graph.RoleInput, Unit: "m"}},
		"on":   {image.Input, image.Meta{Role: graph.RoleInput}},
		"e":    {image.Output, image.Meta{Role: graph.RoleLog, Unit: "V", Every: 10}},
		"u":    {image.Output, image.Meta{Role: graph.RoleOutput, Unit: "V", Low: number(-12), High: number(12), Safe: []float64{1}}},
		"w":    {image.Output, image.Meta{Role: graph.RoleOutput, Low: number(-1), Safe: []float64{0.5, 0}}},
		"flag": {image.Output, image.Meta{Role: graph.RoleOutput, Safe: []float64{0}}},
	} {
		s, ok := p.Symbol(want.kind, name)
		require.True(t, ok, name)
		require.Equal(t, want.meta, s.About(), name)
	}
	require.Len(t, device.SafeOf(p), 3)
}

// TestOutputsKeepTheirLimits, NaN and infinities included, for every type.
func TestOutputsKeepTheirLimits(t *testing.T) {
	const head = "import copapy as cp\nnan, inf = float('nan'), float('inf')\ntg = cp.Target()\ndef run(out, x, *values):\n    tg.compile(out)\n" +
		"    for v in values:\n        tg.write_value(x, v); tg.run(); print(tg.get(out), end=' ')\nx = cp.value(0.0)\n"
	checkPrograms(t, head, []scriptCase{
		{"both", "run(cp.output('u', x, low=-1, high=2), x, -inf, -1.5, -1, 0.25, 2, 2.5, inf, nan)", "-1.0 -1.0 -1.0 0.25 2.0 2.0 2.0 0.0 "},
		{"above 0", "run(cp.output('u', x, low=1, high=2), x, 0.0, nan)", "1.0 1.0 "},
		{"low", "run(cp.output('u', x, low=-3), x, -4, inf, nan)", "-3.0 inf 0.0 "},
		{"high", "run(cp.output('u', x, high=-3), x, -4, inf, nan)", "-4.0 -3.0 -3.0 "},
		{"safe", "run(cp.output('u', x, low=-1, high=2, safe=1.5), x, nan, 7)", "1.5 2.0 "},
		{"no limits", "run(cp.output('u', x, safe=1.5), x, nan, 7)", "nan 7.0 "},
		{"int", "x = cp.value(0)\nrun(cp.output('u', x, low=-1, high=2), x, -5, 1, 5)", "-1 1 2 "},
		{"f64", "x = cp.value(0.0, cp.f64)\nrun(cp.output('u', x, low=-0.1, high=0.1), x, -5, 0.05, 5, nan)", "-0.1 0.05 0.1 0.0 "},
		{"array", "x = cp.value([0.0, 0.0, 0.0])\nrun(cp.output('u', x, low=-1, high=1, safe=[0.1, 0.25, 0.5]), x, [-2, 0.5, nan])", "[-1.0, 0.5, 0.5] "},
		{"fast", "with cp.fast():\n    y = cp.output('u', x, low=-1, high=2, safe=0)\nrun(y, x, nan, 5)", "0.0 2.0 "},
	})
}

// TestSafeValuesHarmNothing: what a loop writes to an output at its end is nothing else's: neither a
// state's, nor a constant's, nor another output's of the same value.
func TestSafeValuesHarmNothing(t *testing.T) {
	checkPrograms(t, "import copapy as cp\n", []scriptCase{
		{"shared", `
s, p = cp.state(5.0), cp.param("p", 7.0)
s.next = s
cp.output("a", s, safe=0)
cp.output("b", 3.0, safe=0)
cp.output("c", p, safe=0)
cp.log("d", s); cp.log("e", p); cp.log("f", p * 3.0); cp.log("g", cp.value(1.0) * 0 + 3.0)
cp.output("h", p * 3.0, safe=1)
tg = cp.Target()
tg.compile()
tg.start(rate=1000, ticks=3)
print(tg.get("a", "b", "c", "d", "e", "f", "g", "h", s, p))
tg.run()
print(tg.get("a", "b", "c", "d", "e", "f", "g", "h", s, p))
`, "(0.0, 0.0, 0.0, 5.0, 7.0, 21.0, 3.0, 1.0, 5.0, 7.0)\n(5.0, 3.0, 7.0, 5.0, 7.0, 21.0, 3.0, 21.0, 5.0, 7.0)\n"},
	})
}

func TestRoleMistakes(t *testing.T) {
	checkMistakes(t, []mistake{
		{"taken", "cp.param('kp', 1.0)\ncp.output('kp', 1.0)", "ValueError", `the name "kp" is taken, by the param in line 2`, "a name of its own", 3},
		{"no name", "cp.param(1.0, 2.0)", "TypeError", "takes a str as the argument name", "", 2},
		{"bad name", "cp.input('a=b')", "ValueError", "is not a name", "", 2},
		{"beyond", "cp.param('kp', 3.0, high=2)", "ValueError", `the first value of "kp": 3 is not within the limits: at most 2`, "", 2},
		{"crossed", "cp.param('kp', 3.0, low=4, high=2)", "ValueError", "the low limit 4 is above", "", 2},
		{"limit of a bool", "cp.param('on', True, low=0)", "ValueError", "a bool has no limits", "", 2},
		{"limit of an int", "cp.param('n', 3, high=3.5)", "ValueError", "high is 3.5, and \"n\" is of type int", "", 2},
		{"limit nan", "cp.param('n', 3.0, high=float('inf'))", "ValueError", "must be finite", "leave it out", 2},
		{"limit traced", "cp.param('n', 3.0, high=cp.value(1.0))", "TypeError", "high must be a plain number", "", 2},
		{"traced value", "cp.param('n', cp.value(1.0))", "TypeError", "must be known while the program is traced", "", 2},
		{"unit", "cp.output('u', cp.value(1.0), unit=3)", "TypeError", "the unit is a str", "", 2},
		{"long unit", "cp.output('u', cp.value(1.0), unit='m' * 33)", "ValueError", "at most 32", "", 2},
		{"safe beyond", "cp.output('u', cp.value(1.0), low=1, safe=0)", "ValueError", "the safe value 0 is not within at least 1", "", 2},
		{"safe shape", "cp.output('u', cp.value(1.0), safe=[0, 0])", "ValueError", "safe must be plain numbers of shape ()", "", 2},
		{"not a value", "cp.output('u', 'x')", "TypeError", "the value must be a number", "", 2},
		{"every", "cp.log('u', cp.value(1.0), every=0)", "ValueError", "every must be a number of ticks", "", 2},
		{"in a loop", "cp.fori(3, lambda i, c: cp.output('u', c), 1.0)", "ValueError", "cp.output in the body of a loop", "make it outside", 2},
		{"in jit", "f = cp.jit(lambda x: cp.output('u', x))\nf(1.0)", "ValueError", "cp.output in a jit function", "make it outside", 2},
		{"nothing to compile", "cp.param('p', 1.0)\ntg = cp.Target()\ntg.compile()", "ValueError", "no cp.output or cp.log", "tg.compile(y)", 4},
		{"write beyond", "p = cp.param('p', 1.0, high=2)\ntg = cp.Target()\ntg.compile(p * 2)\ntg.write_value(p, 3)", "ValueError", "p: 3 is not within the limits: at most 2", "cp.param(\"p\", ...)", 5},
		{"write nan", "p = cp.param('p', 1.0, high=2)\ntg = cp.Target()\ntg.compile(p * 2)\ntg.write_value(p, float('nan'))", "ValueError", "not within", "", 5},
	})
}

// TestNamesAfterACompilation may be given again: that is how a program is replaced.
func TestNamesAfterACompilation(t *testing.T) {
	checkPrograms(t, "import copapy as cp\n", []scriptCase{{"again", `
tg = cp.Target()
k = cp.param("k", 2.0)
cp.output("u", k * 3); cp.log("l", k)
tg.compile()
tg.run()
print(tg.get("u", "l"))
k = cp.param("k", 5.0)
cp.output("u", k * 4)
tg.compile()
tg.run()
print(tg.get("u", "k", "l"))
`, "(6.0, 2.0)\n(20.0, 5.0, 2.0)\n"}, {"the logarithm", "print(cp.log(1.0), cp.log([1.0, 1.0]))\n", "0.0 [0.0, 0.0]\n"}})
}

// twoTasks is a program in which a fast and a slow task use each other's states, and values go both before and behind.
const twoTasks = `import copapy as cp
n, late, slow = cp.state(0), cp.state(0), cp.state(0)
bias = cp.param("bias", 100)
shifted = bias + 1           # of no task, and of variables alone
with cp.task(rate=300, name="slow"):
    seen = cp.log("seen", n * 1)        # the fast task has not run yet in this tick
    slow.next = slow + 1
with cp.task(rate=900, name="fast"):
    n.next = n + 1
    late.next = seen * 10 + shifted
    cp.log("fast_slow", slow * 1)       # the slow one has
tg = cp.Target()
tg.compile(n, late, slow)
`

func TestTasksOfScripts(t *testing.T) {
	want := ""
	n, late, slow, seen, fastSlow := 0, 0, 0, 0, 0
	for tick := range 8 {
		if tick%3 == 0 {
			seen, slow = n, slow+1
		}
		fastSlow = slow
		n, late = n+1, seen*10+101
		want += printedTuple(n, late, slow, seen, fastSlow)
	}
	const steps = "for k in range(8):\n    tg.run()\n    print(tg.get(n, late, slow, 'seen', 'fast_slow'))\n"
	checkPrograms(t, twoTasks, []scriptCase{{"tick by tick", steps, want}, {"all at once", "tg.run(8)\nprint(tg.get(n, late, slow, 'seen', 'fast_slow'))\n",
		printedTuple(n, late, slow, seen, fastSlow)}, {"after a reset", "tg.run(5)\ntg.reset()\n" + steps, want}})
	for _, where := range []string{"local", "oracle"} {
		require.Equal(t, want, runOn(t, where, twoTasks+steps, nil), where)
	}
	p := compiled(t, twoTasks)[0].Image
	require.Equal(t, []string{"slow", "fast"}, []string{p.Entries[0].Name, p.Entries[1].Name})
	require.Equal(t, []device.Task{{Entry: 0, Divisor: 3}, {Entry: 1, Divisor: 1}}, device.TasksOf(p))
	require.Equal(t, 900.0, p.TickRate())
}

func printedTuple(xs ...int) string {
	texts := make([]string, len(xs))
	for i, x := range xs {
		texts[i] = strconv.Itoa(x)
	}
	return "(" + strings.Join(texts, ", ") + ")\n"
}

func TestTaskMistakes(t *testing.T) {
	checkMistakes(t, []mistake{
		{"ratio", "cp.task(rate=1000)\ncp.task(rate=300)", "ValueError", "300 runs a second and 1000 of the task in line 2 are no whole ratio", "is a multiple of", 3},
		{"ratio of a faster one", "cp.task(rate=300)\ncp.task(rate=1000)", "ValueError", "are no whole ratio", "", 3},
		{"rate", "cp.task(rate=0)", "ValueError", "the rate must be a number of runs per second", "", 2},
		{"name", "cp.task(name='a')\ncp.task(name='a')", "ValueError", `the name "a" is taken, by the task in line 2`, "", 3},
		{"base", "cp.task(name='base')", "ValueError", "stands for what is outside of tasks", "", 2},
		{"nested", "with cp.task(name='a'):\n    with cp.task(name='b'):\n        pass", "ValueError", `the task "b" begins within the task "a"`, "beside each other", 3},
		{"without brackets", "@cp.task\ndef f(): pass", "TypeError", "the rate is a number", "@cp.task(rate=100)", 2},
		{"many", "for i in range(16): cp.task()", "ValueError", "at most 15 tasks", "", 2},
		{"in a loop", "def body(i, c):\n    cp.task()\n    return c\ncp.fori(3, body, 1.0)", "ValueError", "cp.task in the body of a loop", "", 3},
		{"assigned twice", "s = cp.state(0.0)\nwith cp.task():\n    s.next = s + 1\nwith cp.task():\n    s.next = s + 2", "ValueError", "assigned already, in line 4", "", 6},
		{"round", "x = cp.value(1.0)\na, b = cp.task(name='a'), cp.task(name='b')\nwith a:\n    y = cp.sin(x)\nwith b:\n    z = cp.cos(y)\nwith a:\n    cp.log('w', z + y)\n" +
			"tg = cp.Target()\ntg.compile()", "ValueError", `values go round between tasks: "a" to "b" (line 5), "b" to "a" (line 7)`, "cp.state", 11},
		{"period", twoTasks[len("import copapy as cp\n"):] + "tg.run(3, period=1e-3)", "ValueError", "tasks, which run with a period in a loop", "tg.start", 14},
	})
}

// TestTaskDecorator: a function under @cp.task is called in the task.
func TestTaskDecorator(t *testing.T) {
	checkPrograms(t, "import copapy as cp\n", []scriptCase{{"functions", `
n, m = cp.state(0), cp.state(0)

@cp.task(rate=10, name="fast")
def fast(by):
    "counts"
    n.next = n + by

@cp.task(rate=5)
def slow():
    m.next = m + 1
    return m * 2

fast(3)
twice = slow()
print(fast.__doc__)
tg = cp.Target()
tg.compile(n, m, twice)
tg.run(4)
print(tg.get(n, m, twice))
`, "counts\n(12, 2, 2)\n"}})
}

// TestTasksHoldWhatIsMadeOfArraysAndLoops: elements assigned to, static loops, gradients and lists.
func TestTasksHoldWhatIsMadeOfArraysAndLoops(t *testing.T) {
	const text = `import copapy as cp
n = cp.state(0.0, name="n")
n.next = n + 1
with cp.task(rate=10, name="slow"):
    v = cp.zeros(3) + n * 0
    v[1] = n * 2
    total = cp.fori(4, lambda i, c: c + n, 0.0)
    rows = cp.scan(3, lambda i, c: (c + n, c * 2), 1.0)[1]
    slope = cp.grad(n ** 3, n)
    pair = [n * 5, (n * 6, "text")]
with cp.task(rate=20, name="fast"):
    cp.log("v", v * 1)
    cp.log("element", v[1] + n * 0)
    cp.log("total", total + 0)
    cp.log("rows", rows + 0)
    cp.log("slope", slope + 0)
    cp.log("pair", pair[0] + pair[1][0])
tg = cp.Target()
tg.compile()
for _ in range(4):
    tg.run()
    print(tg.get("v", "element", "total", "rows", "slope", "pair", n))
`
	const want = "([0.0, 2.0, 0.0], 2.0, 4.0, [2.0, 4.0, 6.0], 3.0, 11.0, 1.0)\n" +
		"([0.0, 2.0, 0.0], 2.0, 4.0, [2.0, 4.0, 6.0], 3.0, 11.0, 2.0)\n" +
		"([0.0, 6.0, 0.0], 6.0, 12.0, [2.0, 8.0, 14.0], 27.0, 33.0, 3.0)\n" +
		"([0.0, 6.0, 0.0], 6.0, 12.0, [2.0, 8.0, 14.0], 27.0, 33.0, 4.0)\n"
	for _, where := range []string{"local", "oracle"} {
		require.Equal(t, want, strings.NewReplacer("vector([", "[", "])", "]").Replace(runOn(t, where, text, nil)), where)
	}
}

// TestWithoutTasksNothingChanges: the image of a script without tasks and roles is of the format before them, with one entry.
func TestWithoutTasksNothingChanges(t *testing.T) {
	p := compiled(t, "import copapy as cp\nx = cp.value(2.0)\ntg = cp.Target()\ntg.compile(x * 2)\n")[0].Image
	require.EqualValues(t, image.Plain, p.Version)
	require.Equal(t, []image.Entry{{Name: "run"}}, p.Entries)
}

// loops are scripts of programs that run every tick, on the oracle and as code.
var loopScripts = map[string]struct{ text, want string }{
	"set and get": {`
a, b = cp.param("a", 1.0), cp.param("b", 1.0, high=10)
cp.log("sum", a + b)
tg.compile()
tg.start(rate=500)
first = tg.set(a=2.5, b=4)
tg.set(a=3, b=5)
next(iter(tg.stream(["sum"])))
print(first >= 0, tg.get("a", b, "sum"))
try:
    tg.set(a=7, b=11)
except ValueError as e:
    print(e)
tg.write_value(a, 8)
tg.set({a: 9.0, "b": 1})
next(iter(tg.stream(["sum"], count=1)))
print(tg.get("a", "b", "sum"), tg.read_value([a, b]))
print(tg.stop().sets, tg.get(a))
`, "True (3.0, 5.0, 8.0)\nb: 11 is not within the limits: at most 10\n(9.0, 1.0, 10.0) [9.0, 1.0]\n4 9.0\n"},
	"what does not go": {`
x = cp.state(0.0); x.next = x + 1
cp.log("x", x)
tg.compile()
for f in [lambda: tg.stop(), lambda: tg.status(), lambda: tg.stream(["x"]), lambda: tg.capture(["x"]), lambda: tg.swap(), lambda: tg.start(),
          lambda: tg.start(rate=1, period=1), lambda: tg.start(rate=-1), lambda: tg.start(rate=1e9), lambda: tg.start(rate=1, misses=-1)]:
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
tg.start(rate=500)
for f in [lambda: tg.run(), lambda: tg.start(rate=5), lambda: tg.get("y"), lambda: tg.get(), lambda: tg.set(), lambda: tg.set(x="a"), lambda: tg.read_value(x * 7),
          lambda: tg.stream([]), lambda: tg.stream(["x"], every=0), lambda: tg.capture(["x"], above=1), lambda: tg.capture(["x"], trigger=x),
          lambda: tg.capture(["x"], trigger=x, above=1, below=2)]:
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
tg.close()
`, `RuntimeError stop: no loop was started
RuntimeError status: no loop was started
RuntimeError stream: the program does not run every tick
RuntimeError capture: the program does not run every tick
RuntimeError swap: the program does not run every tick
ValueError start: nothing says how often the program runs
ValueError start: a rate and a period
ValueError start: the rate must be a number of ticks per second
ValueError start: a rate of 1e+09 per second: want a period of 1µs to 1h11m34.967295s
ValueError start: misses must be a whole number, 0 or more
RuntimeError run: the loop of this program is running
RuntimeError start: the loop of this program is running
ValueError get: the program has no variable "y"
TypeError get: takes variables, by name or as values
ValueError set: nothing to set
TypeError must be a number, not 'str'
ValueError read_value: this was not compiled, and the last run cannot be repeated for it, since the program keeps states or ticks
ValueError stream: no variables
ValueError stream: every must be a whole number, 1 or more
ValueError capture: above of what?
ValueError capture: the trigger does not say when
ValueError capture: above and below: one of them says when
`},
	"streams": {`
n = cp.state(0); n.next = n + 1
v = cp.log("v", cp.vector([n, n * 2]))
tg.compile(n)
tg.start(rate=500)
for r in tg.stream([n, (v, "v")], every=2, count=3):
    a, (b, c) = r.values
    print(r.tick % 2, a == b[0] == c[0], b[1] == 2 * a - 1 or b[1] == 2 * (a - 1))
s = tg.stream()
print(len(next(s).values))
tg.stop()
print([x for x in s][-1:] != 0)
`, "0 False True\n0 False True\n0 False True\n1\nTrue\n"},
	"swap": {`
k = cp.param("k", 2.0)
s = cp.state(1.0, name="s"); s.next = s
gone = cp.state(1, name="gone"); gone.next = gone
u = cp.output("u", s * k, safe=-1)
cp.log("g", gone * 1)
tg.compile()
tg.start(rate=500)
tg.set(k=5, s=3)
k = cp.param("k", 2.0)
s = cp.state(1.0, name="s"); s.next = s
new = cp.state(7.0, name="gone"); new.next = new
u = cp.output("u", s * k + 0.5, safe=-2)
cp.log("g", new * 1)
r = tg.swap()
print(r.back, sorted(r.carried), r.lost)
next(iter(tg.stream(["u"], count=1)))
print(tg.get("u", "k", "g", s))
print(tg.stop().swap, tg.get("u", "k"))
`, "False ['k', 's'] ['gone: its type was i32 and is f32']\n(15.5, 5.0, 7.0, 3.0)\nkept (-2.0, 5.0)\n"},
}

func TestLoopsOfScripts(t *testing.T) {
	for name, c := range loopScripts {
		for _, where := range []string{"local", "oracle"} {
			t.Run(name+" on "+where, func(t *testing.T) {
				t.Parallel()
				assert.Equal(t, c.want, runOn(t, where, "import copapy as cp\ntg = cp.Target()\n"+c.text, nil))
			})
		}
	}
}

// watchful is a device that counts the loops that run on it.
type watchful struct {
	device.Device
	running *int
}

type watchedProgram struct {
	device.Looper
	running *int
}

type watchedLoop struct {
	device.Loop
	running *int
}

func (d *watchful) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	return &watchedProgram{loaded.(device.Looper), d.running}, nil
}

func (p *watchedProgram) StartLoop(ctx context.Context, c device.LoopConfig) (device.Loop, error) {
	l, err := p.Looper.StartLoop(ctx, c)
	if err != nil {
		return nil, err
	}
	*p.running++
	return &watchedLoop{l, p.running}, nil
}

func (l *watchedLoop) Stop(ctx context.Context) (*device.LoopStatus, error) {
	s, err := l.Loop.Stop(ctx)
	if err == nil {
		*l.running--
	}
	return s, err
}

// TestLoopsEnd with the script, however it ends, with the target, and with its program.
func TestLoopsEnd(t *testing.T) {
	const text = "import copapy as cp\nn = cp.state(0); n.next = n + 1\ntg = cp.Target()\ntg.compile(cp.log('n', n))\ntg.start(rate=1000)\n"
	const said = "the loop ends with the script"
	for rest, warned := range map[string]bool{
		"": true, "raise ValueError('x')": true, "interrupt()": true,
		"tg.stop()": false, "tg.close()": false, "tg.compile(n)": false, "del tg": true, "with tg: pass": false,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		running, warnings := 0, ""
		text := text + rest
		if rest == "interrupt()" {
			text = strings.Replace(text, "tg.start(rate=1000)", "tg.start(rate=1000)\nprint()\nwhile True: pass", 1)
		}
		err := script.Run(ctx, writeScript(t, text), script.Options{
			Stdout: writerFunc(cancel),
			Warn:   func(text string) { warnings += text },
			Open: func(context.Context) (device.Device, error) {
				dev, err := oracle.New("x86_64")
				return &watchful{dev, &running}, err
			},
		})
		cancel()
		require.Equal(t, strings.Contains(rest, "(") && warned, err != nil, rest)
		require.Zero(t, running, rest)
		require.Equal(t, warned, strings.Contains(warnings, said), "%s: %s", rest, warnings)
	}
}

// writerFunc is told of what is printed.
type writerFunc func()

func (f writerFunc) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}
