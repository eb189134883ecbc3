package gcc

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func start(t *testing.T, functions ...Function) *Process {
	t.Helper()
	p, err := Start(functions)
	if errors.Is(err, ErrMissing) {
		t.Skip("SKIP:", err)
	}
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// TestTenDots: all bodies compute the same, for lengths with and without a rest of the eight lanes.
func TestTenDots(t *testing.T) {
	sizes, bodies := []int{1, 8, 30}, []string{TenDots, TenDotsOneSum, TenDotsInLanes}
	var functions []Function
	for _, n := range sizes {
		for _, body := range bodies {
			functions = append(functions, Function{Source: Arrays(n, "1", body), Result: ArraysResult(n)})
		}
	}
	p := start(t, functions...)
	for i, n := range sizes {
		want := 0.0
		for shift := range 10 {
			for k := range n {
				want += (1 + StepA*float64(k) + float64(shift)) * (1 + StepB*float64(k))
			}
		}
		for form := range bodies {
			took, got, err := p.Batch(len(bodies)*i+form, 10)
			require.NoError(t, err)
			assert.InEpsilon(t, want, got, 1e-5, "n = %d", n)
			assert.Positive(t, took)
		}
	}
}

// TestBatchCalls: a batch makes as many calls as it is asked to, and some before them.
func TestBatchCalls(t *testing.T) {
	p := start(t, Function{Source: "float baseline_data[] = {0, 0};\nvoid baseline(float *data) { data[1] += 1; }", Result: 4})
	_, got, err := p.Batch(0, 80)
	require.NoError(t, err)
	assert.Equal(t, float32(80+80/8+1), got)
}

// TestFailures: what GCC says to a source that is none, and a function that ends its process.
func TestFailures(t *testing.T) {
	start(t) // skips without GCC
	_, err := Start([]Function{{Source: "void baseline(float *data) { nothing }"}})
	require.ErrorContains(t, err, "nothing")
	p := start(t, Function{Source: "#include <stdlib.h>\nfloat baseline_data[1];\nvoid baseline(float *data) { exit((int)data[0] + 3); }"})
	_, _, err = p.Batch(0, 1)
	require.ErrorContains(t, err, "exit status 3")
	t.Setenv("PATH", "")
	_, err = Start(nil)
	require.ErrorIs(t, err, ErrMissing)
	_, err = Version()
	require.ErrorIs(t, err, ErrMissing)
}
