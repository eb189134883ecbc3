// Package channels binds variables of a program to the inputs and outputs of a
// board: it finds what fits, refuses what excludes each other, and makes the lists
// of operations that a runner carries out.
package channels

import (
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/boards/chips"
)

// A Binding connects a variable to a channel.
type Binding struct {
	Variable  string
	Direction chips.Direction // of the variable: an input of the program is In
	Channel   string
	Kind      string            // empty: the usual one of the channel in that direction; of a bus "mpu6050.ax"
	Device    *chips.Device     // of a bus, from a file; nil: one that is built in
	Driver    *chips.Driver     // whose channel it is, by a file that Channel names: "./mydriver.json.speed"; nil: none
	Options   map[string]string // "freq": "20kHz"
	Safe      *float64          // of outputs, when a loop ends; nil: the channel's
}

// ParseBinding reads "motor=D9:pwm,freq=20kHz". The direction is the program's matter.
func ParseBinding(text string) (Binding, error) {
	variable, rest, ok := strings.Cut(text, "=")
	target, options, colon := strings.Cut(rest, ":")
	if !ok || variable == "" || target == "" || colon && options == "" {
		return Binding{}, fmt.Errorf("binding %q: want VARIABLE=CHANNEL, or VARIABLE=CHANNEL:KIND,OPTION=VALUE", text)
	}
	b := Binding{Variable: variable, Channel: target}
	if !colon {
		return b, nil
	}
	for i, part := range strings.Split(options, ",") {
		name, value, assigned := strings.Cut(part, "=")
		_, twice := b.Options[name]
		switch {
		case !assigned && i == 0 && part != "":
			b.Kind = part
			continue
		case !assigned || name == "" || value == "" || twice:
			return Binding{}, fmt.Errorf("binding %q: %q: want OPTION=VALUE, once", text, part)
		case b.Options == nil:
			b.Options = map[string]string{}
		}
		b.Options[name] = value
	}
	return b, nil
}
