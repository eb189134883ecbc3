package chips

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
)

// about names the device.
func (e *wired) about() string {
	return fmt.Sprintf("%s at %s on %s", e.wire.Device.Name, e.place(), e.wire.Bus)
}

var loopWords = []string{"send: ", "receive: ", "byte: "}

// transfer expands a list for some bytes. ch gets what stored bytes need beside their steps; nil: there are none.
func (e *wired) transfer(m *moved, texts []string, ch *Channel) ([]Operation, error) {
	if most := e.controller.Most; max(len(m.send), len(m.received)) > most || e.wire.Device.Bus == "i2c" && len(m.send)+len(m.received) > most {
		return nil, fmt.Errorf("%d bytes to send and %d to receive: %s moves %d at most", len(m.send), len(m.received), e.wire.Bus, most)
	}
	s := &scope{values: e.control.copied()}
	s.set("sends", len(m.send))
	s.set("receives", len(m.received))
	s.set("bytes", max(len(m.send), len(m.received)))
	return e.expand(s, texts, m, ch)
}

func (e *wired) expand(s *scope, texts []string, m *moved, ch *Channel) ([]Operation, error) {
	var all []Operation
	for at := 0; at < len(texts); {
		word, group := loopOf(texts[at:])
		n := 1
		switch {
		case word == "":
		case m == nil:
			return nil, fmt.Errorf("%q: there are no bytes here", texts[at])
		case word == "send: ":
			n = len(m.send)
		case word == "receive: ":
			n = len(m.received)
		default:
			n = max(len(m.send), len(m.received))
		}
		for i := range n {
			for _, text := range texts[at : at+group] {
				s.set("i", i)
				list, err := e.text(s, strings.TrimPrefix(text, word), m, ch, i)
				if err != nil {
					return nil, fmt.Errorf("%q: %w", text, err)
				}
				for j := range list {
					if m != nil {
						list[j].About = e.about()
					}
				}
				all = append(all, list...)
			}
		}
		at += group
	}
	return all, nil
}

// loopOf is the word that repeats the first text, and how many texts in a row have it.
func loopOf(texts []string) (word string, group int) {
	for _, w := range loopWords {
		if strings.HasPrefix(texts[0], w) {
			word = w
		}
	}
	if word == "" {
		return "", 1
	}
	for group < len(texts) && strings.HasPrefix(texts[group], word) {
		group++
	}
	return word, group
}

const mostRepeats = 300

// text expands one text for byte i.
func (e *wired) text(s *scope, text string, m *moved, ch *Channel, i int) ([]Operation, error) {
	text, wanted, err := s.condition(text)
	if err != nil || !wanted {
		return nil, err
	}
	times := uint32(1)
	if rest, ok := strings.CutPrefix(text, "repeat "); ok {
		count, operation, _ := strings.Cut(rest, ": ")
		if times, err = s.number(count, 32); err != nil {
			return nil, err
		}
		if times > mostRepeats {
			return nil, fmt.Errorf("a safe value takes too long at this clock: choose a freq that is %d times as high", (times+mostRepeats-1)/mostRepeats)
		}
		text = operation
	}
	list, err := e.operations(s, text, m, ch, i)
	if err != nil {
		return nil, err
	}
	var all []Operation
	for range times {
		all = append(all, list...)
	}
	return all, nil
}

func (e *wired) operations(s *scope, text string, m *moved, ch *Channel, i int) ([]Operation, error) {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "select", "deselect":
		if e.selected == nil {
			return nil, errors.New("no chip select")
		}
		level := map[string]float64{"select": 1, "deselect": 0}[word]
		list := constants(e.selected.After, e.selected.Raw(level))
		// Zeros in registers that set and clear pins do nothing.
		list = slices.DeleteFunc(list, func(op Operation) bool { return op.Shared && op.Op == registers.Write && op.Value == 0 })
		for i := range list {
			list[i].Shared = false
		}
		return list, nil
	case "put":
		op, err := e.put(s, rest, m.send[i], ch)
		return []Operation{op}, err
	case "get":
		op, err := e.get(s, rest, m.received[i])
		return []Operation{op}, err
	}
	op, err := e.chip.operation(s, text)
	if err == nil && op.Slot != "" {
		err = errors.New("slots are for put and get")
	}
	op.Shared = false
	return []Operation{op}, err
}

// put is "put REGISTER EXTRA".
func (e *wired) put(s *scope, text string, b sent, ch *Channel) (Operation, error) {
	register, extra, _ := strings.Cut(text, " ")
	op, err := e.chip.operation(s, "write "+register+" "+extra)
	if err != nil {
		return op, err
	}
	more := op.Value
	op.Shared = false
	if b.slot == "" {
		op.Value |= uint32(b.constant)
		return op, nil
	}
	op.Op, op.Mask, op.Value, op.Slot = registers.Store, op.Width.All(), 0, b.slot
	for at := range ch.Slots {
		if slot := &ch.Slots[at]; slot.Name == b.slot && more != 0 {
			slot.Steps = append(slot.Steps, conversion.Step{Kind: conversion.Flip, A: float64(more)})
		}
	}
	return op, nil
}

// get is "get REGISTER MASK", of 8 bits from bit 0 on.
func (e *wired) get(s *scope, text string, g got) (Operation, error) {
	register, mask, _ := strings.Cut(text, " ")
	var op Operation
	var err error
	switch {
	case g.mask != 0:
		op, err = e.chip.operation(s, fmt.Sprintf("wait %s %d %d 1", register, g.mask, g.value))
	case g.slot != "":
		op, err = e.chip.operation(s, "load "+register+" "+mask+" -> "+g.slot)
	default:
		op, err = e.chip.operation(s, "read "+register)
	}
	op.Shared = false
	return op, err
}
