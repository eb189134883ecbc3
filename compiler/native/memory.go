//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// Sizes, all of them whole pages of any system.
const (
	page      = 65536
	reach     = 2 << 30 // as far as a 32-bit offset leads
	near      = 1 << 20 // where there is no room for that
	stackSize = page
	gateSize  = image.Alignment
)

// memory is what a program lies in.
type memory struct {
	all   []byte // everything reserved
	text  []byte // gate and code, and the rest of their last page
	data  []byte
	stack uintptr // its top
	image *image.Image
	slot  *slot
}

func pages(n uint64) int { return int((n + page - 1) &^ (page - 1)) }

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func (m *memory) code() uintptr { return address(m.text) + gateSize }

// place puts a program into memory of its own.
func place(img *image.Image) (*memory, error) {
	m := &memory{slot: takeSlot(), image: img}
	if m.slot == nil {
		return nil, fmt.Errorf("%d programs are loaded, close some: %w", mostPrograms(), ErrUnsupported)
	}
	if err := m.fill(img); err != nil {
		return nil, errors.Join(err, m.release())
	}
	return m, nil
}

// fill lays out a page, gate and code, a page, the stack, a guard, the data and three guards. The data ends
// at its guard, but for the alignment. Guards are not mapped: from the start of the data no 32-bit offset,
// and no unsigned index of 32 bits with one, leads to anything else of this process.
func (m *memory) fill(img *image.Image) (err error) {
	block := (img.DataSize() + image.Alignment - 1) &^ (image.Alignment - 1)
	dataSize, textSize := pages(max(block, 1)), pages(gateSize+uint64(len(img.Code)))
	guard := reach
	for {
		m.all, err = reserve(page + textSize + page + stackSize + guard + dataSize + 3*guard)
		if err == nil {
			break
		}
		if guard == near {
			return unsupported(err)
		}
		guard = near
	}
	text, rest := m.all[page:][:textSize], m.all[page+textSize+page:]
	stack, data := rest[:stackSize], rest[stackSize+guard:][:dataSize]
	for _, b := range [][]byte{data, stack, text} {
		if err := protect(b, readWrite); err != nil {
			return unsupported(err)
		}
	}
	data = data[uint64(dataSize)-block:]
	m.text, m.data, m.stack = text, data[:img.DataSize():img.DataSize()], address(stack)+stackSize
	copy(text, gate)
	if err := m.write(text[gateSize:][:len(img.Code)]); err != nil {
		return err
	}
	if err := protect(text, readExecute); err != nil {
		return unsupported(err)
	}
	return syncCode(address(text), m.code()+uintptr(len(img.Code)))
}

// write writes what is not zero of the data block, and the code to a place that need not be that of m.text.
func (m *memory) write(code []byte) error {
	copy(code, m.image.Code)
	copy(m.data, m.image.Data)
	return patch.Apply(m.image.Patches, patch.Memory{
		Code: patch.Region{Bytes: code, Address: uint64(m.code())},
		Data: patch.Region{Bytes: m.data, Address: uint64(address(m.data))},
	})
}

// unsupported does not wrap the system's error: a refusal by it is not one of a file.
func unsupported(err error) error { return fmt.Errorf("%v: %w", err, ErrUnsupported) }

// release gives the address space back, and the slot.
func (m *memory) release() error {
	if m.slot != nil {
		m.slot.give()
	}
	if m.all == nil {
		return nil
	}
	return release(m.all)
}

// fault says what the handler of signals has noted.
func (m *memory) fault(s *slot) *Fault {
	f := &Fault{
		Kind: packet.FaultOther, PC: int64(s.pc - m.code()), Inside: s.pc-m.code() < uintptr(len(m.image.Code)),
		Address: int64(s.addr - address(m.data)), Cause: uint32(s.cause),
	}
	if kind, ok := faultKinds[f.Cause>>16]; ok {
		f.Kind = kind
	}
	if f.Cause == misaligned {
		f.Kind = packet.FaultAlignment
	}
	if bottom := m.stack - stackSize; f.Kind == packet.FaultMemory && bottom-s.addr <= page {
		f.Kind = packet.FaultStack
	}
	return f
}
