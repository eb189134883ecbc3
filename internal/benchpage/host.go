package benchpage

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/jit"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/gcc"
	"github.com/copaflash/copaflash/protocol/packet"
)

// host runs programs of this project on this machine.
type host struct {
	dev      *jit.Device
	features packet.Features
}

func openHost(ctx context.Context) (*host, error) {
	dev, err := jit.Open(ctx, target.LocalName)
	if err != nil {
		return nil, err
	}
	here, err := target.Open(ctx, target.LocalName, target.Options{})
	if err != nil {
		dev.Close()
		return nil, err
	}
	defer here.Close()
	return &host{dev, here.Features()}, nil
}

func (h *host) close() { h.dev.Close() }

// entrants are the ways to call programs.
func (h *host) entrants() []entrant {
	return []entrant{
		{keyGo, "Copaflash, call from Go", "a call of a typed function (`compiler/jit`), which copies both vectors to the program and the sum back", h.fromGo},
		{keyRun, "Copaflash, `tg.run()` in a script", "an iteration of a `for` loop with nothing but `tg.run()`, in the interpreter of scripts", inScript("tg.run()")},
		{keyTurn, "Copaflash, write + run + read in a script", "the same with `tg.write_value` of one number before it and `tg.read_value` of the sum after it",
			inScript("tg.write_value(first, 1.0); tg.run(); tg.read_value(y)")},
	}
}

// tenDots is the benchmark.
func tenDots(a, b graph.Value) graph.Value {
	g := a.Graph()
	sum := a.Dot(b)
	for i := 1; i < 10; i++ {
		sum = sum.Add(a.Add(g.F32(float32(i))).Dot(b))
	}
	return sum
}

// ramp is an input: the same numbers for all.
func ramp(n int, step float32) []float32 {
	v := make([]float32, n)
	for k := range v {
		v[k] = 1 + float32(step*float32(k))
	}
	return v
}

func (h *host) fromGo(ctx context.Context, n int) (batch, func(), error) {
	f, err := jit.New2[[]float32, []float32, float32](h.dev, tenDots)
	if err != nil {
		return nil, nil, err
	}
	a, b := ramp(n, gcc.StepA), ramp(n, gcc.StepB)
	return calls(func() (float32, error) { return f.Call(ctx, a, b) }), f.Close, nil
}

// compiled are the machine code of this project and that of GCC, all called by one loop in C.
func (h *host) compiled(sizes []int) ([]entrant, func(), error) {
	lanes := gcc.LaneFlags()
	forms := []struct {
		key, name, how, body string // no body: a program of this project
		flags                []string
	}{
		{key: keyCode, name: "Copaflash, code alone", how: "the machine code of the calls below, called by the same loop in C as GCC's"},
		{keyGCC, "GCC -O3", "two loops in C, compiled for this `n`, one dot product after the other; floats are added in the order of the source", gcc.TenDots, []string{"-ffp-contract=off"}},
		{keyLanes, "GCC -O3, eight lanes", "C that sums in eight lanes, as Copaflash does, which gives the same bits; `" + strings.Join(lanes, " ") + "`", gcc.TenDotsInLanes, lanes},
		{keyFast, "GCC -O3 -ffast-math -march=native", "the same loops with all products added to one sum, which GCC makes most of with these flags: it may add in any order, and use every instruction of this processor", gcc.TenDotsOneSum, []string{"-ffast-math", "-march=native"}},
	}
	var functions []gcc.Function
	first := map[int]int{} // function of a size
	for _, n := range sizes {
		first[n] = len(functions)
		for _, form := range forms {
			f := gcc.Function{Source: gcc.Arrays(n, "1", form.body), Flags: form.flags, Result: gcc.ArraysResult(n)}
			if form.body == "" {
				var err error
				if f, err = h.code(n); err != nil {
					return nil, nil, err
				}
			}
			functions = append(functions, f)
		}
	}
	p, err := gcc.Start(functions)
	if err != nil {
		return nil, nil, err
	}
	var list []entrant
	for i, form := range forms {
		list = append(list, entrant{form.key, form.name, form.how, func(_ context.Context, n int) (batch, func(), error) {
			return func(calls int) (time.Duration, float32, error) { return p.Batch(first[n]+i, calls) }, func() {}, nil
		}})
	}
	return list, p.Close, nil
}

// code is the program for vectors of n elements.
func (h *host) code(n int) (gcc.Function, error) {
	g := graph.New()
	input := func(step float32) graph.Value {
		bits := make([]uint32, n)
		for k, v := range ramp(n, step) {
			bits[k] = math.Float32bits(v)
		}
		return g.InputTensor("", graph.Tensor{DType: graph.F32, Shape: graph.Shape{n}, Bits: bits})
	}
	y := tenDots(input(gcc.StepA), input(gcc.StepB))
	p, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: y}}, compiler.Options{Arch: h.dev.Arch(), Features: h.features})
	if err != nil {
		return gcc.Function{}, err
	}
	m := p.Image
	for _, s := range m.Symbols {
		if s.Kind == image.Output {
			return gcc.Function{Code: m.Code, Data: m.Data, Entry: int(m.Entries[0].Offset), BSS: int(m.BSS), Result: int(s.Offset)}, nil
		}
	}
	return gcc.Function{}, errors.New("the program has no output")
}
