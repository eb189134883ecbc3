package target

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// openInside opens the target "local", which must be this process.
func openInside(t testing.TB, opt Options) *InProcess {
	t.Helper()
	dev, err := Open(t.Context(), LocalName, opt)
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	if native.Arch == 0 {
		t.Skip("SKIP: programs do not run in a process of this architecture")
	}
	require.IsType(t, &InProcess{}, dev)
	return dev.(*InProcess)
}

// turning is a program that goes round a loop, and counts its runs.
type turning struct {
	device.Program
	prog  *compiler.Program
	count device.Span
}

func loadTurning(t testing.TB, dev device.Device, turns int) *turning {
	t.Helper()
	g := graph.New()
	x := g.InputF32("x", 1)
	count, err := g.State("count", graph.I32, nil, []uint32{0})
	require.NoError(t, err)
	require.NoError(t, g.SetNext(count, count.Add(g.I32(1))))
	v, err := g.Fori(turns, []graph.Value{x}, func(_ graph.Value, c []graph.Value) ([]graph.Value, error) {
		return []graph.Value{c[0].Sin().Add(x)}, nil
	})
	require.NoError(t, err)
	prog, err := compiler.Compile(g, []compiler.Output{{Name: "out", Value: v[0]}, {Name: "count", Value: count}}, compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	require.NoError(t, err)
	p, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	return &turning{p, prog, device.SpanOf(prog.Output(1))}
}

// seemsLong has a program in this process look as if its runs took longer than any limit, or not.
func seemsLong(p device.Program, long bool) {
	if d, ok := p.(*direct); ok {
		d.most = ceiling(d.prog.Image.Budget.Instructions)
		if long {
			d.most = time.Hour
		}
	}
}

func (p *turning) counted(t testing.TB) uint32 {
	t.Helper()
	r, err := p.Call(t.Context(), device.Call{Reads: []device.Span{p.count}})
	require.NoError(t, err)
	return binary.LittleEndian.Uint32(r.Data[0])
}

// TestDirect: the data block of a program in this process is memory, and a run a function call.
func TestDirect(t *testing.T) {
	var warned []string
	dev := openInside(t, Options{Warn: func(text string) { warned = append(warned, text) }})
	p := load(t, dev)
	d, ok := p.Program.(device.Direct)
	require.True(t, ok)
	word := func(s device.Span) []byte { return d.Memory()[s.Offset:][:s.Length] }
	for i := range uint32(3) {
		require.NoError(t, d.Run(t.Context()))
		require.Equal(t, 5*(i+1), binary.NativeEndian.Uint32(word(p.count)))
	}
	assert.Zero(t, d.Flags())
	clear(word(p.by))
	require.NoError(t, d.Run(t.Context()))
	assert.Equal(t, []string{"divide"}, d.Flags().Names())
	assert.Equal(t, d.Flags().Texts(), warned)
	binary.NativeEndian.PutUint32(word(p.by), 4)
	r := p.call(t, device.Call{Runs: 1, Reads: []device.Span{p.quotient}})
	assert.Equal(t, []byte{6, 0, 0, 0}, r.Data[0], "a call sees what was stored")
	assert.Zero(t, d.Flags())
	assert.Equal(t, []byte{6, 0, 0, 0}, word(p.quotient))
	wire, took := d.Transfer()
	assert.Zero(t, wire)
	assert.Positive(t, took)

	done, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, d.Run(done), context.Canceled)
	d.Release()
	d.Release()
	require.ErrorIs(t, d.Run(t.Context()), device.ErrReleased)

	// What is loaded ends with its target, whose memory may still be read.
	q := load(t, dev)
	dev.Close()
	require.ErrorIs(t, q.Program.(device.Direct).Run(t.Context()), device.ErrReleased)
	_, err := q.Call(t.Context(), device.Call{Runs: 1})
	require.ErrorIs(t, err, device.ErrReleased)
	assert.Len(t, q.Program.(device.Direct).Memory(), int(q.Program.(*direct).prog.Image.DataSize()))
	q.Release()
	_, err = dev.Load(t.Context(), q.Program.(*direct).prog)
	require.ErrorIs(t, err, transport.ErrClosed)
}

// TestDirectNeedsNoMemory: a run allocates nothing.
func TestDirectNeedsNoMemory(t *testing.T) {
	p := load(t, openInside(t, Options{}))
	d, ctx := p.Program.(device.Direct), t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := d.Run(ctx); err != nil {
			t.Error(err)
		}
	}))
}

// TestProgramsSideBySide: different programs of one target are called at the same time, and some of
// them go to the sandbox.
func TestProgramsSideBySide(t *testing.T) {
	dev := openInside(t, Options{})
	var all sync.WaitGroup
	for range 4 {
		p := loadTurning(t, dev, 3000)
		all.Go(func() {
			d := p.Program.(device.Direct)
			for i := range 100 {
				err := d.Run(t.Context())
				if i%25 == 0 {
					seemsLong(p.Program, true)
					_, err = p.Call(t.Context(), device.Call{Runs: 1})
					seemsLong(p.Program, false)
				}
				if !assert.NoError(t, err) {
					return
				}
			}
			assert.EqualValues(t, 104, p.counted(t))
		})
	}
	all.Wait()
}

// TestLimits: a run that takes too long ends the same way wherever it is.
func TestLimits(t *testing.T) {
	for _, name := range localNames(t) {
		t.Run(name, func(t *testing.T) {
			dev, err := Open(t.Context(), name, Options{})
			require.NoError(t, err)
			defer dev.Close()
			p := loadTurning(t, dev, 300_000)
			_, err = p.Call(t.Context(), device.Call{Runs: 1, Limit: 11 * time.Second})
			var long *session.LimitError
			require.ErrorAs(t, err, &long)

			// With time enough, states go on from run to run, whichever way a run takes.
			timed := 0
			for i := range 4 {
				seemsLong(p.Program, i%2 == 1)
				r, err := p.Call(t.Context(), device.Call{Runs: 2, Limit: 9 * time.Second, Reads: []device.Span{p.count}, Timed: func(time.Duration) { timed++ }})
				require.NoError(t, err)
				require.EqualValues(t, 2*(i+1), binary.LittleEndian.Uint32(r.Data[0]))
				require.Positive(t, r.Total)
			}
			require.Equal(t, 8, timed)
			seemsLong(p.Program, false)
			_, err = p.Call(t.Context(), device.Call{Runs: 1, Limit: 50 * time.Microsecond})
			var fault *session.FaultError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, packet.FaultTimeLimit, fault.Kind)
			require.Contains(t, fault.Hint(), "--limit")
			_, err = p.Call(t.Context(), device.Call{Runs: 1})
			require.Error(t, err, "it must be loaded again")
			if d, ok := p.Program.(device.Direct); ok {
				require.Error(t, d.Run(t.Context()))
			}
			p.counted(t)
			p.Release()

			q := loadTurning(t, dev, 10)
			_, err = q.Call(t.Context(), device.Call{Runs: 1, Limit: time.Second})
			require.NoError(t, err)

			strict, err := Open(t.Context(), name, Options{Limit: 50 * time.Microsecond})
			require.NoError(t, err)
			defer strict.Close()
			s := loadTurning(t, strict, 300_000)
			if d, ok := s.Program.(device.Direct); ok {
				err = d.Run(t.Context())
			} else {
				_, err = s.Call(t.Context(), device.Call{Runs: 1})
			}
			require.ErrorAs(t, err, &fault)
			require.Equal(t, packet.FaultTimeLimit, fault.Kind)
		})
	}
}

// TestManyRunsAreCancelled: a call of many short runs ends when its context does.
func TestManyRunsAreCancelled(t *testing.T) {
	for _, name := range localNames(t) {
		for _, timed := range []func(time.Duration){nil, func(time.Duration) {}} {
			t.Run(fmt.Sprint(name, timed != nil), func(t *testing.T) {
				dev, err := Open(t.Context(), name, Options{})
				require.NoError(t, err)
				defer dev.Close()
				p := loadTurning(t, dev, 10)
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				start := time.Now()
				_, err = p.Call(ctx, device.Call{Runs: 1 << 30, Timed: timed})
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Less(t, time.Since(start), time.Minute)
			})
		}
	}
}

// TestLongProgramsAreInterrupted: a program that may take long goes to the sandbox, which ends with the context.
func TestLongProgramsAreInterrupted(t *testing.T) {
	dev := openInside(t, Options{})
	_, none := dev.Sandbox()
	p := loadTurning(t, dev, 10_000_000)
	require.Greater(t, p.prog.Image.Budget.Instructions, uint64(longest))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := p.Call(ctx, device.Call{Runs: 1})
	require.Error(t, err)
	if none != nil { // the error comes behind the run
		require.ErrorIs(t, none, local.ErrUnsupported)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.IsType(t, &direct{}, p.Program)
		return
	}
	require.IsType(t, &Program{}, p.Program)
	require.Less(t, time.Since(start), time.Minute)

	short := openInside(t, Options{})
	loadTurning(t, short, 10)
	require.Nil(t, short.sandbox, "started when it is needed, and not before")
}

// wild stores at address 0.
var wild = map[packet.Arch][]byte{
	packet.ArchX86_64:  {0x31, 0xc0, 0xc7, 0x00, 1, 0, 0, 0, 0xc3},
	packet.ArchAarch64: {0x01, 0, 0x80, 0xd2, 0x20, 0, 0, 0xb9, 0xc0, 0x03, 0x5f, 0xd6},
}

// TestFaults: what a compiler might do wrong is an error of the call, and everything else goes on.
func TestFaults(t *testing.T) {
	if err := native.GuardFaults(); err != nil {
		// Here a fault ends the process. Whoever asks for the guard is not refused.
		require.ErrorIs(t, err, native.ErrUnsupported)
		require.False(t, runtime.GOOS == "linux" && native.Arch != 0)
		dev, err := Open(t.Context(), LocalName, Options{GuardFaults: true})
		require.NoError(t, err)
		defer dev.Close()
		good := load(t, dev)
		r := good.call(t, device.Call{Runs: 1, Reads: []device.Span{good.count}})
		require.Equal(t, []byte{5, 0, 0, 0}, r.Data[0])
		return
	}
	for _, name := range localNames(t) {
		t.Run(name, func(t *testing.T) {
			dev, err := Open(t.Context(), name, Options{GuardFaults: true})
			require.NoError(t, err)
			defer dev.Close()
			good := load(t, dev)
			sound := loadTurning(t, dev, 10).prog
			broken, img := *sound, *sound.Image
			img.Code = append(wild[img.Arch], img.Code...)
			img.Entries = []image.Entry{{Name: img.Entries[0].Name}}
			broken.Image = &img
			for range 3 {
				p, err := dev.Load(t.Context(), &broken)
				require.NoError(t, err)
				_, err = p.Call(t.Context(), device.Call{Runs: 5})
				var fault *session.FaultError
				require.ErrorAs(t, err, &fault)
				require.Zero(t, fault.Runs)
				require.True(t, fault.Inside)
				require.Contains(t, fault.Hint(), "please report it")
				_, err = p.Call(t.Context(), device.Call{Runs: 1})
				require.Error(t, err)
				_, err = p.Call(t.Context(), device.Call{Reads: []device.Span{{Offset: 0, Length: 4}}})
				require.NoError(t, err, "the data can be read")
				p.Release()
			}
			r := good.call(t, device.Call{Runs: 1, Reads: []device.Span{good.count}})
			require.Equal(t, []byte{5, 0, 0, 0}, r.Data[0])
		})
	}
}

// TestCapacity: what the sandbox has no memory for is refused here as there.
func TestCapacity(t *testing.T) {
	dev := openInside(t, Options{})
	if r, err := dev.Sandbox(); err == nil {
		require.EqualValues(t, codeCapacity, r.Hello().CodeCapacity)
		require.EqualValues(t, dataCapacity, r.Hello().DataCapacity)
	}
	sound := load(t, dev).Program.(*direct).prog
	for _, change := range []func(*image.Image){
		func(m *image.Image) { m.BSS = dataCapacity },
		func(m *image.Image) { m.Code = make([]byte, codeCapacity+1) },
	} {
		large, img := *sound, *sound.Image
		change(&img)
		large.Image = &img
		_, err := dev.Load(t.Context(), &large)
		var size *session.SizeError
		require.ErrorAs(t, err, &size)
	}
}

// TestImagesStayOutside: nothing that takes an image leads into this process, and an image from a file that
// somebody makes a program of goes to the sandbox.
func TestImagesStayOutside(t *testing.T) {
	inside := openInside(t, Options{})
	p := load(t, inside)
	file, err := p.Program.(*direct).prog.Image.Encode()
	require.NoError(t, err)
	img, err := image.Decode(file)
	require.NoError(t, err)
	copied := *img
	for _, img := range []*image.Image{img, &copied} {
		_, err = native.Load(img)
		require.ErrorIs(t, err, native.ErrUnsupported)
		require.ErrorContains(t, err, "local:sandbox")
		loaded, err := inside.Load(t.Context(), &compiler.Program{Image: img})
		if err != nil {
			require.ErrorIs(t, err, local.ErrUnsupported)
			continue
		}
		require.IsType(t, &Program{}, loaded)
		r, err := loaded.Call(t.Context(), device.Call{Runs: 1, Reads: []device.Span{p.count}})
		require.NoError(t, err)
		require.Equal(t, []byte{5, 0, 0, 0}, r.Data[0])
	}
	m := reflect.TypeFor[*InProcess]()
	for i := range m.NumMethod() {
		f := m.Method(i).Type
		for k := range f.NumIn() {
			require.NotEqual(t, reflect.TypeFor[*image.Image](), f.In(k), m.Method(i).Name)
			require.NotEqual(t, reflect.TypeFor[[]byte](), f.In(k), m.Method(i).Name)
		}
	}
	for _, name := range localNames(t) {
		dev, err := OpenRunner(t.Context(), name, Options{})
		if errors.Is(err, local.ErrUnsupported) {
			continue // refused, with the reason
		}
		require.NoError(t, err)
		require.NotNil(t, dev.Session(), "it speaks to another process")
		dev.Close()
	}
}

// TestNoRoomInTheProcess: programs that the system does not run in this process go to the sandbox, quietly.
func TestNoRoomInTheProcess(t *testing.T) {
	dev := openInside(t, Options{})
	_, none := dev.Sandbox()
	sound := load(t, dev).Program.(*direct).prog
	deep, img := *sound, *sound.Image
	img.Budget.StackBytes = 60 << 10
	deep.Image = &img
	p, err := dev.Load(t.Context(), &deep)
	if none != nil { // and where there is none, the error says both
		require.ErrorIs(t, none, local.ErrUnsupported)
		require.ErrorIs(t, err, local.ErrUnsupported)
		require.ErrorIs(t, err, native.ErrUnsupported)
		return
	}
	require.NoError(t, err)
	require.IsType(t, &Program{}, p)
	_, err = p.Call(t.Context(), device.Call{Runs: 1})
	require.NoError(t, err)
}
