//go:build linux

package emulator_test

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/noise"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
)

// noisy is a board of each class of cores that keep programs from the runner.
var noisy = []string{
	"virt-a53", "virt-a15", "rpi1", "riscv-virt64", "riscv-virt32", "sifive-e",
	"mps2-an385", "mps2-an386", "mps2-an500", "mps2-an505", "mps3-an547", "pico",
}

// Random machine code ends by its limit, and the runner that it ran on neither
// hangs nor restarts nor gives a wrong result afterwards.
func TestRandomMachineCode(t *testing.T) {
	base := seed.Of(t)
	for _, name := range noisy {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, power(t, name, emulator.Options{}))
			isa := isas[s.Info().Arch.String()]
			require.NotNil(t, isa)
			counter := &packet.Image{Arch: isa.arch, Code: isa.counter, BSS: 64, Entries: []uint32{0}}
			ended, returned := 0, 0
			at, n := 0, extent.Of(20, 100_000)
			var code []byte
			defer func() {
				if t.Failed() {
					t.Logf("up to program %d: %x", at, code)
				}
			}()
			for ; at < n; at++ {
				var err error
				code, err = noise.Program(isa.arch.String(), base, at, false)
				require.NoError(t, err)
				for len(code)%4 != 0 {
					code = append(code, 0)
				}
				began := time.Now()
				_, err = s.Load(t.Context(), &packet.Image{Arch: isa.arch, Code: code, BSS: 256, Entries: []uint32{0}}, nil)
				require.NoError(t, err)
				_, err = s.Run(t.Context(), session.Run{Count: 2, Limit: 2 * time.Millisecond})
				var fault *session.FaultError
				if errors.As(err, &fault) {
					ended++
				} else {
					require.NoError(t, err)
					returned++
				}
				require.Less(t, time.Since(began), answerTime)
				if at%20 == 19 {
					_, err := s.Load(t.Context(), counter, nil)
					require.NoError(t, err)
					_, err = s.Run(t.Context(), session.Run{Count: 3})
					require.NoError(t, err)
					data, err := s.Read(t.Context(), resultAt, 4)
					require.NoError(t, err)
					require.EqualValues(t, 3, binary.LittleEndian.Uint32(data))
				}
			}
			t.Logf("%d ended by a fault or their limit, %d by themselves", ended, returned)
		})
	}
}

// Where nothing keeps a program from the runner, the host says that it has restarted or
// does not answer; it neither crashes nor waits without end.
func TestRandomMachineCodeOnAnOpenBoard(t *testing.T) {
	base := seed.Of(t)
	var s *session.Session
	lost := 0
	for at := range extent.Of(40, 5000) {
		if s == nil {
			s = open(t, power(t, "microbit", emulator.Options{}))
		}
		began := time.Now()
		code, err := noise.Program("thumbv6m", base, at, false)
		require.NoError(t, err)
		for len(code)%4 != 0 {
			code = append(code, 0)
		}
		_, err = s.Load(t.Context(), &packet.Image{Arch: s.Info().Arch, Code: code, BSS: 256, Entries: []uint32{0}}, nil)
		if err == nil {
			_, err = s.Run(t.Context(), session.Run{Count: 2, Limit: 2 * time.Millisecond})
		}
		var fault *session.FaultError
		if err != nil && !errors.As(err, &fault) {
			lost++
			s.Close()
			s = nil // a new board: the reset button
		}
		require.Less(t, time.Since(began), 2*answerTime, "program %d: %x", at, code)
	}
	t.Logf("the runner was lost %d times", lost)
}
