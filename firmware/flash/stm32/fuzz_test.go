package stm32

import (
	"bytes"
	"testing"
	"time"

	"github.com/copaflash/copaflash/firmware/flash/flashtest"
	"github.com/copaflash/copaflash/firmware/flash/stm32/romtest"
)

// FuzzProgram programs a chip that answers anything: it ends, within the times that
// were given, and with an error unless flash reads back as what was written.
func FuzzProgram(f *testing.F) {
	f.Add([]byte{ack, ack, 11, 0x31, cmdGet, cmdGetID, cmdRead, cmdGo, cmdWrite, cmdErase, ack}, uint8(1), false)
	f.Add([]byte{ack, ack, 255}, uint8(3), false)
	f.Add([]byte{nack, nack, nack, nack}, uint8(1), false)
	f.Add([]byte{}, uint8(0), true)
	f.Add(bytes.Repeat([]byte{ack, 1, 4, 0x13}, 64), uint8(4), true)
	quick := Timing{Answer: 100 * time.Microsecond, Wake: 50 * time.Microsecond, Erase: 100 * time.Microsecond, Unlock: 100 * time.Microsecond}
	f.Fuzz(func(t *testing.T, answers []byte, piece uint8, chatter bool) {
		var endless []byte
		if chatter {
			endless = bytes.Repeat([]byte{ack}, 64)
		}
		line := flashtest.NewTeller(answers, int(piece), endless)
		line.Fails(t, func() error {
			return Program(t.Context(), line, chip(), romtest.Base+1024, program(), Options{Timing: quick, Unlock: true})
		})
	})
}
