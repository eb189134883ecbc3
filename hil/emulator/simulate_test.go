//go:build linux

package emulator_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
	"github.com/copaflash/copaflash/hil/emulator"
)

// simulated are the boards that QEMU does not know and rp2040js does.
var simulated = []string{"pico"}

// running returns the boards that run under QEMU or rp2040js.
func running(t *testing.T) []boards.Board {
	t.Helper()
	found := emulated(t)
	for _, name := range simulated {
		b, err := boards.Find(name)
		require.NoError(t, err)
		found = append(found, b)
	}
	return found
}

// simulate starts a board with the file that `copaflash flash` writes. Whatever it does wrong fails the test.
func simulate(t *testing.T, b boards.Board) *emulator.Simulation {
	t.Helper()
	image, err := b.Flat()
	require.NoError(t, err)
	file, err := uf2.Encode(uint32(b.Flash.UF2.Family), uint32(image.Address), image.Data)
	require.NoError(t, err)
	s, err := emulator.Simulate(context.WithoutCancel(t.Context()), "rp2040js", file) // which is asked once more in the end
	var missing *emulator.MissingError
	if errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		if s.Err() == nil {
			require.Empty(t, stateOf(t, s).Complaints, "what the image did wrong")
		}
		require.NoError(t, s.Close())
	})
	return s
}

// A chipState is what the bridge tells of the chip.
type chipState struct {
	Pins []struct {
		Function     int
		Drives, High bool
		Pad          uint32
	}
	Hz, Baud, Cycles, NS float64
	Resets               int
	Complaints           []string
}

func stateOf(t *testing.T, s *emulator.Simulation) (state chipState) {
	t.Helper()
	require.NoError(t, s.Do("state", nil, &state))
	return state
}
