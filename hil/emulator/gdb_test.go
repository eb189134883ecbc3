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
	conn net.Conn
	in   *bufio.Reader
}

func attach(t *testing.T, socket string) *debugger {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	d := &debugger{t: t, conn: conn, in: bufio.NewReader(conn)}
	// QEMU lets registers be written only by those who know their description.
	d.ask("qXfer:features:read:target.xml:0,1000")
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

// set writes a register; number and width as in QEMU's description of AArch64.
func (d *debugger) set(number int, value uint64) {
	d.t.Helper()
	raw := binary.LittleEndian.AppendUint64(nil, value)
	if number == registerState {
		raw = raw[:4]
	}
	require.Equal(d.t, "OK", d.ask(fmt.Sprintf("P%x=%x", number, raw)))
}

// read32 reads a word of memory, or a device register with all that entails.
func (d *debugger) read32(address uint64) uint32 {
	d.t.Helper()
	raw, err := hex.DecodeString(d.ask(fmt.Sprintf("m%x,4", address)))
	require.NoError(d.t, err)
	require.Len(d.t, raw, 4)
	return binary.LittleEndian.Uint32(raw)
}

const (
	registerSP = 31
	registerPC = 32

	registerState = 33 // PSTATE
)

// A fault of the runner itself must restart it, and STATUS must tell.
func TestRunnerRestartsAfterItsOwnFault(t *testing.T) {
	const nowhere uint64 = 0xb0001000 // not mapped
	tests := []struct {
		name  string
		set   map[int]uint64
		kind  packet.FaultKind
		exact bool // pc and address are nowhere
	}{
		{"wild branch", map[int]uint64{registerPC: nowhere}, packet.FaultMemory, true},
		{"stack lost", map[int]uint64{registerSP: nowhere}, packet.FaultMemory, false},
		{"stack misaligned", map[int]uint64{registerPC: nowhere, registerSP: 3}, packet.FaultMemory, true},
	}
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, b.Name, emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
			nonce := c.hello(1).BootNonce
			for i, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					c.t = t
					runCounter(c)
					d := attach(t, socket)
					for number, value := range tt.set {
						d.set(number, value)
					}
					d.ask("D") // detach: the runner goes on
					d.conn.Close()

					hello := c.hello(uint32(i + 2))
					require.NotEqual(t, nonce, hello.BootNonce, "the runner has not restarted")
					require.Equal(t, packet.StateIdle, hello.State)
					nonce = hello.BootNonce
					fault := c.status().Fault
					require.NotNil(t, fault)
					t.Logf("%s at %#x, address %#x, cause %#x", fault.Kind, fault.PC, fault.Address, fault.Cause)
					require.Equal(t, tt.kind, fault.Kind)
					require.False(t, fault.Inside)
					if tt.exact {
						require.Equal(t, nowhere, fault.PC)
						require.Equal(t, nowhere, fault.Address)
					}
					runCounter(c)
					require.Nil(t, c.status().Fault, "a fault before BEGIN is history")
				})
			}
		})
	}
}

// A restart in the middle of an interrupt handler finds an interrupt that was
// acknowledged and never completed, which must not hold back all others. The
// debugger makes such a handler of a running program: it raises the exception
// level, acknowledges the interrupt and branches to nowhere.
func TestRestartInsideInterruptHandler(t *testing.T) {
	const (
		acknowledge = 0x0801000c // GICC_IAR of the virt machine
		uart        = 33
		handler     = 0x3c5 // EL1 on its own stack, everything masked
	)
	socket := filepath.Join(t.TempDir(), "gdb")
	_, c := boot(t, "virt-a53", emulator.Options{Args: []string{"-gdb", "unix:" + socket + ",server=on,wait=off"}})
	nonce := c.hello(1).BootNonce
	c.load(image(spin), nil, 64)
	c.seq++
	c.send(&packet.RunRequest{Count: 1, Limit: 60_000_000})
	time.Sleep(100 * time.Millisecond) // the program spins
	d := attach(t, socket)
	d.set(registerState, handler)
	c.write([]byte{0})
	require.Eventually(t, func() bool { return d.read32(acknowledge) == uart }, 5*time.Second, 10*time.Millisecond)
	d.set(registerPC, 0)
	d.ask("D")
	d.conn.Close()
	require.NotEqual(t, nonce, c.hello(2).BootNonce)
	require.NotNil(t, c.status().Fault)
	runCounter(c)
}
