package pins_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
)

// A motor with a gear and an encoder: the shaft reaches 16 rad/s without load, friction takes 1 rad/s of it, and it
// needs 80 ms for two thirds of its speed.
type motor struct {
	speed, angle float64 // rad/s, rad
	load         float64 // rad/s that it takes
	count        int     // of the encoder's edges
}

// turn goes on by dt seconds, and gives the encoder's levels at each edge.
func (m *motor) turn(effort, dt float64, edge func(a, b bool)) {
	const steps = 10
	for range steps {
		torque := 16*effort - m.speed
		if friction := 1 + m.load; math.Abs(torque) > friction || m.speed != 0 {
			torque -= math.Copysign(min(friction, math.Abs(torque)), torque)
		}
		m.speed += torque / 0.08 * dt / steps
		m.angle += m.speed * dt / steps
		for at := int(math.Floor(m.angle / (2 * math.Pi) * 1632)); m.count != at; {
			if m.count < at {
				m.count++
			} else {
				m.count--
			}
			phase := m.count & 3
			edge(phase == 1 || phase == 2, phase >= 2)
		}
	}
}

// motorChip is a model with an encoder's inputs and pulses.
type motorChip interface {
	models.Chip
	Pulses(pin string) (duty, hz float64, ok bool)
}

// TestEncoderSpeed: a motor behind pulses, a direction and an encoder gets to its speed, also the other way round and
// under load.
func TestEncoderSpeed(t *testing.T) {
	for _, c := range []struct {
		board, position, b, drive, forward string
		make                               func() motorChip
	}{
		{"netduinoplus2", "D8", "D7", "D5", "D4", func() motorChip { return models.NewNetduino() }},
		{"nucleo-f446re", "D12", "D11", "D6", "D7", func() motorChip { return models.NewSTM32F446() }},
		{"nucleo-f446ze", "D29", "D28", "D6", "D7", func() motorChip { return models.NewSTM32F446Z() }},
		{"nucleo-f767zi", "D29", "D28", "D6", "D7", func() motorChip { return models.NewSTM32F767() }},
		{"nucleo-f401re", "D12", "D11", "D6", "D7", func() motorChip { return models.NewSTM32F401() }},
		{"nucleo-f411re", "D12", "D11", "D6", "D7", func() motorChip { return models.NewSTM32F411() }},
		{"nucleo-h743zi2", "D29", "D28", "D6", "D7", func() motorChip { return models.NewSTM32H743() }},
		{"b-l475e-iot01a", "D12", "D11", "D9", "D7", func() motorChip { return models.NewSTM32L475() }},
		{"nucleo-g474re", "D12", "D11", "D6", "D7", func() motorChip { return models.NewSTM32G474() }},
		{"nucleo-g431kb", "D9", "D1", "D6", "D12", func() motorChip { return models.NewSTM32G431() }},
		{"microbit-v2", "P15", "P16", "P0", "P12", func() motorChip { return models.NewNRF52833() }},
		{"nrf52840-dk", "D0", "D1", "D3", "D7", func() motorChip { return models.NewNRF52840() }},
	} {
		t.Run(c.board, func(t *testing.T) {
			everywhere(t, func(t *testing.T, where string, note func(*loop)) {
				const rate = 100
				chip := c.make()
				a, b, drive, forward := pinOf(t, c.board, c.position), pinOf(t, c.board, c.b), pinOf(t, c.board, c.drive), pinOf(t, c.board, c.forward)
				chip.Drive(a, false)
				chip.Drive(b, false)
				l := onModel(t, where, "encoder_speed.py", c.board, chip,
					"position="+c.position+":encoder", "drive="+c.drive+":pwm,freq=20kHz", "forward="+c.forward)
				effort := func() float64 {
					duty, hz, ok := chip.Pulses(drive)
					require.True(t, ok)
					require.InDelta(t, 20e3, hz, 1)
					if h := chip.History(forward); !h[len(h)-1] {
						return -duty
					}
					return duty
				}
				var m motor
				for _, step := range []struct{ wanted, load, overshoot float64 }{{8, 0, 0.1}, {-8, 0, 0.1}, {12, 0, 0.1}, {12, 2, 0}, {0, 0, 0.1}} {
					l.set("wanted", step.wanted)
					m.load = step.load
					way, beyond, last := step.wanted-m.speed, 0.0, 0
					for tick := range 2 * rate {
						l.tick()
						note(l)
						m.turn(effort(), 1.0/rate, func(levelA, levelB bool) {
							chip.Drive(a, levelA)
							chip.Drive(b, levelB)
						})
						beyond = max(beyond, (m.speed-step.wanted)*math.Copysign(1, way))
						if math.Abs(m.speed-step.wanted) > 0.5 {
							last = tick
						}
					}
					require.InDelta(t, step.wanted, m.speed, 0.5, "two counts of the encoder")
					if step.overshoot > 0 {
						require.Less(t, beyond, step.overshoot*math.Abs(way)+0.3)
					}
					require.Less(t, float64(last)/rate, 1.0, "s until the speed is within 0.5 rad/s of %v", step.wanted)
					t.Logf("to %v rad/s, load %v: after %.2f s, %.2f rad/s beyond", step.wanted, step.load, float64(last)/rate, beyond)
					require.InDelta(t, m.speed, l.value("speed"), 0.5)
				}
				l.stop()
				duty, _, _ := chip.Pulses(drive)
				require.Zero(t, duty, "safe")
			})
		})
	}
}
