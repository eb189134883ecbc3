package models

import "fmt"

// stm32Bus is the clocks and resets of the devices of APB1 or APB2, and the clocks that are not there yet.
type stm32Bus struct {
	enable, reset *cell
	late          uint32
}

// bus adds clocks and resets of the devices of APB1 (0) or APB2 (1). The runner has its USART there,
// and the power control.
func (m *STM32F4) bus(i int) {
	name, at := fmt.Sprintf("RCC_APB%d", i+1), uint32(4*i)
	running := m.chip.uart[i]
	if i == 0 {
		running |= 1 << 28 // PWR
	}
	b := &m.apb[i]
	b.enable = m.add(0x40023840+at, cell{name: name + "ENR", bits: m.chip.enables[i], value: running})
	b.reset = m.add(0x40023820+at, cell{name: name + "RSTR", bits: m.chip.resets[i]})
	b.enable.write = func(uint32) {
		if b.enable.value&running != running {
			m.fault("the clock of a device of the runner is off")
		}
	}
	b.reset.write = func(old uint32) {
		if b.reset.value&running != 0 {
			m.fault("reset of a device of the runner")
		}
		if i == 1 && b.reset.value>>8&1 != 0 {
			m.fault("reset of the ADC, which is not modelled")
		}
		m.stm32Timers.reset(i, b.reset.value)
		for _, d := range m.resets {
			if d.apb == i && b.reset.value>>d.bit&1 != 0 {
				d.clear()
			}
		}
		if i == 0 && b.reset.value>>29&1 != 0 {
			m.stm32DAC.reset()
		}
	}
}

// runs tells whether the device of that bit has its clock and is out of reset.
func (b *stm32Bus) runs(bit int) bool { return (b.enable.value&^(b.late|b.reset.value))>>bit&1 != 0 }
