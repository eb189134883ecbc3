// Command pendulum balances an inverted pendulum with a controller whose integral
// is a state: it stays on the target from call to call. The pendulum itself is
// simulated in plain Go.
//
//	go run ./examples/go/pendulum [TARGET]
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

// tick is the time from one call of the controller to the next, s.
const tick = 0.01

// sensors is what the controller is told: angle from upright, rad, and its speed, rad/s.
type sensors struct{ Angle, Speed float32 }

// command is what it answers: the torque, Nm, and whether it is at its limit.
type command struct {
	Torque  float32
	Limited bool
}

type (
	tracedSensors struct{ Angle, Speed graph.Value }
	tracedCommand struct{ Torque, Limited graph.Value }
)

// control is a PID controller with limits. The integral stands still while the
// torque is at its limit.
func control(s tracedSensors) tracedCommand {
	g := s.Angle.Graph()
	integral := g.StateF32("integral", 0)
	want := s.Angle.Mul(g.F32(-40)).Sub(s.Speed.Mul(g.F32(8))).Sub(integral.Mul(g.F32(20)))
	torque := want.Clamp(g.F32(-6), g.F32(6))
	limited := torque.Ne(want)
	if err := g.SetNext(integral, limited.Select(integral, integral.Add(s.Angle.Mul(g.F32(tick))))); err != nil {
		panic(err) // cannot happen: both are numbers
	}
	return tracedCommand{torque, limited}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, append(os.Args[1:], "local")[0]); err != nil {
		fmt.Fprintln(os.Stderr, "pendulum:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, target string) error {
	dev, err := jit.Open(ctx, target)
	if err != nil {
		return err
	}
	defer dev.Close()
	controller, err := jit.NewStruct[sensors, command](dev, control)
	if err != nil {
		return err
	}
	angle, speed, limited := 0.5, 0.0, 0
	for i := 0; i <= 400; i++ {
		c, err := controller.Call(ctx, sensors{float32(angle), float32(speed)})
		if err != nil {
			return err
		}
		if c.Limited {
			limited++
		}
		if i%100 == 0 {
			fmt.Printf("%.0f s: angle %+.4f rad, torque %+.4f Nm\n", float64(i)*tick, angle, c.Torque)
		}
		// 1 kg at 1 m, pushed by 0.5 Nm of wind
		speed += (9.81*math.Sin(angle) + float64(c.Torque) + 0.5) * tick
		angle += speed * tick
	}
	fmt.Printf("at the limit in %d ticks\n", limited)
	return nil
}
