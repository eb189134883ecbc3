package local_test

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// patience bounds every wait, and is a limit that a busy machine does not reach.
const patience = 60 * time.Second

// stream is what a client needs of a connection.
type stream interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
}

// client speaks to a runner packet by packet, without the session layer, so
// that tests see exactly what the runner does.
type client struct {
	t       testing.TB
	runner  *local.Runner // nil: it is none of this process
	stream  stream
	decoder *frame.Decoder
	session uint16
	seq     uint16
	about   *packet.HelloResponse
	tel     []frame.Packet // telemetry that came meanwhile
}

// connect opens a session.
func connect(t testing.TB, r *local.Runner) *client {
	t.Helper()
	c := connectTo(t, r)
	c.runner = r
	return c
}

func connectTo(t testing.TB, s stream) *client {
	t.Helper()
	c := &client{t: t, stream: s, decoder: frame.NewDecoder(packet.MaxPacketLength)}
	c.about = request[*packet.HelloResponse](c, &packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: rand.Uint32()})
	require.Equal(t, packet.StatusOK, c.about.Status)
	c.session, c.seq = c.about.Session, 1
	return c
}

// start starts the runner of this machine.
func start(t testing.TB) *client {
	t.Helper()
	r, err := local.Start(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return connect(t, r)
}

// request sends a request and returns its answer.
func request[R packet.Response](c *client, q packet.Request) R {
	c.t.Helper()
	c.send(q)
	p := c.receive()
	require.Equal(c.t, packet.KindRsp, p.Kind)
	answer, err := packet.DecodeResponse(p.Body)
	require.NoError(c.t, err)
	return answer.(R)
}

func (c *client) send(q packet.Request) {
	c.t.Helper()
	body, err := packet.EncodeRequest(q)
	require.NoError(c.t, err)
	h := frame.Header{Kind: packet.KindReq, Version: packet.ProtocolVersion, Session: c.session, Seq: c.seq}
	if c.session != 0 {
		c.seq++
	}
	_, err = c.stream.Write(frame.Append(nil, h, body))
	require.NoError(c.t, err)
}

// receive returns the next packet that is no telemetry.
func (c *client) receive() frame.Packet {
	c.t.Helper()
	require.NoError(c.t, c.stream.SetReadDeadline(time.Now().Add(patience)))
	buf := make([]byte, 4096)
	for {
		n, err := c.stream.Read(buf)
		require.NoError(c.t, err)
		var got []frame.Packet
		c.decoder.Feed(buf[:n], func(p frame.Packet) {
			p.Body = append([]byte(nil), p.Body...)
			if p.Kind == packet.KindTel {
				c.tel = append(c.tel, p)
				return
			}
			got = append(got, p)
		})
		if len(got) > 0 {
			require.Len(c.t, got, 1, "packets at once")
			return got[0]
		}
	}
}

// load loads code with a data block of 4 KB, of which the first 64 bytes are sent.
func (c *client) load(code []byte) {
	c.t.Helper()
	data := make([]byte, 64)
	begin := &packet.BeginRequest{
		Arch:       c.about.Arch,
		CodeLength: uint32(len(code)),
		DataLength: uint32(len(data)),
		BSSLength:  4096 - 64,
		Entries:    []uint32{0},
	}
	sum := begin.Sum(code, data, nil)
	begin.Digest = sum[:]
	require.Equal(c.t, packet.StatusOK, request[*packet.BeginResponse](c, begin).Status)
	for region, bytes := range map[packet.Region][]byte{packet.RegionCode: code, packet.RegionData: data} {
		for at := 0; at < len(bytes); at += 32768 {
			c.send(&packet.ChunkRequest{Region: region, Offset: uint32(at), Bytes: bytes[at:min(at+32768, len(bytes))]})
			for p := c.receive(); ; p = c.receive() {
				require.Equal(c.t, packet.KindAck, p.Kind)
				if p.Ack == c.seq {
					break
				}
			}
		}
	}
	require.Equal(c.t, packet.StatusOK, request[*packet.SealResponse](c, &packet.SealRequest{}).Status)
}

// longest is the greatest limit of a run.
const longest = packet.RunLimitS * time.Second

// run calls the program once.
func (c *client) run(limit time.Duration) *packet.RunResponse {
	c.t.Helper()
	return request[*packet.RunResponse](c, &packet.RunRequest{Count: 1, Limit: c.counts(limit)})
}

// works checks that the runner loads and runs a right program.
func (c *client) works(p programs) {
	c.t.Helper()
	c.load(p.store42)
	began := time.Now()
	r := c.run(longest)
	require.Equal(c.t, packet.StatusOK, r.Status, "%+v after %v", r.Fault, time.Since(began))
	require.EqualValues(c.t, 1, r.Runs)
	read := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 16, Length: 4})
	require.Equal(c.t, []byte{42, 0, 0, 0}, read.Bytes)
}

// gone waits for the end of the stream and returns its cause.
func gone(t *testing.T, r *local.Runner) error {
	t.Helper()
	require.NoError(t, r.SetReadDeadline(time.Now().Add(patience)))
	buf := make([]byte, 4096)
	for {
		if _, err := r.Read(buf); err != nil {
			require.ErrorIs(t, err, transport.ErrHangup)
			return err
		}
	}
}
