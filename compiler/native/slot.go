//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"sync"
	"sync/atomic"
)

// slot is what a handler of signals needs to know of a call under way. Those of all programs lie
// together, each in cache lines of its own.
type slot struct {
	//lint:ignore U1000 for the assembly: of the caller, 0 between calls; the gate knows the offset of back
	g, sp, back uintptr
	//lint:ignore U1000 likewise
	faulted         bool
	pc, addr, cause uintptr // of a fault
	_               [9]uintptr
}

// maxPrograms is more than fit into 47 bits of address space.
const maxPrograms = 16384

var (
	slots [maxPrograms]slot
	// usedSlots is how many of them have ever been taken.
	usedSlots uint32

	slotsLock sync.Mutex
	freeSlots []*slot
	loaded    atomic.Int32
)

func takeSlot() *slot {
	slotsLock.Lock()
	defer slotsLock.Unlock()
	if n := len(freeSlots); n > 0 {
		s := freeSlots[n-1]
		freeSlots = freeSlots[:n-1]
		loaded.Add(1)
		return s
	}
	if usedSlots >= mostPrograms() {
		return nil
	}
	s := &slots[usedSlots]
	atomic.AddUint32(&usedSlots, 1)
	loaded.Add(1)
	return s
}

func (s *slot) give() {
	slotsLock.Lock()
	defer slotsLock.Unlock()
	freeSlots = append(freeSlots, s)
	loaded.Add(-1)
}
