package bind_test

import (
	"testing"

	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/graph"
)

// FuzzBind: whatever a channel and a table say, the program is refused or compiles.
func FuzzBind(f *testing.F) {
	for _, text := range []string{"sim:sine,freq=2Hz,amplitude=1e3,phase=-90deg", "sim:loop=u", "sim:csv=t,column=b,rate=500Hz,between=linear,end=repeat", "sim:csv=t,column=2", "sim:plant=p", "A0:adc,x=1"} {
		for _, table := range []string{"1\n2\n", "a,b\n1,2\n3,nan\n", "a\n\"1\n", "", "x,1e999\n", "#\n1,2\n3\n"} {
			f.Add(text, []byte(table), byte(3))
		}
	}
	f.Fuzz(func(t *testing.T, text string, table []byte, kind byte) {
		d := graph.DType(1 + kind%4)
		set := &bind.Set{ReadFile: func(string, int64) ([]byte, error) { return table, nil }}
		if set.Add("x="+text) != nil || len(table) > 4096 {
			return
		}
		p := newProgram(t)
		p.set = set
		p.output("u", p.g.InputTensor("x", graph.Tensor{DType: d, Bits: make([]uint32, d.Words())}))
		p.output("y", p.g.F32(1))
		prog, err := p.compile("x86_64")
		if err == nil && prog.Image.Validate() != nil {
			t.Fatal("the image is not valid")
		}
	})
}
