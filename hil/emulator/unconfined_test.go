//go:build linux

package emulator_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A core of an FE310 may be without memory protection, or without user mode and what goes with that: the runner starts, says so, and
// carries programs out. What they can still do wrong is a fault, and their time has an end.
func TestRISCVCoresWithLess(t *testing.T) {
	for name, cpu := range map[string]string{
		"no protection":            "rv32,pmp=off",
		"no user mode":             "rv32,h=off,s=off,u=off",
		"machine mode and no more": "rv32,h=off,s=off,u=off,pmp=off",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, "sifive-e", emulator.Options{Args: []string{"-cpu", cpu}})
			hello := c.hello(1)
			require.Equal(t, packet.ConditionUnconfined, hello.Conditions)
			for range 3 {
				c.load(c.isa.counter, nil, 64)
				require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 5}).Status)
				require.EqualValues(t, 5, binary.LittleEndian.Uint32(c.read(resultAt, 4)))

				c.load(c.isa.spin, nil, 64)
				require.Equal(t, packet.StatusTimeLimit, c.run(packet.RunRequest{Count: 1, Limit: c.us(20_000)}).Status)

				c.load(image(0), nil, 64) // no instruction
				result := c.run(packet.RunRequest{Count: 1})
				require.Equal(t, packet.StatusFault, result.Status)
				require.Equal(t, packet.FaultIllegal, result.Fault.Kind)
			}
			require.Equal(t, hello.BootNonce, c.hello(2).BootNonce, "the runner has restarted")
		})
	}
}
