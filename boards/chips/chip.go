// Package chips reads chip.json: the registers of a chip, its pins, and
// templates of channels, which are inputs and outputs described as short texts of
// operations on registers. Expand makes lists of entries of a template.
package chips

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
)

// A Chip is what chip.json says. Names of blocks, registers and fields begin with
// a capital letter, all other names in expressions with a small one.
type Chip struct {
	Name  string `json:"name"` // folder under firmware/chip
	Title string `json:"title"`
	// Like names a chip whose description this one changes: the file is a JSON merge
	// patch (RFC 7386) of that one's.
	Like    string              `json:"like,omitempty"`
	Manual  Manual              `json:"manual"`
	Windows []Window            `json:"windows"` // what lists may access
	Values  map[string]string   `json:"values"`  // constants of expressions: clocks in Hz, volts
	Types   map[string]*Layout  `json:"types"`
	Blocks  map[string]Block    `json:"blocks"`
	Taken   map[string]string   `json:"taken"` // pins and devices that the runner itself uses, and what for
	Kinds   map[string]Template `json:"kinds"` // templates by the word that bindings name them with
	Pins    map[string]Pin      `json:"pins"`

	Controllers map[string]*Controller `json:"controllers,omitempty"` // by the type of bus: spi, i2c
	Buses       map[string]Bus         `json:"buses,omitempty"`
}

// A Manual is the public document that registers are from.
type Manual struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Revision string `json:"revision"`
}

// A Window is a range of addresses that lists may access.
type Window struct {
	Address Hex    `json:"address"`
	Bytes   Hex    `json:"bytes"`
	Bits    *Hex   `json:"bits,omitempty"` // that may change of each register of 32 bits; unless stated all
	For     string `json:"for"`            // the blocks in it, for people
}

// Changes are the bits that lists may change in each register.
func (w *Window) Changes() uint32 {
	if w.Bits == nil {
		return math.MaxUint32
	}
	return uint32(*w.Bits)
}

// lowest is the lowest address of a register: r1 of the code that a Cortex-M makes of lists reaches those below before it has been set.
const lowest = 0x80

func (w *Window) check() error {
	if w.Address < lowest {
		return fmt.Errorf("%#x: want no address below %#x", uint32(w.Address), lowest)
	}
	if w.Address%4 != 0 || w.Bytes%4 != 0 || w.Bytes == 0 || uint64(w.Address)+uint64(w.Bytes) > 1<<32 {
		return fmt.Errorf("%#x, %#x bytes: want multiples of 4", uint32(w.Address), uint32(w.Bytes))
	}
	return nil
}

// A Layout is the registers of a kind of block.
type Layout struct {
	Section   string               `json:"section"` // of the manual
	Width     registers.Width      `json:"width,omitempty"`
	Registers map[string]*Register `json:"registers"`
}

// A Register is one register, or several in a row.
type Register struct {
	Offset  Hex             `json:"offset"`
	Width   registers.Width `json:"width,omitempty"` // bits; unless stated that of the layout, and there 32
	Section string          `json:"section,omitempty"`
	Count   uint32          `json:"count,omitempty"`  // of an array
	Stride  Hex             `json:"stride,omitempty"` // bytes from one of the array to the next; unless stated the width
	// Shared says that one access serves any number of pins: loads are put together,
	// and so are stores of all bits, whose values are ORed.
	Shared bool   `json:"shared,omitempty"`
	Fields string `json:"fields,omitempty"` // "EN 0, SEL 14:12"

	fields map[string]field
}

// A Block is one device.
type Block struct {
	Base Hex    `json:"base"`
	Type string `json:"type"`
}

// A Pin has parameters and what it offers: kinds, each with further parameters
// behind it ("adc ch=5").
type Pin struct {
	With   string   `json:"with,omitempty"` // "port=A n=5"
	Offers []string `json:"offers"`
}

// A Direction is that of a channel, as the program sees it.
type Direction string

// The directions.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// A Template is a kind of channel. Its texts are expanded with the parameters of
// the pin, the options of the binding, the chip's values, and what Let computes.
type Template struct {
	Title     string            `json:"title"`
	Section   string            `json:"section"` // of the manual, where the way to use it is described
	Direction Direction         `json:"direction"`
	Type      conversion.Type   `json:"type"`
	Unit      string            `json:"unit,omitempty"`
	Options   map[string]Option `json:"options,omitempty"`
	Let       []string          `json:"let,omitempty"`    // "top = clock/freq - 1"
	Actual    map[string]string `json:"actual,omitempty"` // what numeric options come to, after rounding
	// Uses are resources: "TIM3: pwm {freq} Hz" is shared by those that say the same
	// behind the colon, one without a colon by nobody. "if EXPRESSION: " may stand in front.
	Uses []string `json:"uses"`

	// The start list, in this order; entries of Enable that are equal are carried out
	// once for all channels, and so are equal lists of Setup and Run. "safe" in Start
	// stands for the list Safe.
	Enable []string `json:"enable,omitempty"`
	Setup  []string `json:"setup,omitempty"`
	Start  []string `json:"start,omitempty"`
	Run    []string `json:"run,omitempty"`

	Before []string `json:"before,omitempty"` // of each tick
	After  []string `json:"after,omitempty"`
	// Safe replaces what the safe list has: what After has, with the safe value.
	Safe []string `json:"safe,omitempty"`

	// Slots have conversions of their own: behind Value for outputs, in front of it for
	// inputs, where the slots are ORed.
	Slots map[string][]string `json:"slots"`
	Value []string            `json:"value"`

	Low     string `json:"low"`  // limits of the variable, in Unit
	High    string `json:"high"` // in Unit
	Default string `json:"default,omitempty"`
	Step    string `json:"step,omitempty"` // one raw step, in Unit
}

// An Option is chosen by a binding, a board, or left at its default.
type Option struct {
	Title   string            `json:"title"`
	Unit    string            `json:"unit,omitempty"`
	Values  map[string]string `json:"values,omitempty"` // words and their numbers; else any whole number in the limits
	Low     string            `json:"low,omitempty"`
	High    string            `json:"high,omitempty"`
	Real    bool              `json:"real,omitempty"` // a number that need not be whole; without limits it has no unit either
	Default string            `json:"default"`
}

// Hex is a number that JSON has as text, such as "0x40".
type Hex uint32

// UnmarshalText reads a number with its base, 0x for hexadecimal.
func (h *Hex) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 0, 32)
	*h = Hex(v)
	return err
}

// MarshalText writes the number in hexadecimal.
func (h Hex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%#x", uint32(h)), nil }

// names are the sorted keys of a map.
func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Inside tells whether a register of that width lies in a window.
func (c *Chip) Inside(width registers.Width, address uint32) bool {
	return c.Allows(registers.Entry{Op: registers.Load, Width: width, Address: address})
}

// Allows tells whether a runner of the chip takes an entry: its register lies in a
// window, and it changes no other bits than the window has. Of a register of which not
// all may change, only 32 bits at once, those of a mask.
func (c *Chip) Allows(e registers.Entry) bool {
	changes := e.Mask
	switch {
	case e.Op == registers.Wait || e.Op == registers.Load || e.Op == registers.Read:
		changes = 0
	case e.Op == registers.Write || e.Width != 32 || e.Op == registers.Store && e.Mask == e.Width.All():
		changes = math.MaxUint32
	}
	for _, w := range c.Windows {
		in := e.Address >= uint32(w.Address) && uint64(e.Address)+uint64(e.Width)/8 <= uint64(w.Address)+uint64(w.Bytes)
		if in && changes&^w.Changes() == 0 {
			return true
		}
	}
	return false
}
