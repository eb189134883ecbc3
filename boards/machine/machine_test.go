package machine

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
)

const table = `gpiochip0/17 gpio inout alias=BUTTON
gpio/BUTTON gpio in alias=BUTTON
iio0/in_voltage0 iio in input=in_voltage0 scale=0.125 offset=-4
iio1/in_temp iio in input=in_temp scale=nan
iio1/in_count0 iio in input=in_count0
pwmchip0/1 pwm out
hwmon0/temp1 hwmon in input=temp1
hwmon0/power1 hwmon in input=power1
hwmon0/fan1 hwmon in input=fan1
hwmon0/in0 hwmon in input=in0
hwmon0/pwm1 hwmon out input=pwm1
can0/123 can in
can0/12345678 can inout
`

// chip is that of the table's machine.
var chip = sync.OnceValues(func() (*chips.Chip, error) {
	drivers, err := Parse(table)
	if err != nil {
		return nil, err
	}
	b, err := Board(Name, drivers)
	if err != nil {
		return nil, err
	}
	return chips.Parse(b.Chip, map[string][]byte{b.Chip: b.ChipText})
})

// expand makes a channel of the table's machine.
func expand(t *testing.T, pin, kind string, options map[string]string) *chips.Channel {
	t.Helper()
	c, err := chip()
	require.NoError(t, err)
	ch, err := c.Expand(pin, kind, options, nil)
	require.NoError(t, err)
	return ch
}

// TestEveryChannel: what the table offers can be had, at the registers of its driver.
func TestEveryChannel(t *testing.T) {
	drivers, err := Parse(table)
	require.NoError(t, err)
	require.Len(t, drivers, strings.Count(table, "\n"))
	b, err := Board(Name, drivers)
	require.NoError(t, err)
	require.Equal(t, []string{"BUTTON"}, b.Channels[0].Aliases)
	require.Empty(t, b.Channels[1].Aliases, "a name is that of one")
	c, err := chips.Parse(b.Chip, map[string][]byte{b.Chip: b.ChipText})
	require.NoError(t, err)
	for i, d := range drivers {
		for _, kind := range c.Pins[d.Name].Kinds() {
			ch, err := c.Expand(d.Name, kind, nil, nil)
			require.NoError(t, err, d.Name)
			for _, op := range slices.Concat(ch.Setup, ch.Start, ch.Before, ch.After, ch.Safe) {
				require.Equal(t, i, int(op.Address-0x10000)/0x40, "%s: %v", d.Name, op)
				require.EqualValues(t, 32, op.Width)
			}
			require.True(t, d.In && ch.Template.Direction == chips.In || d.Out && ch.Template.Direction == chips.Out, d.Name)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		pin, kind, unit string
		raw             int32
		want            float64
	}{
		{"iio0/in_voltage0", "voltage", "V", 4004, 0.5}, {"iio1/in_temp", "temperature", "°C", 23500, 23.5}, {"iio1/in_count0", "number", "", -3, -3},
		{"hwmon0/temp1", "temperature", "°C", -40000, -40}, {"hwmon0/power1", "power", "W", 2500000, 2.5}, {"hwmon0/fan1", "speed", "rpm", 1200, 1200},
		{"hwmon0/in0", "voltage", "V", 3300, 3.3},
	} {
		ch := expand(t, c.pin, c.kind, nil)
		require.Equal(t, c.unit, ch.Template.Unit)
		v := conversion.Eval(ch.Value, conversion.Value{Type: conversion.I32, Int: c.raw}, nil)
		require.InDelta(t, c.want, v.Float(), 1e-5, c.pin)
	}
}

// A frame is the registers of a CAN driver.
type frame [8]byte

func (f *frame) Read(_ registers.Width, address uint32) uint32 {
	switch reg := address % 0x40 / 4; reg {
	case 0, 1:
		return uint32(f[4*reg]) | uint32(f[4*reg+1])<<8 | uint32(f[4*reg+2])<<16 | uint32(f[4*reg+3])<<24
	case 2, 3:
		at := 4 * (3 - reg)
		return uint32(f[at])<<24 | uint32(f[at+1])<<16 | uint32(f[at+2])<<8 | uint32(f[at+3])
	default:
		panic(fmt.Sprint("register ", reg))
	}
}

func (f *frame) Write(_ registers.Width, address, value uint32) {
	reg := address % 0x40 / 4
	if reg == 4 {
		return
	}
	for i := range uint32(4) {
		if reg < 2 {
			f[4*reg+i] = byte(value >> (8 * i))
		} else {
			f[4*(3-reg)+i] = byte(value >> (24 - 8*i))
		}
	}
}

// bitsAt are the places of a signal's bits in a frame, from the lowest on, as DBC files number them: byte and bit.
func bitsAt(start, width int, motorola bool) [][2]int {
	var all [][2]int
	at, bit := start/8, start%8
	for range width {
		all = append(all, [2]int{at, bit})
		switch {
		case !motorola && bit == 7:
			at, bit = at+1, 0
		case !motorola:
			bit++
		case bit == 0:
			at, bit = at+1, 7
		default:
			bit--
		}
	}
	if motorola {
		slices.Reverse(all)
	}
	return all
}

// TestSignals: every place and width of both orders, received and sent, against the bits one by one.
func TestSignals(t *testing.T) {
	n := 0
	for _, order := range []string{"intel", "motorola"} {
		for start := 0; start < 64; start += 3 {
			for _, width := range []int{1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32} {
				for _, signed := range []string{"no", "yes"} {
					room := 64 - start
					if order == "motorola" {
						room = 64 - (start/8*8 + 7 - start%8)
					}
					if width > room || width == 32 && signed == "no" {
						continue
					}
					n++
					checkSignal(t, start, width, order, signed)
				}
			}
		}
	}
	require.Greater(t, n, 500)
}

func checkSignal(t *testing.T, start, width int, order, signed string) {
	options := map[string]string{"start": fmt.Sprint(start), "width": fmt.Sprint(width), "order": order, "signed": signed, "scale": "1", "offset": "0"}
	in, out := expand(t, "can0/12345678", "signal", options), expand(t, "can0/12345678", "send", options)
	for _, raw := range []int64{0, 1, -1, 0x55555555, 1 << 30, -1 << 31} {
		want := raw & (1<<width - 1)
		if signed == "yes" {
			want = want << (64 - width) >> (64 - width)
		}
		f := frame{0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5}
		background := f
		for i, at := range bitsAt(start, width, order == "motorola") {
			f[at[0]] = f[at[0]]&^(1<<at[1]) | byte(raw>>i&1)<<at[1]
		}
		slots := map[string]int32{}
		require.NoError(t, registers.Run(&f, entries(in.Before), slots))
		var word int32
		for _, s := range in.Slots {
			word |= conversion.Eval(s.Steps, conversion.Value{Type: conversion.I32, Int: slots[s.Name]}, nil).Int
		}
		got := conversion.Eval(in.Value, conversion.Value{Type: conversion.I32, Int: word}, nil).Float()
		require.InDelta(t, float32(want), got, 0, "%v: %x", options, f)

		sent := background
		require.NoError(t, registers.Run(&sent, entries(out.After), out.Raw(float64(want))))
		if math.Abs(float64(want)) < 1<<24 { // else a float rounds it
			require.Equal(t, f, sent, "%v: %d", options, want)
		}
	}
	require.Equal(t, out.Low, in.Low)
	require.Equal(t, out.High, in.High)
}

func entries(list []chips.Operation) []registers.Entry {
	all := make([]registers.Entry, len(list))
	for i, op := range list {
		all[i] = op.Entry
	}
	return all
}

// TestScaledSignals: limits are those of the raw values, and what lies beyond takes the nearest.
func TestScaledSignals(t *testing.T) {
	ch := expand(t, "can0/12345678", "send", map[string]string{"width": "8", "scale": "-0.5", "offset": "10"})
	require.InDelta(t, -117.5, ch.Low, 0)
	require.InDelta(t, 10, ch.High, 0)
	require.InDelta(t, 0, ch.Safety, 0)
	for v, raw := range map[float64]int32{10: 0, 9.5: 1, 0: 20, -117.5: 255, -1e9: 255, 1e9: 0, math.Inf(-1): 255} {
		require.Equal(t, raw, ch.Raw(v)["low"], "%v", v)
	}
}

func TestRefusedOptions(t *testing.T) {
	c, err := chip()
	require.NoError(t, err)
	for want, options := range map[string]map[string]string{
		"want 1 to 4 bits":      {"start": "60", "width": "8"},
		"want 1 to 31 bits":     {"width": "32"},
		"want 0 to 63 bit":      {"start": "64"},
		`want a number, such`:   {"scale": "fast"},
		"division by 0":         {"scale": "0"},
		"want one of intel, mo": {"order": "little"},
	} {
		_, err := c.Expand("can0/12345678", "signal", options, nil)
		if want == "division by 0" {
			_, err = c.Expand("can0/12345678", "send", options, nil)
		}
		require.ErrorContains(t, err, want)
	}
	_, err = c.Expand("can0/12345678", "send", map[string]string{"start": "24", "width": "16", "length": "4"}, nil)
	require.ErrorContains(t, err, "want 1 to 8 bits")
}

// TestTablesOfOthers: a table is text from another machine.
func TestTablesOfOthers(t *testing.T) {
	for _, line := range []string{
		"gpiochip0/17", "gpiochip0/17 gpio", "gpiochip0/17 gpio both", "gpiochip0/17 laser out", "a b/c gpio in", "a/b/c/d gpio in", "x gpio in",
		"gpiochip0/17 gpio in alias", "gpiochip0/17 gpio in alias=", "gpiochip0/17 gpio in alias=a\"b", "gpiochip0/{pin} gpio in", "a/" + strings.Repeat("b", 100) + " gpio in",
		"", " ", "\x00", "gpiochip0/17 gpio in A=b",
	} {
		_, err := Parse(line + "\n")
		require.Error(t, err, line)
	}
	_, err := Parse(strings.Repeat("gpiochip0/17 gpio in\n", most+1))
	require.Error(t, err)
	for _, odd := range []string{"scale=1e999", "scale=-", "scale=0x10", "scale=Inf", "offset=1e-400", "input=in_", "input=.."} {
		drivers, err := Parse("iio0/in_voltage0 iio in " + odd + "\n")
		require.NoError(t, err)
		_, err = Board(Name, drivers)
		require.NoError(t, err, odd)
	}
}

func FuzzTable(f *testing.F) {
	f.Add(table)
	f.Fuzz(func(t *testing.T, text string) {
		drivers, err := Parse(text)
		if err != nil {
			return
		}
		b, err := Board(Name, drivers)
		if err != nil {
			return
		}
		require.True(t, json.Valid(b.ChipText))
	})
}

// TestScan: what a machine has, by the names that its runner takes.
func TestScan(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"sys/bus/iio/devices/iio:device3/name": "ads1115\n", "sys/bus/iio/devices/iio:device3/in_voltage0_raw": "1", "sys/bus/iio/devices/iio:device3/in_voltage0_scale": "1",
		"sys/class/hwmon/hwmon1/name": "lm75\n", "sys/class/hwmon/hwmon1/temp1_input": "1", "sys/class/hwmon/hwmon1/temp1_label": "inlet\n", "sys/class/hwmon/hwmon1/pwm1": "1",
		"sys/class/hwmon/hwmon1/pwm1_enable": "1", "sys/class/pwm/pwmchip0/npwm": "2\n", "sys/class/pwm/pwmchip0/export": "",
		"sys/class/net/can0/type": "280\n", "sys/class/net/can0/operstate": "down\n", "sys/class/net/eth0/type": "1\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	found, err := Scan(root)
	require.NoError(t, err)
	var all []string
	for _, f := range found {
		all = append(all, strings.TrimSpace(f.Name+" "+strings.Join(f.Kinds, ",")+" "+f.Title+" "+f.Lacks))
	}
	require.Equal(t, []string{
		"iio3/in_voltage0 voltage ads1115", "hwmon1/temp1 temperature lm75 inlet", "hwmon1/pwm1 fan lm75", "pwmchip0/0 pwm", "pwmchip0/1 pwm",
		"can0/ID signal,age,send frames; ID is 123 or, extended, 12345678 the interface is down",
	}, all)
}

// TestDocsKinds holds the table of kinds against the description.
func TestDocsKinds(t *testing.T) {
	text, err := os.ReadFile("../../docs/channels.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## Kinds of a Linux machine\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	var named []string
	for _, m := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(section, -1) {
		named = append(named, m[1])
	}
	var described struct{ Kinds map[string]any }
	require.NoError(t, json.Unmarshal(description, &described))
	var want []string
	for kind := range described.Kinds {
		want = append(want, kind)
	}
	for _, r := range readings {
		if !slices.Contains(want, r.kind) {
			want = append(want, r.kind)
		}
	}
	require.ElementsMatch(t, want, named)
}
