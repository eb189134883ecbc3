package script_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
)

// runCounted runs a script on a device that counts programs and calls.
func runCounted(t *testing.T, text string) (out string, d *counter, err error) {
	t.Helper()
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	d = &counter{Device: dev}
	var stdout bytes.Buffer
	err = script.Run(t.Context(), writeScript(t, text), script.Options{
		Stdout: &stdout, Open: func(context.Context) (device.Device, error) { return d, nil },
	})
	return stdout.String(), d, err
}

// TestReadingViews: what only selects and moves elements of compiled arrays is read
// from memory: one program is sent, also where it keeps states.
func TestReadingViews(t *testing.T) {
	const head = `import copapy as cp
x = cp.value(2.0)
n = cp.state([1.0, 2.0, 3.0])
n.next = n + x
v = cp.vector([cp.value(float(i)) for i in range(20)]) * x
m = v.reshape((4, 5))
k = cp.value([[1, 2, 3], [4, 5, 6]])
tg = cp.Target()
tg.compile(v, n, k)
tg.run()
`
	for _, c := range []scriptCase{
		{"twenty elements", "print([tg.read_value(v[i]) for i in range(20)] == [2.0 * i for i in range(20)], tg.read_value(v[-1]))", "True 38.0\n"},
		{"a slice", "print(tg.read_value(v[3:9:2]), tg.read_value(v[::-1])[0], tg.read_value(v[5:5]))", "[6.0, 10.0, 14.0] 38.0 []\n"},
		{"a view", "print(tg.read_value(m)[1], tg.read_value(m[1:3, 1:3]), tg.read_value(m[:, 4]))", "[10.0, 12.0, 14.0, 16.0, 18.0] [[12.0, 14.0], [22.0, 24.0]] [8.0, 18.0, 28.0, 38.0]\n"},
		{"a row and a column", "print(tg.read_value(m[2]), tg.read_value(m.T[1]), tg.read_value(k[1, 2]), tg.read_value(k[-1]))", "[20.0, 22.0, 24.0, 26.0, 28.0] [2.0, 12.0, 22.0, 32.0] 6 [4, 5, 6]\n"},
		{"transposed", "print(tg.read_value(m.T)[4], tg.read_value(k.T), tg.read_value(k.flatten()))", "[8.0, 18.0, 28.0, 38.0] [[1, 4], [2, 5], [3, 6]] [1, 2, 3, 4, 5, 6]\n"},
		{"a list of elements", "print(tg.read_value(list(v))[:3], tg.read_value([v[1], (v[2], [v[3], 7])]), tg.read_value([e for e in v][-2:]))", "[0.0, 2.0, 4.0] [2.0, (4.0, [6.0, 7])] [36.0, 38.0]\n"},
		{"made of elements", "print(tg.read_value(cp.vector([v[1], 0.5, x])), tg.read_value(cp.concat([v[:2], n])), tg.read_value(cp.stack([v[:2], v[2:4]])))", "[2.0, 0.5, 2.0] [0.0, 2.0, 3.0, 4.0, 5.0] [[0.0, 2.0], [4.0, 6.0]]\n"},
		{"rolled, flipped, repeated", "print(tg.read_value(cp.roll(v[:4], 1)), tg.read_value(cp.flip(n)), tg.read_value(cp.broadcast_to(n, (2, 3))), tg.read_value(v[[1, 1, 3]]))", "[6.0, 0.0, 2.0, 4.0] [5.0, 4.0, 3.0] [[3.0, 4.0, 5.0], [3.0, 4.0, 5.0]] [2.0, 2.0, 6.0]\n"},
		{"of a state", "print(tg.read_value(n[1]), tg.read_value(n[1:]))\ntg.run(2)\nprint(tg.read_value(n[1]), tg.read_value(n)[1])", "4.0 [4.0, 5.0]\n8.0 8.0\n"},
		{"of a variable", "tg.write_value(x, 3.0)\nprint(tg.read_value(cp.vector([x, x])), tg.read_value(k[0, 1]))", "[3.0, 3.0] 2\n"},
		{"written elements", "tg.write_value(n[1], 10.0)\ntg.write_value(k[1], [7, 8, 9])\ntg.write_value(k[0, :2], [0, 1])\nprint(tg.read_value(n), tg.read_value(k), tg.read_value(k[1, 1]))", "[3.0, 10.0, 5.0] [[0, 1, 3], [7, 8, 9]] 8\n"},
		{"written in any order", "tg.write_value(n[2], 1.0)\ntg.write_value(n, [4.0, 5.0, 6.0])\ntg.write_value(n[0], 9.0)\ntg.write_value(n[::-1], [30.0, 20.0, 10.0])\ntg.write_value(n[1], 5.0)\ntg.run()\nprint(tg.read_value(n))", "[12.0, 7.0, 32.0]\n"},
		{"written transposed", "tg.write_value(k.T, [[1, 2], [3, 4], [5, 6]])\nprint(tg.read_value(k))", "[[1, 3, 5], [2, 4, 6]]\n"},
		{"a quaternion", "q = cp.quaternion(v[0], v[1], v[2], v[3])\nprint(tg.read_value(q))", "quaternion(w=0.0, x=2.0, y=4.0, z=6.0)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, d, err := runCounted(t, head+c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
			assert.Equal(t, 1, d.loads)
		})
	}
}

// TestReadingFewElements: of a small array all is read at once, of a large one what is
// asked for.
func TestReadingFewElements(t *testing.T) {
	const head = "import copapy as cp\nv = cp.value([float(i) for i in range(%d)])\nw = v * 2\ntg = cp.Target()\ntg.compile(w)\ntg.run()\n"
	out, d, err := runCounted(t, strings.Replace(head, "%d", "20", 1)+"print(sum(tg.read_value(w[i]) for i in range(20)))")
	require.NoError(t, err)
	assert.Equal(t, "380.0\n", out)
	assert.Len(t, d.calls, 2, "a run, and a read of the whole array")

	out, d, err = runCounted(t, strings.Replace(head, "%d", "10000", 1)+"print(tg.read_value(w[7]), tg.read_value(w[9990:9993]))")
	require.NoError(t, err)
	assert.Equal(t, "14.0 [19980.0, 19982.0, 19984.0]\n", out)
	bytes := uint32(0)
	for _, c := range d.calls {
		for _, s := range c.Reads {
			bytes += s.Length
		}
	}
	assert.EqualValues(t, 16, bytes)
}

// TestReadingWhatIsComputed: what no memory has is computed by another program, and
// refused as before where a run cannot be repeated.
func TestReadingWhatIsComputed(t *testing.T) {
	out, d, err := runCounted(t, `import copapy as cp
v = cp.value([1.0, 2.0, 3.0])
tg = cp.Target()
tg.compile(v * 2)
tg.run()
print(tg.read_value(v + 1), tg.read_value((v + 1)[2]), tg.read_value([v[0], (v * 2)[1]]))
`)
	require.NoError(t, err)
	assert.Equal(t, "[2.0, 3.0, 4.0] 4.0 [1.0, 4.0]\n", out)
	assert.Equal(t, 2, d.loads)
	checkMistakes(t, []mistake{
		{"an element before a run", "v = cp.value([1.0, 2.0]) * 2\ntg = cp.Target()\ntg.compile(v)\ntg.read_value(v[1])", "RuntimeError", "the program has not run yet", "call tg.run() first", 5},
		{"computed beside states", "n = cp.state([1.0, 2.0])\nn.next = n * 2\ntg = cp.Target()\ntg.compile(n)\ntg.run()\ntg.read_value(n[0] + 1)", "ValueError", "this was not compiled", "give it to tg.compile", 7},
		{"an element of what is computed", "v = cp.value([1.0, 2.0]) * 2\ntg = cp.Target()\ntg.compile(v)\ntg.write_value(v[1], 3.0)", "ValueError", "a computed value", "write to variables", 5},
		{"a constant in an array", "x = cp.value(1.0)\nv = cp.vector([x, 0.5])\ntg = cp.Target()\ntg.compile(v)\ntg.write_value(v, [3.0, 4.0])", "ValueError", "element 1 is a constant of the program", "cp.value(number)", 6},
		{"too few numbers", "v = cp.value([1.0, 2.0, 3.0])\ntg = cp.Target()\ntg.compile(v)\ntg.write_value(v[:2], [3.0])", "ValueError", "numbers of shape", "", 5},
	})
}
