package chips_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
)

func TestMPS2(t *testing.T) {
	for _, chip := range []string{"mps2", "mps2_an505"} {
		inputs(t, chip, "in", 52, nil)
		outputs(t, chip, "out", 52)
		inputs(t, chip, "button", 2, nil)
		outputs(t, chip, "led", 2)
		safeLevels(t, chip, "EXP8", "out")
		safeLevels(t, chip, "LED1", "led")
		offers(t, chip, "in", 52, func(pin string) {
			n, err := strconv.Atoi(strings.TrimPrefix(pin, "EXP"))
			require.NoError(t, err)
			b := put(t, chip, pin, "in", nil)
			require.True(t, b.bus.(*models.MPS2).Inputs(n), pin)
		})
	}
}

func TestAN547(t *testing.T) {
	inputs(t, "mps3_an547", "button", 2, nil)
	inputs(t, "mps3_an547", "switch", 8, nil)
	outputs(t, "mps3_an547", "led", 10)
	safeLevels(t, "mps3_an547", "LED9", "led")
}

// An output leaves the pins beside it alone.
func TestMPS2Neighbours(t *testing.T) {
	for _, chip := range []string{"mps2", "mps2_an505"} {
		for _, kind := range []string{"led", "out"} {
			pins := map[string][]string{"led": {"LED0", "LED1"}, "out": {"EXP7", "EXP8", "EXP9", "EXP24"}}[kind]
			for _, pin := range pins {
				b := put(t, chip, pin, kind, nil)
				for _, other := range pins {
					if o := put(t, chip, other, kind, nil); other != pin {
						b.run(o.ch.Start)
						history := len(b.bus.History(other))
						b.set(1)
						b.set(0)
						require.Len(t, b.bus.History(other), history)
					}
				}
			}
		}
	}
}

func TestMPS2LeavesTheRunnerAlone(t *testing.T) {
	for chip, addresses := range map[string][]uint32{
		"mps2":       {0x40004000, 0x40008000, 0x4002f000},
		"mps2_an505": {0x50200000, 0x50081000, 0x50300000},
		"mps3_an547": {0x59303000, 0x5802e000, 0x59300000},
	} {
		for _, address := range addresses { // UART0, watchdog, SCC
			require.False(t, find(t, chip).Inside(32, address), "%s %#x", chip, address)
		}
	}
}
