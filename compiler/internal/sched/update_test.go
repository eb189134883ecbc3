package sched_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
	"github.com/copaflash/copaflash/compiler/internal/sched"
)

// TestUpdates: updates keep their order, behind everything else.
func TestUpdates(t *testing.T) {
	updates := 0
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 7))
		f := lirtest.Random(rng, 5+rng.IntN(100), 5)
		last := f.Items[len(f.Items)-1].Block
		if last == nil {
			continue
		}
		want := last.Updates
		m := lirtest.Machine(8, 6, true)
		m.InOrder = seed%2 == 0
		sched.Run(f, m)
		require.NoError(t, f.Check(m), "seed %d", seed)
		require.Empty(t, last.Updates)
		require.Equal(t, want, last.Ins[len(last.Ins)-len(want):], "seed %d", seed)
		updates += len(want)
	}
	require.Greater(t, updates, 100)
}
