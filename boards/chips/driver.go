package chips

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"strings"
)

// A Driver is registers of a driver in C of one's own, and channels of them: the file beside that driver.
type Driver struct {
	Name      string               `json:"name"`
	Title     string               `json:"title"`
	Values    map[string]string    `json:"values,omitempty"` // constants of expressions
	Registers map[string]*Register `json:"registers"`        // of the block DRIVER
	Channels  map[string]Template  `json:"channels"`         // section and uses may be left out

	chip *Chip
}

const (
	// driverBase and driverMost are where a runner has the registers of its driver, and how many bytes of them
	// there may be: CF_DRIVER_BASE of firmware/platform/driver.h.
	driverBase = 0xef000000
	driverMost = 65536

	driverBlock = "DRIVER"
)

// ParseDriver decodes and checks the file of a driver. Unknown fields are errors.
func ParseDriver(file string, text []byte) (*Driver, error) {
	d := &Driver{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(d)
	if err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text after the end of the driver")
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

// check makes a chip of the driver, each channel being the only offer of a pin of its name, and expands every channel.
func (d *Driver) check(name string) error {
	switch {
	case d.Name != name || !lowerName().MatchString(name):
		return fmt.Errorf("name %q: want a small letter, then small letters, digits and _, as the file is named", d.Name)
	case d.Title == "" || len(d.Registers) == 0 || len(d.Channels) == 0:
		return errors.New("title, registers or channels are missing")
	}
	for r, of := range d.Registers {
		if of == nil {
			return fmt.Errorf("registers.%s: null", r)
		}
	}
	d.chip = &Chip{
		Name: d.Name, Title: d.Title, Manual: Manual{Name: d.Name, Title: d.Title, Revision: "of its file"},
		Windows: []Window{{Address: driverBase, Bytes: driverMost, For: d.Title}},
		Values:  d.Values,
		Types:   map[string]*Layout{"driver": {Section: d.Title, Registers: d.Registers}},
		Blocks:  map[string]Block{driverBlock: {Base: driverBase, Type: "driver"}},
		Kinds:   map[string]Template{}, Pins: map[string]Pin{},
	}
	for c, t := range d.Channels {
		if t.Section == "" {
			t.Section = d.Title
		}
		if len(t.Uses) == 0 {
			t.Uses = []string{d.Name + ".{pin}"}
		}
		d.chip.Kinds[c], d.chip.Pins[c] = t, Pin{Offers: []string{c}}
	}
	if err := d.chip.check(); err != nil {
		return err
	}
	for _, c := range names(d.Channels) {
		if _, err := d.Expand(c, nil, nil); err != nil {
			return fmt.Errorf("channels.%s: %w", c, err)
		}
	}
	return nil
}

// Expand makes a channel, as that of a chip does.
func (d *Driver) Expand(channel string, options map[string]string, safe *float64) (*Channel, error) {
	if _, ok := d.Channels[channel]; !ok {
		return nil, fmt.Errorf("%s has no channel %q; there are: %s", d.Name, channel, strings.Join(names(d.Channels), ", "))
	}
	return d.chip.Expand(channel, channel, maps.Clone(options), safe)
}

// Names are those of its channels in a direction, sorted.
func (d *Driver) Names(way Direction) (all []string) {
	for _, c := range names(d.Channels) {
		if d.Channels[c].Direction == way {
			all = append(all, c)
		}
	}
	return all
}
