//go:build linux

package emulator_test

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// answerTime tells a runner that hangs from a host that is busy: one whose instructions are counted may have seconds to compute.
const answerTime = 4 * time.Minute

// A client speaks the protocol without retries: a pty loses nothing, so every
// missing answer is a defect of the runner.
type client struct {
	t       *testing.T
	isa     *isa
	payload int // bytes of a CHUNK, as HELLO allows
	tty     *os.File
	packets chan frame.Packet
	session uint16
	seq     uint16
	hz      uint64         // of the runner's timer
	last    packet.Request // sent with seq
}

// power starts a board.
func power(t *testing.T, name string, opts emulator.Options) *emulator.Machine {
	t.Helper()
	board, err := boards.Find(name)
	require.NoError(t, err)
	if board.QEMU == nil {
		require.Equal(t, emulator.Options{}, opts, "options are QEMU's")
		return simulate(t, board).Machine
	}
	needQEMU(t, board)
	if slices.Contains(opts.Args, "-icount") {
		emulatortest.Alone(t)
	}
	m, err := emulator.Start(t.Context(), board, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// needQEMU skips a test where QEMU is not installed, but not in CI.
func needQEMU(t *testing.T, board boards.Board) {
	t.Helper()
	if _, err := emulator.Find(board.QEMU); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("SKIP: %v", err)
	}
}

// boot starts a board and opens its tty.
func boot(t *testing.T, name string, opts emulator.Options) (*emulator.Machine, *client) {
	t.Helper()
	m := power(t, name, opts)
	c := dial(t, m.TTY())
	board, err := boards.Find(name)
	require.NoError(t, err)
	c.isa = isaOf(t, board)
	return m, c
}

func dial(t *testing.T, path string) *client {
	t.Helper()
	tty, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	c := &client{t: t, tty: tty, packets: make(chan frame.Packet, 64)}
	t.Cleanup(func() { tty.Close() })
	go func() {
		defer close(c.packets)
		dec := frame.NewDecoder(packet.MaxPacketLength)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if err != nil {
				return
			}
			dec.Feed(buf[:n], func(p frame.Packet) {
				p.Body = append([]byte(nil), p.Body...)
				c.packets <- p
			})
		}
	}()
	return c
}

func (c *client) write(p []byte) {
	c.t.Helper()
	_, err := c.tty.Write(p)
	require.NoError(c.t, err)
}

func (c *client) send(r packet.Request) {
	c.t.Helper()
	c.last = r
	body, err := packet.EncodeRequest(r)
	require.NoError(c.t, err)
	h := frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion, Session: c.session, Seq: c.seq}
	c.write(frame.Append([]byte{0}, h, body))
}

// wait returns the next packet that matches, if one comes within the time.
func (c *client) wait(limit time.Duration, match func(frame.Packet) bool) (frame.Packet, bool) {
	c.t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case p, ok := <-c.packets:
			require.True(c.t, ok, "the line was closed")
			if match(p) {
				return p, true
			}
		case <-timer.C:
			return frame.Packet{}, false
		}
	}
}

func (c *client) next(match func(frame.Packet) bool) frame.Packet {
	c.t.Helper()
	p, ok := c.wait(answerTime, match)
	require.True(c.t, ok, "no answer from the runner within %v", answerTime)
	return p
}

// answer waits for the response to the last request. If HELLO was repeated, the
// answer taken may have been a late one to an earlier HELLO: the first request
// is then repeated in the session of the last one (SPEC.md, late answers).
func (c *client) answer() packet.Response {
	c.t.Helper()
	for {
		p := c.next(func(p frame.Packet) bool {
			return p.Kind == packet.KindRsp && (p.Seq == c.seq || p.Seq == 0 && c.seq == 1)
		})
		resp, err := packet.DecodeResponse(p.Body)
		require.NoError(c.t, err)
		hello, late := resp.(*packet.HelloResponse)
		if !late {
			return resp
		}
		if hello.Session != c.session {
			c.session = hello.Session
			c.send(c.last)
		}
	}
}

func (c *client) ask(r packet.Request) packet.Response {
	c.t.Helper()
	c.seq++
	c.send(r)
	resp := c.answer()
	require.Equal(c.t, r.Code(), resp.Code())
	return resp
}

// hello opens a session. It asks again and again, since a runner that is just
// starting does not hear everything.
func (c *client) hello(nonce uint32) *packet.HelloResponse {
	c.t.Helper()
	resp := c.insist(func() {
		c.session, c.seq = 0, 0
		c.send(&packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: nonce})
	}, func(r packet.Response) bool {
		hello, ok := r.(*packet.HelloResponse)
		return !ok || hello.Nonce == nonce // an earlier HELLO, if asked again, is answered again
	})
	require.Equal(c.t, packet.StatusOK, resp.Result())
	hello, ok := resp.(*packet.HelloResponse)
	require.True(c.t, ok)
	c.session = hello.Session
	c.hz = hello.TimerHz
	c.payload = min(maxPayload, int(hello.MaxPacket)-chunkHead)
	return hello
}

// insist sends a request again and again, for a runner that may not hear everything, until it has the answer.
func (c *client) insist(send func(), answers func(packet.Response) bool) packet.Response {
	c.t.Helper()
	const pause = 200 * time.Millisecond
	const tries = int(answerTime / pause)
	for range tries {
		send()
		var resp packet.Response
		_, ok := c.wait(pause, func(p frame.Packet) bool {
			if p.Kind != packet.KindRsp || p.Seq != c.seq {
				return false
			}
			var err error
			resp, err = packet.DecodeResponse(p.Body)
			require.NoError(c.t, err)
			return answers(resp)
		})
		if ok {
			return resp
		}
	}
	require.Fail(c.t, "no answer from the runner", "asked %d times", tries)
	return nil
}

// anything is an answer to every request.
func anything(packet.Response) bool { return true }

// us is a time in counts of the runner's timer.
func (c *client) us(microseconds uint32) uint64 { return uint64(microseconds) * c.hz / 1_000_000 }

func (c *client) status() *packet.StatusResponse {
	c.t.Helper()
	return c.ask(&packet.StatusRequest{}).(*packet.StatusResponse)
}

// chunk sends one piece and waits for its acknowledgement.
func (c *client) chunk(region packet.Region, offset uint32, piece []byte) {
	c.t.Helper()
	c.seq++
	c.send(&packet.ChunkRequest{Region: region, Offset: offset, Bytes: piece})
	c.next(func(p frame.Packet) bool { return p.Kind == packet.KindAck && p.Ack == c.seq+1 })
}

const (
	maxPayload = 1024 // bytes
	chunkHead  = 32   // header, CRC and the rest of a CHUNK's body, at most
)

// load transfers an image with one entry at offset 0 and seals it.
func (c *client) load(code, data []byte, bss uint32) {
	c.t.Helper()
	begin := &packet.BeginRequest{
		Arch:       c.isa.arch,
		CodeLength: uint32(len(code)),
		DataLength: uint32(len(data)),
		BSSLength:  bss,
		Entries:    []uint32{0},
	}
	digest := begin.Sum(code, data, nil)
	begin.Digest = digest[:]
	require.Equal(c.t, packet.StatusOK, c.ask(begin).Result())
	for region, content := range map[packet.Region][]byte{packet.RegionCode: code, packet.RegionData: data} {
		for at := 0; at < len(content); at += c.payload {
			c.chunk(region, uint32(at), content[at:min(at+c.payload, len(content))])
		}
	}
	require.Equal(c.t, packet.StatusOK, c.ask(&packet.SealRequest{}).Result())
}

func (c *client) run(r packet.RunRequest) *packet.RunResponse {
	c.t.Helper()
	return c.ask(&r).(*packet.RunResponse)
}

func (c *client) read(offset, length uint32) []byte {
	c.t.Helper()
	resp := c.ask(&packet.ReadRequest{Offset: offset, Length: length}).(*packet.ReadResponse)
	require.Equal(c.t, packet.StatusOK, resp.Status)
	require.Len(c.t, resp.Bytes, int(length))
	return resp.Bytes
}
