package local_test

import (
	"encoding/binary"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

// safePlace is where the list of safe values is in live memory: data word 8 becomes safeValue.
const (
	safePlace = 64
	safeWord  = 8
	safeValue = 0x5afe
	countWord = 4
)

// onEachRunner calls f for each kind of runner that this machine has.
func onEachRunner(t *testing.T, f func(t *testing.T, c *client, p programs)) {
	t.Run("native", func(t *testing.T) { f(t, start(t), native) })
	t.Run("x86_32", func(t *testing.T) {
		if c := otherWidth(t); c != nil {
			f(t, c, x8632)
		}
	})
	t.Run("aarch64", func(t *testing.T) { f(t, underEmulation(t, packet.ArchAarch64, "qemu-aarch64-static"), arm) })
	t.Run("armv7a", func(t *testing.T) { f(t, underEmulation(t, packet.ArchArmv7a, "qemu-arm-static"), armv7) })
}

// live writes live memory.
func (c *client) live(offset uint32, words ...uint32) {
	c.t.Helper()
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	region := packet.RegionLive
	write := &packet.WriteRequest{Offset: offset, Bytes: b, Region: &region}
	require.Equal(c.t, packet.StatusOK, request[*packet.WriteResponse](c, write).Status)
}

// counts is a time in those of the runner's timer.
func (c *client) counts(d time.Duration) uint64 {
	return uint64(d.Seconds() * float64(c.about.TimerHz))
}

// begin starts a loop of the loaded program's entry, with a limit that a busy machine does not reach.
func (c *client) begin(period time.Duration, more ...func(*packet.StartRequest)) *packet.StartResponse {
	c.t.Helper()
	q := &packet.StartRequest{Period: c.counts(period), Tasks: []uint32{0, 1}, Limit: c.counts(patience)}
	for _, f := range more {
		f(q)
	}
	r := request[*packet.StartResponse](c, q)
	require.Equal(c.t, packet.StatusOK, r.Status)
	return r
}

// safe has a loop leave a value behind, whatever ends it.
func (c *client) safe() func(*packet.StartRequest) {
	c.t.Helper()
	c.live(safePlace, 1, 4*safeWord, 4, safeValue)
	return func(q *packet.StartRequest) { q.Safe = safePlace }
}

// word reads a word of data while no loop runs.
func (c *client) word(i uint32) uint32 {
	c.t.Helper()
	r := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 4 * i, Length: 4})
	require.Equal(c.t, packet.StatusOK, r.Status)
	return binary.LittleEndian.Uint32(r.Bytes)
}

func (c *client) status() packet.StopResponse {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		r := request[*packet.LiveResponse](c, &packet.LiveRequest{})
		if r.Status == packet.StatusOK {
			return packet.StopResponse(*r)
		}
		require.Equal(c.t, packet.StatusBusy, r.Status, "in a long tick")
		require.True(c.t, time.Now().Before(deadline), "busy")
	}
}

func (c *client) stop() packet.StopResponse {
	c.t.Helper()
	r := request[*packet.StopResponse](c, &packet.StopRequest{})
	require.Equal(c.t, packet.StatusOK, r.Status)
	return *r
}

// ended waits for the end of a loop.
func (c *client) ended() packet.StopResponse {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if s := c.status(); s.Counts.End != packet.LoopEndNone {
			return s
		}
		require.True(c.t, time.Now().Before(deadline), "the loop goes on")
		time.Sleep(time.Millisecond)
	}
}

// ticked waits until so many ticks have ended, and returns how many have.
func (c *client) ticked(n uint32) uint32 {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		s := c.status()
		require.Equal(c.t, packet.LoopEndNone, s.Counts.End)
		if s.Counts.Ticks >= n {
			return s.Counts.Ticks
		}
		require.True(c.t, time.Now().Before(deadline), "%d ticks", s.Counts.Ticks)
		time.Sleep(time.Millisecond)
	}
}

// hasty is the limit of a host that gives none.
func hasty(q *packet.StartRequest) { q.Limit = 0 }

func TestLoopTicks(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		c.load(p.count)
		c.begin(time.Millisecond, c.safe())
		c.ticked(50)
		s := c.stop()
		require.Equal(t, packet.LoopEndStopped, s.Counts.End)
		require.EqualValues(t, s.Counts.Ticks, c.word(countWord), "one call a tick")
		require.EqualValues(t, safeValue, c.word(safeWord))
		for i, f := range s.Times() {
			require.LessOrEqual(t, f.Min, f.Max, "figure %d", i)
			t.Logf("%s: least %d, mean %d, most %d ns", []string{"lateness", "execution", "slack"}[i], f.Min, f.Total/uint64(s.Counts.Ticks), f.Max)
		}
		c.works(p) // a RUN is as before
	})
}

// Phase is kept: so many periods after the start there were so many due times.
func TestLoopKeepsPhase(t *testing.T) {
	c := start(t)
	c.load(native.count)
	const period, length = 200 * time.Microsecond, 300 * time.Millisecond
	for deadline := time.Now().Add(patience); ; { // on a busy machine the last ticks come after the end
		began := time.Now()
		c.begin(period)
		time.Sleep(length)
		s := c.stop()
		due := time.Since(began)
		require.LessOrEqual(t, s.Counts.Ticks+s.Counts.Missed, uint32(due/period)+1)
		if s.Counts.Ticks+s.Counts.Missed >= uint32(length/period)-uint32(50*time.Millisecond/period) {
			return
		}
		require.True(t, time.Now().Before(deadline), "%d ticks, %d missed", s.Counts.Ticks, s.Counts.Missed)
	}
}

// A program that fails in a tick ends the loop with its fault in that tick, with the safe values and the same process.
func TestLoopFaults(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		for _, f := range p.faults {
			if f.native && c.about.Arch != packet.ArchX86_64 {
				continue
			}
			c.load(f.code)
			child := childOf(t, c.runner.PID())
			c.begin(time.Millisecond, c.safe())
			s := c.ended()
			require.Equal(t, packet.LoopEndFault, s.Counts.End, f.name)
			require.NotNil(t, s.Fault, f.name)
			require.Equal(t, f.kind, s.Fault.Kind, f.name)
			require.EqualValues(t, 1, s.Counts.Ticks, f.name)
			require.EqualValues(t, safeValue, c.word(safeWord), f.name)
			require.Equal(t, child, childOf(t, c.runner.PID()), "%s: the process goes on", f.name)
		}
		c.load(p.fail)
		c.begin(time.Millisecond, c.safe())
		s := c.ended()
		require.Equal(t, packet.LoopEndFault, s.Counts.End)
		require.Equal(t, packet.FaultIllegal, s.Fault.Kind)
		require.EqualValues(t, 20, s.Counts.Ticks)
		require.GreaterOrEqual(t, s.Fault.Run, uint32(19), "number of the tick")
		require.LessOrEqual(t, s.Fault.Run, 19+s.Counts.Missed)
		require.EqualValues(t, 20, c.word(countWord))
		require.EqualValues(t, safeValue, c.word(safeWord))
		c.works(p)
	})
}

// One that does not end is ended at its limit, by the process itself.
func TestLoopEndsEndlessPrograms(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		const period = 2 * time.Millisecond
		for limit := 5 * period; ; limit *= 2 { // a busy machine may take the time of one of the ticks before
			c.load(p.hang)
			child := childOf(t, c.runner.PID())
			c.begin(period, c.safe(), func(q *packet.StartRequest) { q.Limit = c.counts(limit) })
			s := c.ended()
			require.Equal(t, packet.LoopEndTimeLimit, s.Counts.End)
			require.Equal(t, packet.FaultTimeLimit, s.Fault.Kind)
			require.EqualValues(t, safeValue, c.word(safeWord))
			require.GreaterOrEqual(t, uint64(s.Times()[1].Max), c.counts(limit), "not before the limit")
			require.Equal(t, child, childOf(t, c.runner.PID()), "the process goes on")
			c.works(p)
			if s.Counts.Ticks == 20 {
				require.True(t, s.Fault.Inside)
				return
			}
			require.Less(t, limit, patience/4, "ended in tick %d", s.Counts.Ticks)
		}
	})
}

// A child that is killed is found at once, and the runner does what it cannot do any more.
func TestLoopOutlivesItsProcess(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		for _, period := range []time.Duration{time.Millisecond, 10 * time.Minute} { // which nobody waits for
			c.load(p.count)
			c.begin(period, c.safe())
			time.Sleep(20 * time.Millisecond)
			require.NoError(t, syscall.Kill(childOf(t, c.runner.PID()), syscall.SIGKILL))
			s := c.ended()
			require.Equal(t, packet.LoopEndFault, s.Counts.End)
			require.EqualValues(t, syscall.SIGKILL, s.Fault.Cause>>16)
			require.EqualValues(t, safeValue, c.word(safeWord))
			c.works(p)
		}
	})
}

// A child that does not react is ended: one that is stopped does not.
func TestLoopEndsAProcessThatHangs(t *testing.T) {
	c := start(t)
	c.load(native.count)
	c.begin(time.Millisecond, c.safe(), func(q *packet.StartRequest) { q.Limit = c.counts(2 * time.Second) })
	c.ticked(5)
	require.NoError(t, syscall.Kill(childOf(t, c.runner.PID()), syscall.SIGSTOP))
	s := c.ended()
	require.Equal(t, packet.LoopEndTimeLimit, s.Counts.End)
	require.EqualValues(t, syscall.SIGKILL, s.Fault.Cause>>16)
	require.EqualValues(t, safeValue, c.word(safeWord))
	c.works(native)

	c.load(native.count)
	c.begin(time.Millisecond, c.safe(), func(q *packet.StartRequest) { q.Limit = c.counts(2 * time.Second) })
	c.ticked(5)
	require.NoError(t, syscall.Kill(childOf(t, c.runner.PID()), syscall.SIGSTOP))
	require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
	require.EqualValues(t, safeValue, c.word(safeWord))
	c.works(native)
}

// A stop comes at once, however long nobody would wait for the next tick.
func TestLoopStopsBetweenTicks(t *testing.T) {
	onEachRunner(t, func(t *testing.T, c *client, p programs) {
		c.load(p.count)
		c.begin(10*time.Minute, c.safe())
		c.ticked(1)
		s := c.stop()
		require.Equal(t, packet.LoopEndStopped, s.Counts.End)
		require.EqualValues(t, 1, s.Counts.Ticks)
		require.EqualValues(t, safeValue, c.word(safeWord))
	})
}

func TestLoopStartsAndStopsOften(t *testing.T) {
	c := start(t)
	c.load(native.count)
	child := childOf(t, c.runner.PID())
	ticks := uint32(0)
	for range 1000 {
		c.begin(50 * time.Microsecond)
		time.Sleep(2 * time.Millisecond)
		s := c.stop()
		require.Equal(t, packet.LoopEndStopped, s.Counts.End)
		ticks += s.Counts.Ticks
	}
	require.EqualValues(t, ticks, c.word(countWord))
	require.NotZero(t, ticks)
	require.Equal(t, child, childOf(t, c.runner.PID()))
}
