//go:build linux

package emulator_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Where the runner and its UART lie, the upper 16 of 32 bits.
var places = map[string]struct{ runner, uart uint32 }{
	"rpi3":     {0x0008, 0x3f20},
	"virt-a53": {0x4008, 0x0900},
}

// A faultCase is a program that does not end well.
type faultCase struct {
	name    string
	code    []byte
	kind    packet.FaultKind
	pc      uint64 // offset in the code if inside, else absolute
	outside bool
	address uint64 // 0: none, or anyAddress
	limit   uint32 // microseconds
}

const anyAddress = ^uint64(0)

func faultCases(board string) []faultCase {
	const (
		loadX1  = 0xb9400022 // ldr w2, [x1]
		storeX1 = 0xb9000022 // str w2, [x1]
		jumpX1  = 0xd61f0020 // br x1
	)
	place := places[board]
	return []faultCase{
		{name: "read near 0", code: image(movz(1, 8, 0), loadX1), kind: packet.FaultMemory, pc: 4, address: 8},
		{name: "write to nothing", code: image(movz(1, 0xb000, 16), storeX1), kind: packet.FaultMemory, pc: 4, address: 0xb0000000},
		{
			name: "read far away", code: image(0xb2610fe1 /* mov x1, #0x780000000 */, loadX1), kind: packet.FaultMemory,
			pc: 4, address: 0x780000000,
		},
		{
			name: "read the runner", code: image(movz(1, place.runner, 16), loadX1), kind: packet.FaultMemory,
			pc: 4, address: uint64(place.runner) << 16,
		},
		{
			name: "run the runner", code: image(movz(1, place.runner, 16), jumpX1), kind: packet.FaultMemory,
			pc: uint64(place.runner) << 16, outside: true, address: uint64(place.runner) << 16,
		},
		{
			name: "write to a device", code: image(movz(1, place.uart, 16), storeX1), kind: packet.FaultMemory,
			pc: 4, address: uint64(place.uart) << 16,
		},
		{name: "write to code", code: image(0x10000001 /* adr x1, . */, storeX1), kind: packet.FaultMemory, pc: 4, address: anyAddress},
		{
			name: "write to the code's alias", code: image(movz(1, 0xc000, 16), storeX1), kind: packet.FaultMemory,
			pc: 4, address: 0xc0000000,
		},
		{name: "run data", code: image(0xd61f0000 /* br x0 */), kind: packet.FaultMemory, outside: true, address: anyAddress},
		{
			name: "wild branch", code: image(movz(1, 0xb234, 16), jumpX1), kind: packet.FaultMemory,
			pc: 0xb2340000, outside: true, address: 0xb2340000,
		},
		{name: "branch to 0", code: image(movz(1, 0, 0), jumpX1), kind: packet.FaultMemory, outside: true},
		{name: "branch to odd address", code: image(0x50000021 /* adr x1, .+6 */, jumpX1), kind: packet.FaultAlignment, pc: 6, address: anyAddress},
		{
			name: "unaligned exclusive load", code: image(0x91000401 /* add x1, x0, #1 */, 0x885f7c22 /* ldxr w2, [x1] */),
			kind: packet.FaultAlignment, pc: 4, address: anyAddress,
		},
		{name: "undefined instruction", code: image(0), kind: packet.FaultIllegal},
		{name: "mask interrupts", code: image(0xd50342df /* msr daifset, #2 */), kind: packet.FaultIllegal},
		{name: "system register", code: image(0xd5381001 /* mrs x1, sctlr_el1 */), kind: packet.FaultIllegal},
		{name: "counter", code: image(0xd53be041 /* mrs x1, cntvct_el0 */), kind: packet.FaultIllegal},
		{name: "wait for interrupt", code: image(0xd503207f /* wfi */), kind: packet.FaultIllegal},
		{name: "hypervisor call", code: image(0xd4000002 /* hvc #0 */), kind: packet.FaultIllegal},
		{name: "breakpoint", code: image(0xd42000e0 /* brk #7 */), kind: packet.FaultOther},
		{name: "system call", code: image(0xd4000001 /* svc #0 */), kind: packet.FaultOther},
		{
			name: "endless recursion", code: image(0xa9bf7bfd /* stp x29, x30, [sp, #-16]! */, 0x97ffffff /* bl .-4 */),
			kind: packet.FaultStack, address: anyAddress,
		},
		{name: "endless loop", code: image(spin), kind: packet.FaultTimeLimit, limit: 20000},
		{name: "limit over before the start", code: image(spin), kind: packet.FaultTimeLimit, limit: 1},
	}
}

// Every fault is reported as what it is, where it is, and the runner goes on.
func TestFaults(t *testing.T) {
	for _, b := range emulated(t) {
		t.Run(b.Name, func(t *testing.T) {
			_, c := boot(t, b.Name, emulator.Options{})
			nonce := c.hello(1).BootNonce
			for i, tt := range faultCases(b.Name) {
				t.Run(tt.name, func(t *testing.T) {
					c.t = t
					c.load(tt.code, nil, 64)
					result := c.run(packet.RunRequest{Count: 3, Limit: tt.limit})
					checkFault(t, tt, result)
					status := c.status()
					require.Equal(t, packet.StateFaulted, status.State)
					require.Equal(t, result.Fault, status.Fault)
					c.load(counter, nil, 64)
					require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: uint32(i + 1)}).Status)
					require.EqualValues(t, i+1, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
				})
			}
			c.t = t
			require.Equal(t, nonce, c.hello(2).BootNonce, "the runner has restarted")
		})
	}
}

func checkFault(t *testing.T, tt faultCase, result *packet.RunResponse) {
	t.Helper()
	want := packet.StatusFault
	if tt.kind == packet.FaultTimeLimit {
		want = packet.StatusTimeLimit
	}
	require.Equal(t, want, result.Status)
	require.Zero(t, result.Runs)
	require.NotNil(t, result.Fault)
	f := result.Fault
	t.Logf("%s at %#x (inside %v), address %#x, cause %#x", f.Kind, f.PC, f.Inside, f.Address, f.Cause)
	require.Equal(t, tt.kind, f.Kind, "cause %#x", f.Cause)
	require.Equal(t, tt.outside, !f.Inside)
	if !tt.outside || tt.pc != 0 {
		require.Equal(t, tt.pc, f.PC)
	}
	if tt.address == anyAddress {
		require.NotZero(t, f.Address)
	} else {
		require.Equal(t, tt.address, f.Address)
	}
	if tt.outside {
		require.Equal(t, f.PC, f.Address)
	}
}
