//go:build amd64 || arm64

package native

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
)

// mapped is how many mappings this process has, and how many kilobytes of memory.
func mapped(t *testing.T) (n, resident int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	status, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	for _, c := range bytes.Fields(status)[1] {
		resident = resident*10 + int(c-'0')
	}
	return bytes.Count(text, []byte{'\n'}), resident * os.Getpagesize() / 1024
}

// TestLeaks: a program that is closed leaves nothing behind.
func TestLeaks(t *testing.T) {
	m := forged(codes[Arch].nothing...)
	once := func() {
		p, err := Load(m)
		require.NoError(t, err)
		require.NoError(t, p.Run())
		require.NoError(t, p.Close())
	}
	for range 100 {
		once()
	}
	runtime.GC()
	before, kilobytes := mapped(t)
	for range extent.Of(2000, 10_000) {
		once()
	}
	runtime.GC()
	after, now := mapped(t)
	require.Less(t, after, before+100)
	require.Less(t, now, kilobytes+20_000)
}

// TestThreadsBesidePrograms: with as many programs as can be, there is room for threads and for Go's heap.
func TestThreadsBesidePrograms(t *testing.T) {
	if inside, out, err := child(t); !inside {
		require.NoError(t, err, "%s", out)
		require.Contains(t, out, "--- PASS")
		return
	}
	m := forged(codes[Arch].nothing...)
	var kept []*Program
	for {
		p, err := Load(m)
		if err != nil {
			require.ErrorIs(t, err, ErrUnsupported)
			break
		}
		kept = append(kept, p)
	}
	require.GreaterOrEqual(t, len(kept), 4096)
	n, _ := mapped(t)
	require.LessOrEqual(t, n, len(kept)*mappingsOfProgram+1000, "mappings of a program")
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			runtime.LockOSThread() // until the goroutine ends, and the thread with it
			time.Sleep(50 * time.Millisecond)
			clear(make([]byte, 4<<20))
		})
	}
	all.Wait()
	for _, p := range kept {
		require.NoError(t, p.Run())
		require.NoError(t, p.Close())
	}
}
