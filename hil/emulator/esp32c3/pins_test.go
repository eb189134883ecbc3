package esp32c3

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	rv "github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
)

// Pins drive what OUT says, and read what comes from outside where their input is on.
func TestPins(t *testing.T) {
	p := quiet().Store(0x6000_4024, 1<<3).Store(0x6000_4008, 1<<3|1<<4).Store(0x6000_4028, 1<<4)
	p.Store(0x6000_9004+4*3, 1<<12|1<<9).Store(0x6000_9004+4*5, 1<<12|1<<9).Store(0x6000_9004+4*6, 1<<12)
	top := p.Here()
	p.Load(rv.A0, 0x6000_403c).ANDI(rv.A0, rv.A0, 1<<3|1<<5|1<<6).Keep(rv.A0, resultAt).J(top)
	c := boot(t, p)
	c.RunFor(time.Millisecond)
	pins := c.State().Pins
	require.True(t, pins[3].Drives && pins[3].High && pins[3].Function == 1 && pins[3].Signal == signalOut)
	require.False(t, pins[4].Drives)
	require.EqualValues(t, 1<<3, c.result(0))
	c.Drive(5, true)
	c.Drive(6, true) // whose input is off
	c.RunFor(time.Millisecond)
	require.EqualValues(t, 1<<3|1<<5, c.result(0))
	c.Drive(5, false)
	c.RunFor(time.Millisecond)
	require.EqualValues(t, 1<<3, c.result(0))
	c.pins.mux.values[4+4*5] |= 1 << 8
	c.RunFor(time.Millisecond)
	require.EqualValues(t, 1<<3, c.result(0), "stronger than a resistor")
	c.Release(5)
	c.RunFor(time.Millisecond)
	require.EqualValues(t, 1<<3|1<<5, c.result(0))
	require.Empty(t, c.Complaints())
}

// Pulses have the frequency of their timer, and the duty that was updated.
func TestPulses(t *testing.T) {
	const ledc = 0x6001_9000
	channel := func(p *rv.Program, duty, conf0 uint32) *rv.Program {
		return p.Store(ledc+0x14+ledcDuty, duty).Store(ledc+0x14+ledcConf1, ledcStart|1<<30|1<<20|1<<10).Store(ledc+0x14, conf0)
	}
	start := func() *rv.Program {
		p := fast(quiet()).Store(0x600c_0010, 0xf9c1_e86f).Store(ledc+ledcConf, 1<<31|1)
		p.Store(ledc+ledcTimer+16, ledcTimerReset|2560<<4|10).Store(ledc+ledcTimer+16, ledcTimerUpdate|2560<<4|10) // by 10, 1024 counts
		return p.Store(0x6000_4554+4*7, 1<<9|(ledcSignal+1)).Store(0x6000_4024, 1<<7).Store(0x6000_9004+4*7, 1<<12)
	}
	for _, tt := range []struct {
		name     string
		program  *rv.Program
		hz, duty float64
	}{
		{"a quarter", channel(start(), 256*16, ledcUpdate|ledcOut|2), 7812.5, 0.25},
		{"all", channel(start(), 1024*16, ledcUpdate|ledcOut|2), 7812.5, 1},
		{"not updated", channel(start(), 256*16, ledcOut|2), 0, 0},
		{"output off", channel(start(), 256*16, ledcUpdate|2), 0, 0},
		{"a timer that is in reset", channel(start(), 256*16, ledcUpdate|ledcOut|3), 0, 0},
		{"the timer paused", channel(start(), 256*16, ledcUpdate|ledcOut|2).Store(ledc+ledcTimer+16, ledcTimerPause|2560<<4|10), 0, 0},
		{"no source", channel(start().Store(ledc+ledcConf, 1<<31), 256*16, ledcUpdate|ledcOut|2), 0, 0},
		{"the crystal", channel(start().Store(ledc+ledcConf, 1<<31|3), 256*16, ledcUpdate|ledcOut|2), 3906.25, 0.25},
		{"LEDC reset", channel(start(), 256*16, ledcUpdate|ledcOut|2).Store(0x600c_0018, gateLEDC).Store(0x600c_0018, 0), 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := boot(t, tt.program.Loop())
			c.RunFor(time.Millisecond)
			pin := c.State().Pins[7]
			require.True(t, pin.Drives)
			require.Equal(t, []float64{tt.hz, tt.duty}, []float64{pin.Hz, pin.Duty})
			require.Empty(t, c.Complaints())
		})
	}
}

// Random numbers differ; the chip's address is fixed.
func TestRest(t *testing.T) {
	p := quiet().Load(rv.A0, 0x6002_60b0).Keep(rv.A0, resultAt).Load(rv.A0, 0x6002_60b0).Keep(rv.A0, resultAt+4)
	p.Load(rv.A0, 0x6000_8844).Keep(rv.A0, resultAt+8).Load(rv.A0, 0x6000_8848).Keep(rv.A0, resultAt+12)
	p.LI(rv.A0, 1).CSRW(0x7e0, rv.A0).CSRW(0x7e1, rv.A0).CSRR(rv.S0, 0x7e2).CSRR(rv.A0, 0x7e2).Keep(rv.S0, resultAt+16).Keep(rv.A0, resultAt+20)
	p.CSRW(0x802, rv.Zero).CSRR(rv.A0, 0x800).Keep(rv.A0, resultAt+24).LI(rv.A0, 1).CSRW(0x800, rv.A0).CSRW(0x801, rv.A0).CSRR(rv.A0, 0x802)
	p.Keep(rv.A0, resultAt+28)
	c := boot(t, p.Loop())
	c.RunFor(time.Millisecond)
	require.NotEqual(t, c.result(0), c.result(1))
	require.EqualValues(t, macLow, c.result(2))
	require.EqualValues(t, macHigh, c.result(3))
	require.EqualValues(t, 1, c.result(5)-c.result(4), "cycles")
	require.Zero(t, c.result(6), "the other counter is one of its own")
	require.EqualValues(t, 1, c.result(7))
	require.Empty(t, c.Complaints())
}
