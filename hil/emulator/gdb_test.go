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

// set writes a register; number as in QEMU's description of AArch64.
func (d *debugger) set(number int, value uint64) {
	d.t.Helper()
	text := hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, value))
	require.Equal(d.t, "OK", d.ask(fmt.Sprintf("P%x=%s", number, text)))
}

const (
	registerSP = 31
	registerPC = 32
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
