package chips

import (
	"errors"
	"fmt"
	"go/constant"
	"maps"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
)

// An Operation is an entry of a channel; its slot is one of the channel's.
type Operation struct {
	registers.Entry
	Shared bool   // accesses to the same register may be put together
	About  string // of a transfer: the device, for people
}

// A Use is a resource that a channel needs. Channels with equal modes share it,
// unless the mode is empty.
type Use struct{ Resource, Mode string }

// A Slot is an i32 between registers and variable.
type Slot struct {
	Name  string
	Steps []conversion.Step
}

// A Channel is a template with all its parameters.
type Channel struct {
	Kind     string
	Template *Template
	Uses     []Use

	Enable, Setup, Start, Run, Before, After, Safe []Operation
	// Whole says that Before, After and Safe are carried out as they stand, apart from other channels. Channels with
	// equal lists of Before share them, and First follows what all have in Run.
	Whole bool
	First []Operation

	Slots  []Slot // sorted by name
	Value  []conversion.Step
	Low    float64
	High   float64
	Safety float64            // the value of the safe list
	Actual map[string]float64 // numeric options as rounded by the hardware
}

// Slots between the steps hold integers.
const slotType = conversion.I32

// Expand makes the channel of one offer of a pin ("adc"). options are by name, safe
// is the value that the safe list sets, nil for the template's default.
func (c *Chip) Expand(pin, kind string, options map[string]string, safe *float64) (*Channel, error) {
	t, ok := c.Kinds[kind]
	if !ok {
		return nil, fmt.Errorf("no kind %q; there are: %s", kind, strings.Join(names(c.Kinds), ", "))
	}
	s, err := c.parameters(pin, kind)
	if err != nil {
		return nil, err
	}
	if err := t.choose(s, options); err != nil {
		return nil, err
	}
	if err := s.let(t.Let); err != nil {
		return nil, err
	}
	ch := &Channel{Kind: kind, Template: &t, Actual: map[string]float64{}}
	if err := ch.numbers(s, safe); err != nil {
		return nil, err
	}
	if err := ch.conversions(s); err != nil {
		return nil, err
	}
	if err := ch.uses(s); err != nil {
		return nil, err
	}
	return ch, ch.lists(c, s)
}

// parameters are the names that the pin and its offer define, and the chip's values that these do not replace.
func (c *Chip) parameters(pin, kind string) (*scope, error) {
	p, ok := c.Pins[pin]
	if !ok {
		return nil, fmt.Errorf("the chip has no pin %s", pin)
	}
	at := slices.IndexFunc(p.Offers, func(o string) bool { return strings.Fields(o)[0] == kind })
	if at < 0 {
		return nil, fmt.Errorf("%s does not offer %s, but %s", pin, kind, strings.Join(p.Kinds(), ", "))
	}
	s, err := c.constants()
	if err != nil {
		return nil, err
	}
	_, offer, _ := strings.Cut(p.Offers[at], " ")
	if err := s.with("pin=" + pin + " " + p.With + " " + offer); err != nil {
		return nil, fmt.Errorf("pins.%s: %w", pin, err)
	}
	return s, nil
}

// constants is a scope with the chip's values.
func (c *Chip) constants() (*scope, error) {
	s := &scope{values: map[string]constant.Value{}}
	for _, name := range names(c.Values) {
		v, err := s.eval(c.Values[name])
		if err != nil {
			return nil, fmt.Errorf("values.%s: %w", name, err)
		}
		s.values[name] = v
	}
	return s, nil
}

// with adds parameters, "port=A n=5", in the place of values of their names.
func (s *scope) with(parameters string) error {
	own := map[string]bool{}
	for part := range strings.FieldsSeq(parameters) {
		name, text, assigned := strings.Cut(part, "=")
		if own[name] || !assigned || !lowerName().MatchString(name) {
			return fmt.Errorf("parameter %q: want name=value, once", part)
		}
		v, err := (&scope{}).eval(text)
		if err != nil {
			v = constant.MakeString(text)
		}
		s.values[name], own[name] = v, true
	}
	return nil
}

// let computes "top = clock/freq - 1".
func (s *scope) let(lines []string) (err error) {
	for _, line := range lines {
		name, text, _ := strings.Cut(line, " = ")
		if s.values[name], err = s.eval(text); err != nil {
			return fmt.Errorf("let %s: %w", name, err)
		}
	}
	return nil
}

func (s *scope) copied() map[string]constant.Value { return maps.Clone(s.values) }

func (s *scope) set(name string, n int) { s.values[name] = constant.MakeInt64(int64(n)) }

// Kinds are the words of what a pin offers, the first one being its usual one.
func (p Pin) Kinds() []string {
	all := make([]string, len(p.Offers))
	for i, o := range p.Offers {
		all[i] = strings.Fields(o)[0]
	}
	return all
}

func (ch *Channel) numbers(s *scope, safe *float64) (err error) {
	t := ch.Template
	if ch.Low, err = s.float(t.Low); err != nil {
		return fmt.Errorf("low: %w", err)
	}
	if ch.High, err = s.float(t.High); err != nil {
		return fmt.Errorf("high: %w", err)
	}
	if t.Direction == Out {
		if ch.Safety, err = s.float(t.Default); err != nil {
			return fmt.Errorf("default: %w", err)
		}
		if safe != nil {
			ch.Safety = *safe
		}
		if !(ch.Safety >= ch.Low && ch.Safety <= ch.High) {
			return fmt.Errorf("safe value %v: want %v to %v %s", ch.Safety, ch.Low, ch.High, t.Unit)
		}
	}
	for _, name := range names(t.Actual) {
		if ch.Actual[name], err = s.float(t.Actual[name]); err != nil {
			return fmt.Errorf("actual %s: %w", name, err)
		}
	}
	return nil
}

// conversions read the steps and follow their types from one end to the other.
func (ch *Channel) conversions(s *scope) (err error) {
	t := ch.Template
	if ch.Value, err = s.steps(t.Value); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	first, want := slotType, t.Type
	if t.Direction == Out {
		first, want = t.Type, slotType
	}
	between, err := conversion.Check(ch.Value, first)
	if err != nil {
		return fmt.Errorf("value: %w", err)
	}
	if t.Direction == In && between != want {
		return fmt.Errorf("value: the steps give %s, not %s", between, want)
	}
	for _, name := range names(t.Slots) {
		steps, err := s.steps(t.Slots[name])
		if err != nil {
			return fmt.Errorf("slots.%s: %w", name, err)
		}
		from := slotType
		if t.Direction == Out {
			from = between
		}
		to, err := conversion.Check(steps, from)
		if err == nil && to != slotType {
			err = fmt.Errorf("the steps give %s, not %s", to, slotType)
		}
		if err != nil {
			return fmt.Errorf("slots.%s: %w", name, err)
		}
		ch.Slots = append(ch.Slots, Slot{name, steps})
	}
	return nil
}

// steps reads texts such as "scale 1.0/4095".
func (s *scope) steps(texts []string) ([]conversion.Step, error) {
	var all []conversion.Step
	for _, text := range texts {
		words := strings.Fields(text)
		if len(words) == 0 {
			return nil, errors.New("a step without a word")
		}
		step := conversion.Step{Kind: conversion.Kind(words[0])}
		n, ok := conversion.Operands(step.Kind)
		if !ok || len(words) != n+1 {
			return nil, fmt.Errorf("step %q: want one of %v, with its operands", text, conversion.Kinds())
		}
		for i, at := range []*float64{&step.A, &step.B}[:n] {
			v, err := s.float(words[i+1])
			if err != nil {
				return nil, fmt.Errorf("step %q: %w", text, err)
			}
			*at = v
		}
		all = append(all, step)
	}
	return all, nil
}

func (ch *Channel) uses(s *scope) error {
	for _, text := range ch.Template.Uses {
		text, wanted, err := s.condition(text)
		if err == nil && !wanted {
			continue
		}
		full := ""
		if err == nil {
			full, err = s.fill(text)
		}
		if err != nil {
			return fmt.Errorf("uses: %w", err)
		}
		resource, mode, _ := strings.Cut(full, ":")
		ch.Uses = append(ch.Uses, Use{resource, strings.TrimSpace(mode)})
	}
	return nil
}

// Raw is what the slots of an output hold for a value of its variable.
func (ch *Channel) Raw(value float64) map[string]int32 {
	v := conversion.Eval(ch.Value, conversion.Of(ch.Template.Type, value), make([]int32, conversion.States(ch.Value)))
	raw := map[string]int32{}
	for _, slot := range ch.Slots {
		raw[slot.Name] = conversion.Eval(slot.Steps, v, make([]int32, conversion.States(slot.Steps))).Int
	}
	return raw
}

// lists expands the texts of operations.
func (ch *Channel) lists(c *Chip, s *scope) error {
	t := ch.Template
	for _, l := range []struct {
		name  string
		texts []string
		to    *[]Operation
	}{
		{"after", t.After, &ch.After}, {"safe", t.Safe, &ch.Safe}, {"enable", t.Enable, &ch.Enable}, {"setup", t.Setup, &ch.Setup},
		{"start", t.Start, &ch.Start}, {"run", t.Run, &ch.Run}, {"before", t.Before, &ch.Before},
	} {
		for i, text := range l.texts {
			if l.name == "start" && text == "safe" {
				ch.Start = append(ch.Start, ch.Safe...)
				continue
			}
			operation, wanted, err := s.condition(text)
			if err == nil && !wanted {
				continue
			}
			var op Operation
			if err == nil {
				op, err = c.operation(s, operation)
			}
			if err == nil && op.Slot != "" && t.Slots[op.Slot] == nil {
				err = fmt.Errorf("no slot %q; there are: %s", op.Slot, strings.Join(names(t.Slots), ", "))
			}
			if err != nil {
				return fmt.Errorf("%s[%d]: %q: %w", l.name, i, text, err)
			}
			*l.to = append(*l.to, op)
		}
		if l.name == "safe" && t.Safe == nil && t.Direction == Out {
			ch.Safe = constants(ch.After, ch.Raw(ch.Safety))
		}
	}
	return nil
}

// condition takes "if EXPRESSION: " off a text, and tells whether the expression is not 0.
func (s *scope) condition(text string) (string, bool, error) {
	rest, conditional := strings.CutPrefix(text, "if ")
	if !conditional {
		return text, true, nil
	}
	expression, operation, ok := strings.Cut(rest, ": ")
	if !ok {
		return text, false, errors.New("want if EXPRESSION: and what follows it")
	}
	v, err := s.number(expression, 32)
	return operation, v != 0, err
}

// constants are the operations of a list with values in place of the slots.
func constants(list []Operation, raw map[string]int32) []Operation {
	var safe []Operation
	for _, op := range list {
		if op.Op != registers.Store {
			safe = append(safe, op)
			continue
		}
		op.Value = uint32(raw[op.Slot]) << op.Shift & op.Mask
		op.Op, op.Slot, op.Shift = registers.Change, "", 0
		if op.Mask == op.Width.All() {
			op.Op, op.Mask = registers.Write, 0
		}
		safe = append(safe, op)
	}
	return safe
}

// choose gives every option its value: the binding's or the default one.
func (t *Template) choose(s *scope, options map[string]string) error {
	for name := range maps.Keys(options) {
		if _, ok := t.Options[name]; !ok {
			return fmt.Errorf("no option %q; there are: %s", name, strings.Join(names(t.Options), ", "))
		}
	}
	for _, name := range names(t.Options) {
		text, chosen := options[name]
		if !chosen {
			text = t.Options[name].Default
		}
		v, err := t.Options[name].value(s, text)
		if err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
		s.values[name] = v
	}
	return nil
}
