package channels

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/registers"
)

// Resolve makes the lists for the bindings of a program, in their order. All that
// is wrong with them is in the error, a line for each.
func Resolve(b *boards.Board, bindings []Binding) (*Plan, error) {
	chip, err := ChipOf(b)
	if err != nil {
		return nil, err
	}
	if chip == nil || len(b.Channels) == 0 {
		return nil, fmt.Errorf("%s has no channels", b.Name)
	}
	var wrong []error
	var bound []Bound
	holders := map[string]holder{}
	variables := map[string]bool{}
	onBus := attach(b, chip, bindings)
	for i, bind := range bindings {
		var ch *chips.Channel
		switch {
		case bind.Driver != nil:
			ch, err = expandDriver(bind)
		case onBus[i] != nil:
			ch, err = onBus[i].expand(chip, bind)
		default:
			ch, err = expand(b, chip, bind)
		}
		if err == nil && variables[bind.Variable] {
			err = errors.New("bound twice")
		}
		if err == nil {
			err = claim(holders, bind, ch)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %s: %w", bind.Variable, bind.Channel, err))
			continue
		}
		variables[bind.Variable] = true
		bound = append(bound, Bound{Binding: bind, Channel: ch})
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return assemble(bound), nil
}

// ChipOf is the description of a board's chip; nil: it has none.
func ChipOf(b *boards.Board) (*chips.Chip, error) {
	if b.ChipText != nil {
		return chips.Parse(b.Chip, map[string][]byte{b.Chip: b.ChipText})
	}
	return chips.Find(b.Chip)
}

// A holder is the binding that has a resource.
type holder struct{ variable, channel, mode string }

func claim(holders map[string]holder, b Binding, ch *chips.Channel) error {
	for _, use := range ch.Uses {
		h, held := holders[use.Resource]
		if held && (use.Mode == "" || h.mode != use.Mode) {
			as := ""
			if h.mode != "" {
				as = " as " + h.mode
			}
			if use.Mode != "" && h.mode != "" {
				as += ", here wanted as " + use.Mode
			}
			return fmt.Errorf("%s is in use by %s (%s)%s", use.Resource, h.variable, h.channel, as)
		}
	}
	for _, use := range ch.Uses {
		holders[use.Resource] = holder{b.Variable, b.Channel, use.Mode}
	}
	return nil
}

// find looks a channel up by its name or an alias, whatever its case.
func find(b *boards.Board, name string) (*boards.Channel, error) {
	for i, c := range b.Channels {
		same := func(n string) bool { return strings.EqualFold(n, name) }
		if same(c.Name) || slices.ContainsFunc(c.Aliases, same) {
			return &b.Channels[i], nil
		}
	}
	all := make([]string, len(b.Channels))
	for i, c := range b.Channels {
		all[i] = c.Name
	}
	for _, bus := range b.Buses {
		all = append(all, bus.Name+":DEVICE.CHANNEL")
	}
	return nil, fmt.Errorf("%s has no such channel; there are: %s", b.Name, strings.Join(all, ", "))
}

func expand(b *boards.Board, chip *chips.Chip, bind Binding) (*chips.Channel, error) {
	c, err := find(b, bind.Channel)
	if err != nil {
		return nil, err
	}
	if why, taken := chip.Taken[c.Pin]; taken {
		return nil, fmt.Errorf("its pin %s belongs to %s", c.Pin, why)
	}
	kinds := Kinds(chip, c)
	kind := bind.Kind
	if kind == "" {
		at := slices.IndexFunc(kinds, func(k string) bool { return chip.Kinds[k].Direction == bind.Direction })
		if at < 0 {
			return nil, fmt.Errorf("cannot be an %sput; it offers %s. %s", bind.Direction, strings.Join(kinds, ", "), fitting(b, chip, bind.Direction))
		}
		kind = kinds[at]
	}
	if !slices.Contains(kinds, kind) {
		return nil, fmt.Errorf("does not offer %q, but %s", kind, strings.Join(kinds, ", "))
	}
	if d := chip.Kinds[kind].Direction; d != bind.Direction {
		return nil, fmt.Errorf("%s is an %sput, and the variable is an %sput of the program", kind, d, bind.Direction)
	}
	options := maps.Clone(bind.Options)
	for name, value := range c.Options {
		_, known := chip.Kinds[kind].Options[name]
		if _, chosen := bind.Options[name]; known && !chosen {
			if options == nil {
				options = map[string]string{}
			}
			options[name] = value
		}
	}
	return chip.Expand(c.Pin, kind, options, bind.Safe)
}

// expandDriver makes a channel of a driver of one's own.
func expandDriver(bind Binding) (*chips.Channel, error) {
	d, name := bind.Driver, strings.TrimPrefix(bind.Channel, DeviceFile(bind.Channel)+".")
	ch, err := d.Expand(name, bind.Options, bind.Safe)
	switch {
	case err != nil:
		return nil, err
	case bind.Kind != "":
		return nil, fmt.Errorf("%s.%s has no kinds", d.Name, name)
	case ch.Template.Direction != bind.Direction:
		return nil, fmt.Errorf("is an %sput, and the variable is an %sput of the program. What can: %s",
			ch.Template.Direction, bind.Direction, strings.Join(d.Names(bind.Direction), ", "))
	}
	return ch, nil
}

// Kinds are what a channel offers, the usual one first; none where the runner needs the pin.
func Kinds(chip *chips.Chip, c *boards.Channel) []string {
	if _, taken := chip.Taken[c.Pin]; taken {
		return nil
	}
	if len(c.Kinds) > 0 {
		return c.Kinds
	}
	return chip.Pins[c.Pin].Kinds()
}

func fitting(b *boards.Board, chip *chips.Chip, d chips.Direction) string {
	var fit []string
	for _, c := range b.Channels {
		if slices.ContainsFunc(Kinds(chip, &c), func(k string) bool { return chip.Kinds[k].Direction == d }) {
			fit = append(fit, c.Name)
		}
	}
	return "What can: " + strings.Join(fit, ", ")
}

// entries drops what only resolving needs.
func entries(list []chips.Operation) []registers.Entry {
	all := make([]registers.Entry, len(list))
	for i, op := range list {
		all[i] = op.Entry
	}
	return all
}
