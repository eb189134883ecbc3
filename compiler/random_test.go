package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

// TestRandomGraphs compares 2000 random graphs with the reference interpreter,
// outputs and sticky flags bit for bit, in every way of unrolling.
func TestRandomGraphs(t *testing.T) {
	const graphs = 2000
	modes := []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for seed := range uint64(graphs) {
			rng := rand.New(rand.NewPCG(seed, 1))
			cfg := graphtest.Config{Ops: 10 + rng.IntN(120), Size: 2 + rng.IntN(24), Arrays: seed%4 != 0, States: seed%5 < 2}
			g, outs := graphtest.Random(rng, cfg)
			mode := modes[seed%3]
			jobs = append(jobs, newJob(t, fmt.Sprintf("seed %d mode %d", seed, mode), g, outs, compiler.Options{Arch: m.arch, Unroll: mode}))
		}
		m.runJobs(t, jobs)
	})
}
