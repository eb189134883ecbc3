package sched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lir/lirtest"
)

// program builds one block.
type program struct {
	f   *lir.Func
	ins []lir.Ins
}

func newProgram() *program {
	return &program{f: &lir.Func{Values: make([]lir.Value, 1), Data: &lir.Data{}}}
}

func (p *program) word() lir.Val { return p.f.NewHomed(lir.Float, p.f.Data.Word(0)) }

func (p *program) add(a, b lir.Val) lir.Val {
	d := p.f.NewVal(lir.Float)
	p.ins = append(p.ins, lir.Ins{Op: lirtest.Add, A: a, B: b, D: d})
	return d
}

// run schedules with sum as the only output and returns the new order.
func (p *program) run(t *testing.T, m *lir.Machine, sum lir.Val) []lir.Ins {
	p.ins = append(p.ins, lir.Ins{Op: lirtest.StoreF, A: sum, Imm: uint32(p.f.Data.Slot())})
	b := &lir.Block{Ins: p.ins}
	p.f.Items = []lir.Item{{Block: b}}
	require.NoError(t, p.f.Check(m))
	Run(p.f, m)
	require.NoError(t, p.f.Check(m), "definitions come before uses")
	require.Len(t, b.Ins, len(p.ins))
	return b.Ins
}

// mostAlive is the largest number of values defined in the block that are alive
// at one time.
func mostAlive(ins []lir.Ins) int {
	last, defined := map[lir.Val]int{}, map[lir.Val]bool{}
	for k, i := range ins {
		for _, a := range i.Args() {
			last[a] = k
		}
		defined[i.D] = true
	}
	alive, most := 0, 0
	for k, i := range ins {
		args := i.Args()
		slices.Sort(args[:])
		for j, a := range args {
			if a != 0 && defined[a] && last[a] == k && (j == 0 || args[j-1] != a) {
				alive--
			}
		}
		if i.D != 0 {
			alive++
		}
		most = max(most, alive)
	}
	return most
}

// TestChainsAdvanceInStep schedules ten sums of products, written one after the
// other, and expects that no two additions to one sum follow each other closely.
func TestChainsAdvanceInStep(t *testing.T) {
	const chains, length = 10, 50
	m := lirtest.Machine(14, 8, true)
	p := newProgram()
	x := make([]lir.Val, length)
	for k := range x {
		x[k] = p.word()
	}
	owner := map[lir.Val]int{}
	var sums []lir.Val
	for c := range chains {
		w := p.word()
		sum := p.add(x[0], w)
		for k := 1; k < length; k++ {
			sum = p.add(sum, p.add(x[k], w))
			owner[sum] = c + 1
		}
		sums = append(sums, sum)
	}
	total := sums[0]
	for _, s := range sums[1:] {
		total = p.add(total, s)
	}
	ins := p.run(t, m, total)
	at := map[int]int{}
	close := 0
	for k, i := range ins {
		if c := owner[i.D]; c > 0 {
			if last, ok := at[c]; ok && k-last < chains {
				close++
			}
			at[c] = k
		}
	}
	require.Less(t, close, chains*length/20, "additions to one sum less than %d instructions apart", chains)
	require.LessOrEqual(t, mostAlive(ins), 14)
}

// TestWideTreeFitsRegisters schedules the sum of 4096 products as a balanced
// tree, whose leaves are all ready at the start.
func TestWideTreeFitsRegisters(t *testing.T) {
	p := newProgram()
	level := make([]lir.Val, 4096)
	for k := range level {
		level[k] = p.add(p.word(), p.word())
	}
	for len(level) > 1 {
		var up []lir.Val
		for k := 0; k < len(level); k += 2 {
			up = append(up, p.add(level[k], level[k+1]))
		}
		level = up
	}
	ins := p.run(t, lirtest.Machine(16, 8, true), level[0])
	require.LessOrEqual(t, mostAlive(ins), 16)
}

// TestLongestChainFirst schedules a long chain beside many short ones and
// expects the long one to begin at once and to go on all the time.
func TestLongestChainFirst(t *testing.T) {
	p := newProgram()
	w := p.word()
	var short []lir.Val
	for range 400 {
		short = append(short, p.add(p.word(), w))
	}
	long := w
	chain := map[lir.Val]bool{}
	for range 100 {
		long = p.add(long, p.word())
		chain[long] = true
	}
	for _, s := range short {
		long = p.add(long, s)
	}
	ins := p.run(t, lirtest.Machine(16, 8, false), long)
	seen := 0
	for _, i := range ins[:400] {
		if chain[i.D] {
			seen++
		}
	}
	require.GreaterOrEqual(t, seen, 80)
}

func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var h heap
	var want []uint64
	for k := range int32(1000) {
		key := makeKey(rng.Int32N(50), k)
		h.push(key)
		want = append(want, key)
	}
	slices.Sort(want)
	slices.Reverse(want)
	for _, w := range want {
		require.Equal(t, w, h[0])
		require.Equal(t, makeKey(keyPriority(w), keyIndex(w)), w)
		h.pop()
	}
	require.Empty(t, h)
}

// TestEqualEveryTime: the order must not depend on anything but the block.
func TestEqualEveryTime(t *testing.T) {
	m := lirtest.Machine(8, 6, true)
	order := func() []lir.Item {
		f := lirtest.Random(rand.New(rand.NewPCG(5, 6)), 300, 5)
		Run(f, m)
		return f.Items
	}
	require.Equal(t, order(), order())
}
