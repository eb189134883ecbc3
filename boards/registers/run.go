package registers

import "fmt"

// A Bus carries the accesses of a list to registers.
type Bus interface {
	// Read returns what a register of that width, in bits, reads as.
	Read(width Width, address uint32) uint32
	// Write changes a register; value has no bits beyond the width.
	Write(width Width, address, value uint32)
}

// A StuckError says that a WAIT did not see what it waits for.
type StuckError struct {
	Index int // of the entry in its list
	Entry Entry
	Last  uint32 // what the register read as
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("entry %d (%v): not so after %d reads: %#x", e.Index, e.Entry, e.Entry.Spins, e.Last)
}

// Run carries out a list. A LOAD changes slots, and a STORE takes 0 for one
// that is not there. A WAIT that ends in vain is a *StuckError, and nothing
// behind it is carried out.
func Run(bus Bus, list []Entry, slots map[string]int32) error {
	for i, e := range list {
		switch e.Op {
		case Write:
			bus.Write(e.Width, e.Address, e.Value)
		case Change:
			old := bus.Read(e.Width, e.Address)
			bus.Write(e.Width, e.Address, old&^e.Mask|e.Value&e.Mask)
		case Wait:
			if last, ok := await(bus, e); !ok {
				return &StuckError{Index: i, Entry: e, Last: last}
			}
		case Read:
			bus.Read(e.Width, e.Address)
		case Load:
			slots[e.Slot] = int32((bus.Read(e.Width, e.Address) & e.Mask) >> e.Shift)
		case Store:
			value := uint32(slots[e.Slot]) << e.Shift & e.Mask
			if e.Mask != e.Width.All() {
				value |= bus.Read(e.Width, e.Address) &^ e.Mask
			}
			bus.Write(e.Width, e.Address, value)
		default:
			return fmt.Errorf("entry %d: %v is not known", i, e.Op)
		}
	}
	return nil
}

func await(bus Bus, e Entry) (last uint32, ok bool) {
	for range e.Spins {
		last = bus.Read(e.Width, e.Address)
		if last&e.Mask == e.Value {
			return last, true
		}
	}
	return last, false
}
