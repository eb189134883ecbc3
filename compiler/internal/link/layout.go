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

// layout is where offset 0 of each region of the data block lies. Behind the header lie the
// addresses of the runner's services that the program calls: short offsets reach them
// on every architecture.
type layout struct {
	base     [lir.NumRegions]uint32
	size     uint32 // of the data block
	services uint32 // bytes
}

func newLayout(d *lir.Data, services int) layout {
	order := [lir.NumRegions]lir.Region{lir.Words, lir.Slots, lir.Arrays}
	if d.Slots > nearSlots && len(d.Arrays) > 0 {
		order = [lir.NumRegions]lir.Region{lir.Words, lir.Arrays, lir.Slots}
	}
	l := layout{services: uint32(4 * services)}
	at := headerBytes + int(l.services)
	for _, r := range order {
		align := 8 // doubles
		if r == lir.Arrays {
			align = d.ArrayAlign()
		}
		at = (at + align - 1) &^ (align - 1)
		from, to := d.Bounds(r)
		l.base[r] = uint32(at - from)
		at += to - from
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
	middle := l.offset(lir.At(lir.Arrays, lir.Middle))
	if len(d.Arrays) > 0 {
		end = int(middle)
	}
	data = make([]byte, end)
	for i, w := range d.Words {
		binary.LittleEndian.PutUint32(data[l.base[lir.Words]+4*uint32(i):], w)
	}
	for i, w := range d.Arrays {
		binary.LittleEndian.PutUint32(data[middle-4*uint32(i+1):], w)
	}
	for len(data) > 0 && data[len(data)-1] == 0 && (l.services == 0 || len(data) > headerBytes+int(l.services)) {
		data = data[:len(data)-1]
	}
	data = data[:(len(data)+3)&^3]
	return data, l.size - uint32(len(data))
}
