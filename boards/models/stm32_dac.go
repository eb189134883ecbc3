package models

import "fmt"

// stm32DAC is the converter (14.5).
type stm32DAC struct {
	cr   *cell
	data [2]*cell
	// analogue tells whether a pin of port A is left to it.
	analogue func(n int) bool
}

// newSTM32DAC adds a converter.
func newSTM32DAC(m *machine, on func() bool, analogue func(n int) bool) *stm32DAC {
	const base = 0x40007400
	d := &stm32DAC{analogue: analogue}
	d.cr = m.add(base, cell{name: "DAC_CR", bits: 0x3fff3fff, on: on})
	for i := range d.data {
		d.data[i] = m.add(base+8+12*uint32(i), cell{name: fmt.Sprintf("DAC_DHR12R%d", i+1), bits: 0xfff, on: on})
	}
	d.cr.write = func(uint32) {
		for i := range d.data {
			switch v := d.cr.value >> (16 * i) & 0xffff; {
			case v&^1 != 0:
				m.fault("DAC %d: CR of %#x", i+1, v)
			case v != 0 && !d.analogue(4+i):
				m.fault("DAC %d is on while PA%d is not analogue (14.3.1)", i+1, 4+i)
			}
		}
	}
	return d
}

func (d *stm32DAC) reset() {
	d.cr.value, d.data[0].value, d.data[1].value = 0, 0, 0
}

// Converted is the voltage that the DAC gives at a pin; ok is false for a pin that it does not drive.
func (d *stm32DAC) Converted(pin string) (volts float64, ok bool) {
	for i, c := range d.data {
		if pin == pinName(0, 4+i) && d.cr.value>>(16*i)&1 != 0 && d.analogue(4+i) {
			return float64(c.value) / 4095 * stm32Supply, true
		}
	}
	return 0, false
}
