package channels

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
)

// serialChip is a model with buses.
type serialChip interface {
	models.Chip
	ConnectSPI(bus, pin string, d models.SPIDevice)
	ConnectI2C(bus string, d models.I2CDevice)
	Log(bus string) []string
	Clock(bus string) float64
}

// serialBoards are the boards with buses; used leaves a chip as another program might.
var serialBoards = map[string]func(used bool) serialChip{
	"pico":          func(used bool) serialChip { return usedRP2(models.NewRP2040(), used) },
	"pico2":         func(used bool) serialChip { return usedRP2(models.NewRP2350(), used) },
	"netduinoplus2": func(bool) serialChip { return models.NewNetduino() },
	"nucleo-f446re": func(bool) serialChip { return models.NewSTM32F446() },
	"nucleo-f446ze": func(bool) serialChip { return models.NewSTM32F446Z() },
	"nucleo-f401re": func(bool) serialChip { return models.NewSTM32F401() },
	"nucleo-f411re": func(bool) serialChip { return models.NewSTM32F411() },
	"rpi1":          func(used bool) serialChip { return usedBCM(models.NewBCM2835(), used) },
	"rpizero":       func(used bool) serialChip { return usedBCM(models.NewBCM2835(), used) },
	"rpi2":          func(used bool) serialChip { return usedBCM(models.NewBCM2836(), used) },
	"rpi3":          func(used bool) serialChip { return usedBCM(models.NewBCM2836(), used) },
	"rpi3-32":       func(used bool) serialChip { return usedBCM(models.NewBCM2836(), used) },
	"rpi4":          func(used bool) serialChip { return usedBCM(models.NewBCM2711(), used) },
}

func usedRP2(m *models.RP2, used bool) *models.RP2 {
	if used {
		m.Used()
	}
	return m
}

func usedBCM(m *models.BCM, used bool) *models.BCM {
	if used {
		m.Used()
	}
	return m
}

// rig is channels of devices on the model of a board.
type rig struct {
	t     *testing.T
	chip  serialChip
	plan  *Plan
	slots map[string]int32
	state map[string][]int32
}

func mount(t *testing.T, b *boards.Board, m serialChip, bindings ...Binding) *rig {
	t.Helper()
	r := &rig{t: t, chip: m, plan: plan(t, b, bindings...), slots: map[string]int32{}, state: map[string][]int32{}}
	for _, c := range r.plan.Bound {
		r.state[c.Variable] = make([]int32, conversion.States(c.Channel.Value))
	}
	for _, e := range slices.Concat(r.plan.Start, r.plan.Before, r.plan.After, r.plan.Safe) {
		require.NoError(t, e.Check())
	}
	return r
}

func (r *rig) try(list []registers.Entry) error {
	r.t.Helper()
	err := registers.Run(r.chip, list, r.slots)
	require.Empty(r.t, r.chip.Errors())
	return err
}

func (r *rig) run(list []registers.Entry) {
	r.t.Helper()
	require.NoError(r.t, r.try(list))
}

func (r *rig) bound(variable string) *Bound {
	at := slices.IndexFunc(r.plan.Bound, func(b Bound) bool { return b.Variable == variable })
	return &r.plan.Bound[at]
}

func (r *rig) value(variable string) float64 {
	return r.bound(variable).read(r.slots, r.state[variable])
}

func (r *rig) set(values map[string]float64) {
	r.t.Helper()
	clear(r.slots)
	for _, c := range r.plan.Bound {
		if v, ok := values[c.Variable]; ok {
			c.write(v, r.slots)
		}
	}
	r.run(r.plan.After)
}

// on is a binding to a channel of a device, with options "cs", "GP5".
func on(direction chips.Direction, variable, bus, channel string, options ...string) Binding {
	b := Binding{Variable: variable, Direction: direction, Channel: bus, Kind: channel}
	for i := 0; i < len(options); i += 2 {
		if b.Options == nil {
			b.Options = map[string]string{}
		}
		b.Options[options[i]] = options[i+1]
	}
	return b
}

// everyBus calls f for each bus of that type on each board, with a fresh chip and one that was used.
func everyBus(t *testing.T, kind string, buses int, f func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip)) {
	seen := 0
	for name, fresh := range serialBoards {
		b := board(t, name)
		chip, err := chips.Find(b.Chip)
		require.NoError(t, err)
		for i := range b.Buses {
			if chip.Buses[b.Buses[i].Name].Controller != kind {
				continue
			}
			seen++
			for _, used := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/used=%v", name, b.Buses[i].Name, used), func(t *testing.T) {
					f(t, b, &b.Buses[i], fresh(used))
				})
			}
		}
	}
	require.Equal(t, buses, seen)
}

func pinOf(t *testing.T, b *boards.Board, name string) string {
	t.Helper()
	c, err := find(b, name)
	require.NoError(t, err)
	return c.Pin
}

func TestMCP3208(t *testing.T) {
	everyBus(t, "spi", 15, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		var bindings []Binding
		for n := range 8 {
			bindings = append(bindings, on(chips.In, fmt.Sprintf("x%d", n), bus.Name, fmt.Sprintf("mcp3208.ch%d", n)),
				on(chips.In, fmt.Sprintf("d%d", n), bus.Name, fmt.Sprintf("mcp3208.diff%d%d", n, n^1)))
		}
		bindings[3].Options = map[string]string{"vref": "4.096"}
		d := &models.MCP3208{VRef: 4.096}
		m.ConnectSPI(bus.Name, pinOf(t, b, bus.Select), d)
		r := mount(t, b, m, bindings...)
		r.run(r.plan.Start)
		for tick := range 3 {
			for n := range d.Volts {
				d.Volts[n] = float64((n*7+tick*5)%41) / 10
			}
			r.run(r.plan.Before)
			for n, v := range d.Volts {
				require.InDelta(t, v, r.value(fmt.Sprintf("x%d", n)), 0.001, "channel %d", n)
				require.InDelta(t, max(v-d.Volts[n^1], 0), r.value(fmt.Sprintf("d%d", n)), 0.001, "pair of channel %d", n)
			}
		}
		r.run(r.plan.Safe)
	})
}

func TestMCP4922(t *testing.T) {
	everyBus(t, "spi", 15, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		d := &models.MCP4922{VRef: 2.5}
		m.ConnectSPI(bus.Name, pinOf(t, b, bus.Select), d)
		half := 1.25
		second := on(chips.Out, "v", bus.Name, "mcp4922.b", "gain", "2", "buffer", "on")
		second.Safe = &half
		r := mount(t, b, m, on(chips.Out, "u", bus.Name, "mcp4922.a", "vref", "2.5"), second)
		r.run(r.plan.Start)
		near := func(a, b float64) {
			t.Helper()
			require.InDelta(t, a, d.Volts[0], 0.7*2.5/4096)
			require.InDelta(t, b, d.Volts[1], 0.7*5.0/4096)
		}
		near(0, 1.25)
		require.True(t, d.Buffered)
		for _, v := range [][2]float64{{0.5, 4}, {2.499, 0}, {0, 4.998}, {1.0 / 3, math.Pi}} {
			r.set(map[string]float64{"u": v[0], "v": v[1]})
			near(v[0], v[1])
		}
		r.set(map[string]float64{"u": -7, "v": 99})
		near(0, 5*4095.0/4096)
		writes := d.Writes
		r.run(r.plan.Safe)
		near(0, 1.25)
		require.Equal(t, writes+2, d.Writes)
		require.LessOrEqual(t, m.Clock(bus.Name), 10e6)
	})
}

var motion = []string{"ax", "ay", "az", "temp", "gx", "gy", "gz"}

// imu binds variables to all channels of an MPU-6050, with options at one of them.
func imu(bus, prefix string, options ...string) []Binding {
	var all []Binding
	for _, name := range motion {
		all = append(all, on(chips.In, prefix+name, bus, "mpu6050."+name))
	}
	all[2] = on(chips.In, prefix+"az", bus, "mpu6050.az", options...)
	return all
}

func (r *rig) requireMotion(prefix string, d *models.MPU6050, accel, gyro float64) {
	r.t.Helper()
	require.NoError(r.t, d.Check())
	for i, name := range []string{"x", "y", "z"} {
		require.InDelta(r.t, d.Motion[i]*9.80665, r.value(prefix+"a"+name), accel*9.80665/32768, name)
		require.InDelta(r.t, d.Turn[i]*math.Pi/180, r.value(prefix+"g"+name), 1.01*gyro*math.Pi/180/32768, name)
	}
	require.InDelta(r.t, d.Degrees, r.value(prefix+"temp"), 1.0/340)
}

func TestMPU6050(t *testing.T) {
	everyBus(t, "i2c", 16, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		for address, option := range map[byte]string{0x68: "0x68", 0x69: "0x69"} {
			d := models.NewMPU6050(address)
			m.ConnectI2C(bus.Name, d)
			r := mount(t, b, m, imu(bus.Name, "", "accel", "8", "gyro", "1000", "filter", "21")...)
			if option != "0x68" {
				bindings := imu(bus.Name, "", "accel", "8", "gyro", "1000", "filter", "21")
				for i := range bindings {
					bindings[i].Options = map[string]string{"address": option}
				}
				bindings[0].Options["accel"], bindings[6].Options["gyro"], bindings[3].Options["filter"] = "8", "1000", "21"
				r = mount(t, b, m, bindings...)
			}
			r.run(r.plan.Start)
			require.Equal(t, byte(4), d.Filter())
			for tick := range 3 {
				d.Motion = [3]float64{-7.5 + float64(tick), 0.25, 1}
				d.Turn = [3]float64{900 - 800*float64(tick), -1, 0.5}
				d.Degrees = 25 - 30*float64(tick)
				m.Log(bus.Name)
				r.run(r.plan.Before)
				r.requireMotion("", d, 8, 1000)
				log := m.Log(bus.Name)
				log = slices.DeleteFunc(log, func(s string) bool { return s == "P" })
				require.Len(t, log, 1+1+1+14, "one burst for all: %v", log)
			}
			r.run(r.plan.Safe)
		}
	})
}

// TestBursts: every length of a transfer is read right, and none too many.
func TestBursts(t *testing.T) {
	everyBus(t, "i2c", 16, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		d := models.NewMPU6050(0x68)
		m.ConnectI2C(bus.Name, d)
		for n := 1; n <= 15; n++ {
			text := fmt.Sprintf(`{"name": "x", "title": "x", "manual": {"name": "x", "title": "x", "revision": "1"}, "bus": "i2c",
				"options": {"freq": {"unit": "Hz", "low": "1000", "high": "400000", "default": "100 kHz"}, "address": {"values": {"0x68": "0x68"}, "default": "0x68"}},
				"setup": [{"send": ["0x6b", "1"]}],
				"transfers": {"all": {"send": ["0x3b"], "receive": %d}},
				"kinds": {"last": {"title": "x", "section": "1", "direction": "in", "type": "i32", "transfer": "all", "from": ["%d"], "value": [], "low": "0", "high": "255"}},
				"channels": {"last": "last"}}`, n, n-1)
			own, err := chips.ParseDevice("x.json", []byte(text))
			require.NoError(t, err)
			bind := on(chips.In, "last", bus.Name, "./x.json.last")
			bind.Device = own
			r := mount(t, b, m, bind)
			r.run(r.plan.Start)
			d.Motion, d.Turn, d.Degrees = [3]float64{0.1, 0.2, 0.3}, [3]float64{11, 22, 33}, 20
			for range 2 {
				m.Log(bus.Name)
				r.run(r.plan.Before)
				for range 1000 { // until the stop is over
					m.Read(32, r.plan.Before[0].Address)
				}
				log := m.Log(bus.Name)
				require.Equal(t, "P", log[len(log)-1])
				read := slices.DeleteFunc(log, func(s string) bool { return s[0] != '<' })
				require.Len(t, read, n)
				require.Equal(t, read[n-1], fmt.Sprintf("<%02x", int(r.value("last"))))
			}
		}
	})
}

// TestNobodyAnswers: a device that is not there ends the start or the tick, and the next start is well again.
func TestNobodyAnswers(t *testing.T) {
	everyBus(t, "i2c", 16, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		d := models.NewMPU6050(0x68)
		m.ConnectI2C(bus.Name, d)
		r := mount(t, b, m, imu(bus.Name, "")...)
		var stuck *registers.StuckError
		for range 2 {
			d.Dead = true
			require.ErrorAs(t, r.try(r.plan.Start), &stuck)
			require.Contains(t, r.plan.About(uint32(stuck.Index)+1), "mpu6050 at 0x68 on "+bus.Name)
			d.Dead = false
			r.run(r.plan.Start)
			r.run(r.plan.Before)
			r.requireMotion("", d, 2, 250)
			d.Dead = true
			require.ErrorAs(t, r.try(r.plan.Before), &stuck)
			require.Contains(t, r.plan.About(uint32(len(r.plan.Start)+stuck.Index)+1), "mpu6050 at 0x68 on "+bus.Name)
			r.run(r.plan.Safe)
		}
		d.Dead = false
		r.run(r.plan.Start)
		d.Identity = 0x98 // another chip
		require.ErrorAs(t, r.try(r.plan.Start), &stuck)
		require.Equal(t, uint32(0x98), stuck.Last&0xff)
		require.Equal(t, uint32(0x68), stuck.Entry.Value)
		d.Identity = 0x68
		r.run(r.plan.Start)
		r.run(r.plan.Before)
		r.requireMotion("", d, 2, 250)
	})
}

// latch is an output on I2C that keeps what was written, and takes it over at the stop.
type latch struct {
	bytes, last []byte
}

func (d *latch) Start(address byte, read bool) bool {
	d.bytes = nil
	return address == 0x60 && !read
}
func (d *latch) Write(b byte) bool { d.bytes = append(d.bytes, b); return true }
func (d *latch) Read() byte        { return 0 }
func (d *latch) Stop()             { d.last = d.bytes }

const latchFile = `{"name": "latch", "title": "x", "manual": {"name": "x", "title": "x", "revision": "1"}, "bus": "i2c",
	"options": {"freq": {"unit": "Hz", "low": "1000", "high": "400000", "default": "400 kHz"}, "address": {"values": {"0x60": "0x60"}, "default": "0x60"}},
	"transfers": {"level": {"send": ["0x40|n", "<- 15:8", "<- 7:4 0xa0"]}},
	"kinds": {"level": {"title": "x", "section": "1", "direction": "out", "type": "i32", "transfer": "level", "value": ["limit 0 65535"], "low": "0", "high": "65535", "default": "0"}},
	"channels": {"level": "level n=3"}}`

// TestOutputOnI2C: an output is sent, at the start and when the loop ends as well. An STM32 has none.
func TestOutputOnI2C(t *testing.T) {
	everyBus(t, "i2c", 16, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		own, err := chips.ParseDevice("latch.json", []byte(latchFile))
		require.NoError(t, err)
		bind := on(chips.Out, "u", bus.Name, "./latch.json.level")
		safe := float64(0x1234)
		bind.Device, bind.Safe = own, &safe
		if strings.HasPrefix(b.Chip, "stm32f4") {
			_, err := Resolve(b, []Binding{bind})
			require.ErrorContains(t, err, "outputs on "+bus.Name+" need a transfer without waits when a loop ends, which its controller cannot do")
			return
		}
		d := &latch{}
		m.ConnectI2C(bus.Name, d)
		r := mount(t, b, m, bind)
		r.run(r.plan.Start)
		require.Equal(t, []byte{0x43, 0x12, 0xa3}, d.last)
		r.set(map[string]float64{"u": 0xabcd})
		require.Equal(t, []byte{0x43, 0xab, 0xac}, d.last)
		r.set(map[string]float64{"u": 1e9})
		require.Equal(t, []byte{0x43, 0xff, 0xaf}, d.last)
		r.run(r.plan.Safe)
		for range 10_000 { // nobody waits for the end of it
			m.Read(32, r.plan.Start[len(r.plan.Start)-1].Address)
		}
		require.Equal(t, []byte{0x43, 0x12, 0xa3}, d.last)
	})
}

// TestSeveralDevices: two of each kind on the buses of a Pico, beside pins and its ADC, and other clocks.
func TestSeveralDevices(t *testing.T) {
	b := board(t, "pico")
	m := models.NewRP2040()
	first, second := models.NewMPU6050(0x68), models.NewMPU6050(0x69)
	m.ConnectI2C("I2C0", first)
	m.ConnectI2C("I2C0", second)
	adc, dac := &models.MCP3208{VRef: 3.3}, &models.MCP4922{VRef: 3.3}
	m.ConnectSPI("SPI0", "GP17", adc)
	m.ConnectSPI("SPI0", "GP20", dac)
	bindings := imu("I2C0", "", "accel", "16")
	for _, name := range motion {
		bindings = append(bindings, on(chips.In, "b"+name, "I2C0", "mpu6050."+name, "address", "0x69"))
	}
	bindings = append(bindings,
		on(chips.In, "x", "SPI0", "mcp3208.ch5"), on(chips.Out, "u", "SPI0", "mcp4922.b", "cs", "GP20", "freq", "2MHz"),
		on(chips.Out, "led", "LED", ""), on(chips.In, "v", "ADC0", ""), on(chips.In, "pressed", "GP2", "in"), on(chips.Out, "w", "SPI0", "mcp4922.a", "cs", "GP20"))
	bindings[len(bindings)-3].Channel, bindings[len(bindings)-3].Kind = "GP26", "adc"
	bindings[len(bindings)-4].Kind = "out"
	r := mount(t, b, m, bindings...)
	r.run(r.plan.Start)
	for tick := range 4 {
		first.Motion, second.Motion = [3]float64{float64(tick), 2, 15}, [3]float64{-1, 0.5, float64(tick) / 4}
		first.Turn, second.Turn = [3]float64{1, 2, 3}, [3]float64{-1, -2, -3}
		adc.Volts[5] = 0.5 * float64(tick)
		m.Volts("GP26", 1)
		m.Drive("GP2", tick%2 == 0)
		r.run(r.plan.Before)
		r.requireMotion("", first, 16, 250)
		r.requireMotion("b", second, 2, 250)
		require.InDelta(t, adc.Volts[5], r.value("x"), 0.001)
		require.InDelta(t, 1, r.value("v"), 0.001)
		require.Equal(t, tick%2 == 0, r.value("pressed") != 0)
		r.set(map[string]float64{"u": float64(tick) / 2, "w": 3 - float64(tick)/2, "led": float64(tick % 2)})
		require.InDelta(t, float64(tick)/2, dac.Volts[1], 0.001)
		require.InDelta(t, 3-float64(tick)/2, dac.Volts[0], 0.001)
	}
	r.run(r.plan.Safe)
	require.Equal(t, [2]float64{}, dac.Volts)
}

// TestSpeeds: at every frequency that may be chosen transfers end within the bounds of their waits, and the clock is at most what was asked for.
func TestSpeeds(t *testing.T) {
	everyBus(t, "spi", 15, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		d := &models.MCP3208{VRef: 3.3}
		m.ConnectSPI(bus.Name, pinOf(t, b, bus.Select), d)
		chip, err := chips.Find(b.Chip)
		require.NoError(t, err)
		tried := 0
		for _, hz := range []int{10e3, 11111, 50e3, 100e3, 164063, 328125, 500e3, 750e3, 999999, 1e6, 1234567, 2e6} {
			bind := on(chips.In, "x", bus.Name, "mcp3208.ch6", "freq", fmt.Sprint(hz))
			if _, err := Resolve(b, []Binding{bind}); err != nil {
				require.ErrorContains(t, err, "option freq: "+fmt.Sprint(hz)+": want ")
				continue
			}
			tried++
			r := mount(t, b, m, bind)
			r.run(r.plan.Start)
			d.Volts[6] = 2
			r.run(r.plan.Before)
			require.InDelta(t, 2, r.value("x"), 0.001)
			require.LessOrEqual(t, m.Clock(bus.Name), float64(hz)*1.000001)
			require.LessOrEqual(t, r.bound("x").Channel.Actual["freq"], float64(hz)*1.000001)
			require.Greater(t, r.bound("x").Channel.Actual["freq"], float64(hz)*0.49)
		}
		require.Greater(t, tried, 5, chip.Title)
	})
	everyBus(t, "i2c", 16, func(t *testing.T, b *boards.Board, bus *boards.Bus, m serialChip) {
		d := models.NewMPU6050(0x68)
		m.ConnectI2C(bus.Name, d)
		tried := 0
		for _, hz := range []int{10e3, 50e3, 99999, 100e3, 100001, 250e3, 399999, 400e3} {
			bindings := imu(bus.Name, "", "freq", fmt.Sprint(hz))
			if _, err := Resolve(b, bindings); err != nil {
				require.ErrorContains(t, err, "option freq: "+fmt.Sprint(hz)+": want ")
				continue
			}
			tried++
			r := mount(t, b, m, bindings...)
			r.run(r.plan.Start)
			r.run(r.plan.Before)
			r.requireMotion("", d, 2, 250)
			require.LessOrEqual(t, r.bound("ax").Channel.Actual["freq"], float64(hz)*1.000001)
		}
		require.Greater(t, tried, 4)
	})
}
