//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistogram(t *testing.T) {
	all, err := histogram([]byte("# /dev/cpu_dma_latency set to 0us\n# Histogram\n000999 000000\n001000 000002\n012500 000001\n" +
		"# Total: 000000003\n# Min Latencies: 01000\n# Avg Latencies: 05000\n# Max Latencies: 2500000\n" +
		"# Histogram Overflows: 00001\n# Histogram Overflow at cycle number:\n# Thread 0: 00017\n"))
	require.NoError(t, err)
	require.Equal(t, []float64{1, 1, 12.5, 2500}, all, "what is beyond the histogram counts as the latest")
	_, err = histogram([]byte("# Histogram\n000001 000000\n"))
	require.ErrorContains(t, err, "no histogram")
}

func TestQuantile(t *testing.T) {
	var sorted []float64
	for i := range 1000 {
		sorted = append(sorted, float64(i))
	}
	require.EqualValues(t, 500, quantile(sorted, 0.5))
	require.EqualValues(t, 999, quantile(sorted, 0.999))
	require.EqualValues(t, 7, quantile([]float64{7}, 0.999))
}
