package channels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// Pins of a chip with a word that sets and one that clears take two accesses together.
func TestSetAndClear(t *testing.T) {
	plan, err := Resolve(board(t, "microbit"), []Binding{
		{Variable: "a", Direction: chips.Out, Channel: "ROW1"},
		{Variable: "b", Direction: chips.Out, Channel: "COL1"},
		{Variable: "c", Direction: chips.Out, Channel: "P8"},
	})
	require.NoError(t, err)
	require.Len(t, plan.After, 2)
	require.Len(t, plan.Safe, 2)
	require.Equal(t, []string{"a.set", "a.clear"}, plan.Slots)
	m := models.NewNRF51()
	slots := map[string]int32{}
	require.NoError(t, registers.Run(m, plan.Start, slots))
	for i := range 8 {
		clear(slots)
		for j := range plan.Bound {
			plan.Bound[j].write(float64(i>>j&1), slots)
		}
		require.NoError(t, registers.Run(m, plan.After, slots))
		out := m.Read(32, 0x50000504)
		require.Equal(t, [3]uint32{uint32(i & 1), uint32(i >> 1 & 1), uint32(i >> 2)}, [3]uint32{out >> 13 & 1, 1 - out>>4&1, out >> 18 & 1})
	}
	require.NoError(t, registers.Run(m, plan.Safe, slots))
	require.Equal(t, uint32(1<<24|1<<4), m.Read(32, 0x50000504), "the UART's line and a column of LEDs")
	require.Empty(t, m.Errors())
}

// Names of the edge connector and of the LEDs are the same pins.
func TestMicrobitExcludes(t *testing.T) {
	b := board(t, "microbit")
	for _, c := range [][2]string{{"P3", "COL1"}, {"P4", "COL2"}, {"P10", "COL3"}, {"P9", "COL7"}, {"P7", "COL8"}, {"P6", "COL9"}} {
		_, err := Resolve(b, []Binding{{Variable: "x", Direction: chips.In, Channel: c[0]}, {Variable: "y", Direction: chips.Out, Channel: c[1]}})
		require.ErrorContains(t, err, " is in use by x ("+c[0]+")")
	}
	for _, c := range [][2]string{{"P5", "BTN_A"}, {"P11", "BTN_B"}} {
		_, err := Resolve(b, []Binding{{Variable: "x", Direction: chips.In, Channel: c[0]}, {Variable: "y", Direction: chips.In, Channel: c[1]}})
		require.ErrorContains(t, err, " is in use by x ("+c[0]+")")
	}
}
