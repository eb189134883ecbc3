package script_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keep is the head of the test scripts: run compiles, runs n times and reads.
const keep = `import copapy as cp
def run(n, *values):
    tg = cp.Target()
    tg.compile(*values)
    tg.run(n)
    print(*[tg.read_value(v) for v in values])
    return tg
`

func TestState(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"counts", "s = cp.state(0)\ns.next = s + 1\nrun(5, s)", "5\n"},
		{"what a run computes and what it leaves", "s = cp.state(1.0)\ns.next = s * 2\nrun(4, s, s + 0.5)", "16.0 8.5\n"},
		{"all change together", "a, b = cp.state(1), cp.state(2)\na.next = b\nb.next = a\nrun(3, a, b)", "2 1\n"},
		{"delay line", "a, b, c = [cp.state(0.0) for _ in range(3)]\nx = cp.value(7.0)\na.next, b.next, c.next = x, a, b\nrun(2, a, b, c)\nrun(3, c)", "7.0 7.0 0.0\n7.0\n"},
		{"bool", "s = cp.state(False)\ns.next = ~s\nrun(3, s)", "True\n"},
		{"vector", "v = cp.state([1.0, 2.0])\nv.next = v * 2 + 1\nprint(type(v).__name__, isinstance(v[0], cp.value))\nrun(2, v, v.sum())", "vector True\n[7.0, 11.0] 8.0\n"},
		{"matrix", "m = cp.state([[0.0, 1.0], [1.0, 1.0]])\nv = cp.state(cp.vector([0.0, 1.0]))\nm.next = m\nv.next = m @ v\nrun(10, v)", "[55.0, 89.0]\n"},
		{"large vector", "v = cp.state([float(i) for i in range(200)])\nv.next = v[::-1]\ntotal = cp.state(0.0)\ntotal.next = total + v[0]\nrun(3, v[0], total)", "0.0 199.0\n"},
		{"vector of scalars of the list", "v = cp.state([1.0, 2.0, 3.0])\nv.next = [v[2], v[0], 5]\nrun(2, v)", "[5.0, 3.0, 5.0]\n"},
		{"next of a number", "s = cp.state(1.0)\ns.next = 3\nb = cp.state(2)\nb.next = s > 2\nrun(2, s, b)", "3.0 1\n"},
		{"needs what a needed state needs", "a, b = cp.state(0.0), cp.state(1.0)\na.next = a + b\nb.next = b * 2\nrun(4, a)", "15.0\n"},
		{"idle state is not needed", "a, b = cp.state(0.0), cp.state(1.0)\na.next = a + 1\nrun(2, a)", "2.0\n"},
		{"gradient", "s, x = cp.state(3.0), cp.value(2.0)\ns.next = s * x\ny = s * s * x\nrun(2, cp.grad(y, s), cp.grad(y, x), cp.grad(s.next, s))", "24.0 36.0 2.0\n"},
		{"next is read back", "s = cp.state(3.0)\ns.next = s + 1\nrun(1, s.next * 2)\nprint(hasattr(s, 'next'), hasattr(cp.value(1), 'next'))", "8.0\nTrue False\n"},
		{"jit keeps states", "@cp.jit\ndef total(x):\n    s = cp.state(0.0)\n    s.next = s + x\n    return s.next\nprint(total(2.0), total(3.0), total(4.0))", "2.0 5.0 9.0\n"},
		{"each target has its own", "s = cp.state(0)\ns.next = s + 1\na, b = run(2, s), run(1, s)\na.run()\nprint(a.read_value(s), b.read_value(s))", "2\n1\n3 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := runText(t, keep+c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
		})
	}
}

func TestStateFromTheHost(t *testing.T) {
	const head = "s, v = cp.state(1.0), cp.state([1, 2])\ns.next = s + 1\nv.next = v + 1\n"
	for _, c := range []struct{ name, text, want string }{
		{"before a run", "tg = cp.Target()\ntg.compile(s, v)\nprint(tg.read_value(s), tg.read_value(v))", "1.0 [1, 2]\n"},
		{"write", "tg = run(3, s, v)\ntg.write_value(s, 10)\ntg.write_value(v, [0, 5])\nprint(tg.read_value(s))\ntg.run(2)\nprint(tg.read_value(s), tg.read_value(v))", "4.0 [4, 5]\n10.0\n12.0 [2, 7]\n"},
		{"reset", "tg = run(3, s, v)\ntg.reset()\nprint(tg.read_value(s), tg.read_value(v))\ntg.run()\nprint(tg.read_value(s), tg.read_value(v))", "4.0 [4, 5]\n1.0 [1, 2]\n2.0 [2, 3]\n"},
		{"reset leaves inputs", "x = cp.value(1.0)\ntg = run(1, s * x)\ntg.write_value(x, 3.0)\ntg.reset()\ntg.run()\nprint(tg.read_value(x), tg.read_value(s))", "1.0\n3.0 2.0\n"},
		{"compiled again", "tg = run(3, s)\ntg.compile(s)\ntg.run()\nprint(tg.read_value(s))", "4.0\n2.0\n"},
		{"of another program", "tg = run(1, s)\nprint(tg.read_value(v))\ntg.write_value(v, [7, 8])\nprint(tg.read_value(v))", "2.0\n[1, 2]\n[7, 8]\n"},
		{"written before a run", "y = s - 1\ntg = cp.Target()\ntg.compile(y)\ntg.write_value(s, 4.0)\nprint(tg.read_value(s))\ntg.run()\nprint(tg.read_value(y), tg.read_value(s))", "4.0\n3.0 5.0\n"},
		{"globals are read by name", "h = s * 3\ny = h + 1\ntg = run(2, y)\nprint(tg.read_value(h), tg.read_value(s))", "7.0\n6.0 3.0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := runText(t, keep+head+c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
		})
	}
}

// TestStateMistakes checks that wrong uses name the line and say what to do.
func TestStateMistakes(t *testing.T) {
	checkMistakes(t, []mistake{
		{"no initial value", "s = cp.state()", "TypeError", "missing", "", 2},
		{"traced initial value", "x = cp.value(1.0)\ns = cp.state(x)", "TypeError", "must be known", "cp.state(0.0)", 3},
		{"traced element", "x = cp.value(1.0)\ns = cp.state([1, x])", "TypeError", "must be known", "cp.state(0.0)", 3},
		{"text", "s = cp.state('a')", "TypeError", "not 'str'", "", 2},
		{"nothing", "s = cp.state([])", "ValueError", "no elements", "", 2},
		{"ragged", "s = cp.state([[1], [1, 2]])", "ValueError", "row 1", "", 2},
		{"twice", "s = cp.state(1.0)\ns.next = s\n\ns.next = s + 1", "ValueError", "already, in line 3", "assign it once", 5},
		{"added to before it is there", "s = cp.state(1.0)\ns.next += 1", "AttributeError", "no next value yet", "assign it first", 3},
		{"no state", "x = cp.value(1.0)\nx.next = 1", "AttributeError", "'value' is not a state", "cp.state(initial)", 3},
		{"no state, vector", "x = cp.vector([1, 2])\nx.next = x", "AttributeError", "'vector' is not a state", "cp.state(initial)", 3},
		{"computed", "s = cp.state(1.0)\n(s + 1).next = 1", "AttributeError", "'value' is not a state", "cp.state(initial)", 3},
		{"float for an int", "s = cp.state(0)\ns.next = s + 0.5", "TypeError", "the state is of type int, its next value of type float", "line 2 an initial value of type float", 3},
		{"int for a bool", "s = cp.state(True)\ns.next = s + 1", "TypeError", "of type bool, its next value of type int", "convert", 3},
		{"number for a vector", "v = cp.state([1.0, 2.0])\nv.next = v.sum()", "ValueError", "an array of shape (2,), its next value a single number", "line 2", 3},
		{"vector for a number", "v = cp.state(1.0)\nv.next = [v, v]", "ValueError", "the state is a single number, its next value an array of shape (2,)", "line 2", 3},
		{"lengths", "v = cp.state([1.0, 2.0])\nv.next = v[:1]", "ValueError", "its next value an array of shape (1,)", "line 2", 3},
		{"next is text", "s = cp.state(1.0)\ns.next = 'a'", "TypeError", "not 'str'", "", 3},
		{"no next value", "s = cp.state(1.0)\ny = s + 1\ncp.Target().compile(y)", "ValueError", "the state 's' that line 2 makes has no next value", "s", 4},
		{"no next value of one that is needed by another", "a = cp.state(1.0)\nb = cp.state(2.0)\na.next = b\ncp.Target().compile(a)", "ValueError", "the state 'b' that line 3 makes", "next = ...", 5},
		{"reset before compile", "cp.Target().reset()", "RuntimeError", "no program", "tg.compile", 2},
		{"read what was not compiled", "s = cp.state(1.0)\ns.next = s + 1\ntg = cp.Target()\ntg.compile(s)\ntg.run()\ntg.read_value(s * 2)", "ValueError", "cannot be repeated", "tg.compile", 7},
		{"write a result", "s = cp.state(1.0)\ns.next = s + 1\ntg = cp.Target()\ntg.compile(s)\ntg.write_value(s.next, 1)", "ValueError", "computed value", "cp.state", 6},
		{"if", "s = cp.state(1.0)\nif s > 0: pass", "TypeError", "not known while", "cp.iif", 3},
	})
}

// TestStatesPage runs the program of the page about states.
func TestStatesPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/states.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "```python\n")
	require.True(t, ok)
	program, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	out, err := runText(t, program+"print(tg.read_value(total), tg.read_value(mean))\n")
	require.NoError(t, err)
	assert.Equal(t, "3.0\n0.0 [0.0, 0.0]\n", out)
}

// TestTicksAreSteps checks that one tick per run with states gives the digits of
// all ticks unrolled.
func TestTicksAreSteps(t *testing.T) {
	unrolled, err := os.ReadFile("../../examples/pid.out")
	require.NoError(t, err)
	ticks, err := os.ReadFile("../../examples/pid_state.py")
	require.NoError(t, err)
	out, err := runText(t, string(ticks))
	require.NoError(t, err)
	require.NotEmpty(t, unrolled)
	assert.True(t, strings.HasPrefix(out, string(unrolled)), "%s", out)
}
