package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
)

// A busRow is a bus of a board, with the devices that are built in for it.
type busRow struct {
	Bus     string              `json:"bus"`
	Type    string              `json:"type"` // spi, i2c
	Place   string              `json:"place"`
	Pins    map[string]string   `json:"pins"` // the usual ones, by line
	Select  string              `json:"cs,omitempty"`
	Able    map[string][]string `json:"able"` // the chip's pins that can be each line
	Devices []deviceRow         `json:"devices"`
}

// A deviceRow is channels of a device: a binding names one as BUS:DEVICE.CHANNEL.
type deviceRow struct {
	Device    string            `json:"device"`
	Title     string            `json:"title"`
	Channels  []string          `json:"channels"`
	Direction chips.Direction   `json:"direction"`
	Unit      string            `json:"unit,omitempty"`
	Low       float64           `json:"low"`
	High      float64           `json:"high"`
	Options   map[string]string `json:"options"` // and their defaults
}

func busRows(b *boards.Board) ([]busRow, error) {
	offers, err := channels.Offers(b)
	if err != nil || len(offers) == 0 {
		return nil, err
	}
	chip, err := chips.Find(b.Chip)
	if err != nil {
		return nil, err
	}
	var rows []busRow
	for _, o := range offers {
		if len(rows) == 0 || rows[len(rows)-1].Bus != o.Bus.Name {
			of := chip.Buses[o.Bus.Name]
			row := busRow{Bus: o.Bus.Name, Type: of.Controller, Place: o.Bus.Place, Pins: o.Bus.Pins, Select: o.Bus.Select, Able: map[string][]string{}}
			for line, pins := range of.Lines {
				row.Able[line] = strings.Fields(pins)
			}
			rows = append(rows, row)
		}
		d := deviceRow{Device: o.Device.Name, Title: o.Device.Title, Channels: o.Channels, Direction: o.Channel.Template.Direction,
			Unit: o.Channel.Template.Unit, Low: o.Channel.Low, High: o.Channel.High, Options: map[string]string{}}
		for name, option := range o.Device.Options {
			d.Options[name] = option.Default
		}
		for name, option := range o.Device.Kinds[o.Kind].Options {
			d.Options[name] = option.Default
		}
		last := &rows[len(rows)-1]
		last.Devices = append(last.Devices, d)
	}
	return rows, nil
}

// showBuses prints the buses, and what devices of each type of bus offer.
func (a *app) showBuses(rows []busRow) error {
	table := [][]string{{"BUS", "PINS", "PLACE", "CAN BE"}}
	devices := [][]string{{"BUS:DEVICE", "CHANNELS", "DIRECTION", "LIMITS", "OPTIONS"}}
	seen := map[string]bool{}
	for _, r := range rows {
		pins := chosen(r.Pins)
		if r.Select != "" {
			pins += " cs=" + r.Select
		}
		var able []string
		for _, line := range slices.Sorted(maps.Keys(r.Able)) {
			able = append(able, line+": "+strings.Join(r.Able[line], " "))
		}
		table = append(table, []string{r.Bus, pins, r.Place, strings.Join(able, ", ")})
		if seen[r.Type] {
			continue
		}
		seen[r.Type] = true
		for _, d := range r.Devices {
			limits := strings.TrimSpace(plain6(d.Low) + " to " + plain6(d.High) + " " + d.Unit)
			devices = append(devices, []string{r.Bus + ":" + d.Device, strings.Join(d.Channels, " "), string(d.Direction), limits, chosen(d.Options)})
		}
	}
	if err := a.ui.table(table); err != nil {
		return err
	}
	a.ui.out("\n")
	return a.ui.table(devices)
}

// chosen are options and their values.
func chosen(options map[string]string) string {
	var all []string
	for _, o := range slices.Sorted(maps.Keys(options)) {
		all = append(all, o+"="+options[o])
	}
	return strings.Join(all, " ")
}

// plain6 is a number with six digits at most.
func plain6(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
