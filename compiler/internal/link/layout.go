package link

import (
	"encoding/binary"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// headerBytes are the reserved words at the start of the data block: the sticky
// flags and three zeros.
const headerBytes = 16

// nearSlots bounds the zeros in bytes that are sent so that slots lie near the
// base, in front of initialised arrays.
const nearSlots = 1024

// layout is where each region of the data block starts. Behind the header lie the
// addresses of the runner's services that the program calls: short offsets reach them
// on every architecture.
type layout struct {
	base     [lir.NumRegions]uint32
	size     uint32 // of the data block
	services uint32 // bytes
}

func newLayout(d *lir.Data, services int) layout {
	sizes := [lir.NumRegions]int{lir.Words: 4 * len(d.Words), lir.Slots: d.Slots, lir.Arrays: 4 * len(d.Arrays), lir.Scratch: d.Scratch}
	order := [lir.NumRegions]lir.Region{lir.Words, lir.Slots, lir.Arrays, lir.Scratch}
	if d.Slots > nearSlots {
		order = [lir.NumRegions]lir.Region{lir.Words, lir.Arrays, lir.Slots, lir.Scratch}
	}
	l := layout{services: uint32(4 * services)}
	at := headerBytes + int(l.services)
	for _, r := range order {
		align := 8 // doubles
		if r == lir.Arrays || r == lir.Scratch {
			align = d.ArrayAlign()
		}
		at = (at + align - 1) &^ (align - 1)
		l.base[r] = uint32(at)
		at += sizes[r]
	}
	l.size = uint32(at)
	return l
}

// offset is the byte offset of a place in the data block; 0 for no place.
func (l *layout) offset(a lir.Addr) uint32 {
	if a == lir.NoAddr {
		return 0
	}
	return l.base[a.Region()] + uint32(a.Offset())
}

// image is the initialised part of the data block. Zeros at its end are left to
// the runner.
func (l *layout) image(d *lir.Data) (data []byte, bss uint32) {
	end := headerBytes + int(l.services)
	if n := len(d.Words); n > 0 {
		end = int(l.base[lir.Words]) + 4*n
	}
	if n := len(d.Arrays); n > 0 {
		end = int(l.base[lir.Arrays]) + 4*n
	}
	data = make([]byte, end)
	put := func(r lir.Region, words []uint32) {
		b := data[l.base[r]:]
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[4*i:], w)
		}
	}
	if len(d.Words) > 0 {
		put(lir.Words, d.Words)
	}
	if len(d.Arrays) > 0 {
		put(lir.Arrays, d.Arrays)
	}
	for len(data) > 0 && data[len(data)-1] == 0 && (l.services == 0 || len(data) > headerBytes+int(l.services)) {
		data = data[:len(data)-1]
	}
	data = data[:(len(data)+3)&^3]
	return data, l.size - uint32(len(data))
}
