package chips

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func deviceText(t testing.TB, name string) string {
	t.Helper()
	text, err := deviceFiles.ReadFile("devices/" + name + ".json")
	require.NoError(t, err)
	return string(text)
}

// TestDeviceErrors: what is wrong in a file is named with its place.
func TestDeviceErrors(t *testing.T) {
	adc, dac, imu := deviceText(t, "mcp3208"), deviceText(t, "mcp4922"), deviceText(t, "mpu6050")
	for _, c := range []struct{ text, old, new, want string }{
		{adc, `"name": "mcp3208"`, `"name": "adc"`, `name "adc": want`},
		{adc, `"revision": "E"`, `"revision": ""`, "revision of the manual, is missing"},
		{adc, `"bus": "spi"`, `"bus": "can"`, `bus "can": want spi or i2c`},
		{adc, `"bus": "spi"`, `"bus": "i2c"`, "options.address is for i2c"},
		{adc, `"bus": "spi"`, `"bus": "spi", "mode": 4`, "mode 4: want 0 to 3"},
		{adc, `"bus": "spi"`, `"bus": "spi", "speed": 4`, `unknown field "speed"`},
		{adc, `"freq": {`, `"frequency": {`, "options.freq is missing"},
		{adc, `"vref": {`, `"cs": {`, "options.cs: the word is the bus's"},
		{adc, `"(ch&3)<<6"`, `"(ch&3)<<8"`, `channels.ch1: transfers.sample: send "(ch&3)<<8": expression "(ch&3)<<8": 256 is not a whole number of 8 bits`},
		{adc, `"(ch&3)<<6"`, `"<- 7:0"`, "only an output has a value"},
		{adc, `"(ch&3)<<6", "0"`, `"(ch&3)<<6"`, `from "2": want the number of one of 2 bytes`},
		{adc, `["1 0x0f", "2"]`, `["1 0x0f", "1"]`, `from "1 0x0f": byte 1 comes twice`},
		{adc, `["1 0x0f", "2"]`, `["1 0x0f", "-1"]`, `from "-1": want`},
		{adc, `["1 0x0f", "2"]`, `[]`, "want in with from"},
		{adc, `"transfer": "sample"`, `"transfer": "samples"`, `no transfer "samples"; there are: sample`},
		{adc, `"ch0": "voltage`, `"ch0": "volts`, `channels.ch0: mcp3208.ch0: no kind "volts"; there are: voltage`},
		{adc, `["float", "scale vref/4096"]`, `["float"`, "invalid character"},
		{adc, `["float", "scale vref/4096"]`, `["bool"]`, "value: the steps give bool, not f32"},
		{adc, `["float", "scale vref/4096"]`, `["float", "scale vref/0"]`, "division by 0"},
		{adc, `["float", "scale vref/4096"]`, `["float", "scale 1e999999999"]`, "1e999999999: too large a power"},
		{dac, `"<- 7:0"`, `"<- 15:0"`, "want <- HIGH:LOW of at most 8 bits"},
		{dac, `"<- 7:0"`, `"<- 7:0 3"`, "have bits in common"},
		{dac, `"default": "0"`, `"step": "0"`, "out with default"},
		{dac, `"gain": {`, `"vref": {`, "option vref is one of the device, too"},
		{imu, `"receive": 14`, `"receive": 65`, "want 1 to 64 bytes"},
		{imu, `"receive": 14`, `"receive": -1`, "want 1 to 64 bytes"},
		{imu, `"0 0x7e 0x68"`, `"1 0x7e 0x68"`, `setup[0]: expect "1 0x7e 0x68": there are 1 bytes`},
		{imu, `"0 0x7e 0x68"`, `"0 0x7e 0x69"`, "the value has bits of the mask only"},
		{imu, `"0 0x7e 0x68"`, `"0 0x68"`, "want BYTE MASK VALUE"},
	} {
		require.Contains(t, c.text, c.old)
		name := nameOf(c.text)
		_, err := ParseDevice("dir/"+name+".json", []byte(strings.Replace(c.text, c.old, c.new, 1)))
		require.ErrorContains(t, err, c.want, "%s -> %s", c.old, c.new)
		require.ErrorContains(t, err, "dir/"+name+".json: ")
	}
}

// nameOf is the name in a device's text.
func nameOf(text string) string {
	_, rest, _ := strings.Cut(text, `"name": "`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// FuzzDevice: no file makes more than an error, or channels that a controller can be given.
func FuzzDevice(f *testing.F) {
	for _, name := range []string{"mcp3208", "mcp4922", "mpu6050"} {
		f.Add([]byte(deviceText(f, name)))
	}
	chip, err := Find("rp2040")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseDevice(nameOf(string(text))+".json", text)
		if err != nil {
			return
		}
		w := Wire{Bus: "I2C0", Device: d, Lines: map[string]string{"sda": "GP4", "scl": "GP5"}}
		if d.Bus == "spi" {
			w = Wire{Bus: "SPI0", Device: d, Lines: map[string]string{"sck": "GP2", "mosi": "GP3", "miso": "GP4"}, Select: "GP5"}
		}
		for name := range d.Channels {
			if ch, err := chip.ExpandDevice(w, name, nil, nil); err == nil {
				for _, op := range ch.Before {
					require.NoError(t, op.Check())
				}
			}
		}
	})
}
