package chips

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/constant"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/boards/conversion"
)

// A Device is what is connected to a bus: its transfers, and what of them are channels. It knows
// nothing of chips.
//
// Its texts are expanded with Values, Options and the parameters of the channel.
type Device struct {
	Name   string            `json:"name"`
	Title  string            `json:"title"`
	Manual Manual            `json:"manual"`
	Bus    string            `json:"bus"` // type of it: "spi" or "i2c"
	Values map[string]string `json:"values,omitempty"`
	// Options hold for all channels of a device. "freq" is the clock of the bus, whose limits are those of the
	// device; "address" that of a device on I2C.
	Options    map[string]Option `json:"options"`
	Mode       int               `json:"mode,omitempty"`        // of SPI: clock's polarity << 1 | phase
	SelectHigh bool              `json:"select_high,omitempty"` // the level of SPI's chip select that selects
	Unused     []string          `json:"unused,omitempty"`      // lines of the bus that it does not need, as "miso"
	// Setup is transfers at the start of a loop, in this order.
	Setup     []Exchange            `json:"setup,omitempty"`
	Transfers map[string]Exchange   `json:"transfers"`
	Kinds     map[string]DeviceKind `json:"kinds"`
	Channels  map[string]string     `json:"channels"` // a kind, and parameters behind it: "voltage ch=3"
}

// An Exchange is one transfer: the bytes that are sent and, on SPI in their place, else behind them, those received.
type Exchange struct {
	Section string `json:"section,omitempty"` // of the manual
	// Send are expressions for bytes, or bits of the value of an output: "<- 11:8 0x30" is
	// its bits 11 to 8 from bit 0 on, ORed with 0x30.
	Send    []string `json:"send"`
	Receive int      `json:"receive,omitempty"` // bytes, of I2C
	// Expect is what bytes have to be: "0 0x7e 0x68" is 0x68 in bits 0x7e of byte 0. Else the loop does not start.
	Expect []string `json:"expect,omitempty"`
}

// A DeviceKind is a template of channels of a device. What has the names of a Template's parts is the same.
type DeviceKind struct {
	Title     string            `json:"title"`
	Section   string            `json:"section"`
	Direction Direction         `json:"direction"`
	Type      conversion.Type   `json:"type"`
	Unit      string            `json:"unit,omitempty"`
	Options   map[string]Option `json:"options,omitempty"` // each channel has its own
	Transfer  string            `json:"transfer"`
	// From are the bytes of an input, the highest one first, with the mask of the bits that count: "1 0x0f".
	From    []string `json:"from,omitempty"`
	Value   []string `json:"value"` // integer to variable, or back
	Low     string   `json:"low"`
	High    string   `json:"high"`
	Default string   `json:"default,omitempty"`
	Step    string   `json:"step,omitempty"`
}

func (k *DeviceKind) template(d *Device) *Template {
	return &Template{
		Title: k.Title, Section: d.Manual.Name + ", " + k.Section, Direction: k.Direction, Type: k.Type, Unit: k.Unit, Options: k.Options,
		Value: k.Value, Low: k.Low, High: k.High, Default: k.Default, Step: k.Step,
	}
}

//go:embed devices/*.json
var deviceFiles embed.FS

// Devices are those that are built in, by their names.
var Devices = sync.OnceValues(func() (map[string]*Device, error) {
	files, err := deviceFiles.ReadDir("devices")
	if err != nil {
		return nil, err
	}
	all := map[string]*Device{}
	for _, f := range files {
		text, err := deviceFiles.ReadFile("devices/" + f.Name())
		if err != nil {
			return nil, err
		}
		d, err := ParseDevice(f.Name(), text)
		if err != nil {
			return nil, err
		}
		all[d.Name] = d
	}
	return all, nil
})

// MaxDevice bounds the file of a device, in bytes.
const MaxDevice = 1 << 20

// ParseDevice decodes and checks the file of a device. Unknown fields are errors.
func ParseDevice(file string, text []byte) (*Device, error) {
	d := &Device{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(d)
	if err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text after the end of the device")
		}
	}
	if err == nil {
		err = d.check(strings.TrimSuffix(path.Base(file), ".json"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// check looks at the file, and expands every channel with the default options.
func (d *Device) check(name string) error {
	switch {
	case d.Name != name || !lowerName().MatchString(name):
		return fmt.Errorf("name %q: want a small letter, then small letters, digits and _, as the file is named", d.Name)
	case d.Title == "" || d.Manual.Name == "" || d.Manual.Title == "" || d.Manual.Revision == "":
		return errors.New("title, or name, title or revision of the manual, is missing")
	case d.Bus != "spi" && d.Bus != "i2c":
		return fmt.Errorf("bus %q: want spi or i2c", d.Bus)
	case d.Mode < 0 || d.Mode > 3 || d.Bus == "i2c" && (d.Mode != 0 || d.SelectHigh):
		return fmt.Errorf("mode %d: want 0 to 3, and neither mode nor select_high for i2c", d.Mode)
	case len(d.Channels) == 0:
		return errors.New("channels are missing")
	}
	if _, ok := d.Options["freq"]; !ok {
		return errors.New("options.freq is missing: the clock of the bus")
	}
	if _, ok := d.Options["address"]; ok != (d.Bus == "i2c") {
		return errors.New("options.address is for i2c, and has to be there")
	}
	for _, reserved := range []string{"cs", "sck", "miso", "mosi", "sda", "scl"} {
		if _, ok := d.Options[reserved]; ok {
			return fmt.Errorf("options.%s: the word is the bus's", reserved)
		}
	}
	s, err := d.scope(nil)
	if err != nil {
		return err
	}
	for i, x := range d.Setup {
		if _, err := d.bytes(s, x, nil); err != nil {
			return fmt.Errorf("setup[%d]: %w", i, err)
		}
	}
	for _, c := range names(d.Channels) {
		if err := d.checkChannel(s, c); err != nil {
			return fmt.Errorf("channels.%s: %w", c, err)
		}
	}
	return nil
}

func (d *Device) checkChannel(outer *scope, name string) error {
	if !lowerName().MatchString(name) {
		return errors.New("want a name of a small letter, then small letters, digits and _")
	}
	kind, with, err := d.Offer(name)
	if err != nil {
		return err
	}
	k := d.Kinds[kind]
	s := &scope{values: outer.copied()}
	if err := s.with(with); err != nil {
		return err
	}
	t := k.template(d)
	switch {
	case k.Title == "" || k.Section == "":
		return errors.New("title or section is missing")
	case k.Direction != In && k.Direction != Out || k.Direction == Out && k.Default == "" || (k.Direction == In) != (len(k.From) > 0):
		return fmt.Errorf("direction %q: want in with from, or out with default", k.Direction)
	}
	for o := range k.Options {
		if _, both := d.Options[o]; both {
			return fmt.Errorf("option %s is one of the device, too", o)
		}
	}
	if err := t.choose(s, nil); err != nil {
		return err
	}
	ch := &Channel{Template: t, Actual: map[string]float64{}}
	if err := ch.numbers(s, nil); err != nil {
		return err
	}
	if ch.Value, err = s.steps(k.Value); err != nil {
		return err
	}
	if err := ch.checkValue(); err != nil {
		return err
	}
	_, err = d.plan(s, &k)
	return err
}

// Offer is the kind of a channel, and its parameters.
func (d *Device) Offer(channel string) (kind, with string, err error) {
	text, ok := d.Channels[channel]
	if !ok {
		return "", "", fmt.Errorf("%s has no channel %q; there are: %s", d.Name, channel, strings.Join(names(d.Channels), ", "))
	}
	kind, with, _ = strings.Cut(text, " ")
	if _, ok := d.Kinds[kind]; !ok {
		return "", "", fmt.Errorf("%s.%s: no kind %q; there are: %s", d.Name, channel, kind, strings.Join(names(d.Kinds), ", "))
	}
	return kind, with, nil
}

// scope is that of the device's texts: values, and options as chosen or by default.
func (d *Device) scope(options map[string]string) (*scope, error) {
	s := &scope{values: map[string]constant.Value{}}
	for _, name := range names(d.Values) {
		v, err := (&scope{}).eval(d.Values[name])
		if err != nil {
			return nil, fmt.Errorf("values.%s: %w", name, err)
		}
		s.values[name] = v
	}
	own := map[string]string{}
	for name, text := range options {
		if _, ok := d.Options[name]; ok {
			own[name] = text
		}
	}
	if d.Bus == "spi" {
		s.values["mode"] = constant.MakeInt64(int64(d.Mode))
	}
	return s, (&Template{Options: d.Options}).choose(s, own)
}

// lines are those of a controller that the device needs, sorted.
func (d *Device) lines(k *Controller) []string {
	return slices.DeleteFunc(names(k.Lines), func(line string) bool { return slices.Contains(d.Unused, line) })
}
