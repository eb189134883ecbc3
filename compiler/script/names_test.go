package script_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// namesOf are the names of the variables, states and outputs of the last program that a
// script compiles, sorted.
func namesOf(t *testing.T, text string) string {
	t.Helper()
	var img *image.Image
	err := script.Run(t.Context(), writeScript(t, "import copapy as cp\ntg = cp.Target()\n"+text), script.Options{
		Open:     func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
		Compiled: func(s *copapy.Stats) { img = s.Program.Image },
	})
	require.NoError(t, err)
	var lists [3][]string
	kinds := []image.Kind{image.Input, image.State, image.Output}
	for _, s := range img.Symbols {
		k := slices.Index(kinds, s.Kind)
		lists[k] = append(lists[k], s.Name)
	}
	var parts []string
	for _, l := range lists {
		slices.Sort(l)
		parts = append(parts, strings.Join(l, " "))
	}
	return strings.Join(parts, " | ")
}

// TestNames: how a host finds what a script computes with.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"given", "a = cp.value(1.0, name='kp')\nn = cp.state(0, name='ticks')\nn.next = n + 1\nv = cp.value([1, 2], name='row 1')\ntg.compile(a * 2, n, v)", "kp row 1 | ticks | a * 2 n v"},
		{"given to what is in a list", "g = [cp.value(1.0, name='kp'), cp.value(2.0)]\ntg.compile(g[0] + g[1])", "g[1] kp |  | g[0] + g[1]"},
		{"global", "x = cp.value(1.0)\ny = x * 2\ntg.compile(y + 1)", "x |  | y y + 1"},
		{"in dicts and lists", "params = {'ki': cp.value(1.0), 3: cp.value(2.0), 'sub': {'a=b': cp.value(3.0)}}\ngains = [cp.value(float(i)) for i in range(3)]\ny = sum(params[k] for k in ('ki', 3)) + params['sub']['a=b'] + gains[2] + gains[0]\ntg.compile(y)",
			`gains[0] gains[2] params["ki"] params["sub"]["a=b"] params[3] |  | y`},
		{"attributes", "class PID:\n    def __init__(self, kp):\n        kp = cp.value(kp)\n        self.kp = kp\n        self.parts = {'i': cp.state(0.0)}\n        self.parts['i'].next = self.parts['i'] + kp\nroll, pitch = PID(1.0), PID(2.0)\ntg.compile(roll.kp * roll.parts['i'] + pitch.kp)",
			`pitch.kp roll.kp | roll.parts["i"] | roll.kp * roll.parts['i'] + pitch.kp`},
		{"in a function", "def controller(e):\n    kp, ki = cp.value(2.0), cp.value(0.1)\n    total = cp.state(0.0)\n    total.next = total + e\n    return kp * e + ki * total\nu = controller(cp.value(1.0, name='e'))\ntg.compile(u)", "e ki kp | total | u"},
		{"in a function that is called twice", "def gain(x):\n    k = cp.value(2.0)\n    return k * x\ntg.compile(gain(1.5) + gain(2.5))", "k k#2 |  | gain(1.5) + gain(2.5)"},
		{"in a list and an object of a function", "class Box:\n    pass\ndef make():\n    ks = [cp.value(1.0), cp.value(2.0)]\n    b = Box()\n    b.c = cp.value(3.0)\n    d = {'z': cp.value(4.0)}\n    e = b\n    return ks[0] + ks[1] + b.c + d['z']\ntg.compile(make())", `d["z"] e.c ks[0] ks[1] |  | make()`},
		{"shared with an inner function", "def make():\n    k = cp.value(1.0)\n    def inner():\n        return k * 2\n    return inner()\ntg.compile(make())", "k |  | make()"},
		{"in a class", "class PID:\n    limit = cp.value(1.0)\n    gains = {'p': cp.value(2.0)}\ntg.compile(PID.limit * PID.gains['p'])", `PID.gains["p"] PID.limit |  | PID.limit * PID.gains['p']`},
		{"in a class of a function", "def make():\n    class Box:\n        c = cp.value(3.0)\n    return Box.c * 2\ntg.compile(make())", "Box.c |  | make()"},
		{"rebound", "x = cp.value(1.0)\nx = x * 2\nx = x + 1\ntg.compile(x)", "x |  | x"},
		{"rebound in a loop", "s = 0\nfor i in range(3):\n    g = cp.value(float(i))\n    s = s + g\ntg.compile(s)", "g g#2 g#3 |  | s"},
		{"rebound but in a list", "gs = []\nfor i in range(2):\n    g = cp.value(float(i))\n    gs.append(g)\ntg.compile(gs[0] + gs[1])", "g gs[0] |  | gs[0] + gs[1]"},
		{"made in a function and held by a global", "def make():\n    k = cp.value(1.0)\n    return k\na, b = make(), make()\ntg.compile(a + b)", "a b |  | a + b"},
		{"without a name", "tg.compile(cp.value(1.0) + cp.value(2.0))", "input0 input1 |  | cp.value(1.0) + cp.value(2.0)"},
		{"of lists that are compiled", "a, b = cp.value(1.0), cp.value(2.0)\nys = [a + b, (a - b, a * b)]\ntg.compile(ys, [a / b, a % b])", "a b |  | a % b a / b ys[0] ys[1][0] ys[1][1]"},
		{"of a generator", "a = cp.value(1.0)\nys = (a + i for i in range(2))\ntg.compile(ys)", "a |  | ys[0] ys[1]"},
		{"in programs that follow each other", "def make(i):\n    k = cp.value(float(i))\n    return k * 2\nfor i in range(5):\n    y = make(i)\n    tg.compile(y)", "k |  | y"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, namesOf(t, c.text)) })
	}
	checkMistakes(t, []mistake{
		{"no text", "cp.value(1.0, name=3)", "TypeError", "takes a str as the argument name", "", 2},
		{"empty", "cp.value(1.0, name='')", "ValueError", "is not a name for a variable", "letters", 2},
		{"an equals sign", "cp.state(1.0, name='a=b')", "ValueError", `"a=b" is not a name`, "", 2},
		{"a control character", "cp.value(1.0, name='a\\x1b[2J')", "ValueError", "is not a name", "", 2},
		{"of a traced value", "x = cp.value(1.0)\ncp.value(x * 2, name='y')", "ValueError", "only a new variable gets a name", "leave out name=", 3},
	})
}

// TestNamingIsBounded: a script with many variables that never get a name is not slow.
func TestNamingIsBounded(t *testing.T) {
	out, err := runText(t, `import copapy as cp
big = list(range(100000))
total = 0
for i in range(3000):
    cp.value(1.0)
    other = big
    total += len(other)
print(total)
`)
	require.NoError(t, err)
	assert.Equal(t, "300000000\n", out)
}
