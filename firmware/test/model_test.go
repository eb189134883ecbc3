package test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/test/model"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// bench is what firmware/test/core/bench.c makes.
var bench = model.Bench{
	Arch: packet.ArchThumbv6m, Features: packet.FeatSSE41, Board: "bench", Firmware: "test", CodeSize: 512, DataSize: 1024, MaxPacket: 512, Window: 2048,
	Samples: 32, LiveSize: 2048, LoopFeatures: packet.LoopCapture | packet.LoopSwap | packet.LoopWatchdog | packet.LoopPins | packet.LoopStore, Guard: 3, TimerHz: 1_000_000, Bauds: []uint32{115200, 921600, 3_000_000}, CodeAddress: 0x10000, Services: []uint64{0x20000, 0x30000}, Overruns: 5,
	Windows: []model.Window{{Address: 0x40000000, Length: 64, Bits: 1<<32 - 1}, {Address: 0x40001000, Length: 8, Bits: 0xff0f}, {Address: 0xfffffffc, Length: 4, Bits: 1<<32 - 1}},
}

// A driver is the core at the other end of a pipe.
type driver struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func drive(t *testing.T) *driver {
	t.Helper()
	cmd := exec.Command(compile(t, "drive", append([]string{storing}, sanitizers...)))
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		require.NoError(t, cmd.Wait())
	})
	return &driver{t, in, bufio.NewReader(out)}
}

func (d *driver) command(op byte, b []byte) {
	d.t.Helper()
	_, err := d.in.Write(append(binary.LittleEndian.AppendUint32([]byte{op}, uint32(len(b))), b...))
	require.NoError(d.t, err)
}

func (d *driver) start() (dataAddress uint64) {
	d.t.Helper()
	d.command('S', nil)
	require.NoError(d.t, binary.Read(d.out, binary.LittleEndian, &dataAddress))
	return dataAddress
}

func (d *driver) feed(b []byte) []frame.Packet {
	d.t.Helper()
	d.command('F', b)
	return d.sent()
}

// poll lets the main loop turn until there is nothing more to do.
func (d *driver) poll() []frame.Packet {
	d.t.Helper()
	d.command('P', nil)
	return d.sent()
}

func (d *driver) tick(late, cost uint32) {
	d.t.Helper()
	d.command('T', binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, late), cost))
}

func (d *driver) lose(kind packet.FaultKind) {
	d.t.Helper()
	d.command('L', binary.LittleEndian.AppendUint32(nil, uint32(kind)))
}

func (d *driver) memory() (data, live, registers []byte) {
	d.t.Helper()
	d.command('M', nil)
	n := bench.DataSize + bench.LiveSize
	for _, w := range bench.Windows {
		n += w.Length
	}
	all := make([]byte, n)
	_, err := io.ReadFull(d.out, all)
	require.NoError(d.t, err)
	return all[:bench.DataSize], all[bench.DataSize:][:bench.LiveSize], all[bench.DataSize+bench.LiveSize:]
}

// sent are the packets that the core has sent.
func (d *driver) sent() []frame.Packet {
	d.t.Helper()
	var n uint32
	require.NoError(d.t, binary.Read(d.out, binary.LittleEndian, &n))
	sent := make([]byte, n)
	_, err := io.ReadFull(d.out, sent)
	require.NoError(d.t, err)
	var packets []frame.Packet
	dec := frame.NewDecoder(packet.MaxPacketLength)
	dec.Feed(sent, func(p frame.Packet) {
		p.Body = append([]byte(nil), p.Body...)
		packets = append(packets, p)
	})
	require.Zero(d.t, dec.CRCErrors+dec.FramingErrors, "what the core sends")
	return packets
}

// Random sequences of messages, right and wrong ones, and of ticks in between are answered as the model says, with
// the telemetry that it says, and leave the same in memory.
func TestModel(t *testing.T) {
	t.Parallel()
	base := seed.Of(t)
	d := drive(t)
	m := &model.Runner{Bench: bench, Recorded: map[string]packet.Request{}}
	seen := map[string]int{}
	for i := range extent.Of(2500, 50_000) {
		m.DataAddress = d.start()
		m.Restart()
		seen[fmt.Sprint("stored ", m.StoredState())]++
		g := &generator{Rand: rand.New(rand.NewPCG(base, uint64(i))), m: m}
		var history []string
		check := func(want []model.Packet, got []frame.Packet) {
			t.Helper()
			if diff := differ(want, got); diff != "" {
				require.Fail(t, "the core is not the model", "COPAFLASH_SEED=%d, sequence %d: %s\nwant %s\ngot  %s\n%s",
					base, i, diff, show(want), show(got), strings.Join(history[max(0, len(history)-25):], "\n"))
			}
			count(seen, want)
		}
		for range 1 + g.IntN(80) {
			var wire []byte
			for range 1 + g.IntN(3)*g.IntN(2) {
				b, what := g.frame()
				wire = append(wire, b...)
				history = append(history, what)
			}
			check(m.End(), d.feed(wire))
			for range g.IntN(4) {
				if !m.Ticks() {
					break
				}
				late, cost := uint32(g.IntN(20)), uint32(g.IntN(30))
				if g.oneIn(30) {
					late = uint32(g.IntN(5000))
				}
				if g.oneIn(40) {
					cost = uint32(g.IntN(8000))
				}
				m.Tick(late, cost)
				d.tick(late, cost)
				history = append(history, fmt.Sprintf("a tick %d late, of %d", late, cost))
			}
			lose := m.Ticks() && g.oneIn(100)
			if lose {
				kind := packet.FaultKind(1 + g.IntN(7))
				m.Lose(kind)
				d.lose(kind)
				history = append(history, fmt.Sprintf("%v that no tick tells of", kind))
			}
			if lose || g.oneIn(2) {
				history = append(history, "a pause")
				check(m.Idle(), d.poll())
			}
		}
		data, live, registers := d.memory()
		wantData, at, length, wantLive := m.Memory()
		require.Equal(t, m.Registers(), registers, "COPAFLASH_SEED=%d, sequence %d: registers\n%s", base, i, strings.Join(history, "\n"))
		require.Equal(t, wantLive, live, "COPAFLASH_SEED=%d, sequence %d: live memory\n%s", base, i, strings.Join(history, "\n"))
		require.Equal(t, wantData[at:][:length], data[at:][:length], "COPAFLASH_SEED=%d, sequence %d: data\n%s", base, i, strings.Join(history, "\n"))
	}
	t.Log(seen)
	for code := packet.MsgHello; code <= packet.MsgStore; code++ {
		if code.Valid() && code != packet.MsgChunk {
			require.NotZero(t, seen[fmt.Sprint(code, " ", packet.StatusOK)], "%v", code)
		}
	}
	for _, status := range []packet.Status{
		packet.StatusBadMessage, packet.StatusBadLength, packet.StatusBadVersion, packet.StatusBadState, packet.StatusNoMemory, packet.StatusWrongArch,
		packet.StatusMissingFeature, packet.StatusOutOfRange, packet.StatusDigestMismatch, packet.StatusIncomplete, packet.StatusBadPatch,
		packet.StatusFault, packet.StatusTimeLimit, packet.StatusUnsupported, packet.StatusSilence, packet.StatusBusy, packet.StatusNotStored,
	} {
		found := 0
		for what, n := range seen {
			if strings.HasSuffix(what, " "+fmt.Sprint(status)) {
				found += n
			}
		}
		require.NotZero(t, found, "%v", status)
	}
	for _, what := range []string{
		"telemetry", "telemetry with drops", fmt.Sprint("capture ", packet.CaptureTriggered), fmt.Sprint("capture ", packet.CaptureDone),
		fmt.Sprint("swap ", packet.SwapKept), fmt.Sprint("swap ", packet.SwapBack),
	} {
		require.NotZero(t, seen[what], what)
	}
	for state := packet.StoredNone; state < packet.StoredNext; state++ {
		if state != packet.StoredHeld {
			require.NotZero(t, seen[fmt.Sprint("stored ", state)], "%v", state)
		}
	}
	for end := packet.LoopEndStopped; end <= packet.LoopEndWait; end++ {
		require.NotZero(t, seen[fmt.Sprint("end ", end)], "%v", end)
	}
}

// count notes what packets were about.
func count(seen map[string]int, packets []model.Packet) {
	for _, p := range packets {
		switch {
		case p.Data != nil:
			seen["telemetry"]++
			if binary.LittleEndian.Uint32(p.Data[8:]) != 0 {
				seen["telemetry with drops"]++
			}
			continue
		case p.Body == nil:
			seen["ack"]++
			continue
		}
		if code, unknown := p.Body[1].(uint32); unknown && (code > uint32(packet.MsgStore) || !packet.Message(code).Valid()) {
			seen[fmt.Sprint("unknown ", p.Body[3])]++
			continue
		}
		seen[fmt.Sprint(p.Body[1], " ", p.Body[3])]++
		if (p.Body[1] == packet.MsgLive || p.Body[1] == packet.MsgStop) && p.Body[3] == packet.StatusOK {
			count := func(i int) uint32 { return binary.LittleEndian.Uint32(p.Body[5].([]byte)[4*i:]) }
			seen[fmt.Sprint("end ", packet.LoopEnd(count(0)))]++
			seen[fmt.Sprint("capture ", packet.CaptureState(count(6)))]++
			seen[fmt.Sprint("swap ", packet.SwapState(count(9)))]++
		}
	}
}

// differ says where the packets are not those that are due.
func differ(want []model.Packet, got []frame.Packet) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d packets instead of %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Header != w.Header {
			return fmt.Sprintf("header of packet %d", i)
		}
		if w.Data != nil {
			if string(g.Body) != string(w.Data) {
				return fmt.Sprintf("telemetry %d: %x instead of %x", i, g.Body, w.Data)
			}
			continue
		}
		if w.Body == nil {
			if a, err := packet.DecodeAck(g.Body); err != nil || a != w.Ack {
				return fmt.Sprintf("acknowledgement %d", i)
			}
			continue
		}
		if body, open := expected(w.Body); !open && string(g.Body) != string(body) ||
			open && (len(g.Body) < len(body) || string(g.Body[1:len(body)]) != string(body[1:])) {
			return fmt.Sprintf("body of packet %d: %x instead of %x", i, g.Body, body)
		}
	}
	return ""
}

// expected is a body; open if more may come, which the model does not foretell, and the number of pairs is as open.
func expected(m model.Map) (body []byte, open bool) {
	if _, any := m[len(m)-1].(model.Any); any {
		return model.Append(nil, m[:len(m)-2]), true
	}
	return model.Append(nil, m), false
}

func show[T any](packets []T) string {
	var b strings.Builder
	for _, p := range packets {
		fmt.Fprintf(&b, "\n  %+v", p)
	}
	return b.String()
}
