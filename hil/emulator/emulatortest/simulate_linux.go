package emulatortest

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
)

// Simulate starts a board on a simulator of its chip until the test ends, given the folder hil/emulator/rp2040js. Whatever the image does
// wrong fails the test. Where something that the simulator needs is not installed, the test is skipped, or fails in CI.
func Simulate(t *testing.T, name, folder string) *emulator.Simulation {
	t.Helper()
	b, err := boards.Find(name)
	require.NoError(t, err)
	s, err := emulator.Simulate(context.WithoutCancel(t.Context()), b, folder) // which is asked once more in the end
	var missing *emulator.MissingError
	if errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		if s.Err() == nil {
			var state struct{ Complaints []string }
			require.NoError(t, s.Do("state", nil, &state))
			require.Empty(t, state.Complaints, "what the image did wrong")
		}
		require.NoError(t, s.Close())
	})
	return s
}
