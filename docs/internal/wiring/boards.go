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

// channel is a channel of the board by the name of a pin.
func (f *form) channel(name string) (*boards.Channel, error) {
	all, err := boards.Descriptions()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(b boards.Board) bool { return b.Name == f.board })
	if at < 0 {
		return nil, fmt.Errorf("there is no board %s", f.board)
	}
	for i, c := range all[at].Channels {
		if c.Name == name {
			return &all[at].Channels[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no channel %s", f.board, name)
}

// taken tells whether the runner or the debugger has the pin of a channel.
func (f *form) taken(c *boards.Channel) (bool, error) {
	all, err := boards.Descriptions()
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(all, func(b boards.Board) bool { return b.Name == f.board })
	chip, err := chips.Find(all[at].Chip)
	if err != nil {
		return false, err
	}
	_, is := chip.Taken[c.Pin]
	return is, nil
}

// number is what a pin is called beside the board; the empty text for none. Pins of a numbered board count from the
// top left down, and up on the right.
func (f *form) number(left bool, i int) string {
	switch {
	case !f.numbered:
		return ""
	case left:
		return fmt.Sprint(i + 1)
	default:
		return fmt.Sprint(len(f.left) + len(f.right) - i)
	}
}

// check holds an edge against board.json.
func (f *form) check(left bool, names edge) error {
	for i, name := range names {
		if name == "" || slices.Contains(power, name) {
			continue
		}
		c, err := f.channel(name)
		if err != nil {
			return err
		}
		if !f.numbered {
			continue
		}
		if want := pinNumber.FindStringSubmatch(c.Place); want == nil || want[1] != f.number(left, i) {
			return fmt.Errorf("%s is drawn at pin %s, and board.json has it at %q", name, f.number(left, i), c.Place)
		}
	}
	return nil
}
