package timing

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Many times are summed up as few are: least, mean and longest exactly, percentiles to 0.1 %.
func TestRecorder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, exact, exact + 1, 100_000} {
		var r Recorder
		times := make([]time.Duration, n)
		total := 0.0
		for i := range times {
			times[i] = time.Duration(1000 + rng.ExpFloat64()*500)
			total += float64(times[i])
			r.Add(times[i])
		}
		slices.Sort(times)
		s := r.Summary()
		assert.Equal(t, n, s.Runs)
		assert.Equal(t, int64(times[0]), s.Min)
		assert.Equal(t, int64(times[n-1]), s.Max)
		assert.InEpsilon(t, total/float64(n), s.Mean, 1e-12)
		p50, p99 := int64(times[(n+1)/2-1]), int64(times[(99*n+99)/100-1])
		if n <= exact {
			assert.Equal(t, p50, s.P50)
			assert.Equal(t, p99, s.P99)
		}
		assert.InEpsilon(t, p50, s.P50, 0.001)
		assert.InEpsilon(t, p99, s.P99, 0.001)
		count := int64(0)
		for _, b := range s.Histogram {
			count += b.Count
		}
		assert.Equal(t, int64(n), count)
		assert.LessOrEqual(t, len(s.Histogram), buckets)
	}
}

// Classes lie side by side, each no wider than 0.1 % of its times, up to the longest time there is.
func TestClasses(t *testing.T) {
	end := int64(-1)
	for class := range classOf(math.MaxInt64) + 1 {
		from, to := classRange(class)
		if from != end+1 || to-from > from/1000 || classOf(from) != class || classOf(to) != class {
			require.Fail(t, "a wrong class", "%d: %d to %d after %d", class, from, to, end)
		}
		end = to
	}
	assert.Equal(t, int64(math.MaxInt64), end)
	assert.Zero(t, classOf(-1), "a clock that was set back")
}

// The memory for the times does not grow with their number.
func TestRecorderMemory(t *testing.T) {
	inUse := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	var r Recorder
	for i := range 20_000_000 {
		r.Add(time.Duration(i % 1_000_000))
	}
	assert.Less(t, inUse()-before, int64(1<<20))
	assert.Equal(t, 20_000_000, r.Summary().Runs)
}
