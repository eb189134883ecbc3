package channels

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
)

// An attached binding is one to a channel of a device on a bus.
type attached struct {
	bus     *boards.Bus
	wire    chips.Wire
	channel string
	own     map[string]string // options of the channel alone
	at      string            // where on the bus: chip select, or address
	err     error
}

// DeviceFile is the file that a binding names a device or a driver by, "./mydevice.json" of "./mydevice.json.value"; empty:
// there is none.
func DeviceFile(text string) string {
	if at := strings.LastIndex(text, ".json."); at >= 0 {
		return text[:at+len(".json")]
	}
	return ""
}

// attach finds the devices of those bindings that name a bus. What one binding says of a bus or a device holds for all of it.
func attach(b *boards.Board, chip *chips.Chip, bindings []Binding) []*attached {
	all := make([]*attached, len(bindings))
	for i := range bindings {
		at := slices.IndexFunc(b.Buses, func(bus boards.Bus) bool { return strings.EqualFold(bus.Name, bindings[i].Channel) })
		if at < 0 {
			continue
		}
		a := &attached{bus: &b.Buses[at], wire: chips.Wire{Bus: b.Buses[at].Name, Options: map[string]string{}}}
		a.err = a.device(b, chip, &bindings[i])
		all[i] = a
	}
	for i, a := range all {
		for j, other := range all[:i] {
			if a != nil && other != nil && a.err == nil && other.err == nil && a.wire.Bus == other.wire.Bus {
				a.err = agree(chip, a, other, bindings[i].Options, bindings[j].Options, bindings[j].Variable)
			}
		}
	}
	for i, a := range all {
		if a != nil && a.err == nil {
			a.gather(b, chip, bindings, all, i)
		}
	}
	return all
}

// device finds the device and its place on the bus.
func (a *attached) device(b *boards.Board, chip *chips.Chip, bind *Binding) error {
	type_ := chip.Buses[a.wire.Bus].Controller
	if bind.Kind == "" {
		return fmt.Errorf("is a bus: name a device and its channel, as %s:DEVICE.CHANNEL. Devices for it: %s", a.wire.Bus, strings.Join(fit(type_), ", "))
	}
	name, channel, _ := strings.Cut(bind.Kind, ".")
	if file := DeviceFile(bind.Kind); file != "" {
		name, channel = file, strings.TrimPrefix(bind.Kind, file+".")
	}
	a.channel = channel
	if a.wire.Device = bind.Device; a.wire.Device == nil {
		known, err := chips.Devices()
		if err != nil {
			return err
		}
		if a.wire.Device = known[name]; a.wire.Device == nil {
			return fmt.Errorf("no device %q; for %s there are %s, or a file of your own, ./NAME.json", name, type_, strings.Join(fit(type_), ", "))
		}
	}
	d := a.wire.Device
	if d.Bus != type_ {
		return fmt.Errorf("%s is a device for %s. Devices for %s: %s", d.Name, d.Bus, type_, strings.Join(fit(type_), ", "))
	}
	if d.Bus == "i2c" {
		if a.at = bind.Options["address"]; a.at == "" {
			a.at = d.Options["address"].Default
		}
		return nil
	}
	if a.at = bind.Options["cs"]; a.at == "" {
		a.at = a.bus.Select
	}
	var err error
	a.wire.Select, err = pin(b, chip, a.at)
	a.at = a.wire.Select
	if err != nil {
		return fmt.Errorf("option cs: %w", err)
	}
	return nil
}

// fit are the devices that are built in for a type of bus.
func fit(bus string) []string {
	known, _ := chips.Devices()
	return slices.Sorted(func(yield func(string) bool) {
		for name, d := range known {
			if d.Bus == bus && !yield(name) {
				return
			}
		}
	})
}

// pin is the chip's one of a channel of the board, or that of its own name.
func pin(b *boards.Board, chip *chips.Chip, name string) (string, error) {
	if c, err := find(b, name); err == nil {
		return c.Pin, nil
	}
	for p := range chip.Pins {
		if strings.EqualFold(p, name) {
			return p, nil
		}
	}
	all := make([]string, len(b.Channels))
	for i, c := range b.Channels {
		all[i] = c.Name
	}
	return "", fmt.Errorf("%s has no pin %q; there are: %s", b.Name, name, strings.Join(all, ", "))
}

// scopeOf tells what an option of a binding is about.
func (a *attached) scopeOf(chip *chips.Chip, option string) (ofBus, ofDevice, ofChannel bool) {
	d, k := a.wire.Device, chip.Controllers[chip.Buses[a.wire.Bus].Controller]
	_, line := a.bus.Pins[option]
	_, control := k.Options[option]
	_, device := d.Options[option]
	shared := line || control && d.Bus == "i2c"
	if kind, _, err := d.Offer(a.channel); err == nil {
		_, ofChannel = d.Kinds[kind].Options[option]
	}
	return shared, (control || device || option == "cs" && d.Bus == "spi") && !shared, ofChannel
}

// agree reports where two bindings of a bus, or of a device, contradict each other.
func agree(chip *chips.Chip, a, other *attached, options, others map[string]string, variable string) error {
	same := a.at == other.at
	if same && a.wire.Device != other.wire.Device {
		return fmt.Errorf("%s is %s of %s already, by %s", a.at, map[string]string{"i2c": "the address", "spi": "the chip select"}[a.wire.Device.Bus], other.wire.Device.Name, variable)
	}
	for name, value := range options {
		was, said := others[name]
		ofBus, ofDevice, _ := a.scopeOf(chip, name)
		if said && was != value && (ofBus || same && ofDevice && name != "cs") { // other words for one chip select
			return fmt.Errorf("%s=%s, and %s has %s=%s: both are of one %s", name, value, variable, name, was, map[bool]string{true: "bus", false: "device"}[ofBus])
		}
	}
	return nil
}

// gather makes the wire of binding i of what all bindings of its bus and of its device say.
func (a *attached) gather(b *boards.Board, chip *chips.Chip, bindings []Binding, all []*attached, i int) {
	lines := maps.Clone(a.bus.Pins)
	a.own = map[string]string{}
	lowest := ""
	for j, other := range all {
		if other == nil || other.err != nil || other.wire.Bus != a.wire.Bus {
			continue
		}
		if freq := other.wire.Device.Options["freq"].Default; lowest == "" || chips.Less(freq, lowest) {
			lowest = freq
		}
		for _, name := range slices.Sorted(maps.Keys(bindings[j].Options)) {
			value := bindings[j].Options[name]
			ofBus, ofDevice, ofChannel := other.scopeOf(chip, name)
			_, line := lines[name]
			switch {
			case !ofBus && !ofDevice && !ofChannel:
				if i == j {
					a.err = a.unknown(chip, name)
					return
				}
			case line:
				lines[name] = value
			case ofBus || ofDevice && other.at == a.at:
				a.wire.Options[name] = value
			case i == j:
				a.own[name] = value
			}
		}
	}
	if _, said := a.wire.Options["freq"]; !said && a.wire.Device.Bus == "i2c" {
		a.wire.Options["freq"] = lowest
	}
	delete(a.wire.Options, "cs")
	a.wire.Lines = map[string]string{}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		p, err := pin(b, chip, lines[line])
		if err != nil {
			a.err = fmt.Errorf("option %s: %w", line, err)
			return
		}
		a.wire.Lines[line] = p
	}
}

func (a *attached) unknown(chip *chips.Chip, name string) error {
	d := a.wire.Device
	k := chip.Controllers[chip.Buses[a.wire.Bus].Controller]
	words := slices.Concat(slices.Collect(maps.Keys(a.bus.Pins)), slices.Collect(maps.Keys(k.Options)), slices.Collect(maps.Keys(d.Options)))
	if d.Bus == "spi" {
		words = append(words, "cs")
	}
	if kind, _, err := d.Offer(a.channel); err == nil {
		words = slices.AppendSeq(words, maps.Keys(d.Kinds[kind].Options))
	}
	slices.Sort(words)
	return fmt.Errorf("no option %q; there are: %s", name, strings.Join(slices.Compact(words), ", "))
}

// expand makes the channel.
func (a *attached) expand(chip *chips.Chip, bind Binding) (*chips.Channel, error) {
	if a.err != nil {
		return nil, a.err
	}
	d := a.wire.Device
	kind, _, err := d.Offer(a.channel)
	if err != nil {
		return nil, err
	}
	if have := d.Kinds[kind].Direction; have != bind.Direction {
		var fits []string
		for name := range d.Channels {
			if k, _, err := d.Offer(name); err == nil && d.Kinds[k].Direction == bind.Direction {
				fits = append(fits, name)
			}
		}
		slices.Sort(fits)
		err := fmt.Errorf("%s.%s is an %sput, and the variable is an %sput of the program", d.Name, a.channel, have, bind.Direction)
		if len(fits) > 0 {
			err = fmt.Errorf("%w. What can: %s", err, strings.Join(fits, ", "))
		}
		return nil, err
	}
	return chip.ExpandDevice(a.wire, a.channel, a.own, bind.Safe)
}
