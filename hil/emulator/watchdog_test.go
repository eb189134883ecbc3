//go:build linux

package emulator_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// guarded are the boards whose watchdog QEMU has, one of each chip.
func guarded(t *testing.T) (found []boards.Board) {
	t.Helper()
	chips := map[string]bool{}
	for _, b := range emulated(t) {
		if b.QEMU.Watchdog && (extent.All() || !chips[b.Chip]) {
			chips[b.Chip] = true
			found = append(found, b)
		}
	}
	require.NotEmpty(t, found)
	return found
}

// unhurried boards count their instructions, too, of 32 ns each: seconds in which they do nothing but spin are soon over.
var unhurried = emulator.Options{Args: []string{"-icount", "shift=5,sleep=off"}}

const guardMS = 500 // of the watchdog

func guard(r *packet.StartRequest) { r.Watchdog = guardMS }

// stays checks that the board has not restarted.
func (c *client) stays(nonce uint32) {
	c.t.Helper()
	require.Equal(c.t, nonce, c.hello(2).BootNonce, "the board was reset")
}

// restarts waits for a reset.
func (c *client) restarts(nonce uint32) {
	c.t.Helper()
	for deadline := time.Now().Add(answerTime); c.hello(3).BootNonce == nonce; time.Sleep(10 * time.Millisecond) {
		require.Less(c.t, time.Now(), deadline, "the board was not reset")
	}
}

// A loop that goes on keeps its board from being reset. So does a board whose loop was stopped, and a long run after that.
func TestWatchdogIsFed(t *testing.T) {
	for _, b := range guarded(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, unhurried)
			hello := c.hello(1)
			require.NotZero(t, hello.LoopFeatures&packet.LoopWatchdog)
			c.load(c.isa.counter, nil, 64)
			for _, ms := range []uint32{b.Watchdog.Least - 1, b.Watchdog.Most + 1} {
				refused := c.ask(&packet.StartRequest{Period: 10000, Tasks: []uint32{0, 1}, Watchdog: ms})
				require.Equal(t, packet.StatusBadLength, refused.Result(), "%d ms", ms)
			}
			for i := range uint32(2) {
				c.start(hello.TimerHz, 100, guard)
				c.ticked(200) // 2 s, of which much goes by without a request
				c.stop()
				require.GreaterOrEqual(t, c.result(), 200*(i+1), "a reset would have begun anew")
			}
			time.Sleep(time.Second) // in which nobody speaks, and more than that goes by on the board
			c.stays(hello.BootNonce)

			c.load(c.isa.spin, nil, 64)
			run := c.ask(&packet.RunRequest{Count: 1, Limit: c.us(2500 * guardMS)}).(*packet.RunResponse)
			require.Equal(t, packet.StatusTimeLimit, run.Status)
			c.stays(hello.BootNonce)
		})
	}
}

// A tick that hangs resets the board, which answers again.
func TestWatchdogResetsAHungTick(t *testing.T) {
	for _, b := range guarded(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, unhurried)
			hello := c.hello(1)
			c.load(c.isa.spin, nil, 64)
			c.seq++ // the first tick may come before the answer
			c.send(&packet.StartRequest{Period: hello.TimerHz / 100, Limit: 10 * hello.TimerHz, Tasks: []uint32{0, 1}, Watchdog: guardMS})
			c.restarts(hello.BootNonce)
			status := c.status()
			require.Equal(t, packet.StateIdle, status.State)
			require.Nil(t, status.Fault)
			runCounter(c)

			// Without a watchdog the limit ends it.
			c.load(c.isa.spin, nil, 64)
			c.seq++
			c.send(&packet.StartRequest{Period: hello.TimerHz / 100, Limit: hello.TimerHz, Tasks: []uint32{0, 1}})
			require.Equal(t, packet.LoopEndTimeLimit, c.ended().Counts.End)
		})
	}
}

// A runner that hangs with its interrupts masked is reset, too.
func TestWatchdogResetsAHungRunner(t *testing.T) {
	for _, b := range guarded(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(t.TempDir(), "gdb")
			_, c := boot(t, b.Name, emulator.Options{Args: append([]string{"-gdb", "unix:" + socket + ",server=on,wait=off"}, unhurried.Args...)})
			for _, armed := range []bool{true, false} {
				hello := c.hello(1)
				c.load(c.isa.counter, nil, 64)
				for hung := false; !hung; {
					c.start(hello.TimerHz, 10, func(r *packet.StartRequest) {
						if armed {
							guard(r)
						}
					})
					d := attach(t, c.isa, socket)
					hung = d.hang(b)
					d.detach()
				}
				if armed {
					c.restarts(hello.BootNonce)
					continue
				}
				c.session, c.seq = 0, 0
				c.send(&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 4})
				_, answered := c.wait(time.Second, func(p frame.Packet) bool { return p.Kind == packet.KindRsp })
				require.False(t, answered, "it was not the watchdog that has helped")
			}
		})
	}
}

// Instructions of the runner of a Cortex-M.
const (
	disableInterrupts = 0xb672 // cpsid i
	endlessLoop       = 0xe7fe // b ., where it waits for a reset that it has asked for
)

// hang lets the runner of a Cortex-M mask its interrupts and branch to itself. It reports false if the board was in a
// program, which may do neither: a fault ends that.
func (d *debugger) hang(b boards.Board) bool {
	d.t.Helper()
	const (
		xpsr   = 25         // its number for a debugger
		itBits = 0x0600fc00 // instructions under a condition
	)
	d.set(xpsr, d.get(xpsr)&^itBits)
	d.set(d.isa.gdb.pc, instruction(d.t, b, disableInterrupts))
	d.step()
	loop := instruction(d.t, b, endlessLoop)
	d.set(d.isa.gdb.pc, loop)
	d.step()
	return d.get(d.isa.gdb.pc) == loop
}

// instruction is where the image of a Cortex-M's runner has one of 16 bits.
func instruction(t *testing.T, b boards.Board, insn uint16) uint64 {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(b.Image))
	require.NoError(t, err)
	for _, p := range f.Progs {
		code := make([]byte, p.Filesz)
		_, err := p.ReadAt(code, 0)
		require.NoError(t, err)
		for at := 0; at+1 < len(code); at += 2 {
			if binary.LittleEndian.Uint16(code[at:]) == insn {
				return p.Vaddr + uint64(at)
			}
		}
	}
	t.Fatalf("no instruction %#x in the image", insn)
	return 0
}

// QEMU has of a Raspberry Pi's watchdog that RSTC resets at once, if the password is there: so the start of one is seen.
func TestWatchdogOfRaspberryPis(t *testing.T) {
	for _, b := range emulated(t) {
		if b.Watchdog == nil || b.QEMU.Watchdog || !strings.HasPrefix(b.Chip, "bcm") {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			c.load(c.isa.counter, nil, 64)
			c.start(hello.TimerHz, 100, nil)
			c.stop()
			c.stays(hello.BootNonce)
			c.seq++
			c.send(&packet.StartRequest{Period: hello.TimerHz / 100, Tasks: []uint32{0, 1}, Watchdog: 10000})
			began := time.Now()
			c.restarts(hello.BootNonce)
			require.Less(t, time.Since(began), 10*time.Second)
			runCounter(c)
		})
	}
}
