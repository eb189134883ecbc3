package channels

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

func TestBusErrors(t *testing.T) {
	b := board(t, "pico")
	in := func(text ...string) []Binding {
		var all []Binding
		for i, one := range text {
			bind, err := ParseBinding(fmt.Sprintf("%c=%s", 'x'+i, one))
			require.NoError(t, err)
			bind.Direction = chips.In
			all = append(all, bind)
		}
		return all
	}
	for want, bindings := range map[string][]Binding{
		"x: SPI0: is a bus: name a device and its channel, as SPI0:DEVICE.CHANNEL. Devices for it: mcp3208, mcp4922": in("SPI0"),
		`x: spi0: no device "mcp320"; for spi there are mcp3208, mcp4922, or a file of your own, ./NAME.json`:        in("spi0:mcp320.ch1"),
		"x: I2C0: mcp3208 is a device for spi. Devices for i2c: mpu6050":                                             in("I2C0:mcp3208.ch1"),
		`x: SPI0: mcp3208 has no channel "ch8"; there are: ch0, ch1, `:                                               in("SPI0:mcp3208.ch8"),
		`x: SPI0: mcp3208 has no channel ""; there are: ch0, ch1, `:                                                  in("SPI0:mcp3208"),
		"x: SPI0: mcp4922.a is an output, and the variable is an input of the program":                               in("SPI0:mcp4922.a"),
		`x: SPI0: no option "gain"; there are: cs, freq, miso, mosi, sck, vref`:                                      in("SPI0:mcp3208.ch0,gain=1"),
		`x: I2C0: no option "cs"; there are: accel, address, filter, freq, gyro, scl, sda`:                           in("I2C0:mpu6050.ax,cs=GP5"),
		`x: I2C0: option address: "0x6a": want one of 0x68, 0x69`:                                                    in("I2C0:mpu6050.ax,address=0x6a"),
		`x: SPI0: option freq: 3MHz: want 10000 to 2000000 Hz; the nearest is 2000000`:                               in("SPI0:mcp3208.ch0,freq=3MHz"),
		`x: SPI0: option cs: pico has no pin "GP77"; there are: GP0, GP1`:                                            in("SPI0:mcp3208.ch0,cs=GP77"),
		`x: SPI0: cs: its pin GP0 belongs to UART 0`:                                                                 in("SPI0:mcp3208.ch0,cs=GP0"),
		`x: SPI0: GP5 cannot be sck of SPI0; what can: GP2, GP6, GP18, GP22`:                                         in("SPI0:mcp3208.ch0,sck=GP5"),
		"y: GP18: GP18 is in use by x (SPI0) as SPI0 sck":                                                            in("SPI0:mcp3208.ch0", "GP18:in"),
		"y: GP17: GP17 is in use by x (SPI0) as chip select of mcp3208":                                              in("SPI0:mcp3208.ch0", "GP17:in"),
		"y: I2C0: accel=8, and x has accel=4: both are of one device":                                                in("I2C0:mpu6050.ax,accel=4", "I2C0:mpu6050.ay,accel=8"),
		"y: I2C0: freq=400kHz, and x has freq=100kHz: both are of one bus":                                           in("I2C0:mpu6050.ax,freq=100kHz", "I2C0:mpu6050.ay,address=0x69,freq=400kHz"),
		"y: SPI0: sck=GP6, and x has sck=GP2: both are of one bus":                                                   in("SPI0:mcp3208.ch0,sck=GP2", "SPI0:mcp3208.ch1,cs=GP5,sck=GP6"),
		"y: SPI0: GP18 is in use by x (GP18)":                                                                        in("GP18:in", "SPI0:mcp3208.ch0"),
		"y: SPI1: GP12 is in use by x (GP12)":                                                                        in("GP12:in", "SPI1:mcp3208.ch0"),
		"y: I2C1: GP6 is in use by x (SPI0) as SPI0 sck, here wanted as I2C1 sda":                                    in("SPI0:mcp3208.ch0,sck=GP6", "I2C1:mpu6050.ax"),
		"x: I2C9: pico has no such channel; there are: GP0, GP1, ":                                                   in("I2C9:mpu6050.ax"),
	} {
		_, err := Resolve(b, bindings)
		require.ErrorContains(t, err, want)
	}
	_, err := Resolve(b, []Binding{on(chips.Out, "u", "SPI0", "mcp4922.a"), on(chips.Out, "v", "SPI0", "mcp4922.a")})
	require.ErrorContains(t, err, "v: SPI0: GP17 mcp4922.a is in use by u (SPI0)")
	_, err = Resolve(b, []Binding{on(chips.Out, "u", "SPI0", "mcp4922.a"), on(chips.In, "x", "SPI0", "mcp3208.ch0")})
	require.ErrorContains(t, err, "x: SPI0: GP17 is the chip select of mcp4922 already, by u")
	_, err = Resolve(b, []Binding{on(chips.Out, "u", "SPI0", "mcp4922.a", "freq", "100kHz")})
	require.ErrorContains(t, err, "a safe value takes too long at this clock: choose a freq that is 4 times as high")
	_, err = Resolve(b, []Binding{on(chips.In, "u", "SPI0", "mcp4922.a")})
	require.ErrorContains(t, err, "mcp4922.a is an output")
	_, err = Resolve(b, []Binding{on(chips.Out, "u", "I2C0", "mpu6050.ax")})
	require.ErrorContains(t, err, "mpu6050.ax is an input, and the variable is an output of the program")
}

// FuzzBusBinding: no text makes more of a bus than an error, or lists that a runner accepts.
func FuzzBusBinding(f *testing.F) {
	for _, text := range []string{
		"I2C0:mpu6050.ax,address=0x69,accel=4,freq=100kHz", "SPI0:mcp3208.ch3,cs=GP5,vref=5", "SPI1:mcp4922.a,sck=GP14,gain=2", "SPI0:mcp3208.ch0,cs=GP18",
		"I2C0:.json.", "SPI0:mcp3208.", "SPI0:.ch0", "I2C1:mpu6050.ax,sda=GP1", "SPI0:mcp4922.b,freq=0", "SPI0:mcp4922.b,freq=1000", "SPI0:mcp3208.ch0,vref=99999999999999999999999999V",
	} {
		f.Add(text)
	}
	all, err := boards.Descriptions()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		bind, err := ParseBinding("x=" + text)
		if err != nil {
			return
		}
		for i := range all {
			if len(all[i].Buses) == 0 {
				continue
			}
			for _, d := range []chips.Direction{chips.In, chips.Out} {
				bind.Direction = d
				p, err := Resolve(&all[i], []Binding{bind})
				if err != nil {
					require.NotEmpty(t, err.Error())
					continue
				}
				for _, e := range slices.Concat(p.Start, p.Before, p.After, p.Safe) {
					require.NoError(t, e.Check())
				}
				for _, e := range p.Safe {
					require.NotContains(t, []registers.Op{registers.Wait, registers.Load, registers.Store}, e.Op)
				}
			}
		}
	})
}

// TestCutTransfers: wherever a list has ended, the safe values get through.
func TestCutTransfers(t *testing.T) {
	for _, name := range []string{"pico", "netduinoplus2", "rpi2"} {
		b := board(t, name)
		bus := &b.Buses[0]
		for cut := 0; ; cut++ {
			m, d := serialBoards[name](false), &models.MCP4922{VRef: 3.3}
			m.ConnectSPI(bus.Name, pinOf(t, b, bus.Select), d)
			r := mount(t, b, m, on(chips.Out, "u", bus.Name, "mcp4922.a"))
			r.run(r.plan.Start)
			r.set(map[string]float64{"u": 2})
			if cut > len(r.plan.After) {
				break
			}
			r.run(r.plan.After[:cut])
			for range 300 { // a wait in vain
				m.Read(32, r.plan.After[0].Address)
			}
			r.run(r.plan.Safe)
			require.Zero(t, d.Volts[0], "%s: %d entries", name, cut)
		}
	}
}
