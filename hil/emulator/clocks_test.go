//go:build linux

package emulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The one STM32 whose clocks QEMU models, each waiting for the one that it comes from, runs from its PLL: the runner has started it as
// RM0351 has it, and not given up a wait.
func TestClocksOfAnSTM32L4(t *testing.T) {
	c, p := bootProbed(t, "b-l475e-iot01a")
	require.EqualValues(t, 80e6, c.hello(1).TimerHz)
	for _, tt := range []struct {
		name       string
		address    uint32
		mask, have uint32
		says       string
	}{
		{"CR", 0x40021000, 0x03000500, 0x03000500, "internal oscillator and PLL are on and ready"},
		{"CFGR", 0x40021008, 0xff, 0x0f, "PLL chosen and in use, not divided"},
		{"PLLCFGR", 0x4002100c, 0x07007ff3, 0x01000a02, "16 MHz times 10, halved"},
		{"AHB2ENR", 0x4002104c, 1 << 1, 1 << 1, "port B"},
		{"APB2ENR", 0x40021060, 1 << 14, 1 << 14, "USART1"},
	} {
		v := p.read(tt.address)
		require.Equal(t, tt.have, v&tt.mask, "RCC_%s is %#x: %s", tt.name, v, tt.says)
	}
}
