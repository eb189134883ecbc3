package channels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// A timer is of one kind, and an encoder takes two pins.
func TestTimersExclude(t *testing.T) {
	bind := func(text string, d chips.Direction) Binding {
		b, err := ParseBinding(text)
		require.NoError(t, err)
		b.Direction = d
		return b
	}
	for _, c := range []struct {
		board         string
		first, second Binding
		want          string
	}{
		{"netduinoplus2", bind("x=D8:encoder", chips.In), bind("y=D7", chips.Out), "y: D7: PA1 is in use by x (D8)"},
		{"netduinoplus2", bind("x=D7", chips.In), bind("y=D8:encoder", chips.In), "y: D8: PA1 is in use by x (D7)"},
		{"netduinoplus2", bind("x=D8:count", chips.In), bind("y=D7:pwm", chips.Out), "y: D7: TIM5 is in use by x (D8)"},
		{"netduinoplus2", bind("x=D8:encoder", chips.In), bind("y=D7:pwm", chips.Out), "y: D7: PA1 is in use by x (D8)"},
		{"netduinoplus2", bind("x=D8:pwm", chips.Out), bind("y=D7:pwm,freq=2kHz", chips.Out), "y: D7: TIM5 is in use by x (D8) as 1000 Hz, here wanted as 2000 Hz"},
		{"netduinoplus2", bind("x=D9:encoder", chips.In), bind("y=D4", chips.Out), `x: D9: does not offer "encoder", but out, in, pwm, count`},
		{"nucleo-f446re", bind("x=D13", chips.Out), bind("y=LED:pwm", chips.Out), "y: LED: PA5 is in use by x (D13)"},
		{"nucleo-f446re", bind("x=A2:dac", chips.Out), bind("y=A2:adc", chips.In), "y: A2: PA4 is in use by x (A2)"},
		{"nucleo-f446re", bind("x=D5:pwm", chips.Out), bind("y=A3:count", chips.In), `y: A3: does not offer "count"`},
		{"nucleo-f446ze", bind("x=D29:encoder", chips.In), bind("y=D28", chips.Out), "y: D28: PD13 is in use by x (D29)"},
		{"nucleo-f446ze", bind("x=D33", chips.Out), bind("y=LD1", chips.Out), "y: LD1: PB0 is in use by x (D33)"},
		{"nucleo-f446ze", bind("x=A3:adc", chips.In), bind("y=D28", chips.Out), `x: A3: does not offer "adc", but out, in`},
		{"nucleo-f767zi", bind("x=D29:encoder", chips.In), bind("y=D28", chips.Out), "y: D28: PD13 is in use by x (D29)"},
		{"nucleo-f767zi", bind("x=D32:encoder", chips.In), bind("y=D28", chips.Out), `x: D32: does not offer "encoder", but out, in, pwm, count, period, adc`},
		{"nucleo-f767zi", bind("x=D15:count", chips.In), bind("y=D28", chips.Out), `x: D15: does not offer "count", but out, in, pwm`},
		{"nucleo-f411re", bind("x=D12:encoder", chips.In), bind("y=D5:pwm", chips.Out), "y: D5: TIM3 is in use by x (D12)"},
		{"nucleo-f411re", bind("x=A2:dac", chips.Out), bind("y=D5", chips.Out), `x: A2: does not offer "dac", but adc, in, out`},
		{"nucleo-f401re", bind("x=D2", chips.In), bind("y=D1", chips.Out), "y: D1: its pin PA2 belongs to USART2, which sends for the runner"},
		{"nucleo-g474re", bind("x=A5:encoder", chips.In), bind("y=A4", chips.Out), "y: A4: PC1 is in use by x (A5)"},
		{"nucleo-g474re", bind("x=A2:adc", chips.In), bind("y=A2:dac", chips.Out), "y: A2: PA4 is in use by x (A2)"},
		{"nucleo-h743zi2", bind("x=D1:encoder", chips.In), bind("y=D0", chips.Out), "y: D0: PB7 is in use by x (D1)"},
		{"nucleo-h743zi2", bind("x=D11", chips.In), bind("y=D22", chips.Out), "y: D22: PB5 is in use by x (D11)"},
		{"nucleo-h743zi2", bind("x=D12:encoder", chips.In), bind("y=D0", chips.Out), `x: D12: does not offer "encoder", but out, in, pwm, count`},
		{"nucleo-h743zi2", bind("x=D58:count", chips.In), bind("y=D59:pwm", chips.Out), "y: D59: TIM15 is in use by x (D58)"},
		{"b-l475e-iot01a", bind("x=D1:encoder", chips.In), bind("y=D0", chips.Out), "y: D0: PA1 is in use by x (D1)"},
		{"b-l475e-iot01a", bind("x=D13:pwm", chips.Out), bind("y=D9:count", chips.In), "y: D9: TIM2 is in use by x (D13)"},
		{"b-l475e-iot01a", bind("x=A0:adc", chips.In), bind("y=D0", chips.Out), `x: A0: does not offer "adc", but out, in`},
		{"nucleo-g431kb", bind("x=D9:encoder", chips.In), bind("y=D0:pwm", chips.Out), "y: D0: TIM1 is in use by x (D9)"},
		{"nucleo-g431kb", bind("x=A0:count", chips.In), bind("y=A1:count", chips.In), "y: A1: TIM2 is in use by x (A0)"},
		{"nucleo-g431kb", bind("x=D0", chips.In), bind("y=A7", chips.Out), "y: A7: its pin PA2 belongs to USART2, which sends for the runner"},
		{"stm32vldiscovery", bind("x=PC6:encoder", chips.In), bind("y=LED:pwm", chips.Out), "y: LED: TIM3 is in use by x (PC6)"},
		{"stm32vldiscovery", bind("x=PB3", chips.In), bind("y=PA9", chips.Out), "x: PB3: its pin PB3 belongs to JTDO, the debugger"},
		{"microbit-v2", bind("x=P8", chips.In), bind("y=P9", chips.Out), "x: P8: its pin P0.10 belongs to the antenna of NFC, unless UICR.NFCPINS says otherwise"},
		{"microbit-v2", bind("x=P0:pwm", chips.Out), bind("y=P1:pwm,freq=2kHz", chips.Out), "y: P1: PWM0 is in use by x (P0) as 1000 Hz, here wanted as 2000 Hz"},
		{"microbit-v2", bind("x=P15:encoder", chips.In), bind("y=P16", chips.Out), "y: P16: P1.02 is in use by x (P15)"},
		{"nrf52840-dk", bind("x=D0:encoder", chips.In), bind("y=D10:encoder", chips.In), "y: D10: QDEC is in use by x (D0)"},
		{"nrf52840-dk", bind("x=TIMER1", chips.In), bind("y=D7:count", chips.In), "y: D7: TIMER1 is in use by x (TIMER1)"},
		{"rpizero", bind("x=GPIO12:pwm", chips.Out), bind("y=GPIO18:pwm", chips.Out), "y: GPIO18: PWM channel 1 is in use by x (GPIO12)"},
		{"rpi4", bind("x=GPIO14", chips.In), bind("y=GPIO2", chips.In), "x: GPIO14: its pin GPIO14 belongs to UART0, which sends for the runner"},
		{"pico", bind("x=GP3:count", chips.In), bind("y=GP2:pwm", chips.Out), "y: GP2: PWM slice 1 is in use by x (GP3) as counts, here wanted as 1000 Hz"},
		{"pico", bind("x=GP3:count", chips.In), bind("y=GP19:count", chips.In), "y: GP19: PWM slice 1 B is in use by x (GP3)"},
		{"pico", bind("x=GP2:count", chips.In), bind("y=GP5", chips.In), `x: GP2: does not offer "count", but out, in, pwm`},
	} {
		_, err := Resolve(board(t, c.board), []Binding{c.first, c.second})
		require.ErrorContains(t, err, c.want)
	}
}

// TestKindsTogether has a channel of every kind in one program.
func TestKindsTogether(t *testing.T) {
	b := board(t, "nucleo-f446re")
	var bindings []Binding
	pins := map[string]string{}
	for _, text := range []string{
		"position=D12:encoder", "motor=D6:pwm,freq=20kHz", "brake=D3:pwm,freq=20kHz", "level=A2:dac", "speed=A0:period", "edges=D10:count", "volts=A4", "button=BTN", "relay=D7",
	} {
		bind, err := ParseBinding(text)
		require.NoError(t, err)
		c, err := find(b, bind.Channel)
		require.NoError(t, err)
		chip, err := chips.Find(b.Chip)
		require.NoError(t, err)
		kind := bind.Kind
		if kind == "" {
			kind = c.Kinds[0]
		}
		bind.Direction = chip.Kinds[kind].Direction
		bindings, pins[bind.Variable] = append(bindings, bind), c.Pin
	}
	p, err := Resolve(b, bindings)
	require.NoError(t, err)
	m := models.NewSTM32F446()
	slots, states := map[string]int32{}, map[string][]int32{}
	run := func(list []registers.Entry) {
		t.Helper()
		require.NoError(t, registers.Run(m, list, slots))
		require.Empty(t, m.Errors())
	}
	m.Drive("PA6", false)
	m.Drive("PA7", false)
	run(p.Start)
	for _, c := range p.Bound {
		states[c.Variable] = make([]int32, conversion.States(c.Channel.Value))
	}
	for tick := range 4 {
		for _, level := range []bool{true, false} { // a period of the encoder, an edge, 10 ms
			m.Drive("PA6", level)
			m.Drive("PA7", level)
			m.Drive("PB6", level)
			m.Wait(5e-3)
			m.Drive("PA0", level)
		}
		m.Volts("PC1", float64(tick)/2)
		m.Drive("PC13", tick%2 == 0)
		run(p.Before)
		got := map[string]float64{}
		for i := range p.Bound {
			if c := &p.Bound[i]; c.Direction == chips.In {
				got[c.Variable] = c.read(slots, states[c.Variable])
			}
		}
		require.Equal(t, float64(4*(tick+1)), got["position"])
		require.Equal(t, float64(tick+1), got["edges"])
		require.Equal(t, float64(tick%2), got["button"], "pressed is low")
		require.InDelta(t, float64(tick)/2, got["volts"], 1e-3)
		if tick > 0 {
			require.InDelta(t, 0.01, got["speed"], 1e-5)
		}
		clear(slots)
		want := map[string]float64{"motor": 0.25 * float64(tick), "brake": 1 - 0.25*float64(tick), "level": float64(tick), "relay": float64(tick % 2)}
		for i := range p.Bound {
			if c := &p.Bound[i]; c.Direction == chips.Out {
				c.write(want[c.Variable], slots)
			}
		}
		run(p.After)
		for _, variable := range []string{"motor", "brake"} {
			duty, hz, ok := m.Pulses(pins[variable])
			require.True(t, ok, variable)
			require.InDelta(t, want[variable], duty, 1e-3)
			require.InDelta(t, 20e3, hz, 1)
		}
		volts, ok := m.Converted("PA4")
		require.True(t, ok)
		require.InDelta(t, want["level"], volts, 1e-3)
		h := m.History("PA8")
		require.Equal(t, tick%2 != 0, h[len(h)-1])
	}
	run(p.Safe)
	for _, variable := range []string{"motor", "brake"} {
		duty, _, _ := m.Pulses(pins[variable])
		require.Zero(t, duty)
	}
}
