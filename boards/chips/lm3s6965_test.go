package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLM3S6965(t *testing.T) {
	inputs(t, "lm3s6965", "in", 35, map[string]bool{"none": false, "up": true, "down": false})
	outputs(t, "lm3s6965", "out", 35)
	safeLevels(t, "lm3s6965", "PF0", "out")
	turns(t, "lm3s6965", 35)
}

func TestLM3S6965LeavesTheRunnerAlone(t *testing.T) {
	c := find(t, "lm3s6965")
	for _, address := range []uint32{0x40000000, 0x4000c000, 0x400fe060, 0x400fe100, 0x400fe104} { // watchdog, UART0, RCC, RCGC0, RCGC1
		require.False(t, c.Inside(32, address))
	}
}

func TestFE310(t *testing.T) {
	inputs(t, "sifive_e", "in", 17, map[string]bool{"none": false, "up": true})
	outputs(t, "sifive_e", "out", 17)
	safeLevels(t, "sifive_e", "GPIO5", "out")
	turns(t, "sifive_e", 17)
}

func TestFE310LeavesTheRunnerAlone(t *testing.T) {
	c := find(t, "sifive_e")
	for _, address := range []uint32{0x10000000, 0x10008000, 0x10013000, 0x02000000, 0x0c000000} { // AON, PRCI, UART0, CLINT, PLIC
		require.False(t, c.Inside(32, address))
	}
}

func TestTurns(t *testing.T) {
	turns(t, "stm32f405", 45)
	turns(t, "nrf51", 29)
	turns(t, "mps2", 52)
	turns(t, "mps2_an505", 52)
}
