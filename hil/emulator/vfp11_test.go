//go:build linux

package emulator_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Instructions after which the VFP11 of a Raspberry Pi 1 was seen to refuse a move, with this FPEXC (torvalds/linux, commit
// 5e4ba617c1b5): s3 is subnormal.
const (
	firstHandedOver  = 0xee312ac1 // vsub.f32 s4, s3, s2
	secondHandedOver = 0xee702ac0 // vsub.f32 s5, s1, s0
	fpexcHandedOver  = 0xd0000780 // EX, EN, FP2V; INV, and 7 in VECITR
)

// handedOver is a program with these instructions, at subtract, and the move at refuse. Before them it gives registers known contents;
// behind them it stores s3 as it was moved, the core's flags, s4, s5, FPSCR and the sum of all other registers.
func handedOver() (code []byte, subtract, refuse uint64, sum uint32) {
	var words []uint32
	add := func(w ...uint32) { words = append(words, w...) }
	single := func(n uint32) uint32 { return n>>1<<16 | n&1<<7 }
	offset := func() uint64 { return uint64(4 * len(words)) }
	for n, move := range []uint32{0xe3a015fa /* mov r1, #0.25 */, 0xe3a015ff /* #1.5 */, 0xe3a01000, 0xe3a01001 /* #2^-149 */} {
		add(move, 0xee001a10|single(uint32(n)) /* vmov s<n>, r1 */)
	}
	for n := uint32(4); n < 32; n++ {
		add(0xe3a01000|n /* mov r1, #n */, 0xee001a10|single(n))
		if n > 5 {
			sum += n
		}
	}
	for n := uint32(2); n <= 12; n++ {
		add(0xe3a00000 | n<<12 | n /* mov r<n>, #n */)
		sum += n
	}
	add(0xe1520003 /* cmp r2, r3 */)
	subtract = offset()
	add(firstHandedOver, secondHandedOver)
	refuse = offset()
	add(
		0xee111a90, // vmov r1, s3
		0xe5801010, // str r1, [r0, #16]
		0xe10f1000, // mrs r1, cpsr
		0xe5801014, // str r1, [r0, #20]
		0xed802a06, // vstr s4, [r0, #24]
		0xedc02a07, // vstr s5, [r0, #28]
		0xeef11a10, // vmrs r1, fpscr
		0xe5801020, // str r1, [r0, #32]
	)
	for n := uint32(3); n <= 12; n++ {
		add(0xe0822000 | n /* add r2, r2, r<n> */)
	}
	for n := uint32(6); n < 32; n++ {
		add(0xee101a10|single(n) /* vmov r1, s<n> */, 0xe0822001 /* add r2, r2, r1 */)
	}
	add(0xe5802024 /* str r2, [r0, #36] */, a32Ret)
	return image(words...), subtract, refuse, sum
}

// behind returns the address behind instructions that the runner of a board has once.
func behind(t *testing.T, name string, words ...uint32) uint64 {
	t.Helper()
	board, err := boards.Find(name)
	require.NoError(t, err)
	runner, err := board.Flat()
	require.NoError(t, err)
	code := image(words...)
	require.Equal(t, 1, bytes.Count(runner.Data, code))
	return runner.Address + uint64(bytes.Index(runner.Data, code)+len(code))
}

// until lets the machine go on to an address; begin, if not nil, is called when it does.
func (d *debugger) until(address uint64, begin func()) {
	d.t.Helper()
	require.Equal(d.t, "OK", d.ask(fmt.Sprintf("Z1,%x,4", address)))
	d.send("c")
	if begin != nil {
		begin()
	}
	require.Regexp(d.t, "^T05", d.receive())
	require.EqualValues(d.t, address, d.get(d.isa.gdb.pc))
	require.Equal(d.t, "OK", d.ask(fmt.Sprintf("z1,%x,4", address)))
}

// QEMU's VFP11 finishes everything. Here a debugger keeps two instructions from it, switches it off, so that it refuses the next one, and
// answers for the registers that tell what was handed over.
func TestRunnerFinishesForTheFloatUnit(t *testing.T) {
	const (
		programs = 0x01000000 // where rpi1 and rpizero have them
		r1       = 1          // of QEMU's description
		fpexc    = 44         // behind 26 registers of the core, 16 doubles, FPSCR and FPSID
		negative = 1 << 31    // flags of the core, after 2 - 3
	)
	for _, board := range []string{"rpi1", "rpizero"} {
		t.Run(board, func(t *testing.T) {
			t.Parallel()
			asked := behind(t, board, 0xeef8da10 /* vmrs sp, fpexc */)
			told := behind(t, board, 0xeef81a10 /* vmrs r1, fpexc */, 0xeef92a10 /* vmrs r2, fpinst */, 0xeefa3a10 /* vmrs r3, fpinst2 */)
			code, subtract, refuse, sum := handedOver()
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, board, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			c.hello(1)
			run := func(second uint64) *packet.RunResponse {
				c.load(code, nil, 64)
				d := attach(t, c.isa, socket)
				d.until(programs+subtract, func() {
					c.seq++
					c.send(&packet.RunRequest{Count: 1})
				})
				d.set(c.isa.gdb.pc, programs+refuse)
				d.set(fpexc, 0)
				d.until(asked, nil)
				d.set(c.isa.gdb.sp, fpexcHandedOver)
				d.set(fpexc, 1<<30) // EN, without which QEMU has no FPINST
				d.until(told, nil)
				for i, word := range []uint64{fpexcHandedOver, firstHandedOver, second} {
					d.set(r1+i, word)
				}
				d.detach()
				return c.answer().(*packet.RunResponse)
			}

			require.Equal(t, packet.StatusOK, run(secondHandedOver).Status)
			got := make([]uint32, 6)
			_, err := binary.Decode(c.read(resultAt, 24), binary.LittleEndian, got)
			require.NoError(t, err)
			require.EqualValues(t, 1, got[0], "the move")
			require.EqualValues(t, negative, got[1]&(15<<28))
			require.EqualValues(t, 1, got[2], "2^-149 - 0")
			require.EqualValues(t, 0x3fa00000, got[3], "1.5 - 0.25")
			require.EqualValues(t, 1<<25, got[4], "FPSCR.DN")
			require.Equal(t, sum, got[5])

			result := run(0xed900a00 /* vldr s0, [r0], which the unit never hands over */)
			checkFault(t, faultCase{kind: packet.FaultIllegal, pc: refuse}, result)
			runCounter(c)
		})
	}
}
