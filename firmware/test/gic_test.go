package test

import "testing"

// Clock and UART interrupt the core whatever firmware has left in the interrupt controller of a Raspberry Pi 4.
func TestGIC(t *testing.T) {
	t.Parallel()
	onModel(t, nil, "test/gic/cases.c", "drivers/gicv2.c")
}
