package vm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// traced is a minimal host value: every operation adds a node with its
// position to a graph, as a tracer does.
type traced struct {
	g  *[]node
	id int32
}

type node struct {
	a, b int32
	op   vm.BinaryOp
	pos  vm.Pos
}

var tracedClass = vm.NewClass("traced", nil, nil)

func (*traced) PyClass() *vm.Class { return tracedClass }

func (x *traced) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	n := node{a: x.id, b: -1, op: op, pos: t.Pos()}
	switch y := other.(type) {
	case *traced:
		n.b = y.id
	case float64, int64:
	default:
		return vm.NotImplemented, nil
	}
	if reflected {
		n.a, n.b = n.b, n.a
	}
	*x.g = append(*x.g, n)
	return &traced{x.g, int32(len(*x.g) - 1)}, nil
}

// benchmark runs a loop of b.N rounds.
func benchmark(b *testing.B, setup, body string, opsPerRound int) {
	src := fmt.Sprintf("%s\nfor i in range(%d):\n    %s\n", setup, b.N, body)
	t := vm.NewThread(vm.Options{Builtins: map[string]vm.Value{"x": &traced{g: new([]node)}}})
	b.ReportAllocs()
	b.ResetTimer()
	_, err := t.Run("bench", []byte(src))
	b.StopTimer()
	require.NoError(b, err)
	b.ReportMetric(float64(b.N*opsPerRound)/b.Elapsed().Seconds()/1e6, "Mops/s")
}

func BenchmarkTrace(b *testing.B) { benchmark(b, "x = x\nc = 2.5\nd = x", "x = x*c + d", 2) }
func BenchmarkTraceFunc(b *testing.B) {
	benchmark(b, "def run(f, n, x): return f(x)\ndef f(x): return x*2.5 + x\ny = x", "x = f(y)", 2)
}
func BenchmarkFloat(b *testing.B) { benchmark(b, "z = 0.5", "z = z*0.5 + 1.5", 2) }
func BenchmarkInt(b *testing.B)   { benchmark(b, "z = 0", "z = (z + i) % 1000", 2) }
func BenchmarkCall(b *testing.B)  { benchmark(b, "def f(a, b): return a", "f(i, 1)", 1) }
func BenchmarkList(b *testing.B)  { benchmark(b, "a = [0] * 10", "a[i % 10] += 1", 2) }
func BenchmarkMethod(b *testing.B) {
	benchmark(b, "class A:\n    def __init__(self): self.x = 0\n    def m(self): self.x += 1\na = A()", "a.m()", 1)
}

// BenchmarkBuiltin calls methods and functions that are rows of tables.
func BenchmarkBuiltin(b *testing.B) {
	for _, c := range []struct{ name, setup, call string }{
		{"append", "a = []", "a.append(i)"},
		{"get", "d = {1: 2}", "d.get(i, 0)"},
		{"find", "s = 'abcdefgh'", "s.find('e')"},
		{"upper", "s = 'abcdefgh'", "s.upper()"},
		{"add", "s = set()", "s.add(7)"},
		{"len", "a = [1]", "len(a)"},
		{"min", "", "min(i, 3)"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.setup, c.call, 1) })
	}
}

// BenchmarkStart is a whole short script: parse, compile and run.
func BenchmarkStart(b *testing.B) {
	src := []byte("def f(a, b=2, *c):\n    return [a * i + b for i in range(10)]\nprint(f(3), f'{f(2)[0]:.3f}')\n")
	for range b.N {
		var out bytes.Buffer
		_, err := newThread(&out, vm.Limits{}).Run("bench", src)
		require.NoError(b, err)
	}
}
