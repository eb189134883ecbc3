package chips

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards/registers"
)

// words are those of an operation's text; the text has so many operands behind the register.
var words = map[string]struct {
	op       registers.Op
	operands int
	form     string
}{
	"read":   {registers.Read, 0, "read REGISTER"},
	"write":  {registers.Write, 1, "write REGISTER VALUE"},
	"change": {registers.Change, 2, "change REGISTER MASK VALUE"},
	"set":    {registers.Change, 1, "set REGISTER MASK"},
	"clear":  {registers.Change, 1, "clear REGISTER MASK"},
	"wait":   {registers.Wait, 3, "wait REGISTER MASK VALUE READS"},
	"load":   {registers.Load, 3, "load REGISTER MASK -> SLOT"},
	"store":  {registers.Store, 3, "store REGISTER MASK <- SLOT"},
}

// Forms are the texts of operations, sorted.
func Forms() []string {
	var all []string
	for _, w := range words {
		all = append(all, w.form)
	}
	slices.Sort(all)
	return all
}

// operation reads one text. Values of load and store are shifted by the lowest bit of the mask.
func (c *Chip) operation(s *scope, text string) (Operation, error) {
	full, err := s.fill(text)
	if err != nil {
		return Operation{}, err
	}
	parts := strings.Fields(full)
	if len(parts) < 2 {
		return Operation{}, errors.New("want a word and a register")
	}
	word, ok := words[parts[0]]
	if !ok {
		return Operation{}, fmt.Errorf("%q: want one of %s", parts[0], strings.Join(names(words), ", "))
	}
	args := parts[2:]
	arrow := map[registers.Op]string{registers.Load: "->", registers.Store: "<-"}[word.op]
	if len(args) != word.operands || arrow != "" && args[1] != arrow {
		return Operation{}, fmt.Errorf("want %s", word.form)
	}
	r, address, err := c.register(s, parts[1])
	if err != nil {
		return Operation{}, err
	}
	op := Operation{Entry: registers.Entry{Op: word.op, Width: r.Width, Address: address}, Shared: r.Shared}
	inside := &scope{values: s.values, fields: r.fields}
	if err := op.operands(inside, parts[0], args); err != nil {
		return Operation{}, err
	}
	if err := op.Check(); err != nil {
		return op, err
	}
	if !c.Allows(op.Entry) {
		return op, fmt.Errorf("%s: the windows of the chip do not allow that", op.Entry)
	}
	return op, nil
}

func (op *Operation) operands(s *scope, word string, args []string) (err error) {
	width := uint(op.Width)
	if word == "read" {
		return nil
	}
	if word == "write" {
		op.Value, err = s.number(args[0], width)
		return err
	}
	if op.Mask, err = s.number(args[0], width); err != nil {
		return err
	}
	switch word {
	case "set":
		op.Value = op.Mask
	case "change", "wait":
		op.Value, err = s.number(args[1], width)
	case "load", "store":
		op.Shift, op.Slot = uint8(bits.TrailingZeros32(op.Mask|1<<31)), args[2]
	}
	if word == "wait" && err == nil {
		var spins uint32
		spins, err = s.number(args[2], 16)
		op.Spins = uint16(spins)
	}
	return err
}

// register finds "TIM3.CCR1" or "GPIOA.AFR[1]".
func (c *Chip) register(s *scope, text string) (*Register, uint32, error) {
	block, name, _ := strings.Cut(text, ".")
	name, index, array := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	b, ok := c.Blocks[block]
	if !ok {
		return nil, 0, fmt.Errorf("no block %q; there are: %s", block, strings.Join(names(c.Blocks), ", "))
	}
	layout := c.Types[b.Type]
	r, ok := layout.Registers[name]
	if !ok {
		return nil, 0, fmt.Errorf("%s has no register %q; there are: %s", block, name, strings.Join(names(layout.Registers), ", "))
	}
	at := uint32(0)
	if array != (r.Count > 0) {
		return nil, 0, fmt.Errorf("%s: an index is for arrays of registers, and only for them", text)
	}
	if array {
		var err error
		if at, err = s.number(index, 16); err != nil {
			return nil, 0, err
		}
		if at >= r.Count {
			return nil, 0, fmt.Errorf("%s: index %d: there are %d", text, at, r.Count)
		}
	}
	return r, uint32(b.Base+r.Offset) + at*uint32(r.Stride), nil
}

// check looks at what a template has to have whatever its parameters are.
func (t *Template) check(name string) error {
	switch {
	case !lowerName().MatchString(name):
		return errors.New("want a name that begins with a small letter")
	case t.Title == "" || t.Section == "":
		return errors.New("title or section is missing")
	case t.Direction != In && t.Direction != Out:
		return fmt.Errorf("direction %q: want %s or %s", t.Direction, In, Out)
	case len(t.Slots) == 0 || len(t.Uses) == 0:
		return errors.New("slots or uses are missing")
	case t.Direction == Out && (t.Default == "" || len(t.After) == 0):
		return errors.New("an output wants default and after")
	case t.Direction == In && len(t.Before) == 0:
		return errors.New("an input wants before")
	}
	return nil
}
