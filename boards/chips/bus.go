package chips

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards/conversion"
)

// A Controller is how the devices of a chip that drive a bus of some type, "spi" or "i2c", move bytes.
//
// Its texts are expanded with the chip's values, what the bus has With, the options, what
// Let computes, and of each transfer: sends, receives, bytes (the longer of both), mode (of SPI, 0 to 3) or
// address (of I2C). Those of Lines have the parameters of the pin, too.
type Controller struct {
	Title   string              `json:"title"`
	Section string              `json:"section"` // of the manual, where transfers are described
	Most    int                 `json:"most"`    // bytes that a transfer may have
	Options map[string]Option   `json:"options,omitempty"`
	Let     []string            `json:"let,omitempty"`
	Actual  map[string]string   `json:"actual,omitempty"`
	Lines   map[string][]string `json:"lines"`            // what connects a pin, by the word of the line, as "sck"
	Enable  []string            `json:"enable,omitempty"` // as a Template's
	Setup   []string            `json:"setup,omitempty"`
	// Transfer is a list of operations with further words. "select" and "deselect" switch the chip
	// select, "put REGISTER EXTRA" writes the byte to be sent, ORed with EXTRA, and "get REGISTER MASK" reads
	// one. In front of a text, "send: ", "receive: " and "byte: " repeat it, with others of that word in a row,
	// for every byte, whose number is i; "repeat N: " does it N times.
	Transfer []string `json:"transfer"`
	// Safe does the same without waits, as safe values have to be sent; empty: there are no outputs.
	Safe []string `json:"safe,omitempty"`
}

// A Bus is one device of a controller's type.
type Bus struct {
	Controller string            `json:"controller"`
	With       string            `json:"with,omitempty"` // "spi=1 af=5"
	Lines      map[string]string `json:"lines"`          // pins that can be a line, by its word: "PA5 PB3"
}

func (k *Controller) check() error {
	if k.Title == "" || k.Section == "" || k.Most < 1 || len(k.Lines) == 0 || len(k.Transfer) == 0 {
		return errors.New("title, section, most, lines or transfer is missing")
	}
	if _, ok := k.Options["freq"]; !ok {
		return errors.New("no option freq")
	}
	return nil
}

func (c *Chip) checkBus(name string) error {
	b := c.Buses[name]
	k, ok := c.Controllers[b.Controller]
	if !ok || !upperName().MatchString(name) {
		return fmt.Errorf("want a name that begins with a capital letter, and a controller: %s", strings.Join(names(c.Controllers), ", "))
	}
	if !slices.Equal(names(b.Lines), names(k.Lines)) {
		return fmt.Errorf("lines %s, and the controller has %s", strings.Join(names(b.Lines), ", "), strings.Join(names(k.Lines), ", "))
	}
	for _, line := range names(b.Lines) {
		for pin := range strings.FieldsSeq(b.Lines[line]) {
			if _, ok := c.Pins[pin]; !ok {
				return fmt.Errorf("lines.%s: no pin %s", line, pin)
			}
		}
	}
	return nil
}

// A Wire is a device at its place on a bus.
type Wire struct {
	Bus     string            // of the chip
	Device  *Device           //
	Lines   map[string]string // pins of the chip by their lines
	Select  string            // SPI: the pin
	Options map[string]string // of the controller and of the device
}

// ExpandDevice makes the channel of that name of a device on a bus. own are options of the channel alone.
func (c *Chip) ExpandDevice(w Wire, channel string, own map[string]string, safe *float64) (*Channel, error) {
	e, err := c.wired(w)
	if err != nil {
		return nil, err
	}
	kind, with, err := w.Device.Offer(channel)
	if err != nil {
		return nil, err
	}
	k := w.Device.Kinds[kind]
	s := &scope{values: e.device.copied()}
	if err := s.with(with); err != nil {
		return nil, err
	}
	t := k.template(w.Device)
	if err := t.choose(s, own); err != nil {
		return nil, err
	}
	ch := &Channel{Kind: w.Device.Name + "." + channel, Template: t, Actual: e.actual, Whole: true}
	if err := ch.numbers(s, safe); err != nil {
		return nil, err
	}
	if ch.Value, err = s.steps(k.Value); err != nil {
		return nil, fmt.Errorf("value: %w", err)
	}
	if err := ch.checkValue(); err != nil {
		return nil, err
	}
	e.claims(ch, channel)
	if err := e.prepare(ch); err != nil {
		return nil, err
	}
	return ch, e.lists(ch, s, k)
}

// wired is what expanding channels of a wire needs.
type wired struct {
	chip       *Chip
	wire       Wire
	bus        Bus
	controller *Controller
	device     *scope // of the device's texts
	control    *scope // of the controller's
	selected   *Channel
	actual     map[string]float64
}

func (c *Chip) wired(w Wire) (*wired, error) {
	b, ok := c.Buses[w.Bus]
	if !ok {
		return nil, fmt.Errorf("no bus %q; there are: %s", w.Bus, strings.Join(names(c.Buses), ", "))
	}
	if b.Controller != w.Device.Bus {
		return nil, fmt.Errorf("%s is a device for %s, and %s is %s", w.Device.Name, w.Device.Bus, w.Bus, b.Controller)
	}
	e := &wired{chip: c, wire: w, bus: b, controller: c.Controllers[b.Controller], actual: map[string]float64{}}
	var err error
	if e.device, err = w.Device.scope(w.Options); err != nil {
		return nil, err
	}
	if e.control, err = e.controls(); err != nil {
		return nil, err
	}
	for _, name := range names(e.controller.Actual) {
		if e.actual[name], err = e.control.float(e.controller.Actual[name]); err != nil {
			return nil, fmt.Errorf("actual %s: %w", name, err)
		}
	}
	return e, e.choosePins()
}

// controls is the scope of the controller's texts, without what a transfer has.
func (e *wired) controls() (*scope, error) {
	s, err := e.chip.constants()
	if err != nil {
		return nil, err
	}
	if err := s.with(e.bus.With); err != nil {
		return nil, err
	}
	for _, name := range names(e.controller.Options) {
		o := e.controller.Options[name]
		text, chosen := e.wire.Options[name]
		if own, ok := e.wire.Device.Options[name]; ok && !chosen {
			text, chosen = own.Default, true
		}
		if !chosen {
			text = o.Default
		}
		if s.values[name], err = o.value(s, text); err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
	}
	for _, name := range []string{"address", "mode"} { // the device's words for its place on a bus
		if v, ok := e.device.values[name]; ok {
			s.values[name] = v
		}
	}
	return s, s.let(e.controller.Let)
}

// choosePins checks the pins of the lines and of the chip select.
func (e *wired) choosePins() error {
	at := map[string]string{e.wire.Select: "cs"}
	for _, line := range e.wire.Device.lines(e.controller) {
		pin, able := e.wire.Lines[line], strings.Fields(e.bus.Lines[line])
		if other, both := at[pin]; both {
			return fmt.Errorf("%s cannot be both %s and %s", pin, other, line)
		}
		at[pin] = line
		if !slices.Contains(able, pin) {
			return fmt.Errorf("%s cannot be %s of %s; what can: %s", pin, line, e.wire.Bus, strings.Join(able, ", "))
		}
		if why, taken := e.chip.Taken[pin]; taken {
			return fmt.Errorf("%s: its pin %s belongs to %s", line, pin, why)
		}
	}
	if e.wire.Select == "" {
		return nil
	}
	if why, taken := e.chip.Taken[e.wire.Select]; taken {
		return fmt.Errorf("cs: its pin %s belongs to %s", e.wire.Select, why)
	}
	active := "low"
	if e.wire.Device.SelectHigh {
		active = "high"
	}
	var err error
	if e.selected, err = e.chip.Expand(e.wire.Select, "out", map[string]string{"active": active}, nil); err != nil {
		return fmt.Errorf("cs: %w", err)
	}
	return nil
}

// place is where the device is on its bus, for people.
func (e *wired) place() string {
	if e.wire.Select != "" {
		return e.wire.Select
	}
	address, _ := e.control.number("address", 10)
	return fmt.Sprintf("%#x", address)
}

// claims are the resources of a channel.
func (e *wired) claims(ch *Channel, name string) {
	d, bus := e.wire.Device, e.wire.Bus
	for _, line := range d.lines(e.controller) {
		ch.Uses = append(ch.Uses, Use{e.wire.Lines[line], bus + " " + line})
	}
	// What belongs to all devices of the bus, and to this one.
	shared, own := []string{}, []string{d.Name}
	for _, o := range names(e.controller.Options) {
		at := &shared
		if e.wire.Select != "" { // each device has its own clock
			at = &own
		}
		*at = append(*at, fmt.Sprintf("%s %v", o, e.control.values[o]))
	}
	for _, line := range names(e.wire.Lines) {
		shared = append(shared, line+" "+e.wire.Lines[line])
	}
	for _, o := range names(d.Options) {
		if o != "address" {
			own = append(own, fmt.Sprintf("%s %v", o, e.device.values[o]))
		}
	}
	ch.Uses = append(ch.Uses, Use{bus, strings.Join(shared, ", ")})
	where := bus + " " + e.place()
	if e.wire.Select != "" {
		where = e.wire.Select
	}
	ch.Uses = append(ch.Uses, Use{where, "chip select of " + strings.Join(own, ", ")})
	if e.wire.Select == "" {
		ch.Uses[len(ch.Uses)-1].Mode = strings.Join(own, ", ")
	}
	if ch.Template.Direction == Out {
		ch.Uses = append(ch.Uses, Use{where + " " + d.Name + "." + name, ""})
	}
}

// checkValue follows the types of the value's steps.
func (ch *Channel) checkValue() error {
	first, want := slotType, ch.Template.Type
	if ch.Template.Direction == Out {
		first, want = want, first
	}
	got, err := conversion.Check(ch.Value, first)
	if err == nil && got != want {
		err = fmt.Errorf("the steps give %s, not %s", got, want)
	}
	if err != nil {
		return fmt.Errorf("value: %w", err)
	}
	return nil
}
