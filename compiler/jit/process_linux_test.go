//go:build amd64 || arm64

package jit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/jit"
)

// BenchmarkProcess is a call of a program in this process against one in the runner's, with the same
// arguments as before and with new ones.
func BenchmarkProcess(b *testing.B) {
	process, err := jit.Open(b.Context(), "local:sandbox")
	require.NoError(b, err)
	b.Cleanup(process.Close)
	v := ramp(16)
	for _, fresh := range []bool{false, true} {
		b.Run(map[bool]string{false: "same", true: "new"}[fresh], func(b *testing.B) {
			call := func(dev *jit.Device) func() error {
				f := jit.Must(jit.New2[float32, []float32, float32](dev, func(a, v graph.Value) graph.Value { return a.Mul(v.Sum()) }))
				return func() error {
					if fresh {
						v[0]++
					}
					_, err := f.Call(b.Context(), 2, v)
					return err
				}
			}
			there, here := call(process), call(native(b))
			for b.Loop() {
				far, near := least(b, there, 10), least(b, here, 500)
				b.ReportMetric(near, "ns/call")
				b.ReportMetric(far, "process-ns")
				b.ReportMetric(far/near, "ratio")
			}
		})
	}
}
