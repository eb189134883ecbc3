package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/channels"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/machine"
)

// A channelRow is one way to use a channel of a board.
type channelRow struct {
	Channel   string            `json:"channel"`
	Aliases   []string          `json:"aliases,omitempty"`
	Pin       string            `json:"pin"`
	Place     string            `json:"place"`
	Kind      string            `json:"kind,omitempty"`
	Direction chips.Direction   `json:"direction,omitempty"`
	Unit      string            `json:"unit,omitempty"`
	Low       float64           `json:"low"`
	High      float64           `json:"high"`
	Uses      []string          `json:"uses,omitempty"`    // channels that share one exclude each other, unless the words behind the colon are equal
	Options   map[string]string `json:"options,omitempty"` // and their defaults
	Taken     string            `json:"taken,omitempty"`   // by the runner, and what for
}

// showChannels lists what programs can be bound to on a board, the usual kind of each channel first.
func (a *app) showChannels(name string) error {
	b, err := findBoard(name)
	if err != nil {
		return err
	}
	return a.printChannels(b, "boards")
}

// pinned is a target that knows its channels.
type pinned interface {
	Pins() (*boards.Board, error)
}

func (a *app) printChannels(b *boards.Board, command string) error {
	rows, err := channelRows(b)
	if err != nil {
		return err
	}
	buses, err := busRows(b)
	if err != nil {
		return err
	}
	if a.ui.json {
		return a.ui.doc(struct {
			document
			Board    string       `json:"board"`
			Channels []channelRow `json:"channels"`
			Buses    []busRow     `json:"buses,omitempty"`
		}{okDocument(command), b.Name, rows, buses})
	}
	if len(rows) == 0 {
		a.ui.note("%s has no channels", b.Name)
		return nil
	}
	table := [][]string{{"CHANNEL", "PIN", "PLACE", "KIND", "DIRECTION", "LIMITS", "USES", "OPTIONS"}}
	for _, r := range rows {
		if r.Taken != "" {
			table = append(table, []string{r.Channel, r.Pin, r.Place, "-", "-", "-", "-", "belongs to " + r.Taken})
			continue
		}
		options := chosen(r.Options)
		limits := strings.TrimSpace(plain(r.Low) + " to " + plain(r.High) + " " + r.Unit)
		if r.Low == r.High { // nobody knows them
			limits = strings.TrimSpace("any " + r.Unit)
		}
		table = append(table, []string{strings.Join(append([]string{r.Channel}, r.Aliases...), ", "), r.Pin, r.Place, r.Kind, string(r.Direction), limits, strings.Join(r.Uses, ", "), options})
	}
	if err := a.ui.table(table); err != nil || len(buses) == 0 {
		return err
	}
	a.ui.out("\n")
	return a.showBuses(buses)
}

// plain is a number without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func channelRows(b *boards.Board) ([]channelRow, error) {
	rows := []channelRow{}
	chip, err := channels.ChipOf(b)
	if err != nil || chip == nil {
		return rows, err
	}
	for _, c := range b.Channels {
		row := channelRow{Channel: c.Name, Aliases: c.Aliases, Pin: c.Pin, Place: c.Place}
		if why, taken := chip.Taken[c.Pin]; taken {
			row.Taken = why
			rows = append(rows, row)
			continue
		}
		for _, kind := range channels.Kinds(chip, &c) {
			ch, err := chip.Expand(c.Pin, kind, nil, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", b.Name, c.Name, err)
			}
			row.Kind, row.Direction, row.Unit, row.Low, row.High = kind, ch.Template.Direction, ch.Template.Unit, ch.Low, ch.High
			row.Uses, row.Options = nil, map[string]string{}
			for _, u := range ch.Uses {
				if strings.Contains(u.Resource, machine.BitOf) {
					continue // it depends on the options
				}
				row.Uses = append(row.Uses, strings.TrimSuffix(u.Resource+": "+u.Mode, ": "))
			}
			for name, o := range ch.Template.Options {
				row.Options[name] = o.Default
				if own, ok := c.Options[name]; ok {
					row.Options[name] = own
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
