package sched_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
	"github.com/copaflash/copaflash/compiler/internal/sched"
)

// TestFences: what stands before a fence stays there, and of the fence nothing is left.
func TestFences(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 8))
		f := lirtest.Random(rng, 20+rng.IntN(100), 5)
		b := f.Items[0].Block
		if b == nil {
			continue
		}
		at := rng.IntN(len(b.Ins) + 1)
		before, behind := slices.Clone(b.Ins[:at]), slices.Clone(b.Ins[at:])
		b.Ins = slices.Insert(b.Ins, at, lir.Ins{Op: lir.Of(lir.Fence, graph.I32)})
		m := lirtest.Machine(8, 6, true)
		m.InOrder = seed%2 == 0
		m.Ops[lir.Of(lir.Test, graph.I32)].Valid = false // comparisons stay as they are
		updates := len(b.Updates)
		sched.Run(f, m)
		require.NoError(t, f.Check(m), "seed %d", seed)
		require.ElementsMatch(t, before, b.Ins[:at], "seed %d", seed)
		require.ElementsMatch(t, behind, b.Ins[at:len(b.Ins)-updates], "seed %d", seed)
	}
}
