package chips_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
)

func TestFE310(t *testing.T) {
	inputs(t, "sifive_e", "in", 17, map[string]bool{"none": false, "up": true})
	outputs(t, "sifive_e", "out", 17)
	safeLevels(t, "sifive_e", "GPIO5", "out")
	turns(t, "sifive_e", 17)
}

// What a program before the runner may have left of a pin is gone.
func TestFE310AfterOthers(t *testing.T) {
	offers(t, "sifive_e", "in", 17, func(pin string) {
		n, err := strconv.Atoi(strings.TrimPrefix(pin, "GPIO"))
		require.NoError(t, err)
		for _, c := range []struct {
			kind, pull, pad string
			history         []bool
		}{
			{"in", "none", "in inverted", nil}, {"in", "up", "in inverted up", nil}, {"out", "", "out", []bool{false}},
		} {
			var options map[string]string
			if c.pull != "" {
				options = map[string]string{"pull": c.pull}
			}
			b := prepare(t, "sifive_e", pin, c.kind, options)
			for _, offset := range []uint32{0x38, 0x04, 0x08, 0x10, 0x40} { // a function, in, out, up, inverted
				b.bus.Write(32, 0x10012000+offset, b.bus.Read(32, 0x10012000+offset)|1<<n)
			}
			b.start()
			require.Equal(t, c.pad, b.bus.(*models.FE310).Pad(pin), c.kind)
			require.Equal(t, c.history, b.bus.History(pin))
		}
	})
}

func TestFE310LeavesTheRunnerAlone(t *testing.T) {
	c := find(t, "sifive_e")
	for _, address := range []uint32{0x10000000, 0x10008000, 0x10013000, 0x02000000, 0x0c000000} { // AON, PRCI, UART0, CLINT, PLIC
		require.False(t, c.Inside(32, address))
	}
}
