// Package flashtest has lines to boot loaders, for tests of what programs chips by them.
package flashtest

import (
	"bufio"
	"io"
)

// A Faulty is the board's end of a line that spoils chosen bytes. Its fields are set before Listen.
type Faulty struct {
	Line io.ReadWriter

	Lose, Flip map[int]bool // bytes from the host that vanish or change, by their place in the stream
	LoseAnswer map[int]bool // bytes to the host that vanish
	Change     map[int]byte // bytes to the host that change

	in             *bufio.Reader
	received, sent int
}

// Listen begins to read the line; places go on from what has been read before.
func (f *Faulty) Listen() { f.in = bufio.NewReader(f.Line) }

// Next is the next byte from the host. It panics when the line closes.
func (f *Faulty) Next() byte {
	for {
		b, err := f.in.ReadByte()
		if err != nil {
			panic(err)
		}
		i := f.received
		f.received++
		if f.Lose[i] {
			continue
		}
		if f.Flip[i] {
			b ^= 0x10
		}
		return b
	}
}

// Put sends bytes to the host.
func (f *Faulty) Put(p ...byte) error {
	out := make([]byte, 0, len(p))
	for _, b := range p {
		i := f.sent
		f.sent++
		if v, ok := f.Change[i]; ok {
			b = v
		}
		if !f.LoseAnswer[i] {
			out = append(out, b)
		}
	}
	_, err := f.Line.Write(out)
	return err
}
