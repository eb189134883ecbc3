package esp

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/flash/flashtest"
)

// answers are those of a loader to some commands, of four bytes of status each.
func answers(commands ...byte) (out []byte) {
	for _, c := range commands {
		data := make([]byte, 4)
		if c == cmdSecurityInfo {
			data = append(make([]byte, 12), 5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0)
		}
		out = append(out, frame(append([]byte{1, c, byte(len(data)), 0, 0, 0, 0, 0}, data...))...)
	}
	return out
}

// FuzzProgram programs a chip that answers anything: it ends, and with an error, for nobody knows the MD5 of flash.
func FuzzProgram(f *testing.F) {
	f.Add(answers(cmdSync, cmdSecurityInfo, cmdSecurityInfo, cmdReadReg, cmdAttach, cmdSetParams, cmdFlashBegin, cmdFlashData, cmdMD5), uint8(14), false)
	f.Add(answers(cmdSync, cmdSync, cmdSecurityInfo), uint8(255), false)
	f.Add(answers(cmdSync), uint8(14), true)
	f.Add([]byte("rst:0x1 (POWERON),boot:0xc (SPI_FAST_FLASH_BOOT)\r\n"), uint8(100), false)
	f.Add([]byte{}, uint8(0), true)
	f.Add(bytes.Repeat([]byte{slipEnd, 1, slipEscape}, 64), uint8(4), true)
	quick := Timing{Sync: 50 * time.Microsecond, Answer: 100 * time.Microsecond, Erase: 100 * time.Microsecond, MD5: 100 * time.Microsecond}
	image, err := Encode(5, 0, 0, make([]byte, 3000))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte, piece uint8, chatter bool) {
		var endless []byte
		if chatter {
			endless = text
		}
		line := flashtest.NewTeller(text, int(piece), endless)
		line.Fails(t, func() error { return Program(t.Context(), line, c3, 0, image, Options{Timing: quick}) })
	})
}

// FuzzAnswer takes frames apart however they come, and packs them again.
func FuzzAnswer(f *testing.F) {
	f.Add(answers(cmdSync, cmdMD5), uint8(3))
	f.Add([]byte{slipEnd, slipEscape, slipEnd, slipEscape, slipEscapeEnd, slipEnd}, uint8(1))
	f.Add(append(bytes.Repeat([]byte{1}, maxFrame+5), slipEnd), uint8(200))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		var whole, parts deframer
		want := whole.take(text)
		var got [][]byte
		for rest := text; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			got = append(got, parts.take(rest[:n])...)
			rest = rest[n:]
		}
		require.Equal(t, want, got)
		for _, piece := range want {
			require.LessOrEqual(t, len(piece), maxFrame)
			if a, ok := parseAnswer(piece); ok {
				for n := range 40 {
					_ = a.status(n)
				}
			}
			if content, ok := unescape(piece); ok {
				var again deframer
				pieces := again.take(frame(content))
				require.Equal(t, [][]byte{piece}, pieces)
			}
		}
	})
}
