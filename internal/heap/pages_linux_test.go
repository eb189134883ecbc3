//go:build amd64 || arm64

package heap

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// faults are the page faults of this process so far.
func faults(t *testing.T) int64 {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Minflt
}

// percent is how much the heap grows between collections; negative: without end.
func percent() int {
	p := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(p)
	return int(int64(p[0].Value.Uint64()))
}

// TestBegin touches fresh memory behind the first collection: a page fault brings much more than 4 KB.
func TestBegin(t *testing.T) {
	const file = "/sys/kernel/mm/transparent_hugepage/enabled"
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "[never]") {
		t.Skip("SKIP: this system has no huge pages: " + file)
	}
	Begin()
	runtime.GC()
	for deadline := time.Now().Add(10 * time.Second); percent() <= small/(4<<20)*100 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	require.Greater(t, percent(), small/(4<<20)*100, "no collection was noticed")
	const pages = large >> 12 / 2
	before := faults(t)
	all := make([]byte, pages<<12)
	for i := 0; i < len(all); i += 1 << 12 {
		all[i] = 1
	}
	runtime.KeepAlive(all)
	require.Less(t, faults(t)-before, int64(pages/8))
}
