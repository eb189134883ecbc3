package lir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloatsBesideDoubles: only a program with doubles gives up the float registers that
// those lie over.
func TestFloatsBesideDoubles(t *testing.T) {
	m := &Machine{Regs: [NumClasses]int{Float: 28, Int: 5, Double: 10}, Doubles: true, DoubleBank: true, FloatsBesideDoubles: 8}
	f := &Func{Values: make([]Value, 1), Data: &Data{}}
	f.NewHomed(Float, f.Data.Word(0))
	require.Same(t, m, m.For(f))
	f.NewHomed(Double, f.Data.Element(Double, 1))
	require.Equal(t, [NumClasses]int{Float: 8, Int: 5, Double: 10}, m.For(f).Regs)
	require.Equal(t, 28, m.Regs[Float])
	m.FloatsBesideDoubles = 0
	require.Same(t, m, m.For(f))
}
