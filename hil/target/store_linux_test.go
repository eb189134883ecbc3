package target_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// kept is an emulated board that keeps programs.
type kept struct {
	*testing.T
	board *emulatortest.Board
	prog  *compiler.Program
	hz    float64
}

// keepOn boots a board with a program that mixes a parameter into its states, made for it.
func keepOn(t *testing.T, name string, args ...string) *kept {
	t.Helper()
	k := &kept{T: t, board: emulatortest.Start(t, name, args...), hz: 200}
	dev := k.open()
	defer dev.Close()
	g := graph.New()
	kp := g.InputF32("kp", 1)
	n, x := g.StateF32("n", 0), g.StateF32("x", 0.5)
	require.NoError(t, g.SetNext(n, n.Add(g.F32(1))))
	require.NoError(t, g.SetNext(x, x.Mul(g.F32(0.75)).Add(kp.Mul(n).Sin())))
	var err error
	k.prog, err = compiler.Compile(g, []compiler.Output{{Name: "u", Value: x.Mul(kp)}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	return k
}

// open is a host that comes anew.
func (k *kept) open() *target.Runner {
	k.Helper()
	dev, err := target.OpenRunner(k.Context(), k.board.TTY(), target.Options{Session: session.Options{Timeout: time.Minute}})
	require.NoError(k, err)
	return dev
}

func (k *kept) symbol(kind image.Kind, name string) *image.Symbol {
	k.Helper()
	s, ok := k.prog.Image.Symbol(kind, name)
	require.True(k, ok)
	return s
}

func (k *kept) set(kp float32) []device.Piece {
	return []device.Piece{{Offset: k.symbol(image.Input, "kp").Offset, Bytes: binary.LittleEndian.AppendUint32(nil, math.Float32bits(kp))}}
}

// store has the board keep the program with a parameter.
func (k *kept) store(ctx context.Context, dev *target.Runner, kp float32, autostart bool) error {
	c, err := device.LoopOf(k.prog.Image, k.hz)
	if err != nil {
		return err
	}
	c.Limit = 2 * time.Second // a busy computer holds QEMU up
	bodies, err := dev.Record(ctx, k.prog.Image, k.set(kp), &c)
	if err != nil {
		return err
	}
	p := &session.StoredProgram{Autostart: autostart}
	for _, b := range bodies {
		p.Records = packet.AppendRecord(p.Records, b)
	}
	return dev.Session().Store(ctx, p, nil)
}

// read waits for some ticks of the loop that runs, if one does, holds what it has computed against the oracle, and returns its parameter.
func (k *kept) read(dev *target.Runner) (kp float32, running bool) {
	k.Helper()
	digest, err := dev.Running(k.Context())
	require.NoError(k, err)
	if digest == nil {
		return 0, false
	}
	want := k.prog.Image.Digest()
	require.Equal(k, want[:], digest)
	l, err := dev.Attach(k.Context(), k.prog.Image)
	require.NoError(k, err)
	var spans []device.Span
	for _, s := range []*image.Symbol{k.symbol(image.Input, "kp"), k.symbol(image.State, "n"), k.symbol(image.State, "x"), k.symbol(image.Output, "u")} {
		spans = append(spans, device.SpanOf(s))
	}
	var data [][]byte
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[i]) }
	for data == nil || math.Float32frombits(word(1)) < 2 {
		data, _, err = l.Read(k.Context(), spans)
		require.NoError(k, err)
	}
	kp = math.Float32frombits(word(0))
	k.agrees(kp, int(math.Float32frombits(word(1))), [2]uint32{word(2), word(3)})
	return kp, true
}

// state is what the board tells of itself and its store.
func (k *kept) state(dev *target.Runner) string {
	k.Helper()
	status, err := dev.Session().Status(k.Context())
	require.NoError(k, err)
	store, err := dev.Session().LookStore(k.Context())
	require.NoError(k, err)
	return fmt.Sprintf("%+v, fault %+v, %+v", status, status.Fault, *store)
}

// agrees holds a state and an output against the oracle after so many ticks.
func (k *kept) agrees(kp float32, ticks int, got [2]uint32) {
	k.Helper()
	oracle, err := target.Open(k.Context(), target.Oracle, target.Options{})
	require.NoError(k, err)
	defer oracle.Close()
	p, err := oracle.Load(k.Context(), k.prog)
	require.NoError(k, err)
	r, err := p.Call(k.Context(), device.Call{
		Writes: k.set(kp), Runs: ticks,
		Reads: []device.Span{device.SpanOf(k.symbol(image.State, "x")), device.SpanOf(k.symbol(image.Output, "u"))},
	})
	require.NoError(k, err)
	require.Equal(k, got, [2]uint32{binary.LittleEndian.Uint32(r.Data[0]), binary.LittleEndian.Uint32(r.Data[1])}, "kp %v after %d ticks", kp, ticks)
}

func (k *kept) stop(dev *target.Runner) {
	k.Helper()
	l, err := dev.Attach(k.Context(), k.prog.Image)
	require.NoError(k, err)
	_, err = l.Stop(k.Context())
	require.NoError(k, err)
}

// TestStoredProgramsOfBoards: a program runs after a reset with the bits of the oracle, a second one replaces it, and none runs
// once the store is cleared.
func TestStoredProgramsOfBoards(t *testing.T) {
	for _, name := range []string{"microbit", "virt-a15", "virt-a53"} {
		t.Run(name, func(t *testing.T) {
			k := keepOn(t, name)
			dev := k.open()
			require.NoError(t, k.store(t.Context(), dev, 2, true))
			dev.Close()
			require.NoError(t, k.board.Reset())
			dev = k.open()
			kp, running := k.read(dev)
			require.True(t, running)
			assert.EqualValues(t, 2, kp)
			var ticking session.TickingError
			require.ErrorAs(t, k.store(t.Context(), dev, 3, true), &ticking)
			k.stop(dev)
			require.NoError(t, k.store(t.Context(), dev, 3, false))
			dev.Close()
			require.NoError(t, k.board.Reset())
			dev = k.open()
			_, running = k.read(dev)
			require.False(t, running, "it is loaded only")
			digest, usable, err := dev.Resident(t.Context())
			require.NoError(t, err)
			want := k.prog.Image.Digest()
			assert.True(t, usable)
			assert.Equal(t, want[:], digest)
			require.NoError(t, dev.Session().ClearStore(t.Context()))
			dev.Close()
			require.NoError(t, k.board.Reset())
			dev = k.open()
			defer dev.Close()
			digest, _, err = dev.Resident(t.Context())
			require.NoError(t, err)
			assert.Empty(t, digest)
		})
	}
}

// A storing is a program on its way into the board's flash.
type storing struct {
	cancel context.CancelFunc
	done   chan error
}

// begin stores a program while the test goes on.
func (k *kept) begin(dev *target.Runner, kp float32) storing {
	ctx, cancel := context.WithCancel(k.Context())
	s := storing{cancel, make(chan error, 1)}
	go func() { s.done <- k.store(ctx, dev, kp, true) }()
	return s
}

// end interrupts it, and reports whether it was at its end before.
func (s *storing) end() (whole bool) {
	s.cancel()
	return <-s.done == nil
}

// TestAutostartSurvivesResets: a hundred resets at random instants, while the loop runs, while the board starts, and while it erases and
// writes its flash. Each time the old program or the new one runs, whole, with the bits of the oracle.
func TestAutostartSurvivesResets(t *testing.T) {
	for name, resets := range map[string]int{"microbit": extent.Of(70, 300), "virt-a15": extent.Of(30, 100)} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed.Of(t), uint64(len(name))))
			k := keepOn(t, name)
			dev := k.open()
			begun := time.Now()
			old := float32(1)
			require.NoError(t, k.store(t.Context(), dev, old, true))
			took := time.Since(begun)
			dev.Close()
			require.NoError(t, k.board.Reset())
			counts := map[string]int{}
			for i := range resets {
				dev := k.open()
				next := float32(i + 2)
				got, running := k.read(dev)
				require.True(t, running, "reset %d", i)
				require.Equal(t, old, got)
				what := "running"
				whole := false
				if rng.IntN(4) > 0 {
					k.stop(dev)
					s := k.begin(dev, next)
					time.Sleep(time.Duration(rng.Int64N(int64(took * 5 / 4))))
					require.NoError(t, k.board.Reset())
					whole = s.end()
					what = "storing"
				} else {
					time.Sleep(time.Duration(rng.Int64N(int64(20 * time.Millisecond))))
					require.NoError(t, k.board.Reset())
				}
				for range rng.IntN(3) { // while it starts
					time.Sleep(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
					require.NoError(t, k.board.Reset())
				}
				dev.Close()
				dev = k.open()
				got, running = k.read(dev)
				require.True(t, running, "reset %d while %s: %s", i, what, k.state(dev))
				dev.Close()
				switch {
				case whole:
					require.Equal(t, next, got)
					what += ", at its end"
				case what == "running":
					require.Equal(t, old, got)
				default:
					require.Contains(t, []float32{old, next}, got)
					if got == next {
						what += ", the new one"
					}
				}
				counts[what]++
				old = got
			}
			t.Logf("storing takes %v; seed %d: %v", took, seed.Of(t), counts)
		})
	}
}

// TestStoreSurvivesKills: QEMU is killed in the midst of a store, and a new one starts with the flash that it has left in a file.
func TestStoreSurvivesKills(t *testing.T) {
	const name, flashBytes = "virt-a15", 64 << 20
	file := filepath.Join(t.TempDir(), "flash")
	f, err := os.Create(file)
	require.NoError(t, err)
	blank := make([]byte, 1<<20)
	for i := range blank {
		blank[i] = 0xff
	}
	for range flashBytes / len(blank) {
		_, err := f.Write(blank)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	drive := []string{"-drive", "if=pflash,unit=1,format=raw,file=" + file}

	rng := rand.New(rand.NewPCG(seed.Of(t), 7))
	k := keepOn(t, name, drive...)
	dev := k.open()
	begun := time.Now()
	old := float32(1)
	require.NoError(t, k.store(t.Context(), dev, old, true))
	took := time.Since(begun)
	counts := map[bool]int{}
	for i := range extent.Of(8, 40) {
		next := float32(i + 2)
		s := k.begin(dev, next)
		time.Sleep(time.Duration(rng.Int64N(int64(took * 2))))
		require.NoError(t, k.board.Close()) // by a signal that it cannot catch
		whole := s.end()
		dev.Close()
		k.board = emulatortest.Start(t, name, drive...)
		dev = k.open()
		got, running := k.read(dev)
		require.True(t, running, "kill %d", i)
		require.Contains(t, []float32{old, next}, got)
		if whole {
			require.Equal(t, next, got)
		}
		counts[got == next]++
		old = got
		k.stop(dev)
	}
	dev.Close()
	t.Logf("seed %d: %d times the old program, %d times the new one", seed.Of(t), counts[false], counts[true])
}
