package bind

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// stepped makes an input what steps make of another one.
type stepped struct{ steps []conversion.Step }

func (s stepped) Bind(w *compiler.Wiring) error {
	p := &pins{w: w}
	raw := w.Graph.InputI32("raw", 0)
	v, err := p.convert(s.steps, raw, "x", 0)
	if err != nil {
		return err
	}
	if v.DType() == graph.Bool {
		v = v.ToI32()
	}
	if v.DType() == graph.F32 {
		return w.Feed(w.Inputs()[1], v)
	}
	return w.Feed(w.Inputs()[0], v)
}

// RunSteps runs steps as operations of a program, on one value after the other.
func RunSteps(t *testing.T, steps []conversion.Step, values []int32) []uint32 {
	g := graph.New()
	i, f := g.InputI32("i", 0), g.InputF32("f", 0)
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "oi", Value: i.Add(g.I32(0))}, {Name: "of", Value: f}}, compiler.Options{Arch: "x86_64", Bind: stepped{steps}})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	at := 0
	if last, _ := conversion.Check(steps, conversion.I32); last == conversion.F32 {
		at = 1
	}
	out := prog.Output(at)
	var bits []uint32
	for _, v := range values {
		c := device.Call{Runs: 1, Reads: []device.Span{device.SpanOf(out)}}
		if raw, ok := prog.Image.Symbol(image.Input, "raw"); ok { // else the steps are constant
			c.Writes = []device.Piece{{Offset: raw.Offset, Bytes: raw.Encode([]uint32{uint32(v)})}}
		}
		r, err := p.Call(t.Context(), c)
		require.NoError(t, err)
		bits = append(bits, out.Decode(r.Data[0]).Bits[0])
	}
	return bits
}
