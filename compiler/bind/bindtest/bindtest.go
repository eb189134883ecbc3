// Package bindtest runs programs with pins beside models of chips, for tests: it does with the lists of an image
// what a runner does.
package bindtest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/boards/models"
	"github.com/copaflash/copaflash/boards/registers"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A Bench is a loaded program beside the model of a chip.
type Bench struct {
	Chip  models.Chip
	image *image.Image
	prog  device.Program
	tick  uint32
}

// New is a bench whose loop has not begun. A program without pins needs no chip.
func New(chip models.Chip, m *image.Image, p device.Program) *Bench {
	return &Bench{Chip: chip, image: m, prog: p}
}

// The lists of an image, in their order.
const (
	listStart = iota
	listBefore
	listAfter
	listSafe
)

// Start carries out what a loop begins with.
func (b *Bench) Start(ctx context.Context) error { return b.list(ctx, listStart) }

// Stop sets the safe values.
func (b *Bench) Stop(ctx context.Context) error { return b.list(ctx, listSafe) }

// Tick reads the inputs, runs what is due, and writes the outputs.
func (b *Bench) Tick(ctx context.Context) error {
	if err := b.list(ctx, listBefore); err != nil {
		return err
	}
	if _, err := device.Ticks(ctx, b.prog, b.image, b.tick, device.Call{Runs: 1}); err != nil {
		return err
	}
	b.tick++
	return b.list(ctx, listAfter)
}

// list carries out one of the lists as it stands in the image.
func (b *Bench) list(ctx context.Context, which int) error {
	lists := b.image.PinLists()
	if len(lists) == 0 {
		return nil
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(lists[4*i:]) }
	at := 4
	for i := range which {
		at += 4 * int(word(i))
	}
	for range word(which) {
		if err := b.entry(ctx, [4]uint32{word(at), word(at + 1), word(at + 2), word(at + 3)}); err != nil {
			return err
		}
		at += 4
	}
	if wrong := b.Chip.Errors(); len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

// entry carries out an entry: SPEC.md, "Pins".
func (b *Bench) entry(ctx context.Context, e [4]uint32) error {
	control, address, mask, value := e[0], e[1], e[2], e[3]
	width, shift := registers.Width(8<<(control>>4&3)), control>>8&31
	does := packet.PinBits(control & 7)
	reads, writes, slot := does&packet.PinRead != 0, does&packet.PinWrite != 0, does&packet.PinSlot != 0
	if slot && writes {
		v, err := b.Word(ctx, value)
		if err != nil {
			return err
		}
		value = v << shift
	}
	old := uint32(0)
	switch most := control >> 16; {
	case reads && !writes && !slot && most == 0:
		b.Chip.Read(width, address)
		return nil
	case reads && !writes && !slot:
		for range most {
			if b.Chip.Read(width, address)&mask == value {
				return nil
			}
		}
		return fmt.Errorf("a wait for %#x of %#x in vain", value, address)
	case reads:
		old = b.Chip.Read(width, address)
	}
	if writes {
		b.Chip.Write(width, address, old&^mask|value&mask)
		return nil
	}
	return b.SetWord(ctx, value, (old&mask)>>shift)
}

// Word is a word of the program's data.
func (b *Bench) Word(ctx context.Context, offset uint32) (uint32, error) {
	r, err := b.prog.Call(ctx, device.Call{Reads: []device.Span{{Offset: offset, Length: 4}}})
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(r.Data[0]), nil
}

// SetWord changes a word of the program's data.
func (b *Bench) SetWord(ctx context.Context, offset, value uint32) error {
	_, err := b.prog.Call(ctx, device.Call{Writes: []device.Piece{{Offset: offset, Bytes: binary.LittleEndian.AppendUint32(nil, value)}}})
	return err
}

// Place is where a scalar of the program lies.
func (b *Bench) Place(kind image.Kind, name string) (uint32, error) {
	s, ok := b.image.Symbol(kind, name)
	if !ok {
		return 0, fmt.Errorf("the program has no %v %s", kind, name)
	}
	return s.Offset, nil
}

// Value is a scalar of the program.
func (b *Bench) Value(ctx context.Context, kind image.Kind, name string) (uint32, error) {
	offset, err := b.Place(kind, name)
	if err != nil {
		return 0, err
	}
	return b.Word(ctx, offset)
}
