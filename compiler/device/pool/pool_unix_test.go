//go:build unix && (amd64 || arm64)

package pool_test

import (
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/device/pool"
)

// BenchmarkEach is a million runs of a small program by one worker and by two: the ratio of their
// rates is 2 at best. Of the times, those of the processor alone tell something beside other work.
func BenchmarkEach(b *testing.B) {
	const samples = 1_000_000
	dev := &devicetest.Native{}
	to := make([]float32, samples)
	var pools [2]*pool.Pool
	var do [2]func(w *pool.Worker, i int) error
	for i := range pools {
		p, x, y := small(b, dev, i+1)
		pools[i], do[i] = p, square(b.Context(), x, y, to)
	}
	wall, cpu := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(1), math.Inf(1)}
	b.ReportAllocs()
	for b.Loop() {
		for i, p := range pools {
			start, used := time.Now(), cpuTime(b)
			require.NoError(b, p.Each(b.Context(), samples, do[i]))
			wall[i] = min(wall[i], float64(time.Since(start).Nanoseconds())/samples)
			cpu[i] = min(cpu[i], float64((cpuTime(b)-used).Nanoseconds())/samples)
		}
	}
	require.Equal(b, float32(7*7-7), to[7])
	b.ReportMetric(cpu[0], "cpu-ns/run")
	b.ReportMetric(wall[0]/wall[1], "ratio")
	b.ReportMetric(2*cpu[0]/cpu[1], "cpu-ratio")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
