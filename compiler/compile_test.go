package compiler_test

import (
	"testing"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

func forEachMachine(t *testing.T, do func(t *testing.T, m *machine)) {
	for i := range machines {
		m := &machines[i]
		t.Run(m.arch, func(t *testing.T) { do(t, m) })
	}
}

func TestFirstSteps(t *testing.T) {
	forEachMachine(t, func(t *testing.T, m *machine) {
		g := graph.New()
		a, b := g.InputF32("a", 1.5), g.InputF32("b", 0.25)
		c := a.Add(b.Mul(g.F32(2)))
		s := c.Sin().Add(c.Cos())
		i := g.InputI32("i", 7)
		q := i.FloorDiv(g.InputI32("z", 0))
		j := newJob(t, "first", g, []graph.Value{c, s, q, a, g.F32(3)}, compiler.Options{Arch: m.arch})
		m.runJobs(t, []*job{j})
	})
}
