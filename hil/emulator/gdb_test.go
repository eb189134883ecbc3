//go:build linux

package emulator_test

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A debugger speaks the remote protocol of GDB with QEMU: enough to break a
// runner that has no bug to be broken by.
type debugger struct {
	t    *testing.T
	isa  *isa
	conn net.Conn
	in   *bufio.Reader
}

func attach(t *testing.T, isa *isa, socket string) *debugger {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(answerTime)))
	d := &debugger{t: t, isa: isa, conn: conn, in: bufio.NewReader(conn)}
	// QEMU lets registers be written only by those who know their description.
	d.ask("qXfer:features:read:target.xml:0,1000")
	// A core that waits for an interrupt takes a step only after one has come: time goes on in a step, interrupts are
	// not taken in it (SSTEP_ENABLE and SSTEP_NOIRQ; QEMU's own choice is to stop time as well).
	require.Equal(t, "OK", d.ask("Qqemu.sstep=3"))
	return d
}

func (d *debugger) send(command string) {
	d.t.Helper()
	var sum byte
	for _, b := range []byte(command) {
		sum += b
	}
	_, err := fmt.Fprintf(d.conn, "$%s#%02x", command, sum)
	require.NoError(d.t, err)
}

func (d *debugger) receive() string {
	d.t.Helper()
	_, err := d.in.ReadString('$')
	require.NoError(d.t, err)
	answer, err := d.in.ReadString('#')
	require.NoError(d.t, err)
	_, err = d.in.Discard(2) // checksum
	require.NoError(d.t, err)
	_, err = d.conn.Write([]byte("+"))
	require.NoError(d.t, err)
	return answer[:len(answer)-1]
}

// ask sends a command and returns its answer. QEMU tells by itself that it has
// stopped the machine for a debugger, at about the time of the first command.
func (d *debugger) ask(command string) string {
	d.t.Helper()
	d.send(command)
	for {
		if answer := d.receive(); !strings.HasPrefix(answer, "T") {
			return answer
		}
	}
}

// set writes a register.
func (d *debugger) set(number int, value uint64) {
	d.t.Helper()
	raw := binary.LittleEndian.AppendUint64(nil, value)
	raw = raw[:d.isa.gdb.width]
	require.Equal(d.t, "OK", d.ask(fmt.Sprintf("P%x=%x", number, raw)))
}

// get reads a register.
func (d *debugger) get(number int) uint64 {
	d.t.Helper()
	raw, err := hex.DecodeString(d.ask(fmt.Sprintf("p%x", number)))
	require.NoError(d.t, err)
	require.Len(d.t, raw, d.isa.gdb.width)
	return binary.LittleEndian.Uint64(append(raw, 0, 0, 0, 0))
}

// step carries out one instruction, with interrupts held back.
func (d *debugger) step() {
	d.t.Helper()
	d.send("s")
	for !strings.HasPrefix(d.receive(), "T") {
	}
}

// detach lets the machine go on.
func (d *debugger) detach() {
	d.t.Helper()
	d.ask("D")
	d.conn.Close()
}

// nowhere is an address that no board has anything at.
const nowhere uint64 = 0xb0001000

// A fault of the runner itself must restart it, and STATUS must tell.
func TestRunnerRestartsAfterItsOwnFault(t *testing.T) {
	tests := []struct {
		name  string
		lost  func(gdbRegisters) map[int]uint64 // what registers are set to
		kind  packet.FaultKind
		exact bool // pc and address are nowhere
	}{
		{"wild branch", func(r gdbRegisters) map[int]uint64 { return map[int]uint64{r.pc: nowhere} }, packet.FaultMemory, true},
		{"stack lost", func(r gdbRegisters) map[int]uint64 { return map[int]uint64{r.sp: nowhere} }, packet.FaultMemory, false},
		{"stack misaligned", func(r gdbRegisters) map[int]uint64 { return map[int]uint64{r.pc: nowhere, r.sp: 3} }, packet.FaultMemory, true},
	}
	for _, b := range emulated(t) {
		if b.Arch == "armv7a" && b.QEMU.Binary == "qemu-system-aarch64" {
			continue // such a QEMU gives a debugger the registers of AArch64 only
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, b.Name, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			nonce := c.hello(1).BootNonce
			for i, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					c.t = t
					runCounter(c)
					d := attach(t, c.isa, socket)
					for number, value := range tt.lost(c.isa.gdb) {
						d.set(number, value)
					}
					d.detach()

					hello := c.hello(uint32(i + 2))
					require.NotEqual(t, nonce, hello.BootNonce, "the runner has not restarted")
					require.Equal(t, packet.StateIdle, hello.State)
					nonce = hello.BootNonce
					fault := c.status().Fault
					require.NotNil(t, fault)
					t.Logf("%s at %#x, address %#x, cause %#x", fault.Kind, fault.PC, fault.Address, fault.Cause)
					require.False(t, fault.Inside)
					if _, lost := tt.lost(c.isa.gdb)[c.isa.gdb.sp]; lost && c.isa.gdb.pushes {
						require.Equal(t, packet.FaultStack, fault.Kind)
						return
					}
					if sp, lost := tt.lost(c.isa.gdb)[c.isa.gdb.sp]; tt.exact && lost && fault.PC != nowhere {
						// An interrupt was pending when the debugger let go: the
						// runner's handler met the lost stack before the branch went wild.
						require.Contains(t, []packet.FaultKind{tt.kind, packet.FaultAlignment}, fault.Kind)
						mask := uint64(1)<<(8*c.isa.gdb.width-1)<<1 - 1
						require.Less(t, (sp-fault.Address)&mask, uint64(512), "neither the branch nor a store below the stack pointer")
					} else if require.Equal(t, tt.kind, fault.Kind); tt.exact {
						require.Equal(t, nowhere, fault.PC)
						require.Equal(t, nowhere, fault.Address)
					}
					runCounter(c)
					require.Nil(t, c.status().Fault, "a fault before BEGIN is history")
				})
			}
			c.t = t
			d := attach(t, c.isa, socket)
			d.set(c.isa.gdb.pc, nowhere)
			d.detach()
			nonce = c.hello(10).BootNonce
			require.NotNil(t, c.status().Fault)
			d = attach(t, c.isa, socket)
			d.ask("qRcmd," + hex.EncodeToString([]byte("system_reset")))
			d.detach()
			require.Eventually(t, func() bool { return c.hello(11).BootNonce != nonce }, answerTime, 10*time.Millisecond)
			require.Nil(t, c.status().Fault, "a fault before the reset button was pressed is history, too")
		})
	}
}

// The VFP11 of an ARM1176 that has handed an operation to software takes no other one
// until FPEXC is written. QEMU's hands over nothing: here a debugger switches the unit off.
func TestRunsSetUpTheFloatUnit(t *testing.T) {
	const fpexc = 44 // behind 26 registers of the core, 16 doubles, FPSCR and FPSID
	for _, board := range []string{"rpi1", "rpizero"} {
		t.Run(board, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, board, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			c.hello(1)
			d := attach(t, c.isa, socket)
			require.EqualValues(t, 1<<30, d.get(fpexc), "FPEXC.EN")
			d.set(fpexc, 0)
			require.Zero(t, d.get(fpexc))
			d.detach()
			c.load(c.isa.getMode, nil, 64)
			require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 1}).Status)
			require.EqualValues(t, 1, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
		})
	}
}

// Handlers of a Cortex-M run on the runner's stack, which a program that they interrupt has left
// to them as it was: at a multiple of 8, as C code expects it.
func TestStackOfHandlersIsAligned(t *testing.T) {
	const systick = 15 // the vector of one of the runner's interrupts, which all have the same
	for _, b := range emulated(t) {
		if !strings.HasPrefix(b.Arch, "thumb") {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, b.Name, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			c.hello(1)
			c.load(c.isa.spin, nil, 64)
			c.seq++
			c.send(&packet.RunRequest{Count: 1, Limit: c.us(10_000_000)})
			time.Sleep(50 * time.Millisecond) // the program runs
			d := attach(t, c.isa, socket)
			img, err := b.Flat() // which begins with the vectors
			require.NoError(t, err)
			handler := binary.LittleEndian.Uint32(img.Data[4*systick:])
			require.Equal(t, "OK", d.ask(fmt.Sprintf("Z1,%x,2", handler&^1)))
			d.send("c")
			c.write([]byte{0})
			require.Regexp(t, "^T05", d.receive())
			require.Zero(t, d.get(c.isa.gdb.sp)%8)
		})
	}
}

// A restart in the middle of an interrupt handler finds an interrupt that was
// acknowledged and never completed, which must not hold back all others. The
// debugger stops a handler of the runner when it has read the number of the
// interrupt, and lets it branch to nowhere.
func TestRestartInsideInterruptHandler(t *testing.T) {
	for _, tt := range []struct {
		board       string
		acknowledge uint64 // register of the interrupt controller
	}{
		{"virt-a53", 0x0801000c},
		{"virt-a15", 0x0801000c},
		{"vexpress-a9", 0x1e00010c},
		{"riscv-virt64", 0x0c200004},
		{"sifive-e", 0x0c200004},
	} {
		t.Run(tt.board, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, tt.board, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			nonce := c.hello(1).BootNonce
			c.load(c.isa.counter, nil, 64)
			c.seq++
			c.send(&packet.RunRequest{Count: 1 << 31})
			require.Eventually(t, func() bool { return c.hello(1).State == packet.StateRunning }, answerTime, time.Millisecond)
			d := attach(t, c.isa, socket)
			read := fmt.Sprintf("3,%x,4", tt.acknowledge)
			require.Equal(t, "OK", d.ask("Z"+read))
			d.send("c")
			c.write(make([]byte, 8)) // that many let every UART raise its interrupt, and nothing else raises one
			require.Regexp(t, fmt.Sprintf("^T05.*rwatch:0*%x;", tt.acknowledge), d.receive())
			require.Equal(t, "OK", d.ask("z"+read))
			d.set(c.isa.gdb.pc, nowhere)
			d.detach()
			c.restarts(nonce)
			require.NotNil(t, c.status().Fault)
			runCounter(c)
		})
	}
}
