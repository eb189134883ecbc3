package chips_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/registers"
)

// What the model of an STM32L475 refuses, so that it can fail a list.
func TestSTM32L475Model(t *testing.T) {
	const tim1, tim3, tim16, rcc, dac, portA, portB = 0x40012c00, 0x40000400, 0x40014400, 0x40021000, 0x40007400, 0x48000000, 0x48000400
	apb1, apb2, ahb2 := write(rcc+0x58, 1<<29|1<<28|1<<1), write(rcc+0x60, 1<<17|1<<14|1<<11), write(rcc+0x4c, 3)
	judge(t, "stm32l475", map[string]trial{
		"its line":         {[]registers.Entry{write(rcc+0x60, 1<<11)}, "the clock of a device of the runner is off"},
		"its power":        {[]registers.Entry{write(rcc+0x58, 1<<1)}, "the clock of a device of the runner is off"},
		"its port":         {[]registers.Entry{write(rcc+0x4c, 1)}, "the clock of a device of the runner is off"},
		"its line's reset": {[]registers.Entry{write(rcc+0x40, 1<<14)}, "reset of a device of the runner"},
		"a port's reset":   {[]registers.Entry{write(rcc+0x2c, 1)}, "reset of a port"},
		"its pins":         {[]registers.Entry{write(portB+0x20, 0)}, "PB6 or PB7 changes"},
		"its mode":         {[]registers.Entry{write(portB, 0xffffffbf)}, "PB6 or PB7 changes"},
		"no clock":         {[]registers.Entry{write(tim3+0x28, 9)}, "TIM3_PSC, which has no clock or is in reset"},
		"in reset":         {[]registers.Entry{apb1, write(rcc+0x38, 1<<1), write(tim3+0x28, 9)}, "TIM3_PSC, which has no clock or is in reset"},
		"at once":          {[]registers.Entry{apb1, write(tim3+0x28, 9)}, ""},
		"port A":           {[]registers.Entry{write(portA+0x18, 1)}, "GPIOA_BSRR, which has no clock or is in reset"},
		"port A on":        {[]registers.Entry{ahb2, write(portA+0x18, 1)}, ""},
		"reserved":         {[]registers.Entry{write(rcc+0x58, 1<<28|1<<6)}, "RCC_APB1ENR1 changes reserved bits"},
		"narrow":           {[]registers.Entry{apb1, write(tim3+0x2c, 0x10000)}, "TIM3_ARR changes reserved bits"},
		"output":           {[]registers.Entry{apb2, write(tim16+0x44, 1<<15)}, ""},
		"no slave":         {[]registers.Entry{apb2, write(tim16+0x08, 0x54)}, "where the manual has no register"},
		"mode of later":    {[]registers.Entry{apb2, write(tim1+0x08, 1<<16)}, "TIM1_SMCR changes reserved bits"},
		"digital DAC":      {[]registers.Entry{apb1, ahb2, write(portA, 0xabfffcff), write(dac, 1)}, "DAC 1 is on while PA4 is not analogue"},
		"DAC":              {[]registers.Entry{apb1, ahb2, write(dac, 1)}, ""},
		"ADC":              {[]registers.Entry{write(rcc+0x4c, 1<<13|2), write(0x50040008, 0)}, "where the manual has no register"},
	})
}

// Where an STM32H743 is different.
func TestSTM32H743Model(t *testing.T) {
	look := registers.Entry{Op: registers.Read, Width: 32, Address: 0x580244e0} // at RCC, until a clock is there
	const tim1, tim3, tim12, tim15, rcc, dac, portA, portD = 0x40010000, 0x40000400, 0x40001800, 0x40014000, 0x58024400, 0x40007400, 0x58020000, 0x58020c00
	apb1, apb2, ahb4 := write(rcc+0xe8, 1<<29|1<<18|1<<6|1<<1), write(rcc+0xf0, 1<<16|1), write(rcc+0xe0, 1<<3|1)
	judge(t, "stm32h743", map[string]trial{
		"its line":         {[]registers.Entry{write(rcc+0xe8, 1<<1)}, "the clock of a device of the runner is off"},
		"its line's reset": {[]registers.Entry{write(rcc+0x90, 1<<18)}, "reset of a device of the runner"},
		"its port":         {[]registers.Entry{write(rcc+0xe0, 1)}, "the clock of a device of the runner is off"},
		"a port's reset":   {[]registers.Entry{write(rcc+0x88, 1)}, "reset of a port"},
		"its pins":         {[]registers.Entry{write(portD+0x24, 0)}, "PD8 or PD9 changes"},
		"too soon":         {[]registers.Entry{apb1, write(tim3+0x28, 9)}, "TIM3_PSC, which has no clock or is in reset"},
		"behind a look":    {[]registers.Entry{apb1, look, write(tim3+0x28, 9)}, ""},
		"port too soon":    {[]registers.Entry{ahb4, write(portA+0x18, 1)}, "GPIOA_BSRR, which has no clock or is in reset"},
		"port":             {[]registers.Entry{ahb4, look, write(portA+0x18, 1)}, ""},
		"of another bus":   {[]registers.Entry{apb1, look, write(tim1+0x28, 9)}, "TIM1_PSC, which has no clock or is in reset"},
		"output":           {[]registers.Entry{apb2, look, write(tim15+0x44, 1<<15)}, ""},
		"no output":        {[]registers.Entry{apb1, look, write(tim12+0x44, 1<<15)}, "where the manual has no register"},
		"reserved":         {[]registers.Entry{write(rcc+0xe8, 1<<28|1<<18)}, "RCC_APB1LENR changes reserved bits"},
		"DAC too soon":     {[]registers.Entry{apb1, write(dac, 1)}, "DAC_CR, which has no clock or is in reset"},
		"digital DAC":      {[]registers.Entry{apb1, ahb4, look, write(portA, 0xabfffcff), write(dac, 1)}, "DAC 1 is on while PA4 is not analogue"},
	})
}

// The reference manuals were not read for these chips: sections are names in the header, and what others have is not offered.
func TestSTM32HeaderSections(t *testing.T) {
	for chip, header := range map[string]string{"stm32l475": "stm32l475xx.h", "stm32h743": "stm32h743xx.h"} {
		c := find(t, chip)
		require.Equal(t, header, c.Manual.Name)
		require.Len(t, c.Types, 4)
		for name, l := range c.Types {
			require.True(t, strings.HasSuffix(l.Section, "_TypeDef"), "%s %s: %s", chip, name, l.Section)
			for reg, r := range l.Registers {
				require.Empty(t, r.Section, "%s %s.%s", chip, name, reg)
			}
		}
		for name, k := range c.Kinds {
			require.True(t, strings.HasSuffix(k.Section, "_TypeDef"), "%s %s: %s", chip, name, k.Section)
		}
		require.NotContains(t, c.Kinds, "adc")
		require.Empty(t, c.Controllers)
	}
}
