package target_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"math"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil/target"
)

func ExampleOpen() {
	ctx := context.Background()
	dev, err := target.Open(ctx, "oracle", target.Options{}) // or "local", "qemu:rpi3", "/dev/ttyACM0"
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	g := graph.New()
	x := g.InputF32("x", 3)
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: x.Mul(x)}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	if err != nil {
		log.Fatal(err)
	}
	p, err := dev.Load(ctx, prog)
	if err != nil {
		log.Fatal(err)
	}
	r, err := p.Call(ctx, device.Call{Runs: 1, Reads: []device.Span{device.SpanOf(prog.Output(0))}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(r.Data[0])))
	// Output: 9
}
