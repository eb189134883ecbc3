package channels

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards/chips"
	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
)

// A Bound is a binding with its channel. An input's variable is what Value makes of
// the OR of its terms; an output's value, behind Value, goes into each of its terms.
type Bound struct {
	Binding
	Channel *chips.Channel
	Terms   []Term
}

// A Term connects a channel to a slot. Terms of several outputs in one slot are ORed.
type Term struct {
	Slot  string
	Steps []conversion.Step
}

// A Plan is what a runner carries out, and what the program computes in front of
// and behind its own operations.
type Plan struct {
	Start, Before, After, Safe []registers.Entry
	Slots                      []string // i32 each, in order of first use
	Bound                      []Bound
	about                      []string // by the number of an entry, less 1: what it is for
}

// About tells what an entry is for that is one of a transfer, by the number that a runner names it with: "mpu6050 at 0x68 on I2C0".
func (p *Plan) About(number uint32) string {
	if number == 0 || int(number) > len(p.about) {
		return ""
	}
	return p.about[number-1]
}

// assemble puts the lists of channels together, in the order of the bindings.
func assemble(bound []Bound) *Plan {
	var enable, start, before, after, safe []chips.Operation
	var setups, runs [][]chips.Operation
	var shared wholes
	var first []chips.Operation
	p := &Plan{Bound: bound}
	for i := range bound {
		b := &bound[i]
		ch := b.Channel
		for _, slot := range ch.Slots {
			b.Terms = append(b.Terms, Term{b.Variable + "." + slot.Name, slices.Clone(slot.Steps)})
		}
		for _, op := range ch.Enable {
			if !slices.Contains(enable, op) {
				enable = append(enable, op)
			}
		}
		setups, runs = once(setups, ch.Setup), once(runs, ch.Run)
		start = append(start, ch.Start...)
		if ch.Whole {
			before = shared.add(before, ch.Before, b)
			after = append(after, b.named(ch.After)...)
			safe, first = append(safe, ch.Safe...), append(first, ch.First...)
			continue
		}
		safe = put(safe, ch.Safe, b)
		before, after = put(before, ch.Before, b), put(after, ch.After, b)
	}
	before = used(before, bound)
	all := slices.Concat(append(append([][]chips.Operation{enable}, setups...), start)...)
	all = slices.Concat(all, slices.Concat(runs...), first)
	for _, op := range slices.Concat(all, before, after, safe) {
		p.about = append(p.about, op.About)
	}
	p.Start = entries(all)
	p.Before, p.After, p.Safe = entries(before), entries(after), entries(safe)
	align(bound, p.Before)
	for _, e := range slices.Concat(p.Before, p.After) {
		if e.Slot != "" && !slices.Contains(p.Slots, e.Slot) {
			p.Slots = append(p.Slots, e.Slot)
		}
	}
	return p
}

// wholes are lists that channels share, each with the first one that has it.
type wholes []struct {
	list  []chips.Operation
	owner *Bound
}

// add appends the list of a channel, unless an equal one is there, whose slots the channel has then.
func (w *wholes) add(to, list []chips.Operation, b *Bound) []chips.Operation {
	if len(list) == 0 {
		return to
	}
	owner := b
	for _, was := range *w {
		if slices.Equal(was.list, list) {
			owner = was.owner
		}
	}
	for i := range b.Terms {
		b.Terms[i].Slot = owner.Variable + strings.TrimPrefix(b.Terms[i].Slot, b.Variable)
	}
	if owner != b {
		return to
	}
	*w = append(*w, struct {
		list  []chips.Operation
		owner *Bound
	}{list, b})
	return append(to, b.named(list)...)
}

// named are operations whose slots have the variable's name in front.
func (b *Bound) named(list []chips.Operation) []chips.Operation {
	own := slices.Clone(list)
	for i := range own {
		if own[i].Slot != "" {
			own[i].Slot = b.Variable + "." + own[i].Slot
		}
	}
	return own
}

// used makes loads into slots that no variable is made of reads.
func used(list []chips.Operation, bound []Bound) []chips.Operation {
	for i := range list {
		op := &list[i]
		wanted := op.Op != registers.Load
		for _, b := range bound {
			wanted = wanted || slices.ContainsFunc(b.Terms, func(t Term) bool { return t.Slot == op.Slot })
		}
		if !wanted {
			op.Entry = registers.Entry{Op: registers.Read, Width: op.Width, Address: op.Address}
		}
	}
	return list
}

// once adds a list that is not there yet.
func once(lists [][]chips.Operation, list []chips.Operation) [][]chips.Operation {
	if len(list) == 0 || slices.ContainsFunc(lists, func(l []chips.Operation) bool { return slices.Equal(l, list) }) {
		return lists
	}
	return append(lists, list)
}

// put appends a channel's operations to a list. One on a shared register that the
// list has already becomes part of the one there.
func put(list, more []chips.Operation, b *Bound) []chips.Operation {
	for _, op := range more {
		at := slices.IndexFunc(list, func(o chips.Operation) bool {
			return op.Shared && o.Shared && o.Op == op.Op && o.Address == op.Address && o.Width == op.Width
		})
		own := b.Variable + "." + op.Slot
		switch {
		case op.Op == registers.Load && op.Shared:
			// Shifted back by align, when the masks of all are known.
			b.term(own).Steps = slices.Concat([]conversion.Step{
				{Kind: conversion.Mask, A: float64(op.Mask)}, {Kind: conversion.Shift, A: -float64(op.Shift)},
			}, b.term(own).Steps)
			op.Shift = 0
			if at >= 0 {
				list[at].Mask |= op.Mask
				b.term(own).Slot = list[at].Slot
				continue
			}
		case at >= 0 && (op.Op == registers.Write || op.Op == registers.Store && op.Mask == op.Width.All()):
			list[at].Value |= op.Value
			if op.Op == registers.Store {
				b.term(own).Slot = list[at].Slot
			}
			continue
		}
		if op.Slot != "" {
			op.Slot = own
		}
		list = append(list, op)
	}
	return list
}

func (b *Bound) term(slot string) *Term {
	at := slices.IndexFunc(b.Terms, func(t Term) bool { return t.Slot == slot })
	return &b.Terms[at]
}

// align has a load of a single pin do what its steps would do: the mask and the shift.
func align(bound []Bound, before []registers.Entry) {
	for i := range before {
		e := &before[i]
		if e.Op != registers.Load || e.Mask&(e.Mask-1) != 0 || e.Shift != 0 {
			continue
		}
		for j := range bound {
			for k := range bound[j].Terms {
				t := &bound[j].Terms[k]
				if t.Slot == e.Slot && len(t.Steps) >= 2 && t.Steps[0].Kind == conversion.Mask {
					t.Steps = t.Steps[2:]
					e.Shift = uint8(bits.TrailingZeros32(e.Mask))
				}
			}
		}
	}
}
