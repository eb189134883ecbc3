//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// program has loops, all integer registers and kernels with a stack.
func program(t testing.TB, turns int) *compiler.Program {
	g := graph.New()
	v := []graph.Value{g.InputF32("x", 1.5)}
	for i := range 12 {
		v = append(v, g.InputI32("", int32(i+3)))
	}
	v, err := g.Fori(turns, v, func(i graph.Value, c []graph.Value) ([]graph.Value, error) {
		out := []graph.Value{c[0].Sin().Exp().Tan()}
		for k := 1; k < len(c); k++ {
			out = append(out, c[k].Mul(c[1+k%12]).Add(c[1+(k+5)%12]).Add(i))
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	outs := []compiler.Output{{Value: v[0].ToF64().Tan()}}
	for _, x := range v {
		outs = append(outs, compiler.Output{Value: x})
	}
	p, err := compiler.Compile(g, outs, compiler.Options{Arch: Arch.String(), Features: Features()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t testing.TB, m *image.Image) *Program {
	p, err := Load(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestBits: a program gives what the interpreter gives, called either way.
func TestBits(t *testing.T) {
	for _, turns := range []int{10, 5000} {
		prog := program(t, turns)
		p := load(t, prog.Image)
		if want := turns == 5000; p.long != want {
			t.Errorf("%d turns: long %v, want %v", turns, p.long, want)
		}
		if err := p.Run(); err != nil {
			t.Fatal(err)
		}
		ref := prog.Evaluated()
		want, _, err := eval.Eval(ref.Graph, ref.Outs, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			for k, w := range want[i].Bits {
				if got := binary.LittleEndian.Uint32(p.Data()[prog.Output(i).Offset+uint32(4*k):]); got != w {
					t.Errorf("output %d: %#x, want %#x", i, got, w)
				}
			}
		}
	}
}

// forged is machine code that the compiler does not make.
func forged(code ...byte) *image.Image {
	return &image.Image{Version: image.Version, Arch: Arch, Code: code, BSS: 64, Entries: []image.Entry{{Name: "run"}}}
}

func code(w ...uint32) (b []byte) {
	for _, v := range w {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// codes: what leaves another floating-point mode behind, what stores the mode at 16, and faults.
var codes = map[packet.Arch]struct {
	setMode, getMode []byte
	mode             uint32
	faults           map[string][]byte
}{
	packet.ArchX86_64: {
		[]byte{0x48, 0x83, 0xec, 8, 0xc7, 0x04, 0x24, 0xc0, 0xdf, 0, 0, 0x0f, 0xae, 0x14, 0x24, 0x48, 0x83, 0xc4, 8, 0xc3},
		[]byte{0x0f, 0xae, 0x5f, 0x10, 0xc3}, 0x1f80,
		map[string][]byte{
			"read at zero": {0x31, 0xc0, 0x8b, 0x00, 0xc3}, "write above data": {0xc7, 0x47, 0x40, 1, 0, 0, 0, 0xc3},
			"write far below": {0xc7, 0x87, 0, 0, 0, 0x80, 1, 0, 0, 0, 0xc3}, "illegal instruction": {0x90, 0x0f, 0x0b},
			"stack overflow": {0xe8, 0xfb, 0xff, 0xff, 0xff}, "execute data": {0xff, 0xe7}, "jump to zero": {0x31, 0xc0, 0xff, 0xe0},
			"write code":         {0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff, 0xc6, 0x00, 1, 0xc3},
			"stack pointer lost": {0x31, 0xe4, 0x0f, 0x0b}, "breakpoint": {0xcc, 0xc3}, "division": {0x31, 0xc9, 0x31, 0xd2, 0xb8, 1, 0, 0, 0, 0xf7, 0xf9, 0xc3},
		}},
	packet.ArchAarch64: {
		code(0xd2a00801, 0xd51b4401, 0xd65f03c0), code(0xd53b4401, 0xb9001001, 0xd65f03c0), 0,
		map[string][]byte{
			"read at zero": code(0xd2800001, 0xb9400021), "write above data": code(0xb9004001, 0xd65f03c0), "write code": code(0x10000001, 0xb9000021),
			"execute data": code(0xd61f0000), "illegal instruction": code(0xd503201f, 0), "stack overflow": code(0xa9bf7bfd, 0x17ffffff),
			"stack pointer lost": code(0xd2800001, 0x9100003f, 0), "breakpoint": code(0xd4200000),
		}},
}

// TestMode: whatever floating-point mode this thread is in, programs run in theirs. The thread
// ends with its goroutine.
func TestMode(t *testing.T) {
	runtime.LockOSThread()
	c := codes[Arch]
	set, get := load(t, forged(c.setMode...)), load(t, forged(c.getMode...))
	raw := func() uint32 {
		call(get)
		return binary.LittleEndian.Uint32(get.Data()[16:]) &^ 0x3f
	}
	_ = set.Run()
	if got := raw(); got != c.mode {
		t.Errorf("mode %#x, want %#x", got, c.mode)
	}
}

// TestFaults: faults become errors, and the runtime still gets its own.
func TestFaults(t *testing.T) {
	if err := GuardFaults(); err != nil {
		t.Skip("SKIP:", err)
	}
	for name, code := range codes[Arch].faults {
		p := load(t, forged(code...))
		for i := range 1000 {
			p.long = i%2 == 0
			var fault *Fault
			if err := p.Run(); !errors.As(err, &fault) {
				t.Fatalf("%s: %v", name, err)
			} else if i == 0 {
				t.Log(name, err)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var nowhere *int
	*nowhere = 1
}

func BenchmarkCall(b *testing.B) {
	p := load(b, forged(map[packet.Arch][]byte{packet.ArchX86_64: {0xc3}, packet.ArchAarch64: code(0xd65f03c0)}[Arch]...))
	for _, long := range []bool{false, true} {
		p.long = long
		b.Run(map[bool]string{false: "short", true: "long"}[long], func(b *testing.B) {
			for range b.N {
				_ = p.Run()
			}
		})
	}
}
