//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/patch"
)

// Sizes, all of them whole pages of any system.
const (
	page      = 65536
	reach     = 2 << 30 // as far as a 32-bit offset leads
	near      = 1 << 20 // where there is no room for that
	stackSize = page
	gateSize  = image.Alignment
	shortCall = 20_000 // instructions, 1 to 7 us: what a collection may wait for
)

// slot is a call under way. Those of all programs lie together, for a handler of signals.
type slot struct {
	//lint:ignore U1000 for the assembly: of the caller, 0 between calls; the gate knows the offset of back
	g, sp, back uintptr
	//lint:ignore U1000 likewise
	faulted  bool
	pc, addr uintptr // of a fault
	taken    atomic.Bool
}

const numSlots = 4096

var slots [numSlots]slot

func takeSlot() *slot {
	for i := range slots {
		if slots[i].taken.CompareAndSwap(false, true) {
			return &slots[i]
		}
	}
	return nil
}

// Program is a program that can be called. It has one data block and one stack, so calls
// must not overlap; load it once for each goroutine that calls it.
type Program struct {
	all                     []byte // everything reserved
	data                    []byte
	slot                    *slot
	gate, code, base, stack uintptr
	entry                   uintptr
	long                    bool
}

// Load copies a program into memory, applies its patches and makes its code executable.
// The error wraps ErrUnsupported where the program is for other processors or the
// system allows no new code.
func Load(m *image.Image) (*Program, error) {
	if m.Arch != Arch {
		return nil, fmt.Errorf("native: a program for %s: %w", m.Arch, ErrUnsupported)
	}
	if lacks := m.Features &^ Features(); lacks != 0 {
		return nil, fmt.Errorf("native: the processor lacks %v: %w", lacks, ErrUnsupported)
	}
	if m.Budget.StackBytes > stackSize/2 {
		return nil, fmt.Errorf("native: a stack of %d bytes: %w", m.Budget.StackBytes, ErrUnsupported)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	p := &Program{slot: takeSlot(), long: m.Budget.Instructions > shortCall}
	if p.slot == nil {
		return nil, fmt.Errorf("native: more than %d programs: %w", numSlots, ErrUnsupported)
	}
	if err := p.place(m); err != nil {
		return nil, errors.Join(fmt.Errorf("native: %w", err), p.Close())
	}
	return p, nil
}

func pages(n uint64) int { return int((n + page - 1) &^ (page - 1)) }

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// place lays out gate and code, a page, the stack, a guard, the data and three guards. The data ends at its
// guard, but for the alignment. Guards are not mapped: from the start of the data no 32-bit offset, and no
// unsigned index of 32 bits with one, leads to anything else of this process.
func (p *Program) place(m *image.Image) (err error) {
	block := (m.DataSize() + image.Alignment - 1) &^ (image.Alignment - 1)
	dataSize, codeSize := pages(max(block, 1)), pages(gateSize+uint64(len(m.Code)))
	guard := reach
	if p.all, err = reserve(codeSize + page + stackSize + guard + dataSize + 3*guard); err != nil {
		guard = near
		p.all, err = reserve(codeSize + page + stackSize + guard + dataSize + 3*guard)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrUnsupported)
	}
	text, stack, data := p.all[:codeSize], p.all[codeSize+page:][:stackSize], p.all[codeSize+page+stackSize+guard:][:dataSize]
	for _, b := range [][]byte{data, stack, text} {
		if err := protect(b, readWrite); err != nil {
			return fmt.Errorf("%w: %w", err, ErrUnsupported)
		}
	}
	data = data[uint64(dataSize)-block:]
	p.data, p.base = data[:m.DataSize():m.DataSize()], address(data)
	p.stack, p.gate = address(stack)+stackSize, address(text)
	copy(text, gate)
	code := text[gateSize:]
	p.code = address(code)
	p.entry = p.code + uintptr(m.Entries[0].Offset)
	copy(data, m.Data)
	copy(code, m.Code)
	memory := patch.Memory{
		Code: patch.Region{Bytes: code[:len(m.Code)], Address: uint64(p.code)},
		Data: patch.Region{Bytes: p.data, Address: uint64(p.base)},
	}
	if err := patch.Apply(m.Patches, memory); err != nil {
		return err
	}
	if err := protect(text, readExecute); err != nil {
		return fmt.Errorf("%w: %w", err, ErrUnsupported)
	}
	syncCode(p.gate, p.code+uintptr(len(m.Code)))
	return nil
}

// Data is the data block, with symbols at their offsets. Nobody may touch it during a call
// or after Close.
func (p *Program) Data() []byte { return p.data }

// Run runs the program once. The error is a *Fault, and only where GuardFaults has been called;
// elsewhere a fault ends the process.
func (p *Program) Run() error {
	faulted := false
	if p.long {
		faulted = callLong(p.gate, p.entry, p.base, p.stack, p.slot)
	} else {
		faulted = call(p.gate, p.entry, p.base, p.stack, p.slot)
	}
	if faulted {
		return &Fault{PC: int64(p.slot.pc - p.code), Address: int64(p.slot.addr - p.base)}
	}
	runtime.KeepAlive(p)
	return nil
}

// Close gives the memory back.
func (p *Program) Close() error {
	if p.slot == nil {
		return nil
	}
	p.slot.taken.Store(false)
	all := p.all
	*p = Program{}
	if all == nil {
		return nil
	}
	return release(all)
}
