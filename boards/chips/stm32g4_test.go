package chips_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// A conversion that comes late behind another one has a wrong result, which is not the one that a tick has.
func TestSTM32G4ADCAfterPauses(t *testing.T) {
	for _, chip := range []string{"stm32g474", "stm32g431"} {
		offers(t, chip, "adc", stm32[chip]["adc"], func(pin string) {
			b := put(t, chip, pin, "adc", nil)
			for _, seconds := range []float64{0, 0.9e-3, 2e-3, 1} {
				on(b).Wait(seconds)
				b.bus.Volts(pin, 1)
				require.InDelta(t, 1.0, b.read(), 3.3/4095, "%s %s after %v s", chip, pin, seconds)
			}
			// As a driver does that takes the first result.
			before := slices.Clone(b.ch.Before)
			for i := range before {
				if before[i].Address&0xff == 0x30 { // SQR1: a sequence of one
					before[i].Value &^= 0xf
				}
			}
			b.ch.Before = before
			require.InDelta(t, 1.0, b.read(), 3.3/4095)
			on(b).Wait(2e-3)
			require.Greater(t, math.Abs(b.read()-1), 0.1, "%s %s: the model has no late conversions", chip, pin)
		})
	}
}

// Channels of both ADCs, which have one reset.
func TestSTM32G4ADCTogether(t *testing.T) {
	for chip, pins := range map[string][3]string{"stm32g474": {"PA0", "PA4", "PC1"}, "stm32g431": {"PA0", "PA4", "PF1"}} {
		m := modelsOf[chip]()
		var all []*bench
		done := map[string]bool{}
		for _, pin := range pins {
			ch, err := find(t, chip).Expand(pin, "adc", nil, nil)
			require.NoError(t, err)
			all = append(all, &bench{t: t, ch: ch, bus: m, slots: map[string]int32{}})
		}
		// Each entry of Enable once, and each list of Setup, as a plan has them.
		for _, b := range all {
			for _, op := range b.ch.Enable {
				if !done[op.String()] {
					done[op.String()] = true
					b.run([]chips.Operation{op})
				}
			}
		}
		for _, b := range all {
			if key := fmt.Sprint(entries(b.ch.Setup)); !done[key] {
				done[key] = true
				b.run(b.ch.Setup)
			}
		}
		for i, b := range all {
			b.run(b.ch.Start)
			m.Volts(pins[i], float64(i+1))
		}
		for i, b := range all {
			require.InDelta(t, float64(i+1), b.read(), 3.3/4095, "%s %s", chip, pins[i])
		}
	}
}

// What the model refuses, so that it can fail a list.
func TestSTM32G4Model(t *testing.T) {
	wait := func(address, mask, value uint32) registers.Entry {
		return registers.Entry{Op: registers.Wait, Width: 32, Address: address, Mask: mask, Value: value, Spins: 10000}
	}
	const rcc, adc, tim6, dac, regulator = 0x40021000, 0x50000000, 0x40001000, 0x50000800, 1 << 28
	ahb2, apb1 := write(rcc+0x4c, 1|1<<13|1<<16), write(rcc+0x58, 1<<28|1<<17|1<<4|1<<1)
	clock := write(adc+0x308, 3<<16)
	up := []registers.Entry{ahb2, apb1, clock, write(adc+8, 0), write(adc+8, regulator)}
	settled := slices.Concat(up, []registers.Entry{write(tim6+0x2c, 3400), write(tim6, 9), wait(tim6+0x10, 1, 1)})
	calibrated := slices.Concat(settled, []registers.Entry{write(adc+8, regulator|1<<31), wait(adc+8, 1<<31, 0)})
	ready := slices.Concat(calibrated, []registers.Entry{write(adc, 1), write(adc, 1), write(adc+8, regulator|1), wait(adc, 1, 1)})
	for name, c := range map[string]trial{
		"no clock":        {[]registers.Entry{write(adc+8, 0)}, "ADC1_CR, which has no clock or is in reset"},
		"in reset":        {[]registers.Entry{ahb2, write(rcc+0x2c, 1<<13), write(adc+8, 0)}, "ADC1_CR, which has no clock or is in reset"},
		"reserved":        {[]registers.Entry{ahb2, write(adc+0x34, 1)}, "where the manual has no register"},
		"deep power-down": {[]registers.Entry{ahb2, clock, write(adc+8, regulator)}, "the regulator comes on alone, behind deep power-down"},
		"regulator":       {slices.Concat(up, []registers.Entry{write(adc+8, regulator|1<<31)}), "calibration before the regulator is ready"},
		"fast clock":      {slices.Concat(up[:2], []registers.Entry{write(adc+0x308, 1<<16)}, settled[3:], []registers.Entry{write(adc+8, regulator|1<<31)}), "without a fit clock"},
		"no calibration":  {slices.Concat(settled, []registers.Entry{write(adc+8, regulator|1)}), "ADEN before calibration, or at once behind it"},
		"at once":         {slices.Concat(calibrated, []registers.Entry{write(adc+8, regulator|1)}), "ADEN before calibration, or at once behind it"},
		"not ready":       {slices.Concat(calibrated, []registers.Entry{write(adc+8, regulator|1<<2)}), "ADSTART before the ADC is ready"},
		"not analogue":    {slices.Concat(ready, []registers.Entry{write(0x48000000, 0xabffffac), write(adc+0x30, 1<<6), write(adc+8, regulator|1<<2)}), `channel 1, of "PA0", which is not analogue`},
		"a new channel":   {slices.Concat(ready, []registers.Entry{write(adc+0x30, 1<<6), write(adc+8, regulator|1<<2), write(adc+0x30, 2<<6)}), "ADC1_SQR1 changes during a conversion"},
		"nothing yet":     {slices.Concat(ready, []registers.Entry{{Op: registers.Read, Width: 32, Address: adc + 0x40}}), "DR read before the end of a conversion"},
		"new clock":       {slices.Concat(ready, []registers.Entry{clock}), "ADC12_CCR changes while an ADC is on"},
		"continuous":      {slices.Concat(ready, []registers.Entry{write(adc+0xc, 1<<31|1<<13)}), "no plain conversions"},
		"no pulse":        {[]registers.Entry{apb1, write(tim6, 1)}, "TIM6_CR1 of 0x1: want one pulse"},
		"HFSEL":           {[]registers.Entry{ahb2, write(dac, 1)}, "DAC1: HFSEL does not suit 170 MHz"},
		"its mode":        {[]registers.Entry{ahb2, write(dac+0x3c, 2<<14), write(dac, 1), write(dac+0x3c, 2<<14)}, "MCR changes while a channel is on"},
		"digital DAC":     {[]registers.Entry{ahb2, write(dac+0x3c, 2<<14), write(0x48000000, 0xabfffcaf), write(dac, 1)}, "DAC1 channel 1 is on while PA4 is not analogue"},
		"modes of later":  {[]registers.Entry{apb1, write(0x40000408, 1<<16)}, "TIM3_SMCR changes reserved bits"},
		"its line":        {[]registers.Entry{write(rcc+0x58, 1<<28)}, "the clock of a device of the runner is off"},
		"its reset":       {[]registers.Entry{write(rcc+0x38, 1<<17)}, "reset of a device of the runner"},
		"its port":        {[]registers.Entry{write(rcc+0x4c, 0)}, "the clock of a device of the runner is off"},
		"its pins":        {[]registers.Entry{write(0x48000000, 0xabffffff)}, "PA2 or PA3 changes"},
		"its function":    {[]registers.Entry{write(0x48000020, 0)}, "PA2 or PA3 changes"},
		"power":           {[]registers.Entry{write(0x40007008, 0)}, "PWR_CR3 of 0x0"},
	} {
		for chip, m := range map[string]*models.STM32G4{"STM32G474": models.NewSTM32G474(), "STM32G431": models.NewSTM32G431()} {
			require.NoError(t, registers.Run(m, c.list, nil), "%s %s", chip, name)
			require.Contains(t, strings.Join(m.Errors(), "\n"), c.want, "%s %s", chip, name)
		}
	}
	for name, list := range map[string][]registers.Entry{"calibrated": calibrated, "ready": ready} {
		m := models.NewSTM32G474()
		require.NoError(t, registers.Run(m, list, nil), name)
		require.Empty(t, m.Errors(), name)
	}
}

// What the smaller chip does not have.
func TestSTM32G431Model(t *testing.T) {
	const rcc = 0x40021000
	for name, c := range map[string]trial{
		"TIM5":      {[]registers.Entry{write(rcc+0x58, 1<<28|1<<17|1<<3)}, "RCC_APB1ENR changes reserved bits"},
		"its count": {[]registers.Entry{write(0x40000c24, 1)}, "where the manual has no register"},
		"DAC2":      {[]registers.Entry{write(rcc+0x4c, 1|1<<17)}, "RCC_AHB2ENR changes reserved bits"},
		"its level": {[]registers.Entry{write(0x50000c08, 1)}, "where the manual has no register"},
	} {
		m := models.NewSTM32G431()
		require.NoError(t, registers.Run(m, c.list, nil), name)
		require.Len(t, m.Errors(), 1, name)
		require.Contains(t, m.Errors()[0], c.want, name)
		require.NoError(t, registers.Run(models.NewSTM32G474(), c.list, nil), name)
	}
}

// Resistors that reset leaves at PB4 and PB6, for a USB-C port, do not pull down an input of them.
func TestSTM32G4USBC(t *testing.T) {
	for _, chip := range []string{"stm32g474", "stm32g431"} {
		for _, pin := range []string{"PB4", "PB6"} {
			b := put(t, chip, pin, "in", map[string]string{"pull": "up"})
			require.Equal(t, 1.0, b.read(), "%s %s", chip, pin)
			b = prepare(t, chip, pin, "in", map[string]string{"pull": "up"})
			b.run(b.ch.Enable[:1])
			b.run(b.ch.Start)
			require.Zero(t, b.read(), "%s %s: the model has no such resistors", chip, pin)
		}
	}
}
