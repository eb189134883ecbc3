package target

import (
	"encoding/binary"
	"io"
	"math"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// oneBoard is a runner behind a unix socket: a target with room for one program.
func oneBoard(t *testing.T) *Runner {
	t.Helper()
	runner, err := local.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { runner.Close() })
	path := filepath.Join(t.TempDir(), "board")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go io.Copy(runner, conn)
		io.Copy(conn, runner)
		conn.Close()
	}()
	dev, err := OpenRunner(t.Context(), "unix:"+path, Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

// counter is a program with two states: a count by step, and all counts in turn.
func counter(t *testing.T, dev *Runner, step float32) (*compiler.Program, *Program) {
	t.Helper()
	g := graph.New()
	by := g.InputF32("by", step)
	n := g.StateF32("n", 0)
	last := g.StateTensor("last", graph.F32s(graph.Shape{3}, 0, 0, 0))
	require.NoError(t, g.SetNext(n, n.Add(by)))
	require.NoError(t, g.SetNext(last, g.StackOf(n.Add(by), last.Index(0), last.Index(1))))
	sum := last.Sum()
	require.NoError(t, g.Err())
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "n", Value: n}, {Name: "last", Value: last}, {Name: "sum", Value: sum}},
		compiler.Options{Arch: dev.Arch()})
	require.NoError(t, err)
	p, err := dev.LoadImage(t.Context(), prog.Image)
	require.NoError(t, err)
	return prog, p
}

func read(t *testing.T, p *Program, s *image.Symbol) []float32 {
	t.Helper()
	raw, err := p.Read(t.Context(), s.Offset, uint32(s.Size()))
	require.NoError(t, err)
	out := make([]float32, s.Len())
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

func run(t *testing.T, p *Program, n int) {
	t.Helper()
	_, err := p.Run(t.Context(), n)
	require.NoError(t, err)
}

// Two programs take turns on one board: each goes on from its own states, with
// the inputs that were written to it.
func TestStatesOutliveOtherPrograms(t *testing.T) {
	dev := oneBoard(t)
	progA, a := counter(t, dev, 1)
	run(t, a, 5)
	_, b := counter(t, dev, 100)
	run(t, b, 2)
	assert.Equal(t, []float32{5}, read(t, a, progA.Output(0)), "read without a run")
	run(t, a, 1)
	assert.Equal(t, []float32{6}, read(t, a, progA.Output(0)))
	assert.Equal(t, []float32{6, 5, 4}, read(t, a, progA.Output(1)))
	assert.Equal(t, []float32{5 + 4 + 3}, read(t, a, progA.Output(2)))
	by := progA.Image.Symbols[0]
	require.Equal(t, "by", by.Name)
	require.NoError(t, a.Write(t.Context(), by.Offset, binary.LittleEndian.AppendUint32(nil, math.Float32bits(10))))
	run(t, b, 1)
	assert.Equal(t, []float32{300, 200, 100}, read(t, b, progA.Output(1)))
	run(t, a, 1)
	assert.Equal(t, []float32{16, 6, 5}, read(t, a, progA.Output(1)))

	// A write to a state counts until the next run, not after each change of programs.
	require.NoError(t, a.Write(t.Context(), progA.Output(0).Offset, make([]byte, 4)))
	run(t, a, 1)
	run(t, b, 1)
	assert.Equal(t, []float32{10, 16, 6}, read(t, a, progA.Output(1)))
	assert.Equal(t, []float32{10}, read(t, a, progA.Output(0)))
}

func TestLostStatesAreSaid(t *testing.T) {
	dev := oneBoard(t)
	_, a := counter(t, dev, 1)
	run(t, a, 5)
	require.NoError(t, dev.Session().Drop(t.Context()), "somebody takes the program off the board")
	_, b := counter(t, dev, 1)
	run(t, b, 1)
	_, err := a.Run(t.Context(), 1)
	require.ErrorContains(t, err, "the states of this program were lost")
}

// Programs without states keep what their last run gave, too, however their
// outputs lie among inputs that were written since.
func TestResultsOutliveOtherPrograms(t *testing.T) {
	dev := oneBoard(t)
	var progs []*compiler.Program
	var loaded []*Program
	for i := range 5 {
		g := graph.New()
		x := g.InputF32("x", float32(i))
		far := g.InputTensor("far", graph.F32s(graph.Shape{200}, make([]float32, 200)...))
		y, z := x.Mul(x).Add(g.F32(1)), far.Add(x)
		require.NoError(t, g.Err())
		prog, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: y}, {Name: "z", Value: z}}, compiler.Options{Arch: dev.Arch()})
		require.NoError(t, err)
		p, err := dev.LoadImage(t.Context(), prog.Image)
		require.NoError(t, err)
		run(t, p, 1)
		s, ok := prog.Variable(x.ID())
		require.True(t, ok)
		require.NoError(t, p.Write(t.Context(), s.Offset, binary.LittleEndian.AppendUint32(nil, math.Float32bits(99))))
		progs, loaded = append(progs, prog), append(loaded, p)
	}
	for range 2 {
		for i, p := range loaded {
			assert.Equal(t, []float32{float32(i*i + 1)}, read(t, p, progs[i].Output(0)))
			assert.Equal(t, float32(i), read(t, p, progs[i].Output(1))[199])
			assert.Equal(t, []float32{99}, read(t, p, &progs[i].Image.Symbols[0]))
		}
	}
	run(t, loaded[2], 1)
	run(t, loaded[3], 1)
	assert.Equal(t, []float32{99*99 + 1}, read(t, loaded[2], progs[2].Output(0)))

	require.NoError(t, dev.Session().Drop(t.Context()), "somebody takes the program off the board")
	run(t, loaded[0], 1)
	_, err := loaded[2].Read(t.Context(), progs[2].Output(0).Offset, 4)
	require.ErrorContains(t, err, "the results of this program were lost")
	run(t, loaded[2], 1)
	assert.Equal(t, []float32{99*99 + 1}, read(t, loaded[2], progs[2].Output(0)), "a run makes new ones")
}

// Results that a serial line takes long for are not kept, and that is said.
func TestLargeResultsAreNotKept(t *testing.T) {
	dev := oneBoard(t)
	g := graph.New()
	y, err := g.Broadcast(g.InputF32("x", 3).Mul(g.F32(2)), graph.Shape{keepLimit/4 + 1})
	require.NoError(t, err)
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "y", Value: y}}, compiler.Options{Arch: dev.Arch()})
	require.NoError(t, err)
	p, err := dev.LoadImage(t.Context(), prog.Image)
	require.NoError(t, err)
	run(t, p, 1)
	_, other := counter(t, dev, 1)
	run(t, other, 1)
	_, err = p.Read(t.Context(), prog.Output(0).Offset, 4)
	require.ErrorContains(t, err, "run it again: 262148 bytes, more than the 262144 that are kept")
	run(t, p, 1)
	assert.Equal(t, float32(6), read(t, p, prog.Output(0))[keepLimit/4])
}

// TestFeatureThatIsAbsent: what the runner lacks is refused before anything is sent,
// with advice. The runner itself refuses too (firmware/test).
func TestFeatureThatIsAbsent(t *testing.T) {
	dev := oneBoard(t)
	prog, _ := counter(t, dev, 1)
	img := *prog.Image
	img.Features = 1 << 62
	_, err := dev.LoadImage(t.Context(), &img)
	var absent *session.ArchError
	require.ErrorAs(t, err, &absent)
	require.Equal(t, packet.Features(1<<62), absent.Missing)
	require.Contains(t, absent.Hint(), "--features")
}

// TestFeaturesOfTheTargetAreUsed: a program for a processor with AVX2 is compiled for it
// and gives what the same program without it gives.
func TestFeaturesOfTheTargetAreUsed(t *testing.T) {
	dev := oneBoard(t)
	g := graph.New()
	words := make([]uint32, 100)
	for i := range words {
		words[i] = math.Float32bits(float32(i) / 7)
	}
	v, err := g.Input("v", graph.F32, graph.Shape{100}, words)
	require.NoError(t, err)
	out := []compiler.Output{{Name: "dot", Value: v.Dot(v)}}
	var results [2][]byte
	for i, features := range [2]packet.Features{0, dev.Features()} {
		prog, err := compiler.Compile(g, out, compiler.Options{Arch: dev.Arch(), Features: features})
		require.NoError(t, err)
		require.Equal(t, features&packet.FeatAVX2, prog.Image.Features)
		p, err := dev.LoadImage(t.Context(), prog.Image)
		require.NoError(t, err)
		_, err = p.Run(t.Context(), 1)
		require.NoError(t, err)
		at := prog.Output(0)
		results[i], err = p.Read(t.Context(), at.Offset, uint32(at.Size()))
		require.NoError(t, err)
	}
	require.Equal(t, results[0], results[1])
}
