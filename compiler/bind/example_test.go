package bind_test

import (
	"context"
	"fmt"
	"log"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
)

// A controller whose input is its own output, a tick later.
func ExampleSet() {
	g := graph.New()
	level := g.InputF32("level", 100)
	u := level.Mul(g.F32(0.5))

	set := &bind.Set{ReadFile: bind.ReadFile}
	if err := set.Add("level=sim:loop=u"); err != nil {
		log.Fatal(err)
	}
	dev, err := oracle.New("aarch64") // or hil/target.Open
	if err != nil {
		log.Fatal(err)
	}
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "u", Value: u}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Bind: set})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := dev.Load(ctx, prog)
	if err != nil {
		log.Fatal(err)
	}
	s := prog.Output(0)
	r, err := p.Call(ctx, device.Call{Runs: 3, Reads: []device.Span{device.SpanOf(s)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name, s.DType.Number(s.DType.At(s.Decode(r.Data[0]).Bits, 0)))
	// Output: u 12.5
}
