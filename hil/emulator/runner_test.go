//go:build linux

package emulator_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// emulated returns the boards that run under QEMU.
func emulated(t *testing.T) []boards.Board {
	t.Helper()
	all, err := boards.All()
	require.NoError(t, err)
	var found []boards.Board
	for _, b := range all {
		if b.QEMU != nil {
			found = append(found, b)
		}
	}
	require.NotEmpty(t, found)
	return found
}

func TestBoardsAnswer(t *testing.T) {
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			took := time.Since(start)
			t.Logf("answered HELLO %v after QEMU was started; timer %d Hz", took.Round(time.Millisecond), hello.TimerHz)
			require.Less(t, took, answerTime)
			require.Equal(t, b.Name, hello.Board)
			require.Equal(t, b.Arch, hello.Arch.String())
			require.Equal(t, b.UART.Bauds, hello.Bauds, "board.json against board.c")
			require.Equal(t, packet.StateIdle, hello.State)
			require.GreaterOrEqual(t, hello.Window, 2*hello.MaxPacket)
			require.LessOrEqual(t, uint64(hello.CodeCapacity)+uint64(hello.DataCapacity), b.RAM)
			runCounter(c)
			status := c.status()
			require.Nil(t, status.Fault)
			require.Zero(t, status.Counters.Overruns)
		})
	}
}

// An idle board, spare cores included, must not use the host's processor. The emulator may still be
// at work on a busy machine, so one quiet pause of several is enough: a board that does not sleep has none.
func TestIdleBoardsSleep(t *testing.T) {
	const (
		pause = 500 * time.Millisecond
		most  = 100 * time.Millisecond
		tries = 10
	)
	for _, b := range running(t) {
		if b.Chip == "esp32c3" {
			continue // its runner stays awake, as firmware/arch/riscv/cpu.c tells
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel() // it only waits
			m, c := boot(t, b.Name, emulator.Options{})
			c.hello(1)
			spent := func() time.Duration {
				all := processorTime(t, fmt.Sprintf("/proc/%d/stat", m.PID()))
				if b.QEMU != nil && b.QEMU.Deaf { // the first thread is woken for every byte that could come, the cores are another
					all -= processorTime(t, fmt.Sprintf("/proc/%d/task/%d/stat", m.PID(), m.PID()))
				}
				return all
			}
			least := pause
			for try := 0; try < tries && least >= most; try++ {
				before := spent()
				time.Sleep(pause)
				least = min(least, spent()-before)
			}
			require.Less(t, least, most, "in %v", pause)
		})
	}
}

// processorTime returns user and system time of a process or a thread, by its file in /proc.
func processorTime(t *testing.T, file string) time.Duration {
	t.Helper()
	const tick = time.Second / 100 // USER_HZ
	stat, err := os.ReadFile(file)
	require.NoError(t, err)
	// The name in parentheses may hold blanks; user time is field 14, counted from 1.
	_, rest, found := strings.Cut(string(stat), ") ")
	require.True(t, found)
	fields := strings.Fields(rest)
	var user, system time.Duration
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	require.NoError(t, err)
	return (user + system) * tick
}

// runCounter loads a program that counts its runs, runs it, and checks.
func runCounter(c *client) {
	c.t.Helper()
	const runs = 1000
	c.load(c.isa.counter, nil, 64)
	result := c.run(packet.RunRequest{Count: runs, Limit: c.us(9_000_000)})
	require.Equal(c.t, packet.StatusOK, result.Status)
	require.EqualValues(c.t, runs, result.Runs)
	require.LessOrEqual(c.t, result.Min*runs, result.Total)
	require.EqualValues(c.t, runs, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
}

// The start-up code must do from every exception level.
func TestExceptionLevels(t *testing.T) {
	rpi3, err := boards.Find("rpi3")
	require.NoError(t, err)
	raw, err := rpi3.Bytes(boards.FormRaw)
	require.NoError(t, err)
	for _, tt := range []struct {
		name, board string
		opts        emulator.Options
	}{
		{"EL3", "rpi3", emulator.Options{}},
		{"EL2, kernel8.img", "rpi3", emulator.Options{Image: raw}},
		{"EL2", "virt-a53", emulator.Options{Args: []string{"-machine", "virtualization=on"}}},
		{"EL1", "virt-a53", emulator.Options{}},
		{"EL1, three spare cores", "virt-a53", emulator.Options{Args: []string{"-smp", "4"}}},
		{"Supervisor", "virt-a15", emulator.Options{}},
		{"Hyp", "virt-a15", emulator.Options{Args: []string{"-machine", "virtualization=on"}}},
		{"secure Supervisor", "virt-a15", emulator.Options{Args: []string{"-machine", "secure=on"}}},
		{"Supervisor, three spare cores", "virt-a15", emulator.Options{Args: []string{"-smp", "4"}}},
		{"machine mode, three spare harts", "riscv-virt64", emulator.Options{Args: []string{"-smp", "4"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, tt.board, tt.opts)
			c.hello(1)
			runCounter(c)
		})
	}
}

// The boot loader in the ROM of an STM32, by which flash starts a runner, has its own
// vectors in use then. Here they are somewhere in RAM, which is zero.
func TestStartByBootLoader(t *testing.T) {
	const vtor, elsewhere = 0xe000ed08, 0x20000400
	for _, b := range emulated(t) {
		if b.Flash == nil || b.Flash.Method != boards.MethodSTM32 {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			args := []string{"-device", fmt.Sprintf("loader,addr=%#x,data=%#x,data-len=4,cpu-num=0", vtor, elsewhere)}
			_, c := boot(t, b.Name, emulator.Options{Args: args})
			c.hello(1)
			runCounter(c)
		})
	}
}

func TestGarbageFlood(t *testing.T) {
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			c.hello(1)
			random := rand.NewChaCha8([32]byte{1})
			garbage := make([]byte, extent.Of(12<<10, 48<<10))
			random.Read(garbage)
			c.write(garbage)
			c.hello(2)
			runCounter(c)
			counters := c.status().Counters
			require.NotZero(t, counters.FramingErrors+counters.CRCErrors)
		})
	}
}

// Interrupts during a run must leave every register of the program alone.
func TestInterruptsDuringRun(t *testing.T) {
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			code, sum := c.isa.registers()
			loops := uint32(20_000_000)
			if placeOf(t, b.Name).slow {
				loops /= 10
			}
			data := make([]byte, 64)
			binary.LittleEndian.PutUint32(data[paramAt:], loops)
			c.load(code, data, 0)
			c.seq++
			c.send(&packet.RunRequest{Count: 1, Limit: c.us(10_000_000)})
			flood := make([]byte, min(8<<10, hello.Window)) // bytes that are no frame, and fit the receive queue
			for i := range flood {
				flood[i] = 0x55
			}
			c.write(flood)
			c.write([]byte{0})
			require.Equal(t, packet.StatusOK, c.answer().Result())
			require.Equal(t, sum, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
			require.Zero(t, c.status().Counters.Overruns)
		})
	}
}

// What does not fit the receive queue during a run is lost and counted, and the
// line works again afterwards.
func TestReceiveQueueOverflows(t *testing.T) {
	const flood = 40 << 10 // bytes, more than a runner's queue
	_, c := boot(t, "rpi3", emulator.Options{})
	// A busy host takes long to get that many bytes across.
	for i, limit := range []time.Duration{2 * time.Second, 6 * time.Second, 10 * time.Second} {
		c.hello(uint32(2 * i))
		c.load(c.isa.spin, nil, 64)
		c.seq++
		c.send(&packet.RunRequest{Count: 1, Limit: c.us(uint32(limit.Microseconds()))})
		c.write(bytes.Repeat([]byte{0x55}, flood))
		c.write([]byte{0})
		require.Equal(t, packet.StatusTimeLimit, c.answer().Result())
		c.hello(uint32(2*i + 1))
		if c.status().Counters.Overruns > 0 {
			runCounter(c)
			return
		}
	}
	require.Fail(t, "no overrun was counted")
}

// One program's floating-point mode must not reach the next.
func TestFloatingPointModeIsReset(t *testing.T) {
	for _, b := range emulated(t) {
		if isaOf(t, b).setMode == nil {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			c.hello(1)
			c.load(c.isa.setMode, nil, 64)
			require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 1}).Status)
			c.load(c.isa.getMode, nil, 64)
			require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 1}).Status)
			require.EqualValues(t, 1, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
		})
	}
}

func TestPeriodicRuns(t *testing.T) {
	const (
		runs   = 200
		period = 1000 // microseconds
	)
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			c.load(c.isa.counter, nil, 64)
			start := time.Now()
			result := c.run(packet.RunRequest{Count: runs, Period: c.us(period)})
			took := time.Since(start)
			require.Equal(t, packet.StatusOK, result.Status)
			require.EqualValues(t, runs, result.Runs)
			require.GreaterOrEqual(t, took, (runs-1)*period*time.Microsecond)
			t.Logf("%d runs, %d late, %v in all", runs, result.Late, took.Round(time.Millisecond))
			kept := min(runs, hello.SampleCapacity, hello.MaxPacket/4-8) // 8 words for what surrounds them
			require.NotZero(t, kept)
			region := packet.RegionSamples
			samples := c.ask(&packet.ReadRequest{Length: 4 * kept, Region: &region}).(*packet.ReadResponse)
			require.Equal(t, packet.StatusOK, samples.Status)
			require.Len(t, samples.Bytes, int(4*kept))
			var total uint64
			for b := samples.Bytes; len(b) > 0; b = b[4:] {
				ticks := uint64(binary.LittleEndian.Uint32(b))
				require.GreaterOrEqual(t, ticks, result.Min)
				require.LessOrEqual(t, ticks, result.Max)
				total += ticks
			}
			require.LessOrEqual(t, total, result.Total)
			if kept == runs {
				require.Equal(t, result.Total, total)
			}
			beyond := c.ask(&packet.ReadRequest{Offset: 4 * runs, Length: 1, Region: &region})
			require.Equal(t, packet.StatusOutOfRange, beyond.Result())
		})
	}
}

// A long RUN ends when another host opens a session, also while it sleeps.
func TestHelloEndsARun(t *testing.T) {
	for _, b := range running(t) {
		for name, period := range map[string]uint32{"back to back": 0, "asleep": 5_000_000} {
			t.Run(b.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				_, c := boot(t, b.Name, emulator.Options{})
				c.hello(1)
				c.load(c.isa.counter, nil, 64)
				c.seq++
				c.send(&packet.RunRequest{Count: 1 << 31, Period: c.us(period)})
				running := false
				for range 100 { // late answers to the first HELLO come first
					running = running || c.hello(1).State == packet.StateRunning
				}
				require.True(t, running)
				c.hello(2)
				require.Equal(t, packet.StateReady, c.status().State)
				require.NotZero(t, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
			})
		}
	}
}

func TestBaud(t *testing.T) {
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			for _, baud := range hello.Bauds {
				require.Equal(t, packet.StatusOK, c.ask(&packet.BaudRequest{Baud: baud}).Result(), "%d baud", baud)
				c.seq++ // what arrives while the rate changes may be lost
				resp := c.insist(func() { c.send(&packet.StatusRequest{}) }, anything)
				status, ok := resp.(*packet.StatusResponse)
				require.True(t, ok, "%v", resp)
				require.Equal(t, packet.StateIdle, status.State)
			}
			require.Equal(t, packet.StatusUnsupported, c.ask(&packet.BaudRequest{Baud: 12345}).Result())
		})
	}
}

func TestTwoBoardsAtOnce(t *testing.T) {
	names := []string{"rpi3", "virt-a53"}
	clients := make([]*client, len(names))
	for i, name := range names {
		_, clients[i] = boot(t, name, emulator.Options{})
	}
	for i, c := range clients {
		require.Equal(t, names[i], c.hello(uint32(i+1)).Board)
		c.load(c.isa.counter, nil, 64)
	}
	for i, c := range clients {
		require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: uint32(i + 5)}).Status)
	}
	for i, c := range clients {
		require.EqualValues(t, i+5, binary.LittleEndian.Uint32(c.read(resultAt, 4)))
	}
}
