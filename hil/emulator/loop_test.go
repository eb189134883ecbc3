//go:build linux

package emulator_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
)

// tickers are boards of each kind of core, clock, interrupt controller and UART that ticks are made with.
var tickers = map[string]bool{
	"microbit": true, "mps2-an385": true, "mps2-an386": true, "mps3-an547": true, "netduinoplus2": true,
	"lm3s6965evb": true, "b-l475e-iot01a": true, "riscv-virt32": true, "sifive-e": true, "rpi1": true, "rpi3": true, "vexpress-a9": true, "virt-a15": true,
}

func ticking(t *testing.T) (found []boards.Board) {
	t.Helper()
	for _, b := range emulated(t) {
		if extent.All() || tickers[b.Name] {
			found = append(found, b)
		}
	}
	return found
}

// Every instruction takes a nanosecond of emulated time, and time does not wait for the host. While a loop runs such an emulator
// never rests, and the thread that has its line gets a turn when another processor is free: no two of them run at once.
var counted = emulator.Options{Args: []string{"-icount", "shift=0,sleep=off"}}

// start starts a loop of the loaded program's first entry, rate times a second.
func (c *client) start(hz uint64, rate float64, change func(*packet.StartRequest)) *packet.StartResponse {
	c.t.Helper()
	exact := float64(hz) / rate
	r := &packet.StartRequest{Period: uint64(exact), Rest: uint32((exact - float64(uint64(exact))) * (1 << 32)), Tasks: []uint32{0, 1}, Limit: patient(hz)}
	if change != nil {
		change(r)
	}
	resp := c.ask(r).(*packet.StartResponse)
	require.Equal(c.t, packet.StatusOK, resp.Status)
	return resp
}

// demand asks as ask does, until the runner has heard it among what else is on the line.
func (c *client) demand(r packet.Request) packet.Response {
	c.t.Helper()
	c.seq++
	return c.insist(func() { c.send(r) }, anything)
}

func (c *client) stop() *packet.StopResponse {
	c.t.Helper()
	resp := c.demand(&packet.StopRequest{}).(*packet.StopResponse)
	require.Equal(c.t, packet.StatusOK, resp.Status)
	return resp
}

func (c *client) live() *packet.StopResponse {
	c.t.Helper()
	resp := c.demand(&packet.LiveRequest{}).(*packet.LiveResponse)
	require.Equal(c.t, packet.StatusOK, resp.Status)
	return (*packet.StopResponse)(resp)
}

// ticked waits until so many ticks have ended of a loop that goes on, however slowly.
func (c *client) ticked(n uint32) *packet.StopResponse {
	c.t.Helper()
	last := uint32(0)
	for deadline := time.Now().Add(answerTime); ; time.Sleep(10 * time.Millisecond) {
		s := c.live()
		require.Equal(c.t, packet.LoopEndNone, s.Counts.End, "after %d ticks", s.Counts.Ticks)
		if s.Counts.Ticks >= n {
			return s
		}
		if s.Counts.Ticks > last {
			last, deadline = s.Counts.Ticks, time.Now().Add(answerTime)
		}
		require.Less(c.t, time.Now(), deadline, "%d ticks", s.Counts.Ticks)
	}
}

// ended waits until a loop has ended by itself.
func (c *client) ended() *packet.StopResponse {
	c.t.Helper()
	for deadline := time.Now().Add(answerTime); ; {
		if s := c.live(); s.Counts.End != packet.LoopEndNone {
			return s
		}
		require.Less(c.t, time.Now(), deadline, "the loop goes on")
	}
}

func (c *client) result() uint32 {
	c.t.Helper()
	return binary.LittleEndian.Uint32(c.read(resultAt, 4))
}

// list appends a list of spans, as live memory has it.
func list(dst []byte, spans ...uint32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(spans)/2))
	for _, word := range spans {
		dst = binary.LittleEndian.AppendUint32(dst, word)
	}
	return dst
}

// Ticks start when they are due, within 40 instructions, while the link sends as much telemetry as it can and hears requests and
// garbage.
func TestTicksStartOnTime(t *testing.T) {
	const spread = 40 // instructions
	for _, b := range ticking(t) {
		t.Run(b.Name, func(t *testing.T) {
			_, c := boot(t, b.Name, counted)
			hello := c.hello(1)
			runCounter(c)
			c.load(c.isa.counter, nil, 64)
			c.start(hello.TimerHz, 1000, nil)
			const listAt, ringAt, record = 4, 64, 4 + 4 + 8*4
			telemetry := list(nil, 0, 8*4)
			live := packet.RegionLive
			require.Equal(t, packet.StatusOK, c.ask(&packet.WriteRequest{Offset: listAt, Bytes: telemetry, Region: &live}).Result())
			require.Equal(t, packet.StatusOK, c.ask(&packet.SubscribeRequest{
				List: listAt, Every: 1, Ring: ringAt, Length: 5 * record, Batch: 2,
			}).Result())
			garbage := make([]byte, 200)
			ticks := uint32(0)
			for began, i := time.Now(), 0; time.Since(began) < time.Second || ticks <= 100 && time.Since(began) < answerTime; i++ {
				require.Equal(t, packet.StateTicking, c.demand(&packet.StatusRequest{}).(*packet.StatusResponse).State)
				ticks = c.live().Counts.Ticks
				if i%4 == 0 {
					for j := range garbage {
						garbage[j] = byte(i * j)
					}
					c.write(garbage)
				}
			}
			s := c.stop()
			require.Equal(t, packet.LoopEndStopped, s.Counts.End)
			require.Equal(t, s.Counts.Ticks, c.result(), "each tick runs the program once")
			late, took := s.Times()[0], s.Times()[1]
			instructions := float64(late.Max-late.Min) * 1e9 / float64(hello.TimerHz)
			t.Logf("%d ticks, start %d to %d of %d Hz late: %.0f instructions apart; took %d to %d; guard %d", s.Counts.Ticks,
				late.Min, late.Max, hello.TimerHz, instructions, took.Min, took.Max, hello.Guard)
			require.Greater(t, s.Counts.Ticks, uint32(100))
			require.Zero(t, s.Counts.Missed)
			require.LessOrEqual(t, instructions, float64(spread))
			runCounter(c) // and runs on request are as before
		})
	}
}

// patient is a limit of ticks that an emulator on a busy machine does not reach: 10 s, or what every runner takes.
func patient(hz uint64) uint64 { return min(10*hz, 1<<29) }

// A program that fails in a tick ends the loop; the runner describes the fault, and goes on.
func TestFaultsWhileTicking(t *testing.T) {
	for _, b := range append(ticking(t), onlySimulated(t)...) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			cases := isaOf(t, b).faults(placeOf(t, b.Name))
			_, c := boot(t, b.Name, emulator.Options{})
			hello := c.hello(1)
			for _, tt := range cases {
				t.Run(tt.name, func(t *testing.T) {
					c.t = t
					once := func(microseconds uint32) *packet.StopResponse {
						c.load(tt.code, nil, 64)
						c.start(hello.TimerHz, 100, func(r *packet.StartRequest) {
							r.Limit = max(1, uint64(microseconds)*hello.TimerHz/1e6)
							if microseconds == 0 {
								r.Limit = patient(hello.TimerHz)
							}
						})
						return c.ended()
					}
					s := once(tt.limit)
					for limit := 2 * tt.limit; tt.early(s.Fault) && limit < 8_000_000; limit *= 2 {
						s = once(limit)
					}
					run := &packet.RunResponse{Status: packet.StatusFault, Fault: s.Fault}
					want := packet.LoopEndFault
					if tt.kind == packet.FaultTimeLimit {
						run.Status, want = packet.StatusTimeLimit, packet.LoopEndTimeLimit
					}
					require.Equal(t, want, s.Counts.End)
					checkFault(t, tt, run)
					c.load(c.isa.counter, nil, 64)
					require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 7}).Status)
					require.EqualValues(t, 7, c.result())
				})
			}
			c.t = t
			require.Equal(t, hello.BootNonce, c.hello(2).BootNonce, "the runner has restarted")
		})
	}
}

// A tick that takes nearly all of its period, or more, leaves the link enough to hear a STOP.
func TestStopOfABusyLoop(t *testing.T) {
	for _, b := range ticking(t) {
		t.Run(b.Name, func(t *testing.T) {
			_, c := boot(t, b.Name, counted)
			hello := c.hello(1)
			code, _ := c.isa.registers() // counts the word at paramAt down
			c.load(code, nil, 64)
			for _, share := range []float64{0.98, 1.5} {
				const loops = 2000
				param := binary.LittleEndian.AppendUint32(nil, loops)
				require.Equal(t, packet.StatusOK, c.ask(&packet.WriteRequest{Offset: paramAt, Bytes: param}).Result())
				one := c.run(packet.RunRequest{Count: 3})
				require.Equal(t, packet.StatusOK, one.Status)
				require.Equal(t, packet.StatusOK, c.ask(&packet.WriteRequest{Offset: paramAt, Bytes: param}).Result())
				period := uint64(float64(one.Max) / share)
				c.start(hello.TimerHz, 1, func(r *packet.StartRequest) { r.Period, r.Rest = max(2, period), 0 })
				time.Sleep(50 * time.Millisecond)
				s := c.stop()
				t.Logf("share %.2f: period %d, %d ticks, %d missed, lateness %+v", share, period, s.Counts.Ticks, s.Counts.Missed, s.Times()[0])
				require.Equal(t, packet.LoopEndStopped, s.Counts.End)
			}
		})
	}
}

// A loop outlives its host's session, and many loops follow each other.
func TestLoopsFollowEachOther(t *testing.T) {
	for _, b := range ticking(t) {
		t.Run(b.Name, func(t *testing.T) {
			_, c := boot(t, b.Name, counted)
			hello := c.hello(1)
			c.load(c.isa.counter, nil, 64)
			ticks := uint32(0)
			for i := range extent.Of(uint32(50), 1000) {
				c.start(hello.TimerHz, 2000, nil)
				if i%10 == 0 {
					require.Equal(t, packet.StateTicking, c.hello(2+i).State)
				}
				if i%7 == 0 {
					require.Equal(t, packet.StatusBadState, c.ask(&packet.RunRequest{Count: 1}).Result())
				}
				ticks += c.stop().Counts.Ticks
				require.Equal(t, ticks, c.result())
			}
			require.Equal(t, packet.StatusOK, c.run(packet.RunRequest{Count: 3}).Status)
			require.Equal(t, ticks+3, c.result())
			require.Equal(t, hello.BootNonce, c.hello(1e6).BootNonce)
		})
	}
}

// A tick comes on top of whatever the link is at, and has an interrupt on top of itself: of the little stack that a microcontroller's
// runner has something is left.
func TestStackOfNestedTicks(t *testing.T) {
	const least = 64 // bytes
	for _, name := range extent.Of([]string{"microbit", "stm32vldiscovery"}, []string{"microbit", "stm32vldiscovery", "lm3s6965evb", "netduinoplus2"}) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			monitor := filepath.Join(dir, "monitor")
			opts := emulator.Options{Args: append([]string{"-monitor", "unix:" + monitor + ",server=on,wait=off"}, counted.Args...)}
			_, c := boot(t, name, opts)
			board, err := boards.Find(name)
			require.NoError(t, err)
			image, err := board.Bytes(board.QEMU.Load)
			require.NoError(t, err)
			file, err := elf.NewFile(bytes.NewReader(image))
			require.NoError(t, err)
			stack := file.Section(".stack")
			require.NotNil(t, stack)

			hello := c.hello(1)
			runCounter(c)
			live := packet.RegionLive
			c.load(c.isa.counter, nil, 64)
			for i := range uint32(20) {
				c.start(hello.TimerHz, 4000, func(r *packet.StartRequest) { r.Misses, r.Tasks = 1000, []uint32{0, 1, 0, 2} })
				require.Equal(t, packet.StatusOK, c.demand(&packet.WriteRequest{Offset: 4, Bytes: list(nil, 0, 16), Region: &live}).Result())
				c.demand(&packet.SubscribeRequest{List: 4, Every: 1, Ring: 64, Length: 4 * 24, Batch: 1})
				c.write(bytes.Repeat([]byte{0xa5, 0}, 100))
				c.live()
				c.demand(&packet.ReadRequest{Offset: resultAt, Length: 4})
				c.demand(&packet.StatusRequest{})
				c.hello(2 + i)
				c.stop()
			}
			conn, err := net.Dial("unix", monitor)
			require.NoError(t, err)
			defer conn.Close()
			require.NoError(t, conn.SetDeadline(time.Now().Add(answerTime)))
			dump := filepath.Join(dir, "stack")
			save := "pmemsave"
			if name == "microbit" { // whose RAM QEMU shows to its core only
				save = "memsave"
			}
			_, err = fmt.Fprintf(conn, "%s %#x %d \"%s\"\n", save, stack.Addr, stack.Size, dump)
			require.NoError(t, err)
			require.Eventually(t, func() bool {
				info, err := os.Stat(dump)
				return err == nil && info.Size() == int64(stack.Size)
			}, answerTime, 10*time.Millisecond)
			memory, err := os.ReadFile(dump)
			require.NoError(t, err)
			require.Len(t, memory, int(stack.Size))
			free := 0
			for free < len(memory) && memory[free] == 0 { // as RAM is at the start
				free++
			}
			t.Logf("%d of %d bytes, guard and all, were never used", free, stack.Size)
			guard := int(stack.Size % 512) // a power of two is the stack
			require.Less(t, free, len(memory), "this is not the stack")
			require.GreaterOrEqual(t, free-guard, least)
		})
	}
}
