package chips

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/boards/conversion"
	"github.com/copaflash/copaflash/boards/registers"
)

// A sent byte is a constant, or bits of an output's value: (value >> shift & mask) | constant.
type sent struct {
	constant uint8
	slot     string // empty: only the constant
	shift    uint
	mask     uint8
}

// A got byte is one that is received.
type got struct {
	slot        string // empty: it is of no use
	mask, value uint8  // of one that has to be so, unless mask is 0
}

// moved is the bytes of a transfer.
type moved struct {
	send     []sent
	received []got
	slots    []Slot // of the channel
}

func byteName(i int) string { return fmt.Sprintf("byte%d", i) }

// plan is the transfer of a channel: which of its bytes are in slots, and what they make.
func (d *Device) plan(s *scope, k *DeviceKind) (*moved, error) {
	x, ok := d.Transfers[k.Transfer]
	if !ok {
		return nil, fmt.Errorf("no transfer %q; there are: %s", k.Transfer, strings.Join(names(d.Transfers), ", "))
	}
	m, err := d.bytes(s, x, k)
	if err != nil {
		return nil, fmt.Errorf("transfers.%s: %w", k.Transfer, err)
	}
	shift := 0
	for i := len(k.From) - 1; i >= 0; i-- {
		text, err := s.fill(k.From[i])
		if err != nil {
			return nil, err
		}
		words := strings.Fields(text)
		at, mask := 0, uint32(0xff)
		if len(words) > 0 {
			at, err = strconv.Atoi(words[0])
		}
		if len(words) == 2 && err == nil {
			mask, err = s.number(words[1], 8)
		}
		if err != nil || len(words) == 0 || len(words) > 2 || at < 0 || at >= len(m.received) || mask == 0 {
			return nil, fmt.Errorf("from %q: want the number of one of %d bytes, and a mask", k.From[i], len(m.received))
		}
		low := bits.TrailingZeros32(mask)
		slot := Slot{Name: byteName(at)}
		if mask != 0xff {
			slot.Steps = append(slot.Steps, conversion.Step{Kind: conversion.Mask, A: float64(mask)})
		}
		if by := shift - low; by != 0 {
			slot.Steps = append(slot.Steps, conversion.Step{Kind: conversion.Shift, A: float64(by)})
		}
		if shift += bits.Len32(mask) - low; shift > 32 {
			return nil, errors.New("from: more than 32 bits")
		}
		for _, other := range m.slots {
			if other.Name == slot.Name {
				return nil, fmt.Errorf("from %q: byte %d comes twice", k.From[i], at)
			}
		}
		m.slots = append(m.slots, slot)
	}
	return m, nil
}

// bytes reads the texts of a transfer. All bytes that are received have slots, so that the lists of channels of one transfer are equal.
func (d *Device) bytes(s *scope, x Exchange, k *DeviceKind) (*moved, error) {
	m := &moved{}
	count := x.Receive
	if d.Bus == "spi" {
		count = len(x.Send)
	}
	if len(x.Send)+count == 0 || count < 0 || count > 64 || len(x.Send) > 64 || d.Bus == "spi" && x.Receive != 0 {
		return nil, errors.New("want 1 to 64 bytes to send or, of i2c, to receive")
	}
	for i, text := range x.Send {
		b, err := s.sent(text)
		if err == nil && b.mask != 0 && (k == nil || k.Direction != Out) {
			err = errors.New("only an output has a value")
		}
		if err != nil {
			return nil, fmt.Errorf("send %q: %w", text, err)
		}
		if b.mask != 0 {
			b.slot = byteName(i)
			var steps []conversion.Step
			if b.shift != 0 {
				steps = append(steps, conversion.Step{Kind: conversion.Shift, A: -float64(b.shift)})
			}
			steps = append(steps, conversion.Step{Kind: conversion.Mask, A: float64(b.mask)})
			if b.constant != 0 {
				steps = append(steps, conversion.Step{Kind: conversion.Flip, A: float64(b.constant)})
			}
			m.slots = append(m.slots, Slot{b.slot, steps})
		}
		m.send = append(m.send, b)
	}
	if k != nil && k.Direction == Out && len(m.slots) == 0 {
		return nil, errors.New("send: nothing of the value")
	}
	for i := range count {
		g := got{}
		if k != nil && k.Direction == In {
			g.slot = byteName(i)
		}
		m.received = append(m.received, g)
	}
	for _, text := range x.Expect {
		words := strings.Fields(text)
		var n [3]uint32
		if len(words) != len(n) || k != nil {
			return nil, fmt.Errorf("expect %q: want BYTE MASK VALUE, in setup", text)
		}
		for i, w := range words {
			var err error
			if n[i], err = s.number(w, 8); err != nil {
				return nil, fmt.Errorf("expect %q: %w", text, err)
			}
		}
		if int(n[0]) >= count || n[1] == 0 || n[2]&^n[1] != 0 {
			return nil, fmt.Errorf("expect %q: there are %d bytes, and the value has bits of the mask only", text, count)
		}
		m.received[n[0]] = got{mask: uint8(n[1]), value: uint8(n[2])}
	}
	return m, nil
}

// sent reads "0x30|ch" or "<- 11:8 0x30".
func (s *scope) sent(text string) (b sent, err error) {
	rest, value := strings.CutPrefix(text, "<- ")
	if value {
		var place string
		place, rest, _ = strings.Cut(rest, " ")
		fields, err := parseFields("V "+place, 32)
		f, ok := fields["V"]
		if err != nil || !ok || f.bits > 8 {
			return b, errors.New("want <- HIGH:LOW of at most 8 bits, and a number")
		}
		b.shift, b.mask = f.shift, uint8(1<<f.bits-1)
		if rest == "" {
			rest = "0"
		}
	}
	n, err := s.number(rest, 8)
	b.constant = uint8(n)
	if err == nil && b.constant&b.mask != 0 {
		err = fmt.Errorf("%#x and the value have bits in common", n)
	}
	return b, err
}

// lists makes the lists of a channel of its transfer.
func (e *wired) lists(ch *Channel, s *scope, k DeviceKind) error {
	m, err := e.wire.Device.plan(s, &k)
	if err != nil {
		return err
	}
	ch.Slots = m.slots
	list, err := e.transfer(m, e.controller.Transfer, ch)
	if err != nil {
		return err
	}
	if ch.Template.Direction == In {
		ch.Before = list
		return nil
	}
	if len(e.controller.Safe) == 0 {
		return fmt.Errorf("outputs on %s need a transfer without waits when a loop ends, which its controller cannot do", e.wire.Bus)
	}
	ch.After = list
	raw := ch.Raw(ch.Safety)
	constant := *m
	constant.send = make([]sent, len(m.send))
	for i, b := range m.send {
		constant.send[i] = sent{constant: b.constant}
		if b.slot != "" {
			constant.send[i].constant = uint8(raw[b.slot])
		}
	}
	if ch.First, err = e.transfer(&constant, e.controller.Transfer, nil); err == nil {
		ch.Safe, err = e.transfer(&constant, e.controller.Safe, nil)
	}
	return err
}

// prepare makes what is done once for the bus and for the device.
func (e *wired) prepare(ch *Channel) error {
	add := func(to *[]Operation, s *scope, texts []string) error {
		list, err := e.expand(s, texts, nil, nil)
		*to = append(*to, list...)
		return err
	}
	if e.selected != nil {
		ch.Enable = append(append(ch.Enable, e.selected.Enable...), e.selected.Start...)
	}
	if err := add(&ch.Enable, e.control, e.controller.Enable); err != nil {
		return err
	}
	for _, line := range e.wire.Device.lines(e.controller) {
		s := &scope{values: e.control.copied()}
		if err := s.with(e.chip.Pins[e.wire.Lines[line]].With); err != nil {
			return err
		}
		if err := add(&ch.Enable, s, e.controller.Lines[line]); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if err := add(&ch.Setup, e.control, e.controller.Setup); err != nil {
		return err
	}
	for i, x := range e.wire.Device.Setup {
		m, err := e.wire.Device.bytes(e.device, x, nil)
		if err != nil {
			return fmt.Errorf("setup[%d]: %w", i, err)
		}
		list, err := e.transfer(m, e.controller.Transfer, nil)
		if err != nil {
			return fmt.Errorf("setup[%d]: %w", i, err)
		}
		ch.Run = append(ch.Run, list...)
	}
	return nil
}

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
