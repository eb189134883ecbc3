package lir

import (
	"fmt"
	"slices"
)

// Region is a part of the data block. The final place of each is known only
// when everything in it is: spilled values come last.
type Region uint8

// Regions, in the order in which they lie when all are near.
const (
	Words  Region = iota // constants and inputs, initialised
	Slots                // outputs, spilled and carried values
	Arrays               // arrays
	NumRegions
)

// Initialised arrays lie below the place at offset Middle of their region, all others above it, so that the distances
// of arrays are known as soon as those have places, however many of either kind are to come.
const Middle = 1 << (offsetBits - 1)

// Addr is a place in the data block: a region and a byte offset in it.
type Addr uint32

// NoAddr is the absence of an address.
const NoAddr Addr = 1<<32 - 1

const (
	offsetBits = 30
	// MaxRegion is the largest size in bytes of a region, or of the arrays of either kind.
	MaxRegion = Middle - 4096
)

// At is the place at an offset of a region.
func At(r Region, offset int) Addr { return Addr(r)<<offsetBits | Addr(offset) }

// Region is the region of the place.
func (a Addr) Region() Region { return Region(a >> offsetBits) }

// Offset is the byte offset in the region.
func (a Addr) Offset() int { return int(a & (1<<offsetBits - 1)) }

// Plus is the place n bytes behind a.
func (a Addr) Plus(n int) Addr { return a + Addr(n) }

func (a Addr) String() string {
	if a == NoAddr {
		return "-"
	}
	offset := a.Offset()
	if a.Region() == Arrays {
		offset -= Middle
	}
	return fmt.Sprintf("%s%+d", [...]string{"words", "slots", "arrays"}[a.Region()], offset)
}

// arrayAlign is the alignment of arrays in bytes: a vector of four lanes.
const arrayAlign = 16

// Data is the data block, without its header of reserved words.
type Data struct {
	Words  []uint32 // initial contents of region Words
	Arrays []uint32 // initial contents of region Arrays, from the middle down
	Slots  int      // size of the region in bytes
	// Scratch is the size of region Arrays above the middle in bytes.
	Scratch int
	// Lanes is that of Machine: arrays are aligned to vectors, lest every other access
	// to eight lanes touches two cache lines.
	Lanes int
}

// ArrayAlign is the alignment of arrays in bytes.
func (d *Data) ArrayAlign() int { return max(arrayAlign, 4*d.Lanes) }

// Reserve makes room for so many more initialised words.
func (d *Data) Reserve(words int) { d.Words = slices.Grow(d.Words, words) }

// Word places an initialised word.
func (d *Data) Word(bits uint32) Addr {
	d.Words = append(d.Words, bits)
	return At(Words, 4*len(d.Words)-4)
}

// Element places an initialised value of a class.
func (d *Data) Element(c Class, bits uint64) Addr {
	if c != Double {
		return d.Word(uint32(bits))
	}
	return d.Group(c, []uint32{uint32(bits), uint32(bits >> 32)})
}

// Group places the words of initialised values of a class next to each other.
func (d *Data) Group(c Class, bits []uint32) Addr {
	for 4*len(d.Words)%c.Bytes() != 0 {
		d.Words = append(d.Words, 0)
	}
	at := At(Words, 4*len(d.Words))
	d.Words = append(d.Words, bits...)
	return at
}

// Slot places a word that the program writes.
func (d *Data) Slot() Addr {
	d.Slots += 4
	return At(Slots, d.Slots-4)
}

// SlotFor places a value of a class that the program writes.
func (d *Data) SlotFor(c Class) Addr {
	if c != Double {
		return d.Slot()
	}
	d.Slots = (d.Slots+c.Bytes()-1)&^(c.Bytes()-1) + c.Bytes()
	return At(Slots, d.Slots-c.Bytes())
}

// WideSlot places neighbouring words that the program writes.
func (d *Data) WideSlot(words int) Addr {
	d.Slots += 4 * words
	return At(Slots, d.Slots-4*words)
}

// Array places an initialised array.
func (d *Data) Array(bits []uint32) Addr {
	d.Arrays = slices.Grow(d.Arrays, len(bits)+d.ArrayAlign()/4)
	for (len(d.Arrays)+len(bits))%(d.ArrayAlign()/4) != 0 {
		d.Arrays = append(d.Arrays, 0)
	}
	for _, w := range slices.Backward(bits) {
		d.Arrays = append(d.Arrays, w)
	}
	return At(Arrays, Middle-4*len(d.Arrays))
}

// Room places an array of n words that the program writes.
func (d *Data) Room(n int) Addr {
	align := d.ArrayAlign()
	d.Scratch = (d.Scratch + align - 1) &^ (align - 1)
	at := At(Arrays, Middle+d.Scratch)
	d.Scratch += 4 * n
	return at
}

// Bounds are the offsets at which the places of a region begin and end.
func (d *Data) Bounds(r Region) (from, to int) {
	switch r {
	case Words:
		return 0, 4 * len(d.Words)
	case Slots:
		return 0, d.Slots
	}
	return Middle - 4*len(d.Arrays), Middle + d.Scratch
}

// Check reports whether every region fits its addresses.
func (d *Data) Check() error {
	for _, n := range []int{4 * len(d.Words), d.Slots, 4 * len(d.Arrays), d.Scratch} {
		if n > MaxRegion {
			return fmt.Errorf("lir: data of %d bytes: at most %d are supported", n, MaxRegion)
		}
	}
	return nil
}
