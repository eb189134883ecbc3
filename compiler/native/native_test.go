//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// sample is a program and what the oracle says of its outputs.
type sample struct {
	*compiler.Program
	want  []eval.Tensor
	known [][]byte // the same as bytes, for TestStress
}

func compile(t testing.TB, g *graph.Graph, values []graph.Value) *sample {
	var outs []compiler.Output
	for _, v := range values {
		outs = append(outs, compiler.Output{Value: v})
	}
	p, err := compiler.Compile(g, outs, compiler.Options{Arch: Arch.String(), Features: Features()})
	require.NoError(t, err)
	ref := p.Evaluated()
	want, _, err := eval.Eval(ref.Graph, ref.Outs, nil)
	require.NoError(t, err)
	return &sample{Program: p, want: want}
}

// check compares a data block with the oracle.
func (s *sample) check(data []byte) error {
	for i, want := range s.want {
		o := s.Output(i)
		if got := o.Decode(o.In(data)).Bits; !slices.Equal(got, want.Bits) {
			return fmt.Errorf("output %d: %08x, want %08x", i, got, want.Bits)
		}
	}
	return nil
}

// spoil overwrites outputs that a run writes: constants and inputs lie in the image's data, if they are not zero.
func (s *sample) spoil(data []byte) (n int) {
	for i, want := range s.want {
		if o := s.Output(i); int(o.Offset) >= len(s.Image.Data) && slices.ContainsFunc(want.Bits, func(b uint32) bool { return b != 0 }) {
			for k := range o.In(data) {
				o.In(data)[k] = 0xa5
				n++
			}
		}
	}
	return n
}

// loop has loops, all integer registers and kernels with a stack.
func loop(t testing.TB, turns int) *sample {
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
	require.NoError(t, err)
	return compile(t, g, append(v, v[0].ToF64().Tan()))
}

// random are programs of random graphs, without states.
func random(t testing.TB, n int) (list []*sample) {
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 21))
		g, outs := graphtest.Random(rng, graphtest.Config{Ops: 10 + rng.IntN(80), Size: 2 + rng.IntN(24), Arrays: seed%4 != 0, Loops: seed%3 > 0})
		list = append(list, compile(t, g, outs))
	}
	return list
}

func load(t testing.TB, m *image.Image) *Program {
	p, err := Load(m)
	require.NoError(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// TestBits: programs give what the oracle gives, called either way.
func TestBits(t *testing.T) {
	short, long := loop(t, 10), loop(t, 5000)
	require.False(t, load(t, short.Image).long)
	require.True(t, load(t, long.Image).long)
	spoiled := 0
	for i, s := range append(random(t, 40), short, long) {
		p := load(t, s.Image)
		for _, p.long = range []bool{false, true} {
			spoiled += s.spoil(p.Data())
			require.NoError(t, p.Run())
			require.NoError(t, s.check(p.Data()), "program %d, long %v", i, p.long)
		}
	}
	require.Greater(t, spoiled, 5000, "bytes of outputs that runs wrote")
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

// codes of an architecture: what does nothing, what waits for the first word of the data to change, what leaves
// another floating-point mode behind (rounding up), what stores the mode at 16, and what fills all registers.
var codes = map[packet.Arch]struct {
	nothing, wait, setMode, getMode, spoil []byte
	mode                                   uint32
}{
	packet.ArchX86_64: {
		[]byte{0xc3}, []byte{0x83, 0x3f, 0, 0x74, 0xfb, 0xc3},
		[]byte{0x48, 0x83, 0xec, 8, 0xc7, 0x04, 0x24, 0xc0, 0xdf, 0, 0, 0x0f, 0xae, 0x14, 0x24, 0x48, 0x83, 0xc4, 8, 0xc3},
		[]byte{0x0f, 0xae, 0x5f, 0x10, 0xc3}, spoilX86(), 0x1f80},
	packet.ArchAarch64: {
		code(0xd65f03c0), code(0xb9400001, 0x34ffffe1, 0xd65f03c0),
		code(0xd2a00801, 0xd51b4401, 0xd65f03c0), code(0xd53b4401, 0xb9001001, 0xd65f03c0), spoilA64(), 0},
}

func spoilX86() (b []byte) {
	for r := range byte(16) {
		if r != 4 { // rsp
			b = append(b, 0x48|r>>3, 0xc7, 0xc0|r&7, 0xff, 0xff, 0xff, 0xff) // mov $-1, r
		}
		b = append(b, 0x66, 0x40|r>>3*5, 0x0f, 0x76, 0xc0|r&7*9) // pcmpeqd x, x
	}
	return append(b, 0xc3)
}

func spoilA64() []byte {
	var w []uint32
	for r := range uint32(32) {
		if r != 18 && r != 28 && r < 30 {
			w = append(w, 0x92800000|r) // mov x, #-1
		}
		w = append(w, 0x4f07e7e0|r) // movi v.16b, #255
	}
	return code(append(w, 0xd65f03c0)...)
}

// one is not known to the Go compiler.
var one = 1.0

// TestMode: whatever floating-point mode this thread is in, programs run in theirs, and it is as it was
// behind them. The thread ends with its goroutine.
func TestMode(t *testing.T) {
	c := codes[Arch]
	set, get := load(t, forged(c.setMode...)), load(t, forged(c.getMode...))
	done := make(chan [2]uint32)
	var before, after bool
	go func() {
		runtime.LockOSThread()
		_ = set.Run()
		before = one+1e-20 > 1
		var modes [2]uint32
		for i := range modes {
			call(get)
			modes[i] = binary.LittleEndian.Uint32(get.Data()[16:]) &^ 0x3f
		}
		after = one+1e-20 > 1
		done <- modes
	}()
	for _, got := range <-done {
		if got != c.mode {
			t.Errorf("mode %#x, want %#x", got, c.mode)
		}
	}
	require.True(t, before, "the thread rounds up")
	require.True(t, after, "the thread still rounds up")
	require.False(t, one+1e-20 > 1, "other threads do not")
}

// TestRegisters: a program may leave any register behind but the stack pointer and, on AArch64, those of the
// system and of Go.
func TestRegisters(t *testing.T) {
	p := load(t, forged(codes[Arch].spoil...))
	a, b, x, y := 1, 2, 1.5, 2.5
	for i := range 2000 {
		p.long = i%2 == 0
		require.NoError(t, p.Run())
		a, b, x, y = b, (a+b)%1000, y, x
		if i%100 == 0 {
			var pcs [16]uintptr
			require.Greater(t, runtime.Callers(0, pcs[:]), 2)
			require.Contains(t, string(stack()), "TestRegisters")
			runtime.GC()
		}
	}
	require.Equal(t, []float64{1.5, 2.5}, []float64{x, y})
	require.Equal(t, fibonacci(2000), a)
}

func stack() []byte {
	b := make([]byte, 1<<12)
	return b[:runtime.Stack(b, false)]
}

func fibonacci(n int) int {
	a, b := 1, 2
	for range n {
		a, b = b, (a+b)%1000
	}
	return a
}

// TestRefused: what cannot run here is refused with ErrUnsupported, and what is no program by Validate, before anything is mapped.
func TestRefused(t *testing.T) {
	before := loaded.Load()
	for name, c := range map[string]struct {
		change      func(m *image.Image)
		unsupported bool
	}{
		"another architecture": {func(m *image.Image) { m.Arch = packet.ArchArmv7a }, true},
		"features":             {func(m *image.Image) { m.Features = 1 << 40 }, true},
		"stack":                {func(m *image.Image) { m.Budget.StackBytes = stackSize }, true},
		"no entry":             {func(m *image.Image) { m.Entries = nil }, false},
		"entry outside":        {func(m *image.Image) { m.Entries[0].Offset = 1 << 20 }, false},
		"no code":              {func(m *image.Image) { m.Code = nil }, false},
		"symbol outside": {func(m *image.Image) {
			m.Symbols = []image.Symbol{{Kind: image.Input, Name: "x", DType: graph.F32, Offset: 1 << 30}}
		}, false},
		"data of 4 GB": {func(m *image.Image) { m.BSS = 1<<32 - 1 }, false},
		"patches":      {func(m *image.Image) { m.Patches = []byte{1, 2, 3, 4, 5, 6, 7, 8, 9} }, false},
		"version":      {func(m *image.Image) { m.Version = 99 }, false},
	} {
		m := forged(codes[Arch].nothing...)
		c.change(m)
		_, err := Load(m)
		require.Error(t, err, name)
		require.Equal(t, c.unsupported, errors.Is(err, ErrUnsupported), "%s: %v", name, err)
	}
	require.Equal(t, before, loaded.Load())
}

// child runs this test again in a process of its own, whose part is behind "if child(t)".
func child(t *testing.T) (inside bool, output string, err error) {
	const variable = "COPAFLASH_NATIVE_CHILD"
	if os.Getenv(variable) != "" {
		return true, "", nil
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	return false, string(out), err
}
