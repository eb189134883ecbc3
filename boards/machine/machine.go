// Package machine makes a board of a Linux machine: its channels are the drivers that the machine's
// runner allows, of which the runner has a table.
package machine

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
)

// most drivers that a runner has.
const most = 64

// Name is what a runner that listens calls its board.
const Name = "linux"

//go:embed linux.json
var description []byte

// A Driver is a line of a runner's table.
type Driver struct {
	Name       string            // as --allow has it, such as gpiochip0/17
	Word       string            // gpio, iio, hwmon, pwm or can
	In, Out    bool              // what it may be
	Properties map[string]string // that the runner knows: alias, input, scale, offset
}

var (
	name = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+){1,2}$`)
	})
	property = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([a-z]+)=([A-Za-z0-9_.+-]+)$`)
	})
	ways = map[string][2]bool{"in": {true, false}, "out": {false, true}, "inout": {true, true}}
)

// Parse reads a table. It comes from another machine: whatever is not as a runner writes it is an error.
func Parse(table string) ([]Driver, error) {
	var all []Driver
	for line := range strings.Lines(table) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(all) == most || len(words) < 3 || !name().MatchString(words[0]) || len(words[0]) > 96 || templates[words[1]] == nil {
			return nil, fmt.Errorf("line %d of the table of drivers: %.100q is not understood", len(all)+1, line)
		}
		way, ok := ways[words[2]]
		d := Driver{Name: words[0], Word: words[1], In: way[0], Out: way[1], Properties: map[string]string{}}
		for _, word := range words[3:] {
			m := property().FindStringSubmatch(word)
			if ok = ok && m != nil; ok {
				d.Properties[m[1]] = m[2]
			}
		}
		if !ok {
			return nil, fmt.Errorf("line %d of the table of drivers: %.100q is not understood", len(all)+1, line)
		}
		all = append(all, d)
	}
	return all, nil
}

// Board is a machine with these drivers, by the name that its runner has.
func Board(boardName string, drivers []Driver) (*boards.Board, error) {
	b := &boards.Board{Name: boardName, Title: "Linux machine", Chip: Name}
	var chip map[string]any
	if err := json.Unmarshal(description, &chip); err != nil {
		return nil, err
	}
	kinds := chip["kinds"].(map[string]any)
	bitsOf(kinds["send"].(map[string]any))
	pins := map[string]any{}
	for i, d := range drivers {
		offers, with := templates[d.Word](&d)
		for _, r := range readings {
			if slices.Contains(offers, r.kind) {
				kinds[r.kind] = r.template()
			}
		}
		if len(offers) == 0 {
			continue
		}
		pins[d.Name] = chips.Pin{With: strings.TrimSpace(fmt.Sprintf("n=%d %s", i, with)), Offers: offers}
		c := boards.Channel{Name: d.Name, Pin: d.Name, Place: places[d.Word]}
		if alias := d.Properties["alias"]; alias != "" && !has(b.Channels, alias) {
			c.Aliases = []string{alias}
		}
		b.Channels = append(b.Channels, c)
	}
	chip["pins"] = pins
	var err error
	b.ChipText, err = json.Marshal(chip)
	if err != nil {
		return nil, err
	}
	_, err = chips.Parse(b.Chip, map[string][]byte{b.Chip: b.ChipText})
	return b, err
}

func has(list []boards.Channel, alias string) bool {
	return slices.ContainsFunc(list, func(c boards.Channel) bool { return slices.Contains(c.Aliases, alias) })
}

// bitsOf has each bit of a frame that is sent belong to one signal.
func bitsOf(send map[string]any) {
	uses := send["uses"].([]any)
	for bit := range 64 {
		uses = append(uses, fmt.Sprintf("if all>>%d & 1: {pin}%s%d", bit, BitOf, bit))
	}
	send["uses"] = uses
}

// BitOf is in the names of resources that are bits of a frame.
const BitOf = " bit "

var places = map[string]string{"gpio": "GPIO line", "iio": "IIO input", "hwmon": "hwmon", "pwm": "PWM output", "can": "CAN frame"}

// templates tell what drivers of a word offer, and their parameters.
var templates = map[string]func(*Driver) (offers []string, with string){
	"gpio":  func(d *Driver) ([]string, string) { return offered(d, "in", "out"), "" },
	"pwm":   func(d *Driver) ([]string, string) { return offered(d, "", "pwm"), "" },
	"can":   func(d *Driver) ([]string, string) { return offered(d, "signal", "send", "age"), "" },
	"iio":   read,
	"hwmon": read,
}

func offered(d *Driver, in, out string, more ...string) []string {
	var all []string
	if d.In && in != "" {
		all = append(append(all, in), more...)
	}
	if d.Out && out != "" {
		all = append(all, out)
	}
	return all
}

// A reading is a number with a unit, of IIO or hwmon.
type reading struct {
	word   string  // of the driver
	prefix string  // of the input's name
	kind   string  // of the channel
	unit   string  // of the variable
	factor float64 // from the kernel's unit
}

// readings are those of Documentation/ABI/testing/sysfs-bus-iio and sysfs-class-hwmon; the last ones of a word are for all others.
var readings = []reading{
	{"iio", "in_voltage", "voltage", "V", 1e-3},
	{"iio", "in_current", "current", "A", 1e-3},
	{"iio", "in_power", "power", "W", 1e-3},
	{"iio", "in_temp", "temperature", "°C", 1e-3},
	{"iio", "in_humidityrelative", "humidity", "%", 1e-3},
	{"iio", "in_pressure", "pressure", "kPa", 1},
	{"iio", "in_resistance", "resistance", "ohm", 1},
	{"iio", "in_accel", "acceleration", "m/s2", 1},
	{"iio", "in_anglvel", "rate", "rad/s", 1},
	{"iio", "in_magn", "field", "G", 1},
	{"iio", "in_illuminance", "illuminance", "lx", 1},
	{"iio", "in_distance", "distance", "m", 1},
	{"iio", "in_", "number", "", 1},
	{"hwmon", "temp", "temperature", "°C", 1e-3},
	{"hwmon", "in", "voltage", "V", 1e-3},
	{"hwmon", "curr", "current", "A", 1e-3},
	{"hwmon", "power", "power", "W", 1e-6},
	{"hwmon", "fan", "speed", "rpm", 1},
	{"hwmon", "humidity", "humidity", "%", 1e-3},
	{"hwmon", "", "number", "", 1},
}

// template is the kind of a reading. The limits are not known.
func (r *reading) template() map[string]any {
	return map[string]any{
		"title": r.kind, "section": "ABI/testing/sysfs-bus-iio, sysfs-class-hwmon", "direction": "in", "type": "f32", "unit": r.unit,
		"uses": []string{"{pin}"}, "before": []string{"load NUMBER.VALUE[n] 0xffffffff -> raw"}, "slots": map[string]any{"raw": []string{}},
		"value": []string{"float", "offset zero", "scale step"}, "low": "0", "high": "0", "step": "step",
	}
}

// read is an input of IIO or hwmon: (raw + offset) * scale, in the kernel's unit.
func read(d *Driver) (offers []string, with string) {
	input := d.Properties["input"]
	if d.Word == "hwmon" && strings.HasPrefix(input, "pwm") {
		return offered(d, "", "fan"), ""
	}
	at := slices.IndexFunc(readings, func(r reading) bool { return r.word == d.Word && strings.HasPrefix(input, r.prefix) })
	if at < 0 {
		return nil, ""
	}
	r := readings[at]
	number := func(name string, none float64) float64 {
		v, err := strconv.ParseFloat(d.Properties[name], 64)
		if err != nil || v-v != 0 {
			return none
		}
		return v
	}
	step := strconv.FormatFloat(number("scale", 1)*r.factor, 'g', -1, 64)
	return offered(d, r.kind, ""), fmt.Sprintf("step=%s zero=%s", step, strconv.FormatFloat(number("offset", 0), 'g', -1, 64))
}
