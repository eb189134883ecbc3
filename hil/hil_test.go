package hil_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/session"
)

func open(t *testing.T, p *place) target.Target {
	t.Helper()
	var err error
	switch {
	case p.needs != "":
		_, err = exec.LookPath(p.needs)
	case p.qemu != nil:
		_, err = emulator.Find(p.qemu)
	}
	if err != nil {
		t.Skipf("SKIP: %v", err)
	}
	dev, err := target.Open(t.Context(), p.name, target.Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

// slower are the runs of tasks that are not in every tick, which are timed like those of the others: percent of the ticks.
var slower = map[string]int{"motor_pid": 10}

// share is the third of the examples that a board runs.
func share(cases []hil.Case, board int) (some []hil.Case) {
	for i, c := range cases {
		if (i+board)%3 == 0 {
			some = append(some, c)
		}
	}
	return some
}

// TestExamples runs every example on a target of each class: what it prints, every bit of its outputs, and timed runs.
// Boards for which another one stands share the examples, unless everything is to be tried.
func TestExamples(t *testing.T) {
	t.Parallel()
	cases, err := hil.Find("../examples")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 4)
	expected := readNotSent(t, "testdata/not_sent/examples.txt")
	runs := extent.Of(100, hil.DefaultRuns)
	for i, p := range allPlaces(t) {
		cases := cases
		if p.other && !*update {
			cases = extent.Of(share(cases, i), cases)
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dev := open(t, &p)
			r, err := hil.Run(t.Context(), dev, cases, hil.Options{Runs: runs})
			require.NoError(t, err)
			assert.Equal(t, len(cases), r.Passed+r.NotSent)
			assert.Positive(t, r.Passed)
			var lacking []string
			tried := func(name string) bool {
				return slices.ContainsFunc(cases, func(c hil.Case) bool { return c.Name == name })
			}
			defer func() { expected.check(t, p.name, lacking, tried) }()
			for _, c := range r.Results {
				if c.NotSent != "" {
					noDoubles := strings.HasSuffix(c.Name, "_f64") && !compiler.HasDoubles(dev.Arch())
					if !noDoubles {
						lacking = append(lacking, c.Name)
					}
					assert.Equal(t, noDoubles, c.NotSent == "needs float64 in hardware, which "+dev.Arch()+" does not have", "%s: %s", c.Name, c.NotSent)
					t.Logf("%s: %s", c.Name, c.NotSent)
					continue
				}
				assert.True(t, c.OK, "%s: %s", c.Name, strings.Join(c.Failures, "\n"))
				require.NotEmpty(t, c.Programs, c.Name)
				for _, prog := range c.Programs {
					assert.Positive(t, prog.Outputs, c.Name)
					assert.Equal(t, runs+runs*slower[c.Name]/100, prog.Time.Runs)
					assert.LessOrEqual(t, prog.Time.Min, prog.Time.P50)
					assert.LessOrEqual(t, prog.Time.P50, prog.Time.P99)
					assert.LessOrEqual(t, prog.Time.P99, prog.Time.Max)
					assert.Positive(t, prog.Time.Max, "the timer moves")
				}
			}
		})
	}
}

// TestRandomGraphs compares, in a place of each class or in all, random programs, arrays and special values included,
// with the oracle, bit for bit; those with states after three runs.
func TestRandomGraphs(t *testing.T) {
	t.Parallel()
	for _, p := range classPlaces(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			n := extent.Of(p.graphs/3, p.graphs)
			if testing.Short() {
				n = 50
			}
			dev := open(t, &p)
			large := 0
			for _, seed := range seed.List(t, n-n/10, n/10) {
				rng := rand.New(rand.NewPCG(seed, 20))
				cfg := graphtest.Config{Ops: 5 + rng.IntN(80), Size: 1 + rng.IntN(20), Arrays: seed%2 == 0, States: seed%3 == 0, Loops: seed%5 < 2}
				if p.tiny {
					cfg.Ops, cfg.Size, cfg.Loops = 2+rng.IntN(8), 1+rng.IntN(4), seed%10 == 0
				}
				if !compiler.HasDoubles(dev.Arch()) {
					cfg.DTypes = []graph.DType{graph.Bool, graph.I32, graph.F32}
				}
				g, values := graphtest.Random(rng, cfg)
				err := runGraph(t, dev, g, values)
				if size := (*session.SizeError)(nil); p.small && errors.As(err, &size) {
					large++
					continue
				}
				require.NoError(t, err, "graph %d:\n%s", seed, dump(g))
			}
			t.Logf("%d graphs, %d of them too large", n, large)
			require.LessOrEqual(t, 3*large, 2*n, "a third of them fits")
		})
	}
}

func runGraph(t *testing.T, dev target.Target, g *graph.Graph, values []graph.Value) error {
	outs := make([]compiler.Output, len(values))
	ids := make([]graph.ID, len(values))
	for i, v := range values {
		outs[i] = compiler.Output{Value: v}
		ids[i] = v.ID()
	}
	runs := 1
	if g.NumStates() > 0 {
		runs = 3
	}
	want, states, wantFlags, err := eval.Runs(g, ids, nil, runs)
	if err != nil {
		return err
	}
	prog, err := compiler.Compile(g, outs, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	if err != nil {
		return err
	}
	loaded, err := dev.Load(t.Context(), prog)
	if err != nil {
		return err
	}
	defer loaded.Release()
	if _, err := loaded.Call(t.Context(), device.Call{Runs: runs}); err != nil {
		return err
	}
	same := func(s *image.Symbol, want []uint32) error {
		r, err := loaded.Call(t.Context(), device.Call{Reads: []device.Span{device.SpanOf(s)}})
		if err != nil {
			return err
		}
		for k, w := range s.Decode(r.Data[0]).Bits {
			if w != want[k] {
				return fmt.Errorf("%s %s, element %d after %d runs: 0x%08x, the oracle has 0x%08x", s.Kind, s.Name, k, runs, w, want[k])
			}
		}
		return nil
	}
	for i, v := range values {
		if v.Op() == graph.OpState {
			continue // compared as such
		}
		if err := same(prog.Output(i), want[i].Bits); err != nil {
			return err
		}
	}
	for id, left := range states {
		if s, ok := prog.Variable(id); ok {
			if err := same(s, left.Bits); err != nil {
				return err
			}
		}
	}
	if flags := loaded.Flags(); uint32(flags) != wantFlags {
		return fmt.Errorf("flags %b, the oracle has %b", flags, wantFlags)
	}
	return nil
}

func dump(g *graph.Graph) string {
	var b strings.Builder
	if err := g.Dump(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestWrongExpectationFails checks that the suite can fail: by the text, by an
// error of the script, and in the reports.
func TestWrongExpectationFails(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const program = "import copapy as cp\nx = cp.value(2.0)\ny = x * x\ntg = cp.Target()\ntg.compile(y)\ntg.run()\nprint(tg.read_value(y))\n"
	write("right.py", program)
	write("right.out", "4.0\n")
	write("wrong.py", program)
	write("wrong.out", "5.0\n")
	write("broken.py", "import copapy as cp\nraise ValueError('no')\n")
	write("broken.out", "")
	write("module.py", "only = 'imported'\n")

	cases, err := hil.Find(dir)
	require.NoError(t, err)
	require.Len(t, cases, 3)
	r, err := hil.Run(t.Context(), open(t, &place{name: target.LocalName}), cases, hil.Options{Runs: 10})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Passed)
	assert.Equal(t, 2, r.Failed)
	byName := map[string]hil.Result{}
	for _, c := range r.Results {
		byName[c.Name] = c
	}
	assert.True(t, byName["right"].OK)
	assert.Contains(t, strings.Join(byName["wrong"].Failures, ""), `line 1: want "5.0", got "4.0"`)
	assert.Contains(t, strings.Join(byName["broken"].Failures, ""), "ValueError: no")

	var xml strings.Builder
	require.NoError(t, r.WriteJUnit(&xml))
	assert.Contains(t, xml.String(), `tests="3" failures="2"`)
	assert.Contains(t, xml.String(), `<failure message="output differs from what is expected`)

	r.Results = append(r.Results, hil.Result{Name: "large", NotSent: "the image needs 9000 bytes of data memory, the runner has 8192"})
	r.NotSent++
	xml.Reset()
	require.NoError(t, r.WriteJUnit(&xml))
	assert.Contains(t, xml.String(), `tests="4" failures="2" skipped="1"`)
	assert.Contains(t, xml.String(), `<skipped message="the image needs 9000 bytes`)

	_, err = hil.Find(t.TempDir())
	assert.ErrorContains(t, err, "no cases")
}

// TestTimesGrowWithTheProgram checks that the target's timer measures the program.
func TestTimesGrowWithTheProgram(t *testing.T) {
	for _, name := range []string{target.LocalName, target.SandboxName} {
		dev := open(t, &place{name: name})
		time1, time2 := timeChain(t, dev, 1000), timeChain(t, dev, 20_000)
		assert.Greater(t, time2, 5*time1, "20 times the work on %s", name)
	}
}

func timeChain(t *testing.T, dev target.Target, n int) time.Duration {
	g := graph.New()
	x := g.InputF32("x", 1)
	y := x
	for range n {
		y = y.Mul(x).Add(x)
	}
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: y}}, compiler.Options{Arch: dev.Arch()})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	var times []time.Duration
	_, err = p.Call(t.Context(), device.Call{Runs: 50, Timed: func(d time.Duration) { times = append(times, d) }})
	require.NoError(t, err)
	require.Len(t, times, 50)
	best := times[0]
	for _, d := range times {
		best = min(best, d)
	}
	return best
}
