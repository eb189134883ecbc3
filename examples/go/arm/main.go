// Command arm finds the joint angles of an arm with two links that bring its hand
// to a point, by gradient descent. One step is a Go function that is compiled at
// its first call; its gradient is made by the compiler.
//
//	go run ./examples/go/arm [TARGET]
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

// Lengths of the links, m, and the part of the gradient that is gone in a step.
const upper, fore, rate = 1.8, 2.0, 0.1

// hand is the place of the hand for two joint angles, m and rad.
func hand(angles graph.Value) graph.Value {
	g := angles.Graph()
	first, second := angles.Index(0), angles.Index(0).Add(angles.Index(1))
	return g.StackOf(
		first.Cos().Mul(g.F32(upper)).Add(second.Cos().Mul(g.F32(fore))),
		first.Sin().Mul(g.F32(upper)).Add(second.Sin().Mul(g.F32(fore))))
}

// step moves the angles toward those that bring the hand to the goal.
func step(angles, goal graph.Value) graph.Value {
	off := goal.Sub(hand(angles))
	slope, err := compiler.Grad(off.Dot(off), angles)
	if err != nil {
		panic(err) // cannot happen: it is a number, and made from the angles
	}
	return angles.Sub(slope[0].Mul(angles.Graph().F32(rate)))
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, append(os.Args[1:], "local")[0]); err != nil {
		fmt.Fprintln(os.Stderr, "arm:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, target string) error {
	dev, err := jit.Open(ctx, target)
	if err != nil {
		return err
	}
	defer dev.Close()
	place, err := jit.New1[[2]float32, [2]float32](dev, hand)
	if err != nil {
		return err
	}
	next, err := jit.New2[[2]float32, [2]float32, [2]float32](dev, step)
	if err != nil {
		return err
	}
	goal, angles := [2]float32{0.7, -0.7}, [2]float32{0, 0.5}
	for i := 0; i <= 60; i++ {
		if i%20 == 0 {
			at, err := place.Call(ctx, angles)
			if err != nil {
				return err
			}
			fmt.Printf("step %2d: angles %+.5f %+.5f rad, hand at %+.5f %+.5f m\n", i, angles[0], angles[1], at[0], at[1])
		}
		if angles, err = next.Call(ctx, angles, goal); err != nil {
			return err
		}
	}
	return nil
}
