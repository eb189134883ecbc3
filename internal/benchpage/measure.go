package benchpage

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	lapTime     = 100 * time.Microsecond // of a batch: many short ones find a quiet moment on a busy machine
	fewestLaps  = 20
	fewestCalls = 16
	mostCalls   = 100_000
)

// batch makes a number of calls and returns how long they took and their result.
type batch func(calls int) (time.Duration, float32, error)

// lap is a batch of about lapTime, as ns per call.
type lap func() (ns float64, result float32, err error)

// lap finds how many calls a batch is to have.
func (b batch) lap() (lap, error) {
	calls := fewestCalls
	for {
		took, _, err := b(calls)
		if err != nil {
			return nil, err
		}
		if took >= lapTime/2 || calls >= mostCalls {
			calls = min(max(int(float64(calls)*float64(lapTime)/float64(max(took, 1))), fewestCalls), mostCalls)
			break
		}
		calls *= 2
	}
	return func() (float64, float32, error) {
		took, result, err := b(calls)
		return float64(took.Nanoseconds()) / float64(calls), result, err
	}, nil
}

// calls is a batch of a function of this process.
func calls(call func() (float32, error)) batch {
	return func(n int) (_ time.Duration, result float32, err error) {
		for range n/8 + 1 { // into the caches
			if result, err = call(); err != nil {
				return 0, 0, err
			}
		}
		start := time.Now()
		for range n {
			if result, err = call(); err != nil {
				return 0, 0, err
			}
		}
		return time.Since(start), result, nil
	}
}

// tolerance between results, which are summed in different orders.
const tolerance = 1e-4

// race has laps one after the other, round after round, for as long as told. It returns the times of
// each, and fails where results differ.
func race(ctx context.Context, laps []lap, names []string, d time.Duration) ([][]float64, error) {
	times := make([][]float64, len(laps))
	var want float32
	for start := time.Now(); len(times[0]) < fewestLaps || time.Since(start) < d; {
		for i, l := range laps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ns, got, err := l()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
			if want == 0 {
				want = got
			}
			if !(math.Abs(float64(got-want)) <= tolerance*math.Abs(float64(want))) || got == 0 {
				return nil, fmt.Errorf("%s computes %v where %s computes %v", names[i], got, names[0], want)
			}
			times[i] = append(times[i], ns)
		}
	}
	return times, nil
}

func median(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
