package bind_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
)

// ownDevice is a file of a user: the upper byte of the acceleration along X, of another register map than the one that is built in.
const ownDevice = `{
  "name": "tilt", "title": "acceleration, 8 bits", "manual": {"name": "x", "title": "x", "revision": "1"}, "bus": "i2c",
  "options": {
    "freq": {"unit": "Hz", "low": "1000", "high": "400000", "default": "100 kHz"},
    "address": {"values": {"0x68": "0x68", "0x69": "0x69"}, "default": "0x69"}
  },
  "setup": [{"send": ["0x6b", "1"]}],
  "transfers": {"x": {"send": ["0x3b"], "receive": 1}},
  "kinds": {"tilt": {"title": "x", "section": "1", "direction": "in", "type": "f32", "unit": "g", "transfer": "x", "from": ["0"],
    "value": ["signed 8", "float", "scale 1.0/64"], "low": "-2", "high": "2"}},
  "channels": {"x": "tilt"}
}`

// ownDriver is the file beside a driver in C of a user.
const ownDriver = `{
  "name": "keys", "title": "keys and digits", "registers": {"KEYS": {"offset": "0"}, "DIGITS": {"offset": "4"}},
  "channels": {
    "pressed": {"title": "keys", "direction": "in", "type": "i32", "before": ["load DRIVER.KEYS 0xf -> keys"], "slots": {"keys": []},
      "value": [], "low": "0", "high": "15"},
    "shown": {"title": "digits", "direction": "out", "type": "i32", "after": ["store DRIVER.DIGITS 0xffffffff <- digits"],
      "slots": {"digits": []}, "value": [], "low": "0", "high": "9999", "default": "0"}
  }
}`

// TestDevicesOnBuses: a program between an accelerometer, a device of a user's file, and a DAC, on the model of a Pico.
func TestDevicesOnBuses(t *testing.T) {
	for _, name := range []string{"oracle", "local"} {
		dev, err := target.Open(t.Context(), name, target.Options{})
		require.NoError(t, err)
		defer dev.Close()
		p := onBoard(t, "pico", "ax=I2C0:mpu6050.ax,accel=4", "gz=I2C0:mpu6050.gz", "tilt=I2C0:./tilt.json.x", "u=SPI0:mcp4922.b,cs=GP20,vref=2.5")
		p.set.ReadFile = files(map[string]string{"./tilt.json": ownDevice})
		ax, gz, tilt := p.input("ax"), p.input("gz"), p.input("tilt")
		u := ax.Mul(p.g.F32(0.1)).Add(gz)
		p.outs = append(p.outs, compiler.Output{Name: "u", Value: u, Meta: graph.Meta{Role: graph.RoleOutput, Safe: []float64{1.5}}}, compiler.Output{Name: "t", Value: tilt})
		chip := models.NewRP2040()
		imu, other, dac := models.NewMPU6050(0x68), models.NewMPU6050(0x69), &models.MCP4922{VRef: 2.5}
		chip.ConnectI2C("I2C0", imu)
		chip.ConnectI2C("I2C0", other)
		chip.ConnectSPI("SPI0", "GP20", dac)
		x := p.onBench(t, dev, chip)
		x.start()
		require.InDelta(t, 1.5, dac.Volts[1], 0.001, "safe from the start on")
		for i := range 6 {
			imu.Motion[0], imu.Turn[2], other.Motion[0] = float64(i)/4, float64(10*i), float64(i)/8
			x.run()
			got := math.Float32frombits(x.value(image.Output, "ax"))
			require.InDelta(t, imu.Motion[0]*9.80665, got, 0.002)
			require.InDelta(t, other.Motion[0], math.Float32frombits(x.value(image.Output, "t")), 1.0/64)
			require.InDelta(t, imu.Motion[0]*0.980665+imu.Turn[2]*math.Pi/180, dac.Volts[1], 0.002)
		}
		x.stop()
		require.InDelta(t, 1.5, dac.Volts[1], 0.001)
		require.Len(t, chip.Log("I2C0")[:3], 3)
	}
}

// TestDevicesRefused: what does not fit, and files of devices that are none.
func TestDevicesRefused(t *testing.T) {
	for text, want := range map[string][2]string{
		"x=I2C0:./none.json.x":         {"no file ./none.json", "check the name"},
		"x=I2C0:./bad.json.x":          {"./bad.json: ", "docs/channels.md"},
		"x=I2C0:./tilt.json.y":         {`tilt has no channel "y"; there are: x`, "--channels"},
		"x=SPI0:./tilt.json.x":         {"tilt is a device for i2c. Devices for spi: mcp3208, mcp4922", ""},
		"x=I2C0:mpu6050.ax,address=1":  {`option address: "1": want one of 0x68, 0x69`, ""},
		"x=SPI0:mcp3208.ch1,cs=GP18":   {"GP18 cannot be both cs and sck", ""},
		"x=SPI0:":                      {"is not understood", ""},
		"x=SPI0:mcp3208.ch1,vref=-1":   {`option vref: "-1": want a number of V, such as 3.3`, ""},
		"x=SPI0:mcp3208.ch1,vref=1e9V": {"option vref", ""},
		"x=SPI0:.json.":                {"no file .json", ""},
		"x=./none.json.x":              {"no file ./none.json", "check the name"},
		"x=./bad.json.x":               {"./bad.json: ", "docs/own-drivers.md"},
		"x=./keys.json.y":              {`keys has no channel "y"; there are: pressed, shown`, "--channels"},
		"x=./keys.json.shown":          {"./keys.json.shown: is an output, and the variable is an input of the program. What can: pressed", ""},
		"x=./keys.json.pressed:adc":    {"keys.pressed has no kinds", ""},
		"x=./keys.json.pressed:freq=1": {`no option "freq"`, ""},
		"x=SPI0:...":                   {"no device", ""},
	} {
		p := onBoard(t, "pico")
		p.set.ReadFile = files(map[string]string{"./tilt.json": ownDevice, "./bad.json": `{"name": "bad", "colour": 1}`, "./keys.json": ownDriver})
		err := p.set.Add(text)
		if err == nil {
			p.output("y", p.input("x"))
			_, err = p.compile("thumbv6m")
		}
		require.ErrorContains(t, err, want[0], "%s", text)
		var e *bind.Error
		require.ErrorAs(t, err, &e, "%s", text)
		require.Contains(t, e.Hint(), want[1], "%s", text)
	}
	p := onBoard(t, "pico", "x=I2C0:./tilt.json.x")
	p.output("y", p.input("x"))
	_, err := p.compile("thumbv6m")
	require.ErrorContains(t, err, "./tilt.json: no files can be read here")
}

// TestDevicesInQEMU: an emulated Netduino has SPI without devices, whose transfers end all the same, and no I2C: the error names
// the device there.
func TestDevicesInQEMU(t *testing.T) {
	dev, err := target.Open(t.Context(), "qemu:netduinoplus2", target.Options{})
	if err != nil {
		t.Skipf("SKIP: qemu:netduinoplus2: %v", err)
	}
	t.Cleanup(dev.Close)
	start := func(bindings ...string) (device.Loop, error) {
		p := newProgram(t, bindings...)
		p.set.On(dev)
		p.output("u", p.input("x").Add(p.input("y")).Add(p.g.F32(1)))
		prog, err := p.compile(dev.Arch())
		require.NoError(t, err)
		loaded, err := dev.Load(t.Context(), prog)
		require.NoError(t, err)
		cfg, err := device.LoopOf(prog.Image, 200)
		require.NoError(t, err)
		cfg.Limit = time.Second
		return loaded.(device.Looper).StartLoop(t.Context(), cfg)
	}
	_, err = start("x=I2C1:mpu6050.ax", "y=I2C1:mpu6050.gz,address=0x69")
	require.ErrorContains(t, err, "mpu6050 at 0x68 on I2C1 did not answer as it should: entry ")

	loop, err := start("x=SPI2:mcp3208.ch1", "y=SPI2:mcp3208.ch3,vref=5", "u=SPI2:mcp4922.a,cs=D9")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		s, err := loop.Status(t.Context())
		return err == nil && (s.Ticks > 20 || !s.Running)
	}, time.Minute, 20*time.Millisecond)
	s, err := loop.Stop(t.Context())
	require.NoError(t, err)
	require.Nil(t, s.Fault)
	require.Greater(t, s.Ticks, uint32(20))
}
