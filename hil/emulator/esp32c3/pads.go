package esp32c3

// A Pin is what a pad of the chip does.
type Pin struct {
	Function int    // of IO_MUX, MCU_SEL
	Signal   int    // of the matrix, which the pin shows when its function is 1; 128: OUT
	Drives   bool   // its output is on
	High     bool   // its level, of an output that does not change by itself
	Pad      uint32 // IO_MUX
	Hz, Duty float64
}

const signalOut = 128 // the register OUT

// pin tells of one.
func (p *pins) pin(n uint32) Pin {
	pad, sel := p.mux.values[4+4*n], p.gpio.values[gpioOutSel+4*n]
	pin := Pin{Function: int(pad >> 12 & 7), Signal: int(sel & 0xff), Pad: pad, Drives: p.gpio.values[gpioEnable]>>n&1 != 0}
	level := p.gpio.values[gpioOut] >> n & 1
	if channel := sel&0xff - ledcSignal; channel < ledcChannels {
		pin.Hz, pin.Duty = p.ledc.pulses(channel)
		level = 0
		if sel>>9&1 == 0 { // OEN_SEL: the signal itself enables the output
			pin.Drives = true
		}
	}
	if !pin.Drives {
		if level = p.outside >> n & 1; p.driven>>n&1 == 0 {
			level = pad >> 8 & 1 // FUN_WPU: a resistor to the supply
		}
	}
	pin.High = level != 0
	return pin
}
