package models

// The STM32F767 by stm32f767xx.h of STMicroelectronics' cmsis_device_f7, and by PeripheralPins.c of mbed-os for the
// NUCLEO_F767ZI: ports, ADC and DAC are those of the STM32F4. Its timers have more modes, whose bits are above the lower 16; of
// the timers with one or two channels, the header does not say which of the common bits they have: those of the STM32F4
// and these. The limits of the ADC, 36 MHz and 3 us to settle, are taken to be the STM32F4's.

const (
	stm32f7Remap = 1 << 11              // UIFREMAP of CR1
	stm32f7Slave = 1 << 16              // the highest bit of SMS
	stm32f7Mode  = 1<<16 | 1<<24        // those of OCxM, of the two channels of a CCMR
	stm32f7Break = 0x03ff0000           // BKF, BK2F, BK2E and BK2P of BDTR
	stm32f7Idle  = 1<<16 | 1<<18        // OIS5 and OIS6 of CR2
	stm32f7Upper = 3<<16 | 3<<20        // CC5E, CC5P, CC6E and CC6P of CCER
	stm32f7Flags = 1<<8 | 1<<13 | 3<<16 // B2IF, SBIF, CC5IF and CC6IF of SR
)

var stm32F7Family = stm32Family{
	advanced: stm32Kind{
		channels: 4, cr1: 0x3ff | stm32f7Remap, cr2: 0x7ffd | stm32f7Idle | 0xf<<20, smcr: 0xfff7 | stm32f7Slave, ccer: 0xbfff | stm32f7Upper, dier: 0x7fff,
		sr: 0x1eff | stm32f7Flags, egr: 0x1ff, ccmr: [2]uint32{0xffff | stm32f7Mode, 0xffff | stm32f7Mode}, counter: 0xffff, bdtr: 0xffff | stm32f7Break, rcr: 0xffff,
	},
	general: stm32Kind{
		channels: 4, cr1: 0x3ff | stm32f7Remap, cr2: 0xf8, smcr: 0xfff7 | stm32f7Slave, ccer: 0xbbbb, dier: 0x5f5f,
		sr: 0x1e5f, egr: 0x5f, ccmr: [2]uint32{0xffff | stm32f7Mode, 0xffff | stm32f7Mode}, counter: 0xffff,
	},
	two: stm32Kind{channels: 2, cr1: 0x38f | stm32f7Remap, smcr: 0xf7, ccer: 0xbb, dier: 0x47, sr: 0x647, egr: 0x47, ccmr: [2]uint32{0x7f7f | stm32f7Mode}, counter: 0xffff},
	one: stm32Kind{channels: 1, cr1: 0x387 | stm32f7Remap, ccer: 0xb, dier: 0x3, sr: 0x203, egr: 0x3, ccmr: [2]uint32{0x7f | 1<<16}, counter: 0xffff},
}

// Alternate functions, in the package of 144 pins.
const stm32f767Functions = stm32f405Functions + ", " + stm32zFunctions

// NewSTM32F767 returns the chip after the runner's start: USART3 on PD8 and PD9, the memory for data on, and 216 MHz, of which
// APB1 has a quarter and APB2 the half. Timers have twice their bus's clock, as TIMPRE of RCC_DCKCFGR1 is 0.
func NewSTM32F767() *STM32F4 {
	m := newSTM32F4(stm32f4{
		family: &stm32F7Family,
		// Ports A to K, CRC, BKPSRAM, DTCMRAM, DMA1, DMA2, DMA2D, Ethernet x4, OTG HS x2.
		ahb1: 0x7ef417ff, ahb1Reset: 1 << 20,
		enables: [2]uint32{0xffffefff, 0x64f77fb3}, resets: [2]uint32{0xffffebff, 0x64f779b3},
		uart: [2]uint32{1 << 18, 0}, port: 3, pins: 8, function: 7, functions: stm32f767Functions,
		common: 0x00c3ef1f, core: 216e6, buses: [2]float64{54e6, 108e6}, timers: [2]float64{108e6, 216e6},
	})
	m.lateClocks()
	return m
}

// lateClocks has the clock of a device be there once RCC has been read behind the write that turned it on, as
// stm32f7xx_ll_bus.h of STMicroelectronics does each time. The core is too fast for less.
func (m *STM32F4) lateClocks() {
	apb1, apb2 := &m.apb[0], &m.apb[1]
	for enable, late := range map[*cell]*uint32{m.ahb1: &m.late, apb1.enable: &apb1.late, apb2.enable: &apb2.late} {
		write := enable.write
		enable.write = func(old uint32) {
			*late |= enable.value &^ old
			write(old)
		}
	}
	for _, c := range []*cell{m.ahb1, apb1.enable, apb2.enable, apb1.reset, apb2.reset} {
		c.read = func() uint32 {
			m.late, apb1.late, apb2.late = 0, 0, 0
			return c.value
		}
	}
}
