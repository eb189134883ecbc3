package compiler_test

import (
	"context"
	"fmt"
	"log"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
)

// A controller of two tasks: the outer one runs in one of ten ticks.
func ExampleTask() {
	g := graph.New()
	ref, angle := g.InputF32("ref", 1), g.StateF32("angle", 0)

	g.SetTask(1)
	want := ref.Sub(angle).Mul(g.F32(4)) // held until the outer task runs again

	g.SetTask(2)
	speed := want.Clamp(g.F32(-2), g.F32(2))
	if err := g.SetNext(angle, angle.Add(speed.Mul(g.F32(1e-3)))); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	dev, err := oracle.New("aarch64") // or hil/target.Open
	if err != nil {
		log.Fatal(err)
	}
	prog, err := compiler.Compile(g, []compiler.Output{
		{Name: "speed", Value: speed, Meta: graph.Meta{Role: graph.RoleOutput, Unit: "rad/s", Safe: []float64{0}}},
		{Name: "angle", Value: angle},
	}, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Tasks: []compiler.Task{
		{Name: "outer", Rate: 100, Divisor: 10},
		{Name: "inner", Rate: 1000},
	}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := dev.Load(ctx, prog)
	if err != nil {
		log.Fatal(err)
	}

	// A thousand ticks, as fast as they go.
	reads := []device.Span{device.SpanOf(prog.Output(0)), device.SpanOf(prog.Output(1))}
	r, err := device.Ticks(ctx, p, prog.Image, 0, device.Call{Runs: 1000, Reads: reads})
	if err != nil {
		log.Fatal(err)
	}
	for i := range reads {
		s := prog.Output(i)
		fmt.Println(s.Name, s.DType.Number(s.DType.At(s.Decode(r.Data[i]).Bits, 0)))
	}

	// And in real time, from now on.
	c, err := device.LoopOf(prog.Image, 0)
	if err != nil {
		log.Fatal(err)
	}
	loop, err := p.(device.Looper).StartLoop(ctx, c)
	if err != nil {
		log.Fatal(err)
	}
	status, err := loop.Stop(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.Period, status.End)
	// Output:
	// speed 0.09752202033996582
	// angle 0.9765946269035339
	// 1ms stopped
}
