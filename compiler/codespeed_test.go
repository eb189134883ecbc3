package compiler_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/internal/gcc"
	"github.com/copaflash/copaflash/protocol/packet"
)

// cSource is a C function that computes the scalar graph in the order in which
// it was built: `void baseline(float *data)`, with the inputs in front of the
// outputs in data.
func cSource(t testing.TB, g *graph.Graph, outs ...graph.Value) string {
	binary := map[graph.Op]string{graph.OpAdd: "+", graph.OpSub: "-", graph.OpMul: "*", graph.OpDiv: "/"}
	call := map[graph.Op]string{graph.OpSin: "sinf", graph.OpCos: "cosf", graph.OpSqrt: "sqrtf", graph.OpNeg: "-", graph.OpAbs: "fabsf"}
	var values []string
	var body strings.Builder
	for id := range graph.ID(g.NumNodes()) {
		n, args := g.Node(id), g.Args(id)
		require.Equal(t, graph.Scalar, n.Shape)
		switch {
		case n.Op == graph.OpInput:
			fmt.Fprintf(&body, "const float v%d = data[%d];\n", id, len(values))
			values = append(values, fmt.Sprintf("%xf", math.Float32frombits(g.InputInfo(id).Init[0])))
		case n.Op == graph.OpConst:
			fmt.Fprintf(&body, "const float v%d = %xf;\n", id, math.Float32frombits(uint32(n.Word())))
		case binary[n.Op] != "":
			fmt.Fprintf(&body, "const float v%d = v%d %s v%d;\n", id, args[0], binary[n.Op], args[1])
		case call[n.Op] != "":
			fmt.Fprintf(&body, "const float v%d = %s(v%d);\n", id, call[n.Op], args[0])
		default:
			t.Fatalf("no C for %v", n.Op)
		}
	}
	for i, v := range outs {
		fmt.Fprintf(&body, "data[%d] = v%d;\n", len(values)+i, v.ID())
	}
	return fmt.Sprintf("#include <math.h>\nfloat baseline_data[] = {%s, %s};\nvoid baseline(float *data) {\n%s}\n",
		strings.Join(values, ", "), strings.Repeat("0, ", len(outs)), body.String())
}

// race times a program against C source and returns ns per call of both, the
// best of many rounds.
func race(t testing.TB, p *compiler.Program, source string, calls int, flags ...string) (program, baseline float64) {
	t.Helper()
	both, err := gcc.Start([]gcc.Function{
		{Code: p.Image.Code, Data: p.Image.Data, Entry: int(p.Image.Entries[0].Offset), BSS: int(p.Image.BSS)},
		{Source: source, Flags: append([]string{"-ffp-contract=off"}, flags...)},
	})
	if errors.Is(err, gcc.ErrMissing) {
		t.Skip("SKIP:", err)
	}
	require.NoError(t, err)
	defer both.Close()
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for range 300 {
		for i := range best {
			took, _, err := both.Batch(i, calls)
			require.NoError(t, err)
			best[i] = min(best[i], float64(took.Nanoseconds())/float64(calls))
		}
	}
	return best[0], best[1]
}

// dots is sum((v1+i)@v2 for i in range(10)) on vectors of n inputs: with dot
// nodes, or written out in scalars by add up.
func dots(n int, dot func(g *graph.Graph, a, b []graph.Value) graph.Value) (*graph.Graph, graph.Value) {
	g := graph.New()
	v1, v2 := inputs(g, n), inputs(g, n)
	var sum graph.Value
	for i := range 10 {
		shifted := make([]graph.Value, n)
		for k := range shifted {
			shifted[k] = v1[k].Add(g.F32(float32(i)))
		}
		if d := dot(g, shifted, v2); i == 0 {
			sum = d
		} else {
			sum = sum.Add(d)
		}
	}
	return g, sum
}

// sequential adds products one after the other, as a Python loop does.
func sequential(_ *graph.Graph, a, b []graph.Value) graph.Value {
	sum := a[0].Mul(b[0])
	for k := 1; k < len(a); k++ {
		sum = sum.Add(a[k].Mul(b[k]))
	}
	return sum
}

// lanes adds products in the order of graph.LaneTree, written out.
func lanes(_ *graph.Graph, a, b []graph.Value) graph.Value {
	var lane [8]graph.Value
	for k := range a {
		if p := a[k].Mul(b[k]); k < 8 {
			lane[k] = p
		} else {
			lane[k%8] = lane[k%8].Add(p)
		}
	}
	for w := 4; w > 0; w /= 2 {
		for j := range w {
			lane[j] = lane[j].Add(lane[j+w])
		}
	}
	return lane[0]
}

// dotNode is the dot product as one node.
func dotNode(g *graph.Graph, a, b []graph.Value) graph.Value {
	return g.StackOf(a...).Dot(g.StackOf(b...))
}

func compileFor(t testing.TB, g *graph.Graph, v graph.Value, opt compiler.Options) *compiler.Program {
	t.Helper()
	p, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: v}}, opt)
	require.NoError(t, err)
	return p
}

// BenchmarkCode compares the code for unrolled dot products with GCC's for the
// same scalar operations in the order of the trace.
func BenchmarkCode(b *testing.B) {
	for _, c := range []struct {
		name   string
		ours   func(*graph.Graph, []graph.Value, []graph.Value) graph.Value
		theirs func(*graph.Graph, []graph.Value, []graph.Value) graph.Value
	}{
		{"scalar sums", sequential, sequential},
		{"dot nodes", dotNode, lanes},
	} {
		for _, n := range []int{10, 100, 600} {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				g, v := dots(n, c.ours)
				p := compileFor(b, g, v, compiler.Options{Arch: packet.ArchX86_64.String(), Unroll: compiler.UnrollAlways})
				gc, vc := dots(n, c.theirs)
				for b.Loop() {
					ours, theirs := race(b, p, cSource(b, gc, vc), 20_000/n)
					b.ReportMetric(ours, "ns/run")
					b.ReportMetric(theirs, "gcc-ns/run")
					b.ReportMetric(ours/theirs, "ratio")
				}
			})
		}
	}
}
