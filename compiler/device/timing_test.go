package device

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPeriod(t *testing.T) {
	for _, d := range []time.Duration{time.Microsecond, time.Millisecond, MaxPeriod, 600} {
		got, err := Period(d)
		require.NoError(t, err)
		assert.Equal(t, max(d, MinPeriod), got)
	}
	third, err := Period(time.Second / 3000)
	require.NoError(t, err)
	assert.Equal(t, 333*time.Microsecond, third)
	for _, d := range []time.Duration{0, -time.Second, 400, MaxPeriod + time.Microsecond} {
		_, err := Period(d)
		assert.ErrorContains(t, err, "want 1µs to 1h11m34.967295s", d)
	}
}

// TestPace: ticks are due at multiples of the period, however late others were.
func TestPace(t *testing.T) {
	none, err := NewPace(0)
	require.NoError(t, err)
	assert.Nil(t, none.Timing())
	_, err = NewPace(-1)
	require.Error(t, err)

	p, err := NewPace(time.Millisecond)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	var worst, least, longest, shortest, total time.Duration
	least, shortest = time.Hour, time.Hour
	late := 0
	for n := range 1000 {
		require.Equal(t, time.Duration(n)*time.Millisecond, p.Due())
		after, took, isLate := time.Duration(1+rng.IntN(1e7)), time.Duration(1+rng.IntN(1e7)), rng.IntN(3) == 0
		worst, least = max(worst, after), min(least, after)
		longest, shortest = max(longest, took), min(shortest, took)
		total += took
		if isLate {
			late++
		}
		p.Started(after, isLate)
		p.Ended(took)
	}
	assert.Equal(t, &Timing{Period: time.Millisecond, Ticks: 1000, Late: late,
		Execution: Execution{Min: shortest, Mean: total / 1000, Max: longest},
		Starts:    &Starts{Worst: worst, Jitter: worst - least}}, p.Timing())
}
