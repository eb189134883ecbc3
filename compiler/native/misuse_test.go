//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestClosed: a program that is closed is an error to run, and closing it again does nothing.
func TestClosed(t *testing.T) {
	p := load(t, forged(codes[Arch].nothing...))
	require.NoError(t, p.Run())
	require.Len(t, p.Data(), 64)
	require.NoError(t, p.Close())
	other := load(t, forged(codes[Arch].nothing...)) // has its slot, and perhaps its place
	for _, p.long = range []bool{false, true} {
		require.ErrorIs(t, p.Run(), ErrClosed)
	}
	require.Nil(t, p.Data())
	require.NoError(t, p.Close())
	require.NoError(t, other.Run())
}

// TestRunning: while a program runs it is neither run again nor closed, and goes on unharmed.
func TestRunning(t *testing.T) {
	m := forged(codes[Arch].wait...)
	m.Budget.Instructions = 1 << 30 // so that nobody waits for it
	p := load(t, m)
	require.EqualValues(t, 1<<30, p.Instructions())
	word := (*uint32)(unsafe.Pointer(unsafe.SliceData(p.Data())))
	ended := make(chan error)
	go func() { ended <- p.Run() }()
	for atomic.LoadUintptr(&p.lock) != running {
		runtime.Gosched()
	}
	runtime.GC() // which does not wait for it
	for range 3 {
		require.ErrorIs(t, p.Run(), ErrRunning)
		require.ErrorIs(t, p.Close(), ErrRunning)
	}
	select {
	case err := <-ended:
		t.Fatal("it has ended", err)
	case <-time.After(10 * time.Millisecond):
	}
	atomic.StoreUint32(word, 1)
	require.NoError(t, <-ended)
	require.NoError(t, p.Run())
	require.NoError(t, p.Close())
}

// TestQuarrel: goroutines that call and close what they should not share get errors, and
// nothing else happens.
func TestQuarrel(t *testing.T) {
	s := loop(t, 3)
	for range 200 {
		p := load(t, s.Image)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 50 {
					if err := p.Run(); err != nil && !errors.Is(err, ErrRunning) && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
				}
				for errors.Is(p.Close(), ErrRunning) {
				}
			})
		}
		wg.Wait()
		require.ErrorIs(t, p.Run(), ErrClosed)
	}
}

// TestForgotten: the collector closes programs that nobody has any more, and none that somebody has.
func TestForgotten(t *testing.T) {
	runtime.GC()
	m := forged(codes[Arch].nothing...)
	kept, before := load(t, m), loaded.Load()
	for range 100 {
		p, err := Load(m)
		require.NoError(t, err)
		require.NoError(t, p.Run())
	}
	require.EqualValues(t, before+100, loaded.Load())
	for range 200 {
		if runtime.GC(); loaded.Load() <= before {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	require.LessOrEqual(t, loaded.Load(), before)
	require.NoError(t, kept.Run())
}

// TestMany: 4096 programs at a time, each with data of its own.
func TestMany(t *testing.T) {
	m := forged(codes[Arch].nothing...)
	n := 4096
	if runtime.GOOS == "windows" {
		n = 256 // Wine takes 10 ms and 2 MB for each
	}
	list := make([]*Program, n)
	for i := range list {
		list[i] = load(t, m)
		binary.LittleEndian.PutUint32(list[i].Data()[60:], uint32(i))
	}
	for i, p := range list {
		require.NoError(t, p.Run())
		require.EqualValues(t, i, binary.LittleEndian.Uint32(p.Data()[60:]))
	}
	for _, p := range list {
		require.NoError(t, p.Close())
	}
}

// TestRoom: where every place is taken, those of forgotten programs are looked for, and then the error
// says what is the matter.
func TestRoom(t *testing.T) {
	m := forged(codes[Arch].nothing...)
	var taken []*slot
	for range mostPrograms() - 10 {
		if s := takeSlot(); s != nil {
			taken = append(taken, s)
		}
	}
	defer func() {
		for _, s := range taken {
			s.give()
		}
	}()
	for range 100 { // forgotten
		_, err := Load(m)
		require.NoError(t, err)
	}
	var kept []*Program
	for range 100 {
		p, err := Load(m)
		if err != nil {
			require.ErrorIs(t, err, ErrUnsupported)
			require.ErrorContains(t, err, "programs are loaded")
			break
		}
		kept = append(kept, p)
	}
	require.Less(t, len(kept), 100)
	for _, p := range kept {
		require.NoError(t, p.Run())
		require.NoError(t, p.Close())
	}
}
