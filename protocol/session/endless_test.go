package session_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A pest is a runner that answers HELLO, and BEGIN, and then says the same thing for ever.
type pest struct {
	*testing.T
	line  *transporttest.Line
	says  func(p *pest) []byte // a frame
	at    packet.Message       // what it does not answer, but starts with
	nonce uint32
	storm bool
	done  chan struct{}
}

const pestSession = 7

func (p *pest) answer(kind packet.Kind, session, seq, ack uint16, body []byte) []byte {
	return frame.Append(nil, frame.Header{Kind: kind, Version: packet.ProtocolVersion, Session: session, Seq: seq, Ack: ack}, body)
}

func (p *pest) encode(r packet.Response) []byte {
	body, err := packet.EncodeResponse(r)
	require.NoError(p, err)
	return body
}

// hello is an answer to HELLO in this state.
func (p *pest) hello(state packet.State, nonce uint32) []byte {
	h := sessiontest.New().Hello
	h.Version, h.Session, h.State, h.Digest, h.Nonce = packet.ProtocolVersion, pestSession, state, []byte{}, nonce
	return p.answer(packet.KindRsp, 0, 0, 1, p.encode(&h))
}

func (p *pest) serve() {
	d := frame.NewDecoder(packet.MaxPacketLength)
	buf := make([]byte, 4096)
	for {
		n, err := p.line.Runner.Read(buf)
		if err != nil {
			return
		}
		d.Feed(buf[:n], func(q frame.Packet) {
			code := packet.PeekCode(q.Body)
			if code == p.at && !p.storm {
				p.storm = true
				go p.rage()
			}
			var out []byte
			switch {
			case code == p.at:
				return
			case code == packet.MsgHello:
				r, err := packet.DecodeRequest(q.Body)
				require.NoError(p, err)
				p.nonce = r.(*packet.HelloRequest).Nonce
				out = p.hello(packet.StateReady, p.nonce)
			case code == packet.MsgBegin:
				out = p.answer(packet.KindRsp, q.Session, q.Seq, q.Seq+1, p.encode(&packet.BeginResponse{}))
			}
			if out != nil {
				_, _ = p.line.Runner.Write(out)
			}
		})
	}
}

// rage says its thing until the test is over.
func (p *pest) rage() {
	for {
		_, _ = p.line.Runner.Write(p.says(p))
		select {
		case <-p.done:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// However often a runner says something that is no answer, a request comes to its end.
func TestNothingIsWaitedForWithoutEnd(t *testing.T) {
	ack := func(p *pest) []byte {
		return p.answer(packet.KindAck, pestSession, 0, 1, packet.Ack{Window: 8192}.Append(nil))
	}
	running := func(p *pest) []byte { return p.hello(packet.StateRunning, p.nonce) }
	idle := func(p *pest) []byte { return p.hello(packet.StateIdle, p.nonce) }
	others := func(p *pest) []byte { return p.hello(packet.StateIdle, p.nonce+1) }
	strange := func(p *pest) []byte { return p.answer(packet.KindRsp, 99, 1, 2, []byte{0xa2, 0, 9, 1, 0}) }
	repeated := func(p *pest) []byte {
		return p.answer(packet.KindRsp, pestSession, 1, 2, p.encode(&packet.BeginResponse{}))
	}
	old := func(p *pest) []byte {
		return p.answer(packet.KindRsp, pestSession, 0xff00, 2, []byte{0xa2, 0, 9, 1, 0})
	}
	broken := func(p *pest) []byte { return p.answer(packet.KindRsp, 0, 0, 0, []byte{0xa2, 0, 1, 1, 0}) }

	status := func(b *bench) error { _, err := b.Status(b.Context()); return err }
	load := func(b *bench) error { _, err := b.Load(b.Context(), someImage(1000), nil); return err }
	run := func(n uint32) func(b *bench) error {
		return func(b *bench) error {
			_, err := b.Session.Run(b.Context(), session.Run{Count: n, Limit: time.Second})
			return err
		}
	}
	for _, tt := range []struct {
		name string
		at   packet.Message
		says func(*pest) []byte
		do   func(*bench) error // nil: to open the session
		most time.Duration
	}{
		{"acknowledgements after status", packet.MsgStatus, ack, status, time.Minute},
		{"HELLO answers after status", packet.MsgStatus, idle, status, time.Minute},
		{"running after status", packet.MsgStatus, running, status, time.Minute},
		{"answers of another session", packet.MsgStatus, strange, status, time.Minute},
		{"old answers", packet.MsgStatus, old, status, time.Minute},
		{"acknowledgements of nothing", packet.MsgChunk, ack, load, time.Minute},
		{"repeated answers to begin", packet.MsgChunk, repeated, load, time.Minute},
		{"running after begin", packet.MsgBegin, running, load, 2 * time.Minute},
		{"acknowledgements after a run", packet.MsgRun, ack, run(1), 2 * time.Minute},
		{"running for ever", packet.MsgRun, running, run(1), 2 * time.Minute},
		{"running for ever, of three", packet.MsgRun, running, run(3), 2 * time.Minute},
		{"HELLO answers for others", packet.MsgHello, others, nil, time.Minute},
		{"answers before HELLO", packet.MsgHello, strange, nil, time.Minute},
		{"broken HELLO answers", packet.MsgHello, broken, nil, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pest{T: t, line: transporttest.New(transporttest.Config{Baud: 921600}), at: tt.at, says: tt.says, done: make(chan struct{})}
				defer close(p.done)
				go p.serve()
				start := time.Now()
				s, err := session.Open(t.Context(), p.line.Host, session.Options{})
				if tt.do != nil {
					require.NoError(t, err)
					err = tt.do(&bench{T: t, line: p.line, Session: s})
					assert.NoError(t, s.Close())
				}
				assert.Less(t, time.Since(start), tt.most)
				var hint interface{ Hint() string }
				require.ErrorAs(t, err, &hint)
				assert.NotEmpty(t, hint.Hint())
			})
		})
	}
}

// Limits beyond what a runner may be deaf for are refused before anything is sent.
func TestLimitOfARun(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(1000), nil)
		require.NoError(b, err)
		for _, limit := range []time.Duration{10*time.Second + time.Microsecond, time.Hour} {
			_, err = b.Session.Run(b.Context(), session.Run{Count: 1, Limit: limit})
			var tooLong *session.LimitError
			require.ErrorAs(b, err, &tooLong)
			assert.Contains(b, tooLong.Error(), "10s at most")
			assert.Contains(b, tooLong.Hint(), "several runs")
		}
		assert.Zero(b, b.runner.Done(packet.MsgRun))
		_, err = b.Session.Run(b.Context(), session.Run{Count: 1, Limit: 10 * time.Second})
		require.NoError(b, err)
	})
}

// However long a runner may be silent, the time for an answer does not overflow.
func TestLongestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 9600}, nil)
		s, err := session.Open(t.Context(), b.line.Host, session.Options{Timeout: math.MaxInt64})
		require.NoError(t, err)
		_, err = s.Load(t.Context(), someImage(1000), nil)
		require.NoError(t, err)
		_, err = s.Run(t.Context(), session.Run{Count: 3, Period: time.Hour})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		<-b.served
	})
}
