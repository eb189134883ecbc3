package model

import "encoding/binary"

// A block is the data of an image in data memory.
type block struct{ at, length uint32 }

// way is what is done with a list.
type way int

const (
	check way = iota
	gather
	scatter
)

const anyLength = 1 << 32

// behind is the place of values that follow their list.
const behind = 0

// liveWord is a word of live memory; ok is false if there is none.
func (r *Runner) liveWord(at uint32) (v uint32, ok bool) {
	if at%4 != 0 || !within(at, 4, r.LiveSize) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(r.live[at:]), true
}

// carry goes through a list, part by part, and copies at most so many bytes. ok is false from the first part on
// that is not valid; those before it have been copied. Nothing is known in advance, since what is gathered may
// be written over the list.
func (r *Runner) carry(b block, list, values uint32, most uint64, w way) (bytes uint32, ok bool) {
	count, ok := r.liveWord(list)
	if !ok || uint64(list)+4+8*uint64(count) > uint64(r.LiveSize) {
		return 0, false
	}
	item := list + 4
	if values == behind {
		values = item + 8*count
	}
	for ; count > 0; count-- {
		offset, _ := r.liveWord(item)
		n, _ := r.liveWord(item + 4)
		item += 8
		at := values + bytes
		if offset%4 != 0 || n%4 != 0 || at%4 != 0 || uint64(bytes)+uint64(n) > most || !within(offset, n, b.length) || !within(at, n, r.LiveSize) {
			return bytes, false
		}
		data, live := r.data[b.at+offset:][:n], r.live[at:][:n]
		switch w {
		case gather:
			copy(live, data)
		case scatter:
			copy(data, live)
		}
		bytes += n
	}
	return bytes, true
}

// setAll gives variables the values behind a list, all or none.
func (r *Runner) setAll(b block, list uint32) bool {
	if _, ok := r.carry(b, list, behind, anyLength, check); !ok {
		return false
	}
	r.carry(b, list, behind, anyLength, scatter)
	return true
}
