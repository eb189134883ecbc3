package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/build/runner"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// apartMemory gives a machine with a Cortex-M7 memory of its own for code, as an STM32H743 has it.
const apartMemory = `
FLASH_BASE = 0;
FLASH_SIZE = 1M;
CODE_BASE = 0x00200000;
CODE_SIZE = 1M;
RAM_BASE = 0x20000000;
RAM_SIZE = 4M;
PROGRAM_STACK = 16K;
PROGRAM_DATA = 2M - PROGRAM_STACK;
PROGRAM_CODE = 896K;
RUNNER_STACK = 4K;
FIRST_IRQ = 0;
PREFIX = 0;
`

// Where code has memory of its own, programs run there and are confined as everywhere: QEMU has no board of that kind, so it is another one's
// runner with such a memory.ld.
func TestCodeApart(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	board, err := boards.Find("mps2-an500")
	require.NoError(t, err)
	tools, err := runner.ReadToolchains(root, "firmware/arch")
	require.NoError(t, err)
	target, err := runner.BoardTarget(tools, &board)
	require.NoError(t, err)
	needTool(t, target.Tools.Compiler, target.Tools.Package)
	needTool(t, board.QEMU.Binary, board.QEMU.Package)

	script := filepath.Join(t.TempDir(), "memory.ld")
	require.NoError(t, os.WriteFile(script, []byte(apartMemory), 0o600))
	for i, flag := range target.Flags {
		if strings.HasSuffix(flag, "/memory.ld") {
			target.Flags[i] = "-Wl,-T," + script
		}
	}
	target.Flags = append(target.Flags, "-DCF_CODE_APART")
	board.Image, _, err = build(root, &target)
	require.NoError(t, err)

	machine, err := emulator.Start(t.Context(), board, emulator.Options{})
	require.NoError(t, err)
	defer machine.Close()
	line, err := transport.OpenSerial(machine.TTY(), int(board.UART.Bauds[0]))
	require.NoError(t, err)
	s, err := session.Open(t.Context(), line, session.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.Zero(t, s.Info().Conditions&packet.ConditionUnconfined)

	const (
		resultAt     = 16
		read, write  = 0x680a, 0x600a // ldr r2, [r1]; str r2, [r1]
		jump         = 0x4708         // bx r1
		ownCode      = 0x00220000
		belowCode    = 0x00200000
		behindCode   = 0x00300000
		ownData      = 0x20004000
		runnersData  = 0x20200000
		outsideChip  = 0x60000000
		runnersFlash = 0x00000000
	)
	load := func(halves ...uint16) {
		var code []byte
		for _, h := range halves {
			code = binary.LittleEndian.AppendUint16(code, h)
		}
		_, err := s.Load(t.Context(), &packet.Image{Arch: packet.ArchThumbv7emDp, Code: code, BSS: 64, Entries: []uint32{0}}, nil)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		name        string
		address     uint32
		instruction uint16
	}{
		{"write to its own code", ownCode, write},
		{"read below its code", belowCode, read},
		{"read behind its code", behindCode, read},
		{"execute its data", ownData + 1, jump},
		{"read variables of the runner", runnersData, read},
		{"read text of the runner", runnersFlash, read},
		{"read what is outside the chip", outsideChip, read},
	} {
		load(0x4901 /* ldr r1, [pc, #4] */, c.instruction, 0x4770 /* bx lr */, 0xbf00, uint16(c.address), uint16(c.address>>16))
		_, err := s.Run(t.Context(), session.Run{Count: 1})
		var fault *session.FaultError
		require.ErrorAs(t, err, &fault, c.name)
		require.Equal(t, packet.FaultMemory, fault.Kind, c.name)
		require.EqualValues(t, c.address&^1, fault.Address, c.name)

		load(0x6901 /* ldr r1, [r0, #16] */, 0x3101 /* adds r1, #1 */, 0x6101 /* str r1, [r0, #16] */, 0x4770 /* bx lr */)
		_, err = s.Run(t.Context(), session.Run{Count: 7})
		require.NoError(t, err)
		data, err := s.Read(t.Context(), resultAt, 4)
		require.NoError(t, err)
		require.EqualValues(t, 7, binary.LittleEndian.Uint32(data))
	}
}
