package hil_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
	"github.com/copaflash/copaflash/hil"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/session"
)

// openPico opens a Pico on rp2040js, from the file that `copaflash flash` writes.
func openPico(t *testing.T) target.Target {
	t.Helper()
	b, err := boards.Find("pico")
	require.NoError(t, err)
	flat, err := b.Flat()
	require.NoError(t, err)
	file, err := uf2.Encode(uint32(b.Flash.UF2.Family), uint32(flat.Address), flat.Data)
	require.NoError(t, err)
	s, err := emulator.Simulate(context.WithoutCancel(t.Context()), "emulator/rp2040js", file)
	var missing *emulator.MissingError
	if errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	dev, err := target.Open(t.Context(), s.TTY(), target.Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

// TestExamplesOnAPico: examples on a simulated Pico: what they print, and every bit. mpc alone takes as long as all others together.
func TestExamplesOnAPico(t *testing.T) {
	t.Parallel()
	cases, err := hil.Find("../examples")
	require.NoError(t, err)
	long := extent.Of([]string{"mpc", "tuning", "inverse_kinematics_loop"}, nil)
	cases = slices.DeleteFunc(cases, func(c hil.Case) bool { return slices.Contains(long, c.Name) })
	r, err := hil.Run(t.Context(), openPico(t), cases, hil.Options{Runs: extent.Of(5, 100)})
	require.NoError(t, err)
	require.GreaterOrEqual(t, r.Passed, 10)
	for _, c := range r.Results {
		switch {
		case c.NotSent == "":
			require.True(t, c.OK, "%s: %v", c.Name, c.Failures)
		default:
			require.Contains(t, []string{"orbit_f64", "pid"}, c.Name, c.NotSent) // float64; longer than code memory
		}
	}
}

// TestOpsOnAPico: a few ops on special values on a simulated Pico, as TestSmoke has them; every op with COPAFLASH_TEST_ALL.
func TestOpsOnAPico(t *testing.T) {
	t.Parallel()
	dev := openPico(t)
	programs := 0
	for _, dtype := range dtypes {
		for _, op := range smokeOps[dtype] {
			for _, c := range opTables(op, dtype, true, extent.Of(smokeStep, thirdStep)) {
				n, err := c.run(t, dev)
				if none, size := (*compiler.NoDoubles)(nil), (*session.SizeError)(nil); errors.As(err, &none) || errors.As(err, &size) {
					require.False(t, errors.As(err, &size), "%s: %v", c.name, err)
					continue
				}
				require.NoError(t, err, c.name)
				programs += n
			}
		}
	}
	require.Greater(t, programs, 20)
}
