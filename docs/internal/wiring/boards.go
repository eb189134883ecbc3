package main

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
)

// An edge is the pins on one side of a board, from the top on: names of channels, or of what supplies power. An
// empty name is a gap.
type edge []string

// A form is a board's outline, with its USB at the top.
type form struct {
	board       string // its folder
	title       string
	left, right edge
	width       float64
	numbered    bool // pins are known by their numbers beside the board
}

// power are pins that are no channels.
var power = []string{"GND", "AGND", "3V3", "3V", "5V", "VIN", "VSYS", "VBUS", "3V3_EN", "VREF", "RUN", "AREF"}

var forms = map[string]*form{
	"pico": {
		board: "pico", title: "Raspberry Pi Pico", width: 150, numbered: true,
		left: edge{"GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7", "GP8", "GP9", "GND", "GP10", "GP11", "GP12",
			"GP13", "GND", "GP14", "GP15"},
		right: edge{"VBUS", "VSYS", "GND", "3V3_EN", "3V3", "VREF", "GP28", "AGND", "GP27", "GP26", "RUN", "GP22", "GND", "GP21", "GP20",
			"GP19", "GP18", "GND", "GP17", "GP16"},
	},
	"microbit": {
		board: "microbit", title: "micro:bit", width: 150,
		right: edge{"P0", "P1", "P2", "3V", "GND"},
	},
	"netduinoplus2": {
		board: "netduinoplus2", title: "Netduino Plus 2", width: 170,
		left: edge{"", "", "", "", "3V3", "5V", "GND", "GND", "VIN", "", "A0", "A1", "A2", "A3", "A4", "A5"},
		right: edge{"AREF", "GND", "D13", "D12", "D11", "D10", "D9", "D8", "", "D7", "D6", "D5", "D4", "D3", "D2", "D1",
			"D0"},
	},
}

// pitch is from pin to pin.
const pitch = 20.0

// pinNumber ends the place of a pin on a header: "header, pin 21".
var pinNumber = regexp.MustCompile(`^header, pin ([0-9]+)$`)

// on is the board.
func (f *form) on() (*boards.Board, error) {
	all, err := boards.Descriptions()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(b boards.Board) bool { return b.Name == f.board })
	if at < 0 {
		return nil, fmt.Errorf("there is no board %s", f.board)
	}
	return &all[at], nil
}

// channel is a channel of the board by the name of a pin.
func (f *form) channel(name string) (*boards.Channel, error) {
	b, err := f.on()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(b.Channels, func(c boards.Channel) bool { return c.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s has no channel %s", f.board, name)
	}
	return &b.Channels[at], nil
}

// beside is what stands outside of a pin: the number of a numbered board, which counts from the top left down, and up
// on the right, and whether the runner needs it. The pin has to be where board.json has it.
func (f *form) beside(left bool, i int, name string) (string, error) {
	number := fmt.Sprint(len(f.left) + len(f.right) - i)
	if left {
		number = fmt.Sprint(i + 1)
	}
	if !f.numbered {
		number = ""
	}
	if slices.Contains(power, name) {
		return number, nil
	}
	c, err := f.channel(name)
	if err != nil || !f.numbered {
		return number, err
	}
	if place := pinNumber.FindStringSubmatch(c.Place); place == nil || place[1] != number {
		return "", fmt.Errorf("%s is drawn at pin %s, and board.json has it at %q", name, number, c.Place)
	}
	b, err := f.on()
	if err != nil {
		return "", err
	}
	chip, err := chips.Find(b.Chip)
	if err != nil {
		return "", err
	}
	switch _, taken := chip.Taken[c.Pin]; {
	case taken && left:
		return "serial " + number, nil
	case taken:
		return number + " serial", nil
	}
	return number, nil
}
