package sched

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

// inOrderCycles is the time that a core takes for the instructions which starts
// two of them in a cycle, in order, when their operands are there.
func inOrderCycles(ins []lir.Ins, m *lir.Machine) int32 {
	ready := map[lir.Val]int32{}
	now, started, end := int32(0), 0, int32(0)
	for _, i := range ins {
		at := max(ready[i.A], ready[i.B], ready[i.C])
		if at > now {
			now, started = at, 0
		}
		done := now + int32(m.Ops[i.Op].Latency)
		ready[i.D], ready[i.E] = done, done
		end = max(end, done)
		if started++; started == issueWidth {
			now, started = now+1, 0
		}
		ready[0] = 0
	}
	return end
}

func TestSpreadSavesWaiting(t *testing.T) {
	build := func(inOrder bool) int32 {
		m := lirtest.Machine(30, 9, false)
		m.InOrder = inOrder
		p := newProgram()
		var total lir.Val
		x := make([]lir.Val, 40)
		for k := range x {
			x[k] = p.word()
		}
		for range 10 {
			w := p.word()
			sum := p.add(x[0], w)
			for _, y := range x[1:] {
				sum = p.add(sum, p.add(p.add(y, w), w))
			}
			if total == 0 {
				total = sum
			} else {
				total = p.add(total, sum)
			}
		}
		ins := p.run(t, m, total)
		require.LessOrEqual(t, mostAlive(ins), 28)
		return inOrderCycles(ins, m)
	}
	before, after := build(false), build(true)
	t.Logf("%d cycles in order, %d spread, for %d instructions", before, after, 10*40*3)
	require.Less(t, float64(after), 0.4*float64(before))
	require.Less(t, after, int32(10*40*3)) // less than one cycle for each
}

func TestSpreadKeepsOrderRight(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := lirtest.Machine(12, 8, seed%2 == 0)
		m.InOrder = true
		f := lirtest.Random(rng, 20+rng.IntN(200), 5)
		Run(f, m)
		require.NoError(t, f.Check(m))
	}
}
