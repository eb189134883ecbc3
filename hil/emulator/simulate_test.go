//go:build linux

package emulator_test

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/protocol/packet"
)

// onlySimulated are the boards on rp2040js and package esp32c3, those of tier sim-ci.
func onlySimulated(t *testing.T) (found []boards.Board) {
	t.Helper()
	all, err := boards.All()
	require.NoError(t, err)
	for _, b := range all {
		if b.Tier == boards.TierSimulated {
			found = append(found, b)
		}
	}
	require.NotEmpty(t, found)
	return found
}

// picos are those of them with an RP2040.
func picos(t *testing.T) []boards.Board {
	t.Helper()
	return slices.DeleteFunc(onlySimulated(t), func(b boards.Board) bool { return b.Chip != "rp2040" })
}

// running returns the boards that run under QEMU or a simulator.
func running(t *testing.T) []boards.Board {
	t.Helper()
	return append(emulated(t), onlySimulated(t)...)
}

// simulate starts a board. Whatever it does wrong fails the test.
func simulate(t *testing.T, b boards.Board) *emulator.Simulation {
	t.Helper()
	return emulatortest.Simulate(t, b.Name, "rp2040js")
}

// A chipState is what the simulator tells of the chip; that of an ESP32-C3 has no pins, nor anything of USB.
type chipState struct {
	Pins []struct {
		Function     int
		Drives, High bool
		Pad          uint32
	}
	Hz, Baud, Cycles, NS float64
	Resets               int
	USB                  *usbDevice
	Loader               *struct{ Lamps, Without uint32 }
	Complaints           []string
}

// A usbDevice is what the host at the other end of the cable has found.
type usbDevice struct {
	State, Maker, Product, Serial string
	Address                       int
	Descriptor, Configuration     []int
}

func stateOf(t *testing.T, s *emulator.Simulation) (state chipState) {
	t.Helper()
	require.NoError(t, s.Do("state", nil, &state))
	return state
}

// The watchdog of a simulated board resets the chip where a tick hangs, and where the runner does with its interrupts masked; not where a loop
// goes on, and not after that was stopped. What a reset leaves of the chip starts like after power-up.
func TestSimulatedWatchdog(t *testing.T) {
	t.Parallel()
	for _, b := range onlySimulated(t) {
		const ms = 100
		board := simulate(t, b)
		c := dial(t, board.TTY())
		c.isa = isaOf(t, b)
		hello := c.hello(1)
		guarded := func(r *packet.StartRequest) { r.Watchdog = ms }

		c.load(c.isa.counter, nil, 64)
		c.start(hello.TimerHz, 100, guarded)
		c.ticked(50) // 500 ms
		c.stop()
		time.Sleep(3 * ms * time.Millisecond)
		c.stays(hello.BootNonce)

		c.load(c.isa.spin, nil, 64)
		c.seq++ // the first tick may come before the answer
		c.send(&packet.StartRequest{Period: hello.TimerHz / 100, Limit: hello.TimerHz, Tasks: []uint32{0, 1}, Watchdog: ms})
		c.restarts(hello.BootNonce)
		require.Equal(t, packet.StateIdle, c.status().State)
		runCounter(c)

		hello = c.hello(1)
		c.load(c.isa.counter, nil, 64)
		c.start(hello.TimerHz, 50, guarded) // so that it does not run out before
		how := map[string]any{}
		if b.Chip == "rp2040" {
			how["pc"] = instruction(t, b, endlessLoop)
		}
		for answer := (struct{ Hung bool }{}); !answer.Hung; {
			require.NoError(t, board.Do("hang", how, &answer))
		}
		c.restarts(hello.BootNonce)
		runCounter(c)
		require.Equal(t, 2, stateOf(t, board).Resets)
	}
}

// The core of a simulated Pico does not sleep where an interrupt has come between the runner's last look and its WFI.
func TestWaitOfAPico(t *testing.T) {
	t.Parallel()
	require.NoError(t, simulate(t, picos(t)[0]).Close()) // says if node or rp2040js is missing
	said, err := exec.Command("node", "rp2040js/wait.mjs").CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// A Pico that is reset, by its RUN pin, starts anew, and tells its host so.
func TestResetOfAPico(t *testing.T) {
	t.Parallel()
	for _, b := range picos(t) {
		board := simulate(t, b)
		c := dial(t, board.TTY())
		c.isa = isaOf(t, b)
		seen := map[uint32]bool{}
		for i := range uint32(3) {
			nonce := c.hello(i).BootNonce
			require.False(t, seen[nonce], "a host takes this start for another one")
			seen[nonce] = true
			runCounter(c)
			state := stateOf(t, board)
			require.EqualValues(t, b.Timer.Hz, state.Hz)
			require.InEpsilon(t, float64(b.UART.Bauds[0]), state.Baud, 1e-3)
			require.NoError(t, board.Do("reset", nil, nil))
			for late := 0; c.hello(100+i).BootNonce == nonce; late++ { // answers of before
				require.Less(t, late, 10)
			}
		}
	}
}
