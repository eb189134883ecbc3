package chips_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// What an STM32F767 has beyond an STM32F4, and what it has not.
func TestSTM32F767Model(t *testing.T) {
	look := registers.Entry{Op: registers.Read, Width: 32, Address: 0x40023830} // at RCC, until a clock is there
	const tim1, tim3, tim9, rcc, adc = 0x40010000, 0x40000400, 0x40014000, 0x40023800, 0x40012000
	apb1, apb2 := write(rcc+0x40, 1<<28|1<<18|1<<1), write(rcc+0x44, 1<<16|1<<8|1)
	judge(t, "stm32f767", map[string]trial{
		"its line":         {[]registers.Entry{write(rcc+0x40, 1<<28|1<<1)}, "the clock of a device of the runner is off"},
		"its line's reset": {[]registers.Entry{write(rcc+0x20, 1<<18)}, "reset of a device of the runner"},
		"its memory":       {[]registers.Entry{write(rcc+0x30, 1<<3|1)}, "the clock of what the runner needs is off"},
		"its port":         {[]registers.Entry{write(rcc+0x30, 1<<20|1)}, "the clock of what the runner needs is off"},
		"port K":           {[]registers.Entry{write(rcc+0x30, 1<<20|1<<10|1<<3)}, ""},
		"no port":          {[]registers.Entry{write(rcc+0x30, 1<<20|1<<11|1<<3)}, "RCC_AHB1ENR changes reserved bits"},
		"its pins":         {[]registers.Entry{write(0x40020c24, 0)}, "PD8 or PD9 changes"},
		"too soon":         {[]registers.Entry{apb1, write(tim3+0x28, 9)}, "TIM3_PSC, which has no clock or is in reset"},
		"port too soon":    {[]registers.Entry{write(rcc+0x30, 1<<20|1<<3|1), write(0x40020018, 1)}, "GPIOA_BSRR, which has no clock or is in reset"},
		"SPI":              {[]registers.Entry{write(rcc+0x44, 1<<12), write(0x40013000, 0x304)}, "where the manual has no register"},
		"I2C":              {[]registers.Entry{write(rcc+0x40, 1<<28|1<<21|1<<18), write(0x40005404, 42)}, "where the manual has no register"},
		"mode of 4 bits":   {[]registers.Entry{apb1, look, write(tim3+0x18, 0x10068)}, "TIM3: CCMR1 of 0x10068"},
		"mode of one":      {[]registers.Entry{write(rcc+0x44, 1<<17), look, write(tim9+0x418, 1<<24)}, "TIM10_CCMR1 changes reserved bits"},
		"remapped flag":    {[]registers.Entry{apb1, look, write(tim3, 0x801)}, "TIM3: CR1 of 0x801"},
		"slave mode":       {[]registers.Entry{apb1, look, write(tim3+0x08, 0x10054)}, ""},
		"slave of two":     {[]registers.Entry{apb2, look, write(tim9+0x08, 0x10054)}, "TIM9_SMCR changes reserved bits"},
		"second break":     {[]registers.Entry{apb2, look, write(tim1+0x44, 1<<24|1<<15)}, "TIM1_BDTR of 0x1008000"},
		"output 5":         {[]registers.Entry{apb2, look, write(tim1+0x20, 1<<16)}, ""},
		"output 5 of 4":    {[]registers.Entry{apb1, look, write(tim3+0x20, 1<<16)}, "TIM3_CCER changes reserved bits"},
		"narrow":           {[]registers.Entry{apb1, look, write(tim3+0x2c, 0x10000)}, "TIM3_ARR changes reserved bits"},
		"ADC of 54 MHz":    {[]registers.Entry{apb2, look, write(adc+0x08, 1), write(adc+0x2c, 0), write(adc+0x34, 17), write(adc+0x08, 1|1<<30)}, "the ADC's clock is too fast"},
		"ADC of 27 MHz":    {[]registers.Entry{apb2, look, write(adc+0x304, 1<<16), write(adc+0x08, 1), write(adc+0x2c, 0), write(adc+0x34, 17), write(adc+0x08, 1|1<<30)}, ""},
	})

	// Reset and trigger at once, which no channel has.
	m := models.NewSTM32F767()
	require.NoError(t, registers.Run(m, []registers.Entry{
		write(rcc+0x30, 1<<20|1<<3|1<<2), apb1, look, write(0x40020800, 2<<12), write(0x40020820, 2<<24),
		write(tim3+0x18, 1), write(tim3+0x08, 0x10050), write(tim3, 1),
	}, nil))
	m.Drive("PC6", true)
	require.Equal(t, []string{"TIM3: slave mode 8"}, m.Errors())
}

// The STM32F767's reference manual was not read: nothing has a section of the one that it is like.
func TestSTM32F767Sections(t *testing.T) {
	c := find(t, "stm32f767")
	require.Equal(t, "stm32f767xx.h", c.Manual.Name)
	require.Len(t, c.Types, 6)
	for name, l := range c.Types {
		require.True(t, strings.HasPrefix(l.Section, "stm32f767xx.h, "), "%s: %s", name, l.Section)
		for reg, r := range l.Registers {
			require.Empty(t, r.Section, "%s.%s", name, reg)
		}
	}
	for name, k := range c.Kinds {
		require.True(t, strings.HasPrefix(k.Section, "stm32f767xx.h, "), "%s: %s", name, k.Section)
	}
	require.Empty(t, c.Controllers)
	require.Empty(t, c.Buses)
}
