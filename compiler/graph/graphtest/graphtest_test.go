package graphtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

func random(seed uint64, cfg Config) (*graph.Graph, []graph.Value) {
	return Random(rand.New(rand.NewPCG(seed, 7)), cfg)
}

// Every op occurs on every operand type that it takes, in what the outputs
// need, and often.
func TestCoversTheOpTable(t *testing.T) {
	type use struct {
		op graph.Op
		t  graph.DType
	}
	seen := map[use]int{}
	for seed := range uint64(1500) {
		g, outs := random(seed, Config{Arrays: seed%2 == 0})
		require.NotEmpty(t, outs)
		require.NoError(t, g.Err())
		require.NoError(t, graph.Check(g))
		ids := make([]graph.ID, len(outs))
		for i, v := range outs {
			ids[i] = v.ID()
		}
		for id, n := range g.Users(ids) {
			if args := g.Args(graph.ID(id)); n > 0 && len(args) > 0 {
				seen[use{g.Node(graph.ID(id)).Op, g.Node(args[len(args)-1]).DType}]++
			}
		}
	}
	all := graph.New()
	for op := range graph.NumOps {
		info := op.Info()
		if info.Sig == graph.SigSource {
			continue
		}
		for dt := graph.Bool; dt <= graph.F32; dt++ {
			shape := graph.Shape{}
			if op == graph.OpDot {
				shape = graph.Shape{2}
			} else if !info.Elementwise && op != graph.OpStack {
				shape = graph.Shape{2, 2}
			}
			args := make([]graph.Value, max(info.Arity, 1))
			for i := range args {
				args[i], _ = all.Input("", dt, shape, nil)
			}
			v, err := all.Apply(op, args...)
			if info.Attr == graph.AttrIndex || info.Attr == graph.AttrSlice || op == graph.OpReshape || op == graph.OpBroadcast {
				err = nil // any type; they have methods of their own
			} else if err == nil && (v.Op() != op || all.Node(all.Args(v.ID())[len(args)-1]).DType != dt) {
				continue // converted before
			}
			if err == nil {
				require.Greater(t, seen[use{op, dt}], 10, "%v on %v", op, dt)
			}
		}
	}
}

func TestEqualSeedsGiveEqualGraphs(t *testing.T) {
	a, _ := random(5, Config{Arrays: true})
	b, _ := random(5, Config{Arrays: true})
	c, _ := random(6, Config{Arrays: true})
	require.Equal(t, a.String(), b.String())
	require.NotEqual(t, a.String(), c.String())
}

func TestConfigIsKept(t *testing.T) {
	for seed := range uint64(100) {
		_, outs := random(seed, Config{Arrays: true, Size: 4, DTypes: []graph.DType{graph.F32}, Ops: 20})
		for _, v := range outs {
			require.Equal(t, graph.F32, v.DType())
			require.LessOrEqual(t, v.Shape().Elements(), 16)
		}
		plain, outs := random(seed, Config{})
		for id := range plain.NumNodes() {
			require.Empty(t, plain.ShapeOf(graph.ID(id)), "no arrays")
		}
		require.LessOrEqual(t, len(outs), maxOutputs)
		_, outs = random(seed, Config{Only: []graph.Op{graph.OpAdd, graph.OpSin}, DTypes: []graph.DType{graph.F32}})
		for _, v := range outs {
			require.True(t, slices.Contains([]graph.Op{graph.OpAdd, graph.OpSin, graph.OpInput, graph.OpConst}, v.Op()))
		}
	}
}
