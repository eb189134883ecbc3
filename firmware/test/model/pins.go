package model

import (
	"encoding/binary"
	"math"

	"github.com/copaflash/copaflash/protocol/packet"
)

// pins are the lists of a program by their numbers.
type pins [4][]pinEntry

const (
	startList = iota
	beforeList
	afterList
	safeList
)

// A pinEntry is an operation on a register.
type pinEntry struct {
	number               uint32 // in all lists, from 1 on
	read, write, slot    bool
	width                uint32 // bytes
	shift, reads         uint32
	address, mask, value uint32
}

const pinBytes = 16

// parsePin reads an entry; ok is false if no list may have it.
func parsePin(code []byte, place, number uint32) (e pinEntry, ok bool) {
	word := func(i uint32) uint32 { return binary.LittleEndian.Uint32(code[place+4*i:]) }
	control := word(0)
	bits := packet.PinBits(control)
	e = pinEntry{
		number: number, read: bits&packet.PinRead != 0, write: bits&packet.PinWrite != 0, slot: bits&packet.PinSlot != 0,
		width: 1 << (control >> 4 & 3), shift: control >> 8 & 31, reads: control >> 16, address: word(1), mask: word(2), value: word(3),
	}
	known := uint32(packet.PinRead|packet.PinWrite|packet.PinSlot) | 3<<4 | 31<<8 | math.MaxUint16<<16
	return e, control&^known == 0 && e.width <= 4 && e.address%e.width == 0
}

// checkPins reads and checks the lists at a place; those that are not allowed have the number of the first wrong entry.
func (r *Runner) checkPins(m *image, place uint32) (p pins, wrong uint32, ok bool) {
	if place == 0 {
		return p, 0, true
	}
	if place%4 != 0 || !within(place, pinBytes, m.CodeLength) {
		return p, 1, false
	}
	code := r.code[m.codeAt:][:m.CodeLength]
	at, number := place, uint32(0)
	for list := range p {
		for range binary.LittleEndian.Uint32(code[place+4*uint32(list):]) {
			at += pinBytes
			number++
			if !within(at, pinBytes, m.CodeLength) {
				return p, number, false
			}
			e, ok := parsePin(code, at, number)
			simple := !e.slot && e.shift == 0 && e.reads == 0
			inside := e.value%4 == 0 && within(e.value, 4, m.DataLength+m.BSSLength)
			useful := (e.read || e.write) && e.reads == 0
			if !ok || list == safeList && !simple || e.slot && !(inside && useful) || !r.reachable(&e) {
				return p, number, false
			}
			p[list] = append(p[list], e)
		}
	}
	return p, 0, true
}

// reachable tells whether the register is in a window, and what is written are bits that may change there.
func (r *Runner) reachable(e *pinEntry) bool {
	for _, w := range r.Windows {
		in := e.address >= w.Address && uint64(e.address)+uint64(e.width) <= uint64(w.Address)+uint64(w.Length)
		masked := e.read && e.width == 4 && e.mask&^w.Bits == 0
		if in && (!e.write || w.Bits == math.MaxUint32 || masked) {
			return true
		}
	}
	return false
}

// register is the bytes of one, and whether it is in the last window.
func (r *Runner) register(e *pinEntry) (bytes []byte, counts bool) {
	at := uint32(0)
	for i, w := range r.Windows {
		if offset := e.address - w.Address; offset < w.Length {
			return r.registers[at+offset:][:e.width], i == len(r.Windows)-1
		}
		at += w.Length
	}
	panic("outside of the windows")
}

func (r *Runner) readRegister(e *pinEntry) uint32 {
	bytes, counts := r.register(e)
	if counts {
		all := r.registers[len(r.registers)-4:]
		binary.LittleEndian.PutUint32(all, binary.LittleEndian.Uint32(all)+1)
	}
	var word [4]byte
	copy(word[:], bytes)
	return binary.LittleEndian.Uint32(word[:])
}

func (r *Runner) writeRegister(e *pinEntry, value uint32) {
	bytes, _ := r.register(e)
	copy(bytes, binary.LittleEndian.AppendUint32(nil, value))
}

// runPins carries out a list of the program that runs. It is false if an entry has waited in vain, and the fault record tells.
func (r *Runner) runPins(list int) bool {
	p := r.loop.running()
	for _, e := range p.pins[list] {
		value, old := e.value, uint32(0)
		var slot []byte
		if e.slot {
			slot = r.data[p.at+e.value:][:4]
			value = binary.LittleEndian.Uint32(slot) << e.shift
		}
		if e.read {
			old = r.readRegister(&e)
			for reads := uint32(1); e.reads != 0 && old&e.mask != value; reads++ {
				if reads == e.reads {
					r.loop.fault = &packet.Fault{Kind: packet.FaultWait, Address: uint64(e.address), Entry: e.number, Run: r.loop.tick, Cause: uint64(old)}
					return false
				}
				old = r.readRegister(&e)
			}
		}
		if e.write {
			r.writeRegister(&e, old&^e.mask|value&e.mask)
		} else if e.slot {
			binary.LittleEndian.PutUint32(slot, old&e.mask>>e.shift)
		}
	}
	return true
}
