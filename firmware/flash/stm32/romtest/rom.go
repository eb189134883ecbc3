// Package romtest simulates the boot loader in the ROM of an STM32, with the
// faults of a line and of flash. It is written from AN3155 and shares nothing
// with the client, numbers included.
package romtest

import (
	"io"

	"github.com/copaflash/copaflash/firmware/flash/flashtest"
)

// A ROM is the board's end of a line. Its fields are set before Serve and read
// after it.
type ROM struct {
	flashtest.Faulty

	ID        uint16
	Erase     byte // the command that it has: 0x43 or 0x44
	Flash     []byte
	Sector    int // bytes
	Protected bool

	Stuck  int          // offset of a byte that is written as 0; -1: none
	Refuse map[byte]int // how often a command is refused

	Unlocked int    // how often
	Erased   []int  // sectors
	Started  uint32 // address; 0: not
}

// New returns an erased chip of 16 sectors that works.
func New(line io.ReadWriter) *ROM {
	r := &ROM{Faulty: flashtest.Faulty{Line: line}, ID: 0x413, Erase: 0x44, Sector: 1024, Flash: make([]byte, 16*1024), Stuck: -1, Refuse: map[byte]int{}}
	for i := range r.Flash {
		r.Flash[i] = 0xFF
	}
	return r
}

// Base is the address of flash.
const Base = 0x0800_0000

func (r *ROM) take(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = r.Next()
	}
	return p
}

func (r *ROM) put(p ...byte) {
	if err := r.Put(p...); err != nil {
		panic(err)
	}
}

// summed takes n bytes and their sum, and answers.
func (r *ROM) summed(n int) ([]byte, bool) {
	p := r.take(n + 1)
	x := byte(0)
	for _, b := range p {
		x ^= b
	}
	if x != 0 {
		r.put(0x1F)
		return nil, false
	}
	return p[:n], true
}

func (r *ROM) address() (int, bool) {
	p, ok := r.summed(4)
	if !ok {
		return 0, false
	}
	at := int(p[0])<<24 | int(p[1])<<16 | int(p[2])<<8 | int(p[3])
	if at < Base || at >= Base+len(r.Flash) {
		r.put(0x1F)
		return 0, false
	}
	r.put(0x79)
	return at - Base, true
}

// Serve runs until the line closes.
func (r *ROM) Serve() {
	defer func() { _ = recover() }()
	r.Listen()
	r.begin()
	for {
		c := r.Next()
		if r.Next() != c^0xFF {
			r.put(0x1F)
			continue
		}
		locked := r.Protected && (c == 0x11 || c == 0x21 || c == 0x31 || c == r.Erase)
		if locked || r.Refuse[c] > 0 || !r.knows(c) {
			r.Refuse[c]--
			r.put(0x1F)
			continue
		}
		r.put(0x79)
		r.carryOut(c)
	}
}

func (r *ROM) begin() {
	for r.Next() != 0x7F {
	}
	r.put(0x79)
}

func (r *ROM) commands() []byte {
	return []byte{0x00, 0x01, 0x02, 0x11, 0x21, 0x31, r.Erase, 0x63, 0x73, 0x82, 0x92}
}

func (r *ROM) knows(c byte) bool {
	for _, k := range r.commands() {
		if k == c {
			return true
		}
	}
	return false
}

func (r *ROM) carryOut(c byte) {
	switch c {
	case 0x00:
		r.put(byte(len(r.commands())), 0x31)
		r.put(r.commands()...)
		r.put(0x79)
	case 0x02:
		r.put(1, byte(r.ID>>8), byte(r.ID), 0x79)
	case 0x11:
		at, ok := r.address()
		if !ok {
			return
		}
		p := r.take(2)
		if p[0]^p[1] != 0xFF {
			r.put(0x1F)
			return
		}
		r.put(0x79)
		r.put(r.Flash[at : at+int(p[0])+1]...)
	case 0x21:
		if at, ok := r.address(); ok {
			r.Started = Base + uint32(at)
		}
	case 0x31:
		at, ok := r.address()
		if !ok {
			return
		}
		n := r.Next()
		p := r.take(int(n) + 2)
		x := n
		for _, b := range p {
			x ^= b
		}
		if x != 0 || at%4 != 0 {
			r.put(0x1F)
			return
		}
		for i, b := range p[:len(p)-1] {
			r.Flash[at+i] &= b // writing clears bits only
			if at+i == r.Stuck {
				r.Flash[at+i] = 0
			}
		}
		r.put(0x79)
	case 0x43:
		n := int(r.Next()) + 1
		p := r.take(n + 1)
		x := byte(n - 1)
		for _, b := range p {
			x ^= b
		}
		if x != 0 {
			r.put(0x1F)
			return
		}
		for _, s := range p[:n] {
			r.wipe(int(s))
		}
		r.put(0x79)
	case 0x44:
		head := r.take(2)
		n := int(head[0])<<8 + int(head[1]) + 1
		p := r.take(2*n + 1)
		x := head[0] ^ head[1]
		for _, b := range p {
			x ^= b
		}
		if x != 0 {
			r.put(0x1F)
			return
		}
		for i := range n {
			r.wipe(int(p[2*i])<<8 + int(p[2*i+1]))
		}
		r.put(0x79)
	case 0x92:
		for i := range r.Flash {
			r.Flash[i] = 0xFF
		}
		r.Protected = false
		r.Unlocked++
		r.put(0x79)
		r.begin()
	}
}

func (r *ROM) wipe(s int) {
	r.Erased = append(r.Erased, s)
	for i := s * r.Sector; i < (s+1)*r.Sector && i < len(r.Flash); i++ {
		r.Flash[i] = 0xFF
	}
}
