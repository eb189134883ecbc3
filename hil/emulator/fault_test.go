//go:build linux

package emulator_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A faultCase is a program that does not end well.
type faultCase struct {
	name    string
	code    []byte
	kind    packet.FaultKind
	pc      uint64 // offset in the code if inside, else absolute
	outside bool
	anyPC   bool
	address uint64 // 0: none, or anyAddress
	limit   uint32 // microseconds
}

const anyAddress = ^uint64(0)

// Every fault is reported as what it is, where it is, and the runner goes on.
func TestFaults(t *testing.T) {
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			cases := isaOf(t, b).faults(placeOf(t, b.Name))
			_, c := boot(t, b.Name, emulator.Options{})
			nonce := c.hello(1).BootNonce
			for i, tt := range cases {
				t.Run(tt.name, func(t *testing.T) {
					c.t = t
					c.load(tt.code, nil, 64)
					result := c.run(packet.RunRequest{Count: 3, Limit: c.us(tt.limit)})
					for limit := 2 * tt.limit; tt.early(result.Fault) && limit < 8_000_000; limit *= 2 {
						c.load(tt.code, nil, 64)
						result = c.run(packet.RunRequest{Count: 3, Limit: c.us(limit)})
					}
					checkFault(t, tt, result)
					status := c.status()
					require.Equal(t, packet.StateFaulted, status.State)
					require.Equal(t, result.Fault, status.Fault)
					c.load(c.isa.counter, nil, 64)
					require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: uint32(i + 1)}).Status)
					require.EqualValues(t, i+1, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
				})
			}
			c.t = t
			require.Equal(t, nonce, c.hello(2).BootNonce, "the runner has restarted")
		})
	}
}

// early tells that the time of a program was over before it came to where it stays: a busy machine held the emulator up.
func (tt *faultCase) early(f *packet.Fault) bool {
	return tt.kind == packet.FaultTimeLimit && f != nil && f.Kind == tt.kind && f.Inside && f.PC < tt.pc
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
	if !tt.anyPC {
		require.Equal(t, tt.outside, !f.Inside)
	}
	if !tt.anyPC && (!tt.outside || tt.pc != 0) {
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
