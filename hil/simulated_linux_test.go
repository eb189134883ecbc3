package hil_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/session"
)

// simulatedLines are those of boards on simulators of their chips.
var simulatedLines = map[string]struct {
	board string
	tty   func(*emulator.Simulation) string
	// short are examples that take the simulator seconds.
	short []string
}{
	"pico/uart": {"pico", (*emulator.Simulation).TTY, []string{"cartpole", "first_steps", "kalman", "supervisor"}},
	"pico/usb":  {"pico", (*emulator.Simulation).USB, []string{"ekf", "first_steps", "motor_pid", "pid_state"}},
	"esp32-c3":  {"esp32-c3", (*emulator.Simulation).TTY, []string{"ekf", "inverse_kinematics", "madgwick", "pid_state", "supervisor"}},
}

// openSimulated opens a simulated board by one of its lines.
func openSimulated(t *testing.T, line string) target.Target {
	t.Helper()
	s := emulatortest.Simulate(t, simulatedLines[line].board, "emulator/rp2040js")
	dev, err := target.Open(t.Context(), simulatedLines[line].tty(s), target.Options{})
	require.NoError(t, err)
	t.Cleanup(dev.Close)
	return dev
}

// TestExamplesOnSimulations: examples on boards that are simulated: what they print, and every bit, over each of their lines; with
// COPAFLASH_TEST_ALL all of them.
func TestExamplesOnSimulations(t *testing.T) {
	t.Parallel()
	cases, err := hil.Find("../examples")
	require.NoError(t, err)
	for line, of := range simulatedLines {
		cases := slices.DeleteFunc(slices.Clone(cases), func(c hil.Case) bool {
			return !extent.All() && !slices.Contains(of.short, c.Name)
		})
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			r, err := hil.Run(t.Context(), openSimulated(t, line), cases, hil.Options{Runs: extent.Of(5, 100)})
			require.NoError(t, err)
			require.GreaterOrEqual(t, r.Passed, min(len(cases), 14))
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

// TestOpsOnSimulations: a few ops on a few special values on boards that are simulated, as TestSmoke has them, over each of their
// lines; with COPAFLASH_TEST_ALL every elementwise op, on as many values as other boards of a class get.
func TestOpsOnSimulations(t *testing.T) {
	t.Parallel()
	for line := range simulatedLines {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			opsOn(t, openSimulated(t, line))
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
