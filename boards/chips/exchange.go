package chips

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/boards/conversion"
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
