package session_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/internal/vectors"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A forger stands between a host and a runner: what the runner says goes through forge,
// and arrives as good frames.
type forger struct {
	transport.Transport
	forge   func(frame.Packet) []frame.Packet
	decoder *frame.Decoder
	ready   []byte
}

func (f *forger) Read(p []byte) (int, error) {
	buf := make([]byte, 4096)
	for len(f.ready) == 0 {
		n, err := f.Transport.Read(buf)
		if err != nil {
			return 0, err
		}
		f.decoder.Feed(buf[:n], func(q frame.Packet) {
			for _, out := range f.forge(q) {
				f.ready = append(f.ready, frame.Append(nil, out.Header, out.Body)...)
			}
		})
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// forged opens a session through a forger, on virtual time.
func forged(t *testing.T, forge func(frame.Packet) []frame.Packet, test func(*bench, error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 921600}, nil)
		f := &forger{Transport: b.line.Host, forge: forge, decoder: frame.NewDecoder(packet.MaxPacketLength)}
		s, err := session.Open(t.Context(), f, session.Options{Timeout: time.Second})
		defer func() {
			if s != nil {
				assert.NoError(t, s.Close())
			}
			<-b.served
		}()
		b.Session = s
		test(b, err)
	})
}

// body is a message of unsigned keys from 0 on, made of numbers and byte strings.
func body(values ...any) []byte {
	out := []byte{0xa0 + byte(len(values))}
	for key, v := range values {
		out = append(out, byte(key))
		switch v := v.(type) {
		case int:
			out = binary.BigEndian.AppendUint32(append(out, 0x1a), uint32(v))
			if v < 24 {
				out = append(out[:len(out)-5], byte(v))
			}
		case []byte:
			out = append(append(out, 0x40+byte(len(v))), v...)
		}
	}
	return out
}

// An answer with other lengths or counts than were asked for is an error, wherever it comes.
func TestForgedAnswers(t *testing.T) {
	one := session.Call{Run: session.Run{Count: 1}, Samples: 1, Reads: []session.Span{{Offset: 8, Length: 16}}}
	three := session.Call{Run: session.Run{Count: 3}, Samples: 3}
	for _, tt := range []struct {
		name  string
		code  packet.Message
		body  []byte
		spare int  // so many answers to that come before
		first bool // answers to RUN are lost, so that it is found out what became of it
		call  session.Call
	}{
		{"read too short", packet.MsgRead, body(6, 0, []byte{1}), 1, false, one},
		{"read of nothing", packet.MsgRead, body(6, 0, []byte{}), 1, false, one},
		{"read too long", packet.MsgRead, body(6, 0, make([]byte, 17)), 1, false, one},
		{"samples too short", packet.MsgRead, body(6, 0, []byte{}), 0, false, one},
		{"samples too long", packet.MsgRead, body(6, 0, make([]byte, 20)), 0, false, one},
		{"samples cut", packet.MsgRead, body(6, 0, []byte{1, 2, 3}), 0, false, one},
		{"samples after a lost answer", packet.MsgRead, body(6, 0, []byte{}), 2, true, one},
		{"sticky flags after a lost answer", packet.MsgRead, body(6, 0, []byte{}), 3, true, one},
		{"status after a lost answer", packet.MsgStatus, body(9, 0, 99, []byte{}), 0, true, one},
		{"fewer runs", packet.MsgRun, body(5, 0, 2, 9, 1, 5, 0, 0), 0, false, three},
		{"more runs", packet.MsgRun, body(5, 0, 4, 9, 1, 5, 0, 0), 0, false, three},
		{"least above most", packet.MsgRun, body(5, 0, 3, 9, 6, 5, 0, 0), 0, false, three},
		{"most above all", packet.MsgRun, body(5, 0, 3, 9, 1, 10, 0, 0), 0, false, three},
		{"more late than runs", packet.MsgRun, body(5, 0, 3, 9, 1, 5, 4, 0), 0, false, three},
		{"no message", packet.MsgRead, []byte{0xa1, 0, 6}, 0, false, one},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start, seen := false, map[uint16]bool{} // numbers of the answers to that message
			forge := func(p frame.Packet) []frame.Packet {
				code := packet.PeekCode(p.Body)
				switch {
				case !start || p.Kind != packet.KindRsp:
				case tt.first && code == packet.MsgRun:
					return nil
				case code == tt.code:
					if seen[p.Seq] = true; len(seen) > tt.spare {
						p.Body = tt.body
					}
				}
				return []frame.Packet{p}
			}
			forged(t, forge, func(b *bench, err error) {
				require.NoError(b, err)
				_, err = b.Load(b.Context(), someImage(1000), nil)
				require.NoError(b, err)
				start = true
				_, err = b.Session.Call(b.Context(), tt.call)
				var answer *session.AnswerError
				require.ErrorAs(b, err, &answer)
				assert.Equal(b, tt.code, answer.Op)
				assert.NotEmpty(b, answer.Hint())
				start = false
				got, err := b.Read(b.Context(), 8, 16)
				require.NoError(b, err, "the session goes on")
				assert.Len(b, got, 16)
			})
		})
	}
}

// script is what a fuzzer says about the packets of a runner, byte by byte; at its end all pass.
type script []byte

func (s *script) next() byte {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b
}

func (s *script) word() uint16 { return uint16(s.next()) | uint16(s.next())<<8 }

func (s *script) bytes(n int) []byte {
	n = min(n, len(*s))
	b := (*s)[:n:n]
	*s = (*s)[n:]
	return b
}

// What a script makes of a packet.
const (
	forgePass = iota
	forgeBody // another body
	forgeByte // one byte of it
	forgeCut
	forgeDrop
	forgeTwice
	forgeSession
	forgeSeq
	forgeAck
	forgeKind
	forgeBefore // an acknowledgement of the session before it
	forgeKinds
)

func (s *script) forge(p frame.Packet) []frame.Packet {
	switch s.next() % forgeKinds {
	case forgeBody:
		p.Body = s.bytes(int(s.next()))
	case forgeByte:
		if n := len(p.Body); n > 0 {
			p.Body[int(s.word())%n] = s.next()
		}
	case forgeCut:
		p.Body = p.Body[:int(s.word())%(len(p.Body)+1)]
	case forgeDrop:
		return nil
	case forgeTwice:
		return []frame.Packet{p, p}
	case forgeSession:
		p.Session = s.word()
	case forgeSeq:
		p.Seq += s.word()
	case forgeAck:
		p.Ack += s.word()
	case forgeKind:
		p.Kind = packet.Kind(s.next())
	case forgeBefore:
		q := frame.Packet{Header: p.Header}
		q.Kind, q.Ack = packet.KindAck, q.Ack+s.word()
		q.Body = packet.Ack{Bitmap: uint32(s.word()), Window: uint32(s.word())}.Append(nil)
		return []frame.Packet{q, p}
	}
	return []frame.Packet{p}
}

// hostileSeeds are scripts whose answers are those of the vectors, and others that were made on purpose.
func hostileSeeds(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob("../testdata/vectors/bodies.txt")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	_, err = os.Stat(files[0])
	require.NoError(f, err)
	seeds := [][]byte{{}, {forgeDrop, forgeDrop}, {forgeTwice}, {forgeBefore, 9, 0, 255, 255, 0, 0}, {forgeSeq, 1, 0}}
	for _, r := range vectors.Read(f, "bodies.txt", 4) {
		if r.Text(0) != "response" || strings.HasPrefix(r.Name, "hello") {
			continue
		}
		forge := append([]byte{forgeBody, byte(len(r.Bytes(f, 1)))}, r.Bytes(f, 1)...)
		for passed := range 12 { // in place of each of the first answers
			seeds = append(seeds, append(make([]byte, passed), forge...))
		}
	}
	return seeds
}

// Whatever a runner answers, nothing panics or waits for ever, and what comes back is as long as it should be.
func FuzzHostileRunner(f *testing.F) {
	for _, s := range hostileSeeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := script(data)
		forged(t, s.forge, func(b *bench, err error) {
			if err == nil {
				b.useAll()
			}
		})
	})
}

// useAll does everything that a session can do, and looks at the lengths of what it gets.
func (b *bench) useAll() {
	start := time.Now()
	ctx := b.Context()
	m := someImage(3000)
	call := session.Call{
		Writes: []session.Piece{{Offset: 4, Bytes: []byte{1, 2, 3, 4}}}, Run: session.Run{Count: 1}, Samples: 1,
		Reads: []session.Span{{Offset: 8, Length: 16}, {Offset: 64, Length: 0}, {Offset: 100, Length: 300}},
	}
	steps := []func() error{
		func() error { _, err := b.Load(ctx, m, nil); return err },
		func() error {
			r, err := b.Session.Call(ctx, call)
			if err == nil {
				assert.Len(b, r.Samples, 1)
				for i, span := range call.Reads {
					assert.Len(b, r.Data[i], span.Length)
				}
			}
			return err
		},
		func() error {
			r, err := b.Session.Run(ctx, session.Run{Count: 3})
			if err == nil {
				assert.EqualValues(b, 3, r.Runs)
			}
			return err
		},
		func() error {
			samples, err := b.Samples(ctx, 0, 3)
			if err == nil {
				assert.Len(b, samples, 3)
			}
			return err
		},
		func() error {
			got, err := b.Read(ctx, 0, 600)
			if err == nil {
				assert.Len(b, got, 600)
			}
			return err
		},
		func() error { return b.Write(ctx, 8, make([]byte, 100)) },
		func() error {
			st, err := b.Status(ctx)
			assert.True(b, err != nil || st.State.Valid())
			return err
		},
		func() error { return b.SetBaud(ctx, 115200) },
		func() error { return b.Drop(ctx) },
	}
	for _, do := range steps {
		if err := do(); err != nil {
			assert.NotEmpty(b, err.Error())
			assert.False(b, errors.Is(err, context.DeadlineExceeded))
		}
		b.Ticks(1 << 40)
	}
	assert.Less(b, time.Since(start), time.Hour)
}
