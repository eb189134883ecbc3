// Package registers holds lists of operations on the registers of a chip: what
// a runner carries out at the start of a loop, before and after each tick, and
// when it ends. Run is the definition of their meaning, over any Bus.
package registers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/copaflash/copaflash/protocol/packet"
)

// An Op is what an entry does.
type Op uint8

// The operations.
const (
	Write  Op = 0 // register = value
	Change Op = 1 // register = (register & ~mask) | (value & mask)
	Wait   Op = 2 // until (register & mask) == value, at most Spins reads
	Load   Op = 3 // slot = (register & mask) >> shift, unsigned
	Store  Op = 4 // register = (register & ~mask) | (slot << shift & mask); a full mask does not read
	Read   Op = 5 // for what reading does to a device: what the register reads as is of no use
)

// pinBits are what operations are in an image.
var pinBits = [...]packet.PinBits{
	Write: packet.PinWrite, Change: packet.PinRead | packet.PinWrite, Wait: packet.PinRead,
	Load: packet.PinRead | packet.PinSlot, Store: packet.PinRead | packet.PinWrite | packet.PinSlot, Read: packet.PinRead,
}

// opNames are the words of texts.
var opNames = [...]string{Write: "write", Change: "change", Wait: "wait", Load: "load", Store: "store", Read: "read"}

func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("operation %d", uint8(o))
}

// UsesSlot tells whether entries of the operation name a slot instead of a value.
func (o Op) UsesSlot() bool { return o == Load || o == Store }

// A Width is that of a register in bits: 8, 16 or 32.
type Width uint8

// All is the mask of all bits of a register.
func (w Width) All() uint32 { return uint32(1<<w - 1) }

// code is the width's number in an entry.
func (w Width) code() (uint32, bool) {
	switch w {
	case 8, 16, 32:
		return uint32(bits.TrailingZeros8(uint8(w)) - 3), true
	}
	return 0, false
}

// An Entry is one operation on one register.
type Entry struct {
	Op      Op
	Width   Width
	Shift   uint8  // 0 to 31, of LOAD and STORE
	Spins   uint16 // most reads of WAIT, from 1 on
	Address uint32 // aligned to the width
	Mask    uint32 // 0 for WRITE and READ, which use none
	Value   uint32 // WRITE, CHANGE, WAIT
	Slot    string // LOAD, STORE: name of a slot, an i32
}

// Bytes is the size of an entry in an image.
const Bytes = 16

// Check tells what an entry has that no runner would accept.
func (e Entry) Check() error {
	all := e.Width.All()
	_, known := e.Width.code()
	switch {
	case int(e.Op) >= len(opNames):
		return fmt.Errorf("%v is not known", e.Op)
	case !known:
		return fmt.Errorf("width of %d bits: want 8, 16 or 32", e.Width)
	case e.Address%(uint32(e.Width)/8) != 0:
		return fmt.Errorf("address %#x is not aligned to %d bits", e.Address, e.Width)
	case e.Shift > 31:
		return fmt.Errorf("shift by %d: want 0 to 31", e.Shift)
	case (e.Mask|e.Value)&^all != 0:
		return fmt.Errorf("mask %#x or value %#x has more than %d bits", e.Mask, e.Value, e.Width)
	case (e.Op == Write || e.Op == Read) && e.Mask != 0 || e.Op == Read && e.Value != 0:
		return fmt.Errorf("%v uses no mask, and read no value", e.Op)
	case e.Op != Write && e.Op != Read && e.Mask == 0:
		return fmt.Errorf("%v with a mask of no bits", e.Op)
	case (e.Op == Change || e.Op == Wait) && e.Value&^e.Mask != 0:
		return fmt.Errorf("value %#x has bits outside of the mask %#x", e.Value, e.Mask)
	case (e.Op == Wait) != (e.Spins != 0):
		return errors.New("wait, and nothing else, has a number of reads from 1 to 65535")
	case e.Op.UsesSlot() != (e.Slot != ""):
		return errors.New("load and store, and nothing else, have a slot")
	case !e.Op.UsesSlot() && e.Shift != 0:
		return errors.New("only load and store have a shift")
	}
	return nil
}

// Words are the entry as an image has it. offsets are those of the slots in the
// data block, in bytes.
func (e Entry) Words(offsets map[string]uint32) ([4]uint32, error) {
	if err := e.Check(); err != nil {
		return [4]uint32{}, err
	}
	width, _ := e.Width.code()
	value, mask, does := e.Value, e.Mask, pinBits[e.Op]
	if e.Op == Write || e.Op == Read || mask == e.Width.All() {
		mask = math.MaxUint32 // a Cortex-M makes no code for it
		if e.Op == Store {
			does &^= packet.PinRead
		}
	}
	if e.Op.UsesSlot() {
		offset, ok := offsets[e.Slot]
		switch {
		case !ok:
			return [4]uint32{}, fmt.Errorf("slot %q has no place", e.Slot)
		case offset%4 != 0:
			return [4]uint32{}, fmt.Errorf("slot %q at %d is not aligned to 4 bytes", e.Slot, offset)
		}
		value = offset
	}
	control := uint32(does) | width<<4 | uint32(e.Shift)<<8 | uint32(e.Spins)<<16
	return [4]uint32{control, e.Address, mask, value}, nil
}

// Lists are all that a program has for its pins.
type Lists struct {
	Start  []Entry // once, when the loop starts
	Before []Entry // of each tick
	After  []Entry
	Safe   []Entry // when the loop ends: writes, changes and reads only
}

// Encode makes the lists what an image has in its code block, at a multiple of 4
// other than 0: the four counts, and behind them all entries, little-endian.
func (l Lists) Encode(offsets map[string]uint32) ([]byte, error) {
	var counts, entries []byte
	for i, list := range [][]Entry{l.Start, l.Before, l.After, l.Safe} {
		counts = binary.LittleEndian.AppendUint32(counts, uint32(len(list)))
		for j, e := range list {
			words, err := e.Words(offsets)
			if safe := i == 3; safe && e.Op != Write && e.Op != Change && e.Op != Read {
				err = errors.New("only writes, changes and reads are safe")
			}
			if err != nil {
				return nil, fmt.Errorf("%s list, entry %d (%v): %w", listNames[i], j, e, err)
			}
			for _, w := range words {
				entries = binary.LittleEndian.AppendUint32(entries, w)
			}
		}
	}
	return append(counts, entries...), nil
}

var listNames = [...]string{"start", "before", "after", "safe"}

// At tells which entry has a number that a runner has named, counted through all
// lists from 1 on: "before list, entry 2". It is "" if there is none.
func (l Lists) At(number uint32) string {
	at := int(number) - 1
	for i, list := range [][]Entry{l.Start, l.Before, l.After, l.Safe} {
		if at >= 0 && at < len(list) {
			return fmt.Sprintf("%s list, entry %d (%v)", listNames[i], at, list[at])
		}
		at -= len(list)
	}
	return ""
}

func (e Entry) String() string {
	at := fmt.Sprintf("%v%d %#08x", e.Op, e.Width, e.Address)
	switch e.Op {
	case Write:
		return fmt.Sprintf("%s %#x", at, e.Value)
	case Change:
		return fmt.Sprintf("%s %#x %#x", at, e.Mask, e.Value)
	case Wait:
		return fmt.Sprintf("%s %#x %#x %d", at, e.Mask, e.Value, e.Spins)
	case Load:
		return fmt.Sprintf("%s %#x >>%d -> %s", at, e.Mask, e.Shift, e.Slot)
	case Store:
		return fmt.Sprintf("%s %#x <<%d <- %s", at, e.Mask, e.Shift, e.Slot)
	}
	return at
}

// roomFor is how many bytes of code a Cortex-M makes of an entry, at most.
var roomFor = [...]int{Write: 8, Change: 16, Wait: 16, Load: 16, Store: 22, Read: 8}

// Room is how many bytes behind its lists a Cortex-M wants, to make code of them: enough, wherever slots and registers lie.
func (l Lists) Room() (bytes int) {
	const (
		end   = 2  // of a list
		seven = 2  // of each seven entries
		least = 16 // behind them
	)
	for _, entries := range [][]Entry{l.Start, l.Before, l.After, l.Safe} {
		bytes += end + seven*(len(entries)/7)
		for _, e := range entries {
			bytes += roomFor[e.Op]
		}
	}
	return max(bytes, least)
}
