package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
)

// TestRandomGraphs compares random graphs, a tenth of them new in each run, with the oracle,
// outputs and sticky flags bit for bit, in every way of unrolling; one in five is fast, as a
// whole or in some of its nodes.
func TestRandomGraphs(t *testing.T) {
	graphs := extent.Of(1200, 2500)
	modes := []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		n := graphs * m.share / 100
		for _, seed := range seed.List(t, n-n/10, n/10) {
			rng := rand.New(rand.NewPCG(seed, 1))
			cfg := graphtest.Config{Ops: 10 + rng.IntN(120), Size: 2 + rng.IntN(24), Arrays: seed%4 != 0, States: seed%5 < 2, Loops: seed%3 > 0}
			if !compiler.HasDoubles(m.arch) {
				cfg.DTypes = []graph.DType{graph.Bool, graph.I32, graph.F32}
			}
			opt := compiler.Options{Arch: m.arch, Features: m.features, Unroll: modes[seed%3]}
			if seed%10 == 5 || seed%10 == 9 { // with states and without
				cfg.Fast, opt.Fast = 0.6, seed%20 < 10
			}
			g, outs := graphtest.Random(rng, cfg)
			jobs = append(jobs, newJob(t, fmt.Sprintf("seed %d mode %d", seed, opt.Unroll), g, outs, opt))
		}
		m.runJobs(t, jobs)
	})
}
