package script_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// compiled runs a script and returns its programs.
func compiled(t *testing.T, text string) []*compiler.Program {
	t.Helper()
	var programs []*compiler.Program
	opt := script.Options{
		Stdout:   &bytes.Buffer{},
		Compiled: func(s *copapy.Stats) { programs = append(programs, s.Program) },
		Open:     func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
	}
	file := filepath.Join(t.TempDir(), "t.py")
	require.NoError(t, os.WriteFile(file, []byte("import copapy as cp\n"+text), 0o644))
	require.NoError(t, script.Run(t.Context(), file, opt))
	return programs
}

// ops is how often a program carries out an operation.
func ops(p *compiler.Program, name string) int {
	for _, o := range p.Image.Budget.Ops {
		if o.Name == name {
			return int(o.Count)
		}
	}
	return 0
}

// The product with a sparse mask that is known costs as many multiplications as the
// mask has non-zeros, in a fast program, in a fast expression, and for integers always.
func TestSparseMask(t *testing.T) {
	const masked = `
n = 100
v = cp.vector([cp.value(V) for i in range(n)])
w = cp.vector([cp.value(V) for i in range(n)])
mask = cp.matrix([[1 if i == j and i % 3 == 0 else 0 for j in range(n)] for i in range(n)])
BODY
tg.compile(y)
tg.run()
assert [i for i in range(n) if tg.read_value(y)[i]] == list(range(0, n, 3))
`
	const product = "y = (cp.diagonal(v) * mask) @ w"
	for _, c := range []struct {
		name, value, body, op string
		muls                  int
		fast                  image.Fast
	}{
		{"program", "1.5", "tg = cp.Target(fast=True)\n" + product, "mul.f32", 34, image.FastWhole},
		{"expression", "1.5", "tg = cp.Target()\nwith cp.fast(): " + product, "mul.f32", 34, image.FastParts},
		{"function", "1.5", "tg = cp.Target()\ny = cp.fast(lambda: (cp.diagonal(v) * mask) @ w)()", "mul.f32", 34, image.FastParts},
		{"integers", "2", "tg = cp.Target()\n" + product, "mul.i32", 34, image.Strict},
		{"strict", "1.5", "tg = cp.Target()\n" + product, "mul.f32", 100*100 + 100*100, image.Strict},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs := compiled(t, strings.NewReplacer("V", c.value, "BODY", c.body).Replace(masked))
			require.Len(t, programs, 1)
			require.Equal(t, c.muls, ops(programs[0], c.op))
			require.Equal(t, c.fast, programs[0].Image.Fast)
		})
	}
}

// What is known is folded, and what is exact is left out, without fast as well.
func TestExactWithoutFast(t *testing.T) {
	p := compiled(t, `
i = cp.value(3)
x = cp.value(2.5)
a = (i + 1) + 2 - i * 0
b = x * 1.0 / 4.0 + (2.0 ** 0.5) * 0.0
tg = cp.Target()
tg.compile(a, b)
`)[0]
	require.Equal(t, image.Strict, p.Image.Fast)
	require.Equal(t, 1, ops(p, "add.i32"))
	require.Zero(t, ops(p, "mul.i32"))
	require.Equal(t, 1, ops(p, "mul.f32"))
	require.Zero(t, ops(p, "div.f32"))
}

const marked = `
x = cp.value(0.3)
def f(x): return (x * 3.0 + x * 4.0) * 0.5 / 7.0
before = f(x)
with cp.fast():
    with cp.fast():
        y = f(x)
    z = y + 1.0 + 2.0
slope = cp.grad(z, x)
try:
    with cp.fast(): raise ValueError
except ValueError: pass
after = f(x)
assert after is not None
tg = cp.Target()
`

// The mark is on what is made in its block only; it goes through graph files and
// into gradients.
func TestFastMarks(t *testing.T) {
	strict := compiled(t, marked+"tg.compile(before, after)")[0]
	require.Equal(t, image.Strict, strict.Image.Fast)
	require.Equal(t, 3, ops(strict, "mul.f32"))
	require.Equal(t, 1, ops(strict, "div.f32"))

	p := compiled(t, marked+"tg.compile(z)")[0]
	require.Equal(t, image.FastParts, p.Image.Fast)
	require.Equal(t, 1, ops(p, "mul.f32"), "x * 0.5")
	require.Equal(t, 1, ops(p, "add.f32"), "+ 3")

	slope := compiled(t, marked+"tg.compile(slope)")[0]
	require.Equal(t, image.FastParts, slope.Image.Fast)
	require.Zero(t, slope.Image.Budget.TotalOps(), "a constant")

	f := &graphfile.File{Graph: p.Graph}
	for _, o := range p.Outputs {
		f.Outputs = append(f.Outputs, graphfile.Output{Name: o.Name, Node: o.Value.ID()})
	}
	f, err := f.Trim()
	require.NoError(t, err)
	for _, form := range []func(*graphfile.File) ([]byte, error){(*graphfile.File).CBOR, (*graphfile.File).JSON} {
		data, err := form(f)
		require.NoError(t, err)
		again, err := graphfile.Decode(data)
		require.NoError(t, err)
		var outs []compiler.Output
		for _, o := range again.Outputs {
			outs = append(outs, compiler.Output{Name: o.Name, Value: again.Graph.Value(o.Node)})
		}
		q, err := compiler.Compile(again.Graph, outs, compiler.Options{Arch: "x86_64"})
		require.NoError(t, err)
		require.Equal(t, image.FastParts, q.Image.Fast)
		require.Equal(t, p.Image.Code, q.Image.Code)
		require.Equal(t, p.Image.Data, q.Image.Data)
	}
}

func TestFastErrors(t *testing.T) {
	for text, message := range map[string]string{
		"cp.fast(1)":         "must be given a function, not 'int'",
		"with cp.fast: pass": "does not support the context manager protocol",
		"cp.Target(fast=[1, 2])\ncp.Target(fast=cp.value(1))": "cp.iif",
	} {
		_, err := runText(t, "import copapy as cp\n"+text)
		var e *vm.Error
		require.ErrorAs(t, err, &e, text)
		require.Contains(t, e.Error()+e.Hint, message, text)
	}
}

// A method under @cp.fast has its instance, and is found through a derived class and in
// the class itself; the name and the doc string are those of the method.
func TestFastMethod(t *testing.T) {
	const text = `
class Area:
    factor = 3.0
    @cp.fast
    def of(self, x, half=0.5):
        """An area."""
        return x * self.factor * half
    @staticmethod
    @cp.fast
    def twice(x):
        return x * 2.0 * 0.25
class Circle(Area):
    factor = 8.0
x = cp.value(1.0)
tg.compile(Circle().of(x), Area.of(Area(), x, half=0.25), Area().twice(x))
tg.run()
assert [tg.read_value(y) for y in (Circle().of(x), Area.of(Area(), x, half=0.25), Area().twice(x))] == [4.0, 0.75, 0.5]
assert (Area.of.__name__, Area().of.__doc__) == ('of', 'An area.')
`
	programs := compiled(t, "tg = cp.Target()\n"+text)
	require.Equal(t, 3, ops(programs[0], "mul.f32"), "one product of each, of factors that are joined")
}
