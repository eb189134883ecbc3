package target

import (
	"context"
	"encoding/binary"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
)

// emulated are boards of three architectures, and the program that emulates each.
var emulated = map[string]string{
	"qemu:mps2-an386":   "qemu-system-arm",
	"qemu:rpi3":         "qemu-system-aarch64",
	"qemu:riscv-virt32": "qemu-system-riscv32",
}

// eachPlace tests every kind of target.
func eachPlace(t *testing.T, test func(t *testing.T, dev Target)) {
	names := append(localNames(t), Oracle)
	for name := range emulated {
		names = append(names, name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if program := emulated[name]; program != "" {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip("SKIP:", err)
				}
			}
			dev, err := Open(t.Context(), name, Options{})
			require.NoError(t, err)
			defer dev.Close()
			test(t, dev)
		})
	}
}

// wandering is a program with states whose bits depend on how often it has run.
type wandering struct {
	device.Program
	reads []device.Span // a count, and a float
}

func loadWandering(t *testing.T, dev device.Device) *wandering {
	t.Helper()
	g := graph.New()
	count, err := g.State("count", graph.I32, nil, []uint32{0})
	require.NoError(t, err)
	require.NoError(t, g.SetNext(count, count.Add(g.I32(1))))
	x, err := g.State("x", graph.F32, nil, []uint32{0})
	require.NoError(t, err)
	require.NoError(t, g.SetNext(x, x.Sin().Add(x.Mul(g.F32(0.7))).Add(g.F32(0.3))))
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "count", Value: count}, {Name: "x", Value: x}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	return &wandering{p, []device.Span{device.SpanOf(prog.Output(0)), device.SpanOf(prog.Output(1))}}
}

// TestTicks: everywhere, ticks are counted, change the states as runs do, and start no sooner
// than they are due. How late they are a busy machine decides, and nothing is asked of that.
func TestTicks(t *testing.T) {
	const n, period = 200, time.Millisecond
	oracle, err := Open(t.Context(), Oracle, Options{})
	require.NoError(t, err)
	defer oracle.Close()
	p := loadWandering(t, oracle)
	want, err := p.Call(t.Context(), device.Call{Runs: n, Reads: p.reads})
	require.NoError(t, err)
	require.Nil(t, want.Timing)
	require.EqualValues(t, n, binary.LittleEndian.Uint32(want.Data[0]))

	eachPlace(t, func(t *testing.T, dev Target) {
		p, timed := loadWandering(t, dev), 0
		start := time.Now()
		r, err := p.Call(t.Context(), device.Call{Runs: n, Period: period, Reads: p.reads, Timed: func(time.Duration) { timed++ }})
		took := time.Since(start)
		require.NoError(t, err)
		assert.Equal(t, want.Data, r.Data)
		assert.Equal(t, n, timed)
		got := r.Timing
		require.NotNil(t, got)
		assert.Equal(t, period, got.Period)
		assert.Equal(t, n, got.Ticks)
		assert.Equal(t, dev.Name() == Oracle, got.Unpaced)
		assert.LessOrEqual(t, got.Execution.Min, got.Execution.Mean)
		assert.LessOrEqual(t, got.Execution.Mean, got.Execution.Max)
		assert.Positive(t, got.Execution.Max)
		assert.Equal(t, r.Total/n, got.Execution.Mean)
		switch dev.(type) {
		case oracleTarget:
			assert.Zero(t, got.Late)
			assert.Equal(t, &device.Starts{}, got.Starts)
			return
		case *InProcess:
			require.NotNil(t, got.Starts)
			assert.Positive(t, got.Starts.Worst)
			assert.LessOrEqual(t, got.Starts.Jitter, got.Starts.Worst)
		default:
			assert.Nil(t, got.Starts, "a runner does not tell")
		}
		assert.GreaterOrEqual(t, took, (n-1)*period)
		assert.Less(t, got.Late, n)

		r, err = p.Call(t.Context(), device.Call{Runs: 1, Reads: p.reads})
		require.NoError(t, err)
		assert.Nil(t, r.Timing)
		assert.EqualValues(t, n+1, binary.LittleEndian.Uint32(r.Data[0]))
	})
}

// TestLateTicks: of a program that takes longer than its period every tick but the first is late.
func TestLateTicks(t *testing.T) {
	const n = 20
	eachPlace(t, func(t *testing.T, dev Target) {
		p := loadTurning(t, dev, 3000)
		r, err := p.Call(t.Context(), device.Call{Runs: n, Period: time.Microsecond, Reads: []device.Span{p.count}})
		require.NoError(t, err)
		require.EqualValues(t, n, binary.LittleEndian.Uint32(r.Data[0]))
		require.Equal(t, n, r.Timing.Ticks)
		if dev.Name() == Oracle {
			require.Zero(t, r.Timing.Late)
			return
		}
		require.Greater(t, r.Timing.Execution.Min, time.Microsecond)
		require.Equal(t, n-1, r.Timing.Late)
		if s := r.Timing.Starts; s != nil {
			require.GreaterOrEqual(t, s.Worst, r.Total-r.Timing.Execution.Max-n*time.Microsecond, "later ticks are due as if none were late")
		}

		seemsLong(p.Program, true) // and goes to the sandbox, if there is one
		r, err = p.Call(t.Context(), device.Call{Runs: n, Period: time.Microsecond, Reads: []device.Span{p.count}})
		require.NoError(t, err)
		require.Equal(t, n-1, r.Timing.Late)
		require.EqualValues(t, 2*n, binary.LittleEndian.Uint32(r.Data[0]))
	})
}

// TestTicksAreCancelled: between two ticks, however far apart they are.
func TestTicksAreCancelled(t *testing.T) {
	eachPlace(t, func(t *testing.T, dev Target) {
		for _, period := range []time.Duration{time.Millisecond, 5 * time.Second} { // of which every timer keeps count
			ticks := uint32(0)
			for after := 50 * time.Millisecond; ticks == 0; after *= 2 { // a busy machine has no tick so soon
				p := loadTurning(t, dev, 10)
				ctx, cancel := context.WithTimeout(t.Context(), after)
				start := time.Now()
				_, err := p.Call(ctx, device.Call{Runs: 1 << 30, Period: period})
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Less(t, time.Since(start), time.Minute)
				ticks = p.counted(t)
				p.Release()
			}
		}
	})
}

// TestPeriodsThatNobodyKeeps are refused before anything has run.
func TestPeriodsThatNobodyKeeps(t *testing.T) {
	eachPlace(t, func(t *testing.T, dev Target) {
		p := loadTurning(t, dev, 10)
		for _, period := range []time.Duration{-time.Second, time.Nanosecond, device.MaxPeriod + time.Second} {
			_, err := p.Call(t.Context(), device.Call{Runs: 3, Period: period})
			require.ErrorContains(t, err, "want 1µs to 1h11m34.967295s")
		}
		require.Zero(t, p.counted(t))
	})
}

// TestPeriodsBeyondASmallTimer: microcontrollers count 2^30 of their timer, and what is longer is refused with the reason.
func TestPeriodsBeyondASmallTimer(t *testing.T) {
	needs(t, "qemu:mps2-an386")
	dev, err := OpenRunner(t.Context(), "qemu:mps2-an386", Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	p := loadTurning(t, dev, 10)
	_, err = p.Call(t.Context(), device.Call{Runs: 2, Period: time.Hour})
	require.ErrorContains(t, err, "a period of 3600 s: the runner's timer of 25000000 Hz cannot keep that")
	require.Zero(t, p.counted(t))
}
