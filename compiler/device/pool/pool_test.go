//go:build amd64 || arm64

package pool_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// simulation has inputs and states of each type, numbers and arrays, and a quotient that
// raises a flag for x = 0.
func simulation(t testing.TB, dev device.Device) *compiler.Program {
	t.Helper()
	g := graph.New()
	x := g.InputF32("x", 0.5)
	n := g.InputI32("n", 3)
	v, err := g.Input("v", graph.F64, graph.Shape{3}, []uint32{0, 0x3ff00000, 0, 0x40000000, 0, 0x40080000})
	require.NoError(t, err)
	on, err := g.Input("on", graph.Bool, nil, []uint32{1})
	require.NoError(t, err)
	speed := g.StateF32("speed", 0.25)
	count := g.StateTensor("count", graph.I32s(graph.Shape{2}, 1, -1))
	sums := g.StateTensor("sums", graph.F64s(graph.Shape{3}, 0, 1, 2))
	require.NoError(t, g.SetNext(speed, on.Select(speed.Add(x.Sub(speed.Sin()).Mul(g.F32(0.125))), x)))
	require.NoError(t, g.SetNext(count, count.Add(n)))
	require.NoError(t, g.SetNext(sums, sums.Add(v.Mul(x.ToF64()))))
	outs := []compiler.Output{
		{Name: "speed", Value: speed}, {Name: "sum", Value: sums.Sum().Add(speed.ToF64())},
		{Name: "rate", Value: n.FloorDiv(x.Mul(g.F32(4)).ToI32()).Add(count.Sum())}, {Name: "fast", Value: speed.Gt(x)},
	}
	prog, err := compiler.Compile(g, outs, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	return prog
}

func symbol(t testing.TB, prog *compiler.Program, kind image.Kind, name string) *image.Symbol {
	t.Helper()
	s, ok := prog.Image.Symbol(kind, name)
	require.True(t, ok)
	return s
}

// results are those of samples, the bits of each.
type results [][4]uint64

// simulate has a pool run the simulation for many values of x, several runs for each.
func simulate(t testing.TB, dev device.Device, prog *compiler.Program, workers, samples int) (results, device.Flags) {
	t.Helper()
	p, err := pool.New(t.Context(), dev, prog, workers)
	require.NoError(t, err)
	defer p.Close()
	x := symbol(t, prog, image.Input, "x")
	on := symbol(t, prog, image.Input, "on")
	var outs [4]*image.Symbol
	for i, name := range []string{"speed", "sum", "rate", "fast"} {
		outs[i] = symbol(t, prog, image.Output, name)
	}
	all := make(results, samples)
	require.NoError(t, p.Each(t.Context(), samples, func(w *pool.Worker, i int) error {
		w.Reset()
		w.Set(x, 0, uint64(math.Float32bits(float32(i)/8)))
		w.Set(on, 0, uint64(i%7))
		for range 1 + i%3 {
			if err := w.Run(t.Context()); err != nil {
				return err
			}
		}
		for k, s := range outs {
			all[i][k] = w.Get(s, 0)
		}
		return nil
	}))
	return all, p.Flags()
}

// TestWorkers: the results are those of the interpreter, for any number of workers.
func TestWorkers(t *testing.T) {
	dev := &devicetest.Native{}
	prog := simulation(t, dev)
	reference, err := oracle.New(dev.Arch())
	require.NoError(t, err)
	want, flags := simulate(t, reference, prog, 0, 500)
	require.Equal(t, device.Flags(graph.FlagDivide), flags)
	require.NotEqual(t, want[1], want[2])
	for _, workers := range []int{0, 1, 2, 3, 16} {
		got, flags := simulate(t, dev, prog, workers, 500)
		require.Equal(t, want, got, "%d workers", workers)
		require.Equal(t, device.Flags(graph.FlagDivide), flags)
	}
	for _, samples := range []int{0, 1, 2, 31} {
		got, _ := simulate(t, dev, prog, 4, samples)
		require.Equal(t, want[:samples], got)
	}
}

// TestStates: without Reset a worker's states go on, in this process and elsewhere; Start is where
// samples begin.
func TestStates(t *testing.T) {
	dev := &devicetest.Native{}
	reference, err := oracle.New(dev.Arch())
	require.NoError(t, err)
	prog := simulation(t, dev)
	for _, dev := range []device.Device{dev, reference} {
		p, err := pool.New(t.Context(), dev, prog, 1)
		require.NoError(t, err)
		count := symbol(t, prog, image.State, "count")
		n := symbol(t, prog, image.Input, "n")
		ten := graph.AppendWords(nil, 10)
		run := func(reset bool) (list []int32) {
			require.NoError(t, p.Each(t.Context(), 3, func(w *pool.Worker, i int) error {
				require.Zero(t, w.Index())
				if reset {
					w.Reset()
				}
				if i == 1 {
					w.Set(n, 0, 5)
				}
				err := w.Run(t.Context())
				require.Equal(t, count.In(w.Memory())[4:], graph.AppendWords(nil, uint32(w.Get(count, 1))))
				list = append(list, int32(w.Get(count, 1)))
				return err
			}))
			return list
		}
		require.Equal(t, []int32{2, 7, 12}, run(false))
		require.Equal(t, []int32{2, 4, 2}, run(true))
		copy(count.In(p.Start())[4:], ten)
		copy(n.In(p.Start()), ten)
		require.Equal(t, []int32{20, 15, 20}, run(true))
		p.Close()
	}
}

// TestFirstError: it is that of the lowest sample, whoever comes upon it first.
func TestFirstError(t *testing.T) {
	dev := &devicetest.Native{}
	prog := simulation(t, dev)
	wrong := errors.New("wrong")
	for _, workers := range []int{1, 2, 7} {
		p, err := pool.New(t.Context(), dev, prog, workers)
		require.NoError(t, err)
		require.Equal(t, workers, p.Workers())
		for round := range 50 {
			done := make([]bool, 2000)
			err = p.Each(t.Context(), len(done), func(_ *pool.Worker, i int) error {
				done[i] = true
				if i >= 700+round && (i-700-round)%3 == 0 {
					return wrong
				}
				return nil
			})
			var failed *pool.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, 700+round, failed.Sample)
			require.ErrorIs(t, err, wrong)
			for i := range failed.Sample {
				require.True(t, done[i], "sample %d is below the one that failed", i)
			}
			require.False(t, done[1999])
		}
		p.Close()
		require.ErrorIs(t, p.Each(t.Context(), 1, nil), device.ErrReleased)
		require.Zero(t, p.Workers())
	}
}

func TestEnds(t *testing.T) {
	runs := atomic.Int64{}
	dev := &devicetest.Native{Fail: func() error { runs.Add(1); return nil }}
	p, err := pool.New(t.Context(), dev, simulation(t, dev), 2)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	err = p.Each(ctx, 1_000_000, func(w *pool.Worker, i int) error {
		if i == 100 {
			cancel()
		}
		return w.Run(ctx)
	})
	require.Equal(t, context.Canceled, err)
	require.Less(t, runs.Load(), int64(900_000))

	dev.Fail = func() error { return device.ErrReleased }
	err = p.Each(t.Context(), 5, func(w *pool.Worker, _ int) error { return w.Run(t.Context()) })
	require.EqualError(t, err, "sample 0: "+device.ErrReleased.Error())
	go p.Close()
	p.Close()
}

// few has room for some programs.
type few struct {
	*devicetest.Native
	room int
}

func (d *few) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	if d.room--; d.room < 0 {
		return nil, errors.New("no room")
	}
	loaded, err := d.Native.Load(ctx, p)
	return &place{loaded.(device.Direct), d}, err
}

type place struct {
	device.Direct
	of *few
}

func (p *place) Release() { p.Direct.Release(); p.of.room++ }

// TestNew: an error leaves nothing behind.
func TestNew(t *testing.T) {
	dev := &few{&devicetest.Native{}, 3}
	prog := simulation(t, dev)
	_, err := pool.New(t.Context(), dev, prog, 4)
	require.EqualError(t, err, "pool: worker 4 of 4: no room")
	dev.room++ // of the one that was refused
	require.Equal(t, 3, dev.room)
	p, err := pool.New(t.Context(), dev, prog, 3)
	require.NoError(t, err)
	p.Close()
	require.Equal(t, 3, dev.room)
}

// TestAllocations: none is made for a sample.
func TestAllocations(t *testing.T) {
	dev := &devicetest.Native{}
	p, x, y := small(t, dev, 2)
	each := func(n int) float64 {
		return testing.AllocsPerRun(5, func() { require.NoError(t, p.Each(t.Context(), n, square(t.Context(), x, y, nil))) })
	}
	require.Less(t, each(50_000), each(100)+20)
}

// small is a pool for a small program, its input and its output.
func small(t testing.TB, dev device.Device, workers int) (p *pool.Pool, x, y *image.Symbol) {
	g := graph.New()
	v := g.InputF32("x", 0)
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: v.Mul(v).Sub(v)}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	p, err = pool.New(t.Context(), dev, prog, workers)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	x = symbol(t, prog, image.Input, "x")
	y = symbol(t, prog, image.Output, "y")
	return p, x, y
}

// square runs the small program for the number of the sample and keeps the result, if there is room.
func square(ctx context.Context, x, y *image.Symbol, to []float32) func(w *pool.Worker, i int) error {
	return func(w *pool.Worker, i int) error {
		w.Reset()
		w.Set(x, 0, uint64(math.Float32bits(float32(i))))
		if err := w.Run(ctx); err != nil {
			return err
		}
		if i < len(to) {
			to[i] = math.Float32frombits(uint32(w.Get(y, 0)))
		}
		return nil
	}
}

// TestTasks: a run of a program of several tasks is a tick, counted from Reset on.
func TestTasks(t *testing.T) {
	o, err := oracle.New((&devicetest.Native{}).Arch())
	require.NoError(t, err)
	for _, dev := range []device.Device{&devicetest.Native{}, o} {
		g := graph.New()
		by := g.InputI32("by", 1)
		fast, slow := g.StateTensor("fast", graph.I32s(nil, 0)), g.StateTensor("slow", graph.I32s(nil, 0))
		g.SetTask(1)
		require.NoError(t, g.SetNext(slow, slow.Add(by)))
		zero := slow.Sub(slow).FloorDiv(by.Sub(by)) // raises a flag where it runs
		g.SetTask(2)
		require.NoError(t, g.SetNext(fast, fast.Add(by)))
		prog, err := compiler.Compile(g, []compiler.Output{{Name: "fast", Value: fast}, {Name: "slow", Value: slow}, {Name: "zero", Value: zero}},
			compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Tasks: []compiler.Task{{Name: "slow", Divisor: 3}, {Name: "fast"}}})
		require.NoError(t, err)
		p, err := pool.New(t.Context(), dev, prog, 2)
		require.NoError(t, err)
		got := make([][2]int32, 6)
		var raised atomic.Bool
		require.NoError(t, p.Each(t.Context(), len(got), func(w *pool.Worker, i int) error {
			w.Reset()
			w.Set(symbol(t, prog, image.Input, "by"), 0, uint64(i))
			for _, n := range []int{2, 1, i} {
				if n == 0 {
					continue
				}
				if err := w.RunTimes(t.Context(), n); err != nil {
					return err
				}
			}
			raised.Store(w.Raised() != 0)
			got[i] = [2]int32{int32(uint32(w.Get(prog.Output(0), 0))), int32(uint32(w.Get(prog.Output(1), 0)))}
			return nil
		}))
		require.True(t, raised.Load())
		for i, g := range got {
			ticks := 3 + i
			require.Equal(t, [2]int32{int32(i * ticks), int32(i * ((ticks + 2) / 3))}, g, "sample %d", i)
		}
		p.Close()
	}
}
