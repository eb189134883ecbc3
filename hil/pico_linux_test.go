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
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/session"
)

// picoLines are those of a Pico.
var picoLines = map[string]func(*emulator.Simulation) string{"uart": (*emulator.Simulation).TTY, "usb": (*emulator.Simulation).USB}

// openPico opens a Pico on rp2040js by one of its lines.
func openPico(t *testing.T, line string) target.Target {
	t.Helper()
	b, err := boards.Find("pico")
	require.NoError(t, err)
	s, err := emulator.Simulate(context.WithoutCancel(t.Context()), b, "emulator/rp2040js")
	var missing *emulator.MissingError
	if errors.As(err, &missing) && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	dev, err := target.Open(t.Context(), picoLines[line](s), target.Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

// shortOnes are examples that take the simulator seconds, by the line that they are sent over.
var shortOnes = map[string][]string{
	"uart": {"cartpole", "first_steps", "kalman", "supervisor"},
	"usb":  {"ekf", "first_steps", "motor_pid", "pid_state"},
}

// TestExamplesOnAPico: examples on a simulated Pico: what they print, and every bit, over both of its lines; with
// COPAFLASH_TEST_ALL all of them.
func TestExamplesOnAPico(t *testing.T) {
	t.Parallel()
	cases, err := hil.Find("../examples")
	require.NoError(t, err)
	for line := range picoLines {
		cases := slices.DeleteFunc(slices.Clone(cases), func(c hil.Case) bool { return !extent.All() && !slices.Contains(shortOnes[line], c.Name) })
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			r, err := hil.Run(t.Context(), openPico(t, line), cases, hil.Options{Runs: extent.Of(5, 100)})
			require.NoError(t, err)
			require.GreaterOrEqual(t, r.Passed, extent.Of(len(shortOnes[line]), 14))
			for _, c := range r.Results {
				switch {
				case c.NotSent == "":
					require.True(t, c.OK, "%s: %v", c.Name, c.Failures)
				default:
					require.Contains(t, []string{"orbit_f64", "pid"}, c.Name, c.NotSent) // float64; longer than code memory
				}
			}
		})
	}
}

// TestOpsOnAPico: a few ops on a few special values on a simulated Pico, as TestSmoke has them, over both of its lines;
// with COPAFLASH_TEST_ALL every elementwise op, on as many values as other boards of a class get.
func TestOpsOnAPico(t *testing.T) {
	t.Parallel()
	for line := range picoLines {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			opsOn(t, openPico(t, line))
		})
	}
}

func opsOn(t *testing.T, dev target.Target) {
	t.Helper()
	programs := 0
	for _, dtype := range dtypes {
		ops := smokeOps[dtype]
		if extent.All() {
			ops = everyOp(dtype)
		}
		for _, op := range ops {
			for _, c := range opTables(op, dtype, true, extent.Of(smokeStep, thirdStep))[:extent.Of(1, 2)] {
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
	require.GreaterOrEqual(t, programs, 15)
}

func everyOp(dtype graph.DType) (ops []graph.Op) {
	for op := range graph.NumOps {
		if op.Info().Elementwise && takes(op, dtype) {
			ops = append(ops, op)
		}
	}
	return ops
}
