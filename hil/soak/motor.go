package soak

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Names of the program's variables.
const (
	kp   = "kp"   // gain of the speed controller, V/(rad/s)
	ki   = "ki"   // its integral gain; twice kp in every set, so that a set torn in two shows
	goal = "goal" // position that is wanted, rad
)

// watched are the outputs that are sent as telemetry.
var watched = []string{"position", "speed", "voltage", "error", "kp_seen", "ki_seen", "count", "variant"}

// The motor: first order from voltage to speed, with a friction that differs between the variants.
const (
	step     = 1e-3 // s, of the simulation; whatever the rate of the loop
	constant = 40   // rad/s^2/V
)

// motor is the graph of a position controller over a speed controller over a simulated motor. Its
// states have the same names in each variant.
func motor(variant int32) (*graph.Graph, []compiler.Output, error) {
	g := graph.New()
	f := g.F32
	inP, inI, want := g.InputF32(kp, 0.5), g.InputF32(ki, 1), g.InputF32(goal, 1)
	position, speed := g.StateF32("position", 0), g.StateF32("speed", 0)
	integral, count := g.StateF32("integral", 0), g.StateTensor("count", graph.Tensor{DType: graph.I32, Bits: []uint32{0}})

	off := want.Sub(position)
	aim := clamp(off.Mul(f(8)), 20) // the outer controller gives the speed, at most 20 rad/s
	lag := aim.Sub(speed)
	sum := clamp(integral.Add(lag.Mul(inI).Mul(f(step))), 10)
	voltage := clamp(lag.Mul(inP).Add(sum), 12)
	friction := f(3 + float32(variant))
	gain := voltage.Mul(f(constant)).Sub(friction.Mul(speed))
	faster := speed.Add(gain.Mul(f(step)))
	further := position.Add(faster.Mul(f(step)))
	counted := count.Add(g.I32(1))
	for _, of := range [][2]graph.Value{{position, further}, {speed, faster}, {integral, sum}, {count, counted}} {
		if err := g.SetNext(of[0], of[1]); err != nil {
			return nil, nil, fmt.Errorf("soak: %w", err)
		}
	}
	values := []graph.Value{further, faster, voltage, off, inP.Add(f(0)), inI.Add(f(0)), counted, g.I32(variant).Add(count.Sub(count))}
	outs := make([]compiler.Output, len(watched))
	for i, name := range watched {
		outs[i] = compiler.Output{Name: name, Value: values[i]}
	}
	return g, outs, g.Err()
}

func clamp(v graph.Value, most float32) graph.Value {
	g := v.Graph()
	return v.Min(g.F32(most)).Max(g.F32(-most))
}
