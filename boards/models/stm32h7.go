package models

// Alternate functions of the timers by mbed-os, PeripheralPins.c of NUCLEO_H743ZI2, as NUMBER:TIMER.CHANNEL. Complementary outputs and
// TIM8 are not modelled.
const stm32h743Functions = "PA0 1:2.1 2:5.1, PA1 1:2.2 2:5.2, PA2 1:2.3 2:5.3 4:15.1, PA3 1:2.4 2:5.4 4:15.2, PA5 1:2.1, PA6 2:3.1 9:13.1, " +
	"PA7 2:3.2 9:14.1, PA8 1:1.1, PA9 1:1.2, PA10 1:1.3, PA11 1:1.4, PA15 1:2.1, PB0 2:3.3, PB1 2:3.4, PB3 1:2.2, PB4 2:3.1, PB5 2:3.2, " +
	"PB6 2:4.1, PB7 2:4.2, PB8 2:4.3 1:16.1, PB9 2:4.4 1:17.1, PB10 1:2.3, PB11 1:2.4, PB14 2:12.1, PB15 2:12.2, " +
	"PC6 2:3.1, PC7 2:3.2, PC8 2:3.3, PC9 2:3.4, PD12 2:4.1, PD13 2:4.2, PD14 2:4.3, PD15 2:4.4, PE5 4:15.1, PE6 4:15.2, " +
	"PE9 1:1.1, PE11 1:1.2, PE13 1:1.3, PE14 1:1.4, PF6 1:16.1, PF7 1:17.1, PF8 9:13.1, PF9 9:14.1"

// NewSTM32H743 returns the chip by STMicroelectronics' header stm32h743xx.h, in its package of 144 pins, after the runner's start: USART3 on
// PD8 and PD9, and 400 MHz, of which the buses of the timers have a quarter; timers have twice that, as TIMPRE of RCC_CFGR is 0. The
// clock of a device is there once RCC has been read behind the write that turned it on, as stm32h7xx_ll_bus.h does each time.
func NewSTM32H743() *STM32L4 {
	two, one := outputTimers()
	return newSTM32L4(stm32l4{
		clocks: [3]stm32Clocks{
			{names: [2]string{"APB1LENR", "APB1LRSTR"}, enable: 0x580244e8, reset: 0x58024490, bits: [2]uint32{0xe8ffc3ff, 0xe8ffc3ff}, running: 1 << 18}, // USART3
			{names: [2]string{"APB2ENR", "APB2RSTR"}, enable: 0x580244f0, reset: 0x58024498, bits: [2]uint32{0x31d73033, 0x31d73033}},
			{names: [2]string{"AHB4ENR", "AHB4RSTR"}, enable: 0x580244e0, reset: 0x58024488, bits: [2]uint32{0x132807ff, 0x032807ff}, running: 1 << 3}, // GPIOD
		},
		late: true, ports: 0x58020000, count: 8, port: 3, pin: 8, functions: stm32h743Functions,
		timers: []stm32Place{
			{1, stm32Advanced, apb2, 0, 0x40010000},
			{2, wideTimer(), apb1, 0, 0x40000000},
			{3, stm32General, apb1, 1, 0x40000400},
			{4, stm32General, apb1, 2, 0x40000800},
			{5, wideTimer(), apb1, 3, 0x40000c00},
			{12, stm32Two, apb1, 6, 0x40001800},
			{13, stm32One, apb1, 7, 0x40001c00},
			{14, stm32One, apb1, 8, 0x40002000},
			{15, two, apb2, 16, 0x40014000},
			{16, one, apb2, 17, 0x40014400},
			{17, one, apb2, 18, 0x40014800},
		},
		hz: 200e6,
	})
}
