package target

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/firmware/local"
)

// loaded is a program that counts by step and divides the count by a number, both inputs.
type loaded struct {
	device.Program
	step, by, count, quotient device.Span
}

func load(t *testing.T, dev device.Device) *loaded {
	t.Helper()
	g := graph.New()
	step, by := g.InputI32("step", 5), g.InputI32("by", 2)
	count, err := g.State("count", graph.I32, nil, []uint32{0})
	require.NoError(t, err)
	next := count.Add(step)
	require.NoError(t, g.SetNext(count, next))
	quotient := next.FloorDiv(by)
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "quotient", Value: quotient}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	at := func(v graph.Value) device.Span {
		s, ok := prog.Variable(v.ID())
		require.True(t, ok)
		return device.SpanOf(s)
	}
	return &loaded{p, at(step), at(by), at(count), device.SpanOf(prog.Output(0))}
}

func (l *loaded) call(t *testing.T, c device.Call) device.Result {
	t.Helper()
	r, err := l.Call(t.Context(), c)
	require.NoError(t, err)
	return r
}

// localNames are the targets of this machine. There is no sandbox outside of Linux, nor under an emulator of its programs.
func localNames(t testing.TB) []string {
	t.Helper()
	dev, err := OpenRunner(t.Context(), SandboxName, Options{})
	if errors.Is(err, local.ErrUnsupported) {
		t.Logf("%s: %v", SandboxName, err)
		return []string{LocalName}
	}
	require.NoError(t, err)
	dev.Close()
	return []string{LocalName, SandboxName}
}

// TestDevices holds every kind of target against the contract: what a caller of one may rely
// on is the same on the others.
func TestDevices(t *testing.T) {
	for _, name := range append(localNames(t), Oracle) {
		t.Run(name, func(t *testing.T) {
			var warned []string
			dev, err := Open(t.Context(), name, Options{Warn: func(text string) { warned = append(warned, text) }})
			require.NoError(t, err)
			defer dev.Close()
			assert.Equal(t, name, dev.Name())

			p := load(t, dev)
			timed := 0
			r := p.call(t, device.Call{Runs: 3, Reads: []device.Span{p.quotient, p.count, p.quotient}, Timed: func(time.Duration) { timed++ }})
			assert.Equal(t, [][]byte{{7, 0, 0, 0}, {15, 0, 0, 0}, {7, 0, 0, 0}}, r.Data, "in the order asked for")
			assert.Equal(t, 3, timed)
			assert.Positive(t, r.Total)
			assert.Zero(t, p.Flags())

			// What is written counts in its order, for the runs of the same call.
			r = p.call(t, device.Call{
				Writes: []device.Piece{{Offset: p.step.Offset, Bytes: []byte{9, 9, 9, 9}}, {Offset: p.step.Offset, Bytes: []byte{1, 0, 0, 0}}, {Offset: p.by.Offset, Bytes: make([]byte, 4)}},
				Runs:   2, Reads: []device.Span{p.quotient, p.count},
			})
			assert.Equal(t, [][]byte{{0, 0, 0, 0}, {17, 0, 0, 0}}, r.Data)
			assert.Equal(t, []string{"divide"}, p.Flags().Names())
			assert.Equal(t, p.Flags().Texts(), warned, "once for a call")
			p.call(t, device.Call{Reads: []device.Span{p.count}})
			assert.Equal(t, []string{"divide"}, p.Flags().Names(), "those of the last runs")

			// A second program leaves the first one its variables.
			q := load(t, dev)
			q.call(t, device.Call{Runs: 1})
			r = p.call(t, device.Call{Writes: []device.Piece{{Offset: p.by.Offset, Bytes: []byte{3, 0, 0, 0}}}, Runs: 1, Reads: []device.Span{p.quotient, p.count}})
			assert.Equal(t, [][]byte{{6, 0, 0, 0}, {18, 0, 0, 0}}, r.Data)
			assert.Zero(t, p.Flags())

			for _, c := range []device.Call{
				{Reads: []device.Span{{Offset: 1 << 30, Length: 4}}},
				{Writes: []device.Piece{{Offset: 1 << 30, Bytes: make([]byte, 4)}}},
			} {
				_, err := p.Call(t.Context(), c)
				require.Error(t, err, "outside of the data block")
			}

			p.Release()
			_, err = p.Call(t.Context(), device.Call{Runs: 1})
			require.ErrorIs(t, err, device.ErrReleased)
			assert.Equal(t, []byte{5, 0, 0, 0}, q.call(t, device.Call{Reads: []device.Span{q.count}}).Data[0])
		})
	}
}

// TestOracleHasNoRunner: what needs a runner is refused by both of its names.
func TestOracleHasNoRunner(t *testing.T) {
	for _, name := range []string{Oracle, "reference"} {
		require.NoError(t, Check(name))
		_, err := OpenRunner(t.Context(), name, Options{})
		require.ErrorIs(t, err, ErrNoRunner)
		dev, err := Open(t.Context(), name, Options{})
		require.NoError(t, err)
		require.Equal(t, Oracle, dev.Name())
	}
	require.False(t, IsLasting(Oracle))
}
