//go:build linux

package emulator_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/rv32/rv32test"
	"github.com/copaflash/copaflash/protocol/packet"
)

// echoes is a program for an ESP32-C3: what comes by USB it sends back.
func echoes() *rv32test.Program {
	const ep1, free, available = 0x60043000, 2, 4
	p := new(rv32test.Program)
	p.Store(0x600080a8, 0x50d83aa1).Store(0x60008090, 0)           // the RTC's watchdog
	p.Store(0x600080b0, 0x8f1d312a).Store(0x600080ac, 0x44b00000)  // the super watchdog
	p.Store(0x6001f064, 0x50d83aa1).Store(0x6001f048, 0x0040_0000) // that of timer group 0
	p.LI(rv32test.S0, ep1).ADDI(rv32test.S1, rv32test.Zero, 1)
	top := p.Here()
	p.LW(rv32test.A0, 4, rv32test.S0).ANDI(rv32test.A0, rv32test.A0, available).BEQ(rv32test.A0, rv32test.Zero, top)
	p.LW(rv32test.A1, 0, rv32test.S0)
	wait := p.Here()
	p.LW(rv32test.A0, 4, rv32test.S0).ANDI(rv32test.A0, rv32test.A0, free).BEQ(rv32test.A0, rv32test.Zero, wait)
	p.SW(rv32test.A1, 0, rv32test.S0).SW(rv32test.S1, 4, rv32test.S0)
	return p.J(top)
}

// boardOf is a board with an ESP32-C3 whose image is a program.
func boardOf(t *testing.T, p *rv32test.Program) boards.Board {
	t.Helper()
	const load, run = 0x3fc90000, 0x40390000
	data := p.Bytes()
	header := elf.Header32{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_RISCV), Version: 1, Entry: run, Phoff: 52, Ehsize: 52, Phentsize: 32, Phnum: 1,
	}
	copy(header.Ident[:], "\x7fELF\x01\x01\x01")
	segment := elf.Prog32{
		Type: uint32(elf.PT_LOAD), Off: 84, Vaddr: run, Paddr: load, Filesz: uint32(len(data)), Memsz: uint32(len(data)), Flags: 5,
	}
	var file bytes.Buffer
	for _, part := range []any{header, segment, data} {
		require.NoError(t, binary.Write(&file, binary.LittleEndian, part))
	}
	return boards.Board{Name: "esp32-c3", Chip: "esp32c3", Image: file.Bytes()}
}

// The TTY of a simulated ESP32-C3 is its port over USB; what comes first is from its boot ROM.
func TestESP32C3(t *testing.T) {
	t.Parallel()
	s, err := emulator.Simulate(t.Context(), boardOf(t, echoes()), "")
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, s.TTY(), s.USB())
	tty, err := os.OpenFile(s.TTY(), os.O_RDWR, 0)
	require.NoError(t, err)
	defer tty.Close()

	other, err := os.OpenFile(s.TTY(), os.O_RDWR, 0) // who closes it again does not close it for all
	require.NoError(t, err)
	require.NoError(t, other.Close())

	text := bytes.Repeat([]byte("around the world in eighty bytes, and more than one packet. "), 5)
	_, err = tty.Write(text)
	require.NoError(t, err)
	var got []byte
	for deadline := time.Now().Add(answerTime); !bytes.HasSuffix(got, text); {
		require.True(t, time.Now().Before(deadline), "%q", got)
		buffer := make([]byte, 512)
		n, err := tty.Read(buffer)
		require.NoError(t, err)
		got = append(got, buffer[:n]...)
	}
	var state chipState
	require.NoError(t, s.Do("state", nil, &state))
	require.Empty(t, state.Complaints)
	require.Zero(t, state.Resets)
	require.EqualValues(t, 20e6, state.Hz)

	require.NoError(t, s.Do("reset", nil, nil))
	require.NoError(t, s.Do("state", nil, &state))
	require.Equal(t, 1, state.Resets)
	require.Error(t, s.Do("cable", nil, nil), "of a Pico")
	require.NoError(t, s.Close())
	require.Error(t, s.Err())
}

// A program that goes away with answers unread leaves a packet in the chip, which nobody fetches; the next one is heard all the same.
func TestPortOfAnESP32C3ThatIsClosed(t *testing.T) {
	t.Parallel()
	b, err := boards.Find("esp32-c3")
	require.NoError(t, err)
	board := simulate(t, b)
	for n := range uint32(5) {
		c := dial(t, board.TTY())
		c.isa = isaOf(t, b)
		nonce := c.hello(10 * n).BootNonce
		for i := range 20 {
			c.send(&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 10*n + uint32(i)})
		}
		require.NoError(t, c.tty.Close())
		time.Sleep(200 * time.Millisecond)

		c = dial(t, board.TTY())
		c.isa = isaOf(t, b)
		require.Equal(t, nonce, c.hello(10*n+5).BootNonce)
		runCounter(c)
		require.NoError(t, c.tty.Close())
	}
	require.Zero(t, stateOf(t, board).Resets)
}
