package chips_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// What the model refuses, so that it can fail a list.
func TestSTM32F4Model(t *testing.T) {
	const tim3, rcc = 0x40000400, 0x40023800
	clock := write(rcc+0x40, 1<<28|1<<1)
	judge(t, "stm32f405", map[string]trial{
		"no clock":    {[]registers.Entry{write(tim3+0x28, 1)}, "TIM3_PSC, which has no clock or is in reset"},
		"in reset":    {[]registers.Entry{clock, write(rcc+0x20, 1<<1), write(tim3+0x28, 1)}, "TIM3_PSC, which has no clock or is in reset"},
		"reserved":    {[]registers.Entry{clock, write(tim3+0x08, 8)}, "TIM3_SMCR changes reserved bits"},
		"wide":        {[]registers.Entry{clock, write(tim3+0x2c, 0x10000)}, "TIM3_ARR changes reserved bits"},
		"no update":   {[]registers.Entry{clock, write(tim3+0x28, 9), write(tim3, 1)}, "TIM3 starts without an update event"},
		"down":        {[]registers.Entry{clock, write(tim3, 0x11)}, "TIM3: CR1 of 0x11"},
		"mode":        {[]registers.Entry{clock, write(tim3+0x18, 0x60)}, "TIM3: channel 1 gets the mode 0x60"},
		"PWR":         {[]registers.Entry{write(rcc+0x40, 1<<1)}, "the clock of a device of the runner is off"},
		"its line":    {[]registers.Entry{write(rcc+0x24, 1<<4)}, "reset of a device of the runner"},
		"its pins":    {[]registers.Entry{write(0x40020000, 0)}, "PA9 or PA10 changes"},
		"function":    {[]registers.Entry{write(0x40020024, 0)}, "PA9 or PA10 changes"},
		"not analog":  {[]registers.Entry{write(rcc+0x40, 1<<28|1<<29), write(0x40007400, 1)}, "DAC 1 is on while PA4 is not analogue"},
		"no register": {[]registers.Entry{write(rcc+0x44, 1<<4|1<<17), write(0x40014438, 1)}, "where the manual has no register"},
	})
}

// What the smaller chips do not have, and what their clocks come to.
func TestSTM32F401Model(t *testing.T) {
	const rcc, adc, i2c = 0x40023800, 0x40012000, 0x40005400
	apb1, apb2 := write(rcc+0x40, 1<<28|1<<21|1<<17), write(rcc+0x44, 1<<8)
	for name, c := range map[string]trial{
		"port F":     {[]registers.Entry{write(rcc+0x30, 1<<5|1)}, "RCC_AHB1ENR changes reserved bits"},
		"TIM12":      {[]registers.Entry{write(rcc+0x40, 1<<28|1<<17|1<<6)}, "RCC_APB1ENR changes reserved bits"},
		"its timer":  {[]registers.Entry{write(0x4000182c, 1)}, "where the manual has no register"},
		"DAC":        {[]registers.Entry{write(rcc+0x20, 1<<29)}, "RCC_APB1RSTR changes reserved bits"},
		"its level":  {[]registers.Entry{write(0x40007408, 1)}, "where the manual has no register"},
		"three ADCs": {[]registers.Entry{apb2, write(adc+0x304, 1<<16|1<<8)}, "ADC1_CCR changes reserved bits"},
		"fast ADC":   {[]registers.Entry{apb2, write(adc+0x08, 1), write(adc+0x08, 1|1<<30), write(adc+0x08, 0)}, "the ADC's clock is too fast"},
		"its line":   {[]registers.Entry{write(rcc+0x40, 1<<28)}, "the clock of a device of the runner is off"},
		"168 MHz":    {[]registers.Entry{apb1, write(i2c+0x04, 45), write(i2c+0x1c, 1<<15|40), write(i2c+0x20, 14), write(i2c, 1)}, "CR2 45, CCR 0x8028, TRISE 14"},
	} {
		for _, m := range []*models.STM32F4{models.NewSTM32F401(), models.NewSTM32F411()} {
			require.NoError(t, registers.Run(m, c.list, nil), name)
			require.Contains(t, strings.Join(m.Errors(), "\n"), c.want, name)
		}
	}
	// What 84 MHz take is wrong with 100 MHz, and the other way round.
	for _, c := range []struct {
		mhz, rise uint32
		want      [2]bool
	}{{42, 13, [2]bool{true, false}}, {50, 16, [2]bool{false, true}}} {
		for i, m := range []*models.STM32F4{models.NewSTM32F401(), models.NewSTM32F411()} {
			list := []registers.Entry{apb1, write(i2c+0x04, c.mhz), write(i2c+0x1c, 1<<15|50), write(i2c+0x20, c.rise), write(i2c, 1)}
			require.NoError(t, registers.Run(m, list, nil))
			require.Equal(t, c.want[i], len(m.Errors()) == 0, m.Errors())
		}
	}
}

func TestSTM32F100Model(t *testing.T) {
	const apb2, adc, afio = 0x40021018, 0x40012400, 0x40010004
	clock := write(apb2, 1<<14|1<<9|1<<2|1)
	judge(t, "stm32f100", map[string]trial{
		"no clock":     {[]registers.Entry{write(adc+8, 1)}, "ADC1_CR2, which has no clock or is in reset"},
		"in reset":     {[]registers.Entry{clock, write(0x4002100c, 1<<9), write(adc+8, 1)}, "ADC1_CR2, which has no clock or is in reset"},
		"no AFIO":      {[]registers.Entry{write(afio, 3<<10)}, "AFIO_MAPR, which has no clock or is in reset"},
		"debugger":     {[]registers.Entry{clock, {Op: registers.Change, Width: 32, Address: afio, Mask: 3 << 10, Value: 3 << 10}}, "AFIO_MAPR of 0x7000c00"},
		"width":        {[]registers.Entry{{Op: registers.Write, Width: 16, Address: 0x40010810, Value: 1}}, "with 16 bits"},
		"reserved":     {[]registers.Entry{write(0x40010800, 0x4444444c)}, "PA0 gets the reserved mode 3"},
		"its pins":     {[]registers.Entry{write(0x40010804, 0x44444444)}, "PA9 or PA10 changes"},
		"its resistor": {[]registers.Entry{write(0x40010810, 1<<26)}, "the resistor of PA10"},
		"off":          {[]registers.Entry{clock, write(adc+8, 1<<2)}, "while the ADC is off"},
		"again":        {[]registers.Entry{clock, write(adc+8, 1), write(adc+8, 1)}, "ADON is written once more"},
		"calibration":  {[]registers.Entry{clock, write(adc+8, 1), write(adc+8, 1|7<<17|1<<20|1<<22)}, "SWSTART before the ADC is ready"},
		"polarity":     {[]registers.Entry{write(0x4002101c, 1), write(0x40000020, 8)}, "TIM2_CCER changes reserved bits"},
	})
}
