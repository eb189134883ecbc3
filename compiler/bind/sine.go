package bind

import (
	"math"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// turn is a whole period in steps of the phase, which is an int that wraps: it never drifts.
const turn = 1 << 32

// feedSine makes an input offset + amplitude * sin(phase), where the phase grows by a step in every tick.
func feedSine(j *job, in compiler.Port, c *channel) error {
	if in.DType == graph.Bool {
		return refuse("a bool is fed by sim:csv or sim:loop", "%q is a bool, and sim:sine gives numbers", in.Name)
	}
	freq, amplitude, offset := c.number("freq"), c.number("amplitude"), c.number("offset")
	rate, err := j.rate()
	if err != nil {
		return err
	}
	if freq < 0 || freq > rate/2 {
		return refuse("it may be from 0 to half of that", "freq=%s: the program runs %v times a second", c.word("freq"), rate)
	}
	for _, x := range []float64{offset - math.Abs(amplitude), offset + math.Abs(amplitude)} {
		if err := within(in, x); err != nil {
			return err
		}
	}
	step := steps(freq / rate)
	return j.generate(in, &generator{
		states: []counter{{".phase", steps(c.number("phase") / 360)}},
		next:   func(s []graph.Value) []graph.Value { return []graph.Value{s[0].Add(s[0].Graph().I32(step))} },
		value:  func(s []graph.Value) graph.Value { return sine(in, s[0], amplitude, offset) },
	})
}

// sine is the value of an input at a phase.
func sine(in compiler.Port, phase graph.Value, amplitude, offset float64) graph.Value {
	g, d := phase.Graph(), in.DType
	if d == graph.I32 {
		d = graph.F32
	}
	x := floatOf(d, phase).Mul(g.Number(d, math.Pi*2/turn)).Sin().Mul(g.Number(d, amplitude)).Add(g.Number(d, offset))
	if in.DType == graph.I32 {
		x = x.Round().ToI32()
	}
	if len(in.Shape) > 0 {
		x = x.Broadcast(in.Shape...)
	}
	return x
}

// floatOf is an int as a float.
func floatOf(d graph.DType, x graph.Value) graph.Value {
	if d == graph.F64 {
		return x.ToF64()
	}
	return x.ToF32()
}

// steps is a part of a period in steps of the phase.
func steps(periods float64) int32 {
	return int32(uint32(int64(math.RoundToEven(math.Mod(periods, 1) * turn))))
}

// within refuses a number beyond the limits of an input.
func within(in compiler.Port, x float64) error {
	words := make([]uint32, in.DType.Words())
	in.DType.Put(words, 0, in.DType.FromNumber(x))
	if err := in.Meta.CheckValue(in.DType, words); err != nil {
		return refuse("its limits are "+in.Meta.Limits(), "%s: %v", in.Name, err)
	}
	return nil
}
