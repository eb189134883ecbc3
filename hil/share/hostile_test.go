package share_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/hil/share"
	"github.com/copaflash/copaflash/internal/seed"
)

// raw opens a connection that speaks as it likes.
func raw(t *testing.T, s *share.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", s.Path())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func frame(t *testing.T, m any) []byte {
	t.Helper()
	body, err := cbor.Marshal(m)
	require.NoError(t, err)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// TestHostileClients: whatever clients send, others are served, nothing is changed and nothing crashes.
func TestHostileClients(t *testing.T) {
	runtimeFolder(t)
	f := newFake()
	s := offer(t, share.Config{Loop: f, Tune: true})
	_, l := join(t, "")
	st, err := l.Subscribe(t.Context(), device.Subscription{Spans: []device.Span{span(1)}, Every: 1})
	require.NoError(t, err)

	digest := program.Digest()
	huge := []any{map[string]uint32{"Offset": 0, "Length": 0xffffffff}}
	beyond := []any{map[string]uint32{"Offset": 0xfffffffc, "Length": 8}}
	many := make([]any, 5000)
	for i := range many {
		many[i] = map[string]uint32{"Offset": 4, "Length": 4}
	}
	ask := func(op string, more map[int]any) []byte {
		q := map[int]any{1: 1, 2: op, 3: digest[:]}
		for k, v := range more {
			q[k] = v
		}
		return frame(t, q)
	}
	for _, text := range [][]byte{
		{}, {0, 0}, {0, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 1, 0xff}, []byte("GET / HTTP/1.1\r\n\r\n"),
		frame(t, map[int]any{1: 99, 2: "hello"}), ask("no such", nil), frame(t, []int{1, 2}),
		ask("read", map[int]any{4: huge}), ask("read", map[int]any{4: beyond}), ask("read", map[int]any{4: many}),
		ask("subscribe", nil), ask("subscribe", map[int]any{4: huge, 7: 1}), ask("subscribe", map[int]any{4: many[:1], 7: 0}), ask("subscribe", map[int]any{4: many[:1], 7: -1}),
		ask("subscribe", map[int]any{4: many[:1], 7: int64(1) << 40}), ask("budget", map[int]any{4: beyond, 7: 1}),
		ask("capture", nil), ask("capture", map[int]any{8: map[string]any{"Before": -1}}), ask("capture", map[int]any{8: map[string]any{"After": 1 << 40}}),
		ask("set", map[int]any{5: []any{map[string]any{"Offset": 62, "Bytes": []byte{1, 2, 3, 4}}}}),
		ask("swap", nil), ask("swap", map[int]any{12: []byte("no image"), 11: map[int]any{}}), ask("load", map[int]any{12: []byte("no image")}),
		ask("call", nil), ask("start", nil), ask("read", map[int]any{3: []byte("short"), 4: many[:1]}),
		frame(t, bytes.Repeat([]byte{0x81}, 100)),
	} {
		c := raw(t, s)
		_, err := c.Write(text)
		require.NoError(t, err)
		require.NoError(t, c.(*net.UnixConn).CloseWrite())
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		_, err = io.Copy(io.Discard, c)
		if !errors.Is(err, syscall.ECONNRESET) { // where the share has not read all of it
			require.NoError(t, err, "%q: it ends", text)
		}
	}
	random := rand.New(rand.NewPCG(seed.Of(t), 0))
	for range 2000 {
		c, err := net.Dial("unix", s.Path())
		require.NoError(t, err)
		text := ask([]string{"read", "subscribe", "budget", "capture", "set", "hello"}[random.IntN(6)], map[int]any{4: many[:2], 7: 3})
		for range 1 + random.IntN(4) {
			text[random.IntN(len(text))] = byte(random.Uint32())
		}
		if binary.BigEndian.Uint32(text) > 1<<10 {
			text[0], text[1] = 0, 0
		}
		_, _ = c.Write(text)
		c.Close()
	}
	assert.Empty(t, f.set)
	assert.Empty(t, f.swaps)
	f.run(3, nil)
	require.Eventually(t, func() bool { return next(t, st).Tick == 2 }, time.Minute, time.Millisecond)

	// Silent connections hold up nobody, however many there are.
	for range 300 {
		raw(t, s)
	}
	for range 60 {
		c := raw(t, s)
		_, err := c.Write(ask("subscribe", map[int]any{4: many[:1], 7: 1})) // and never reads
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.Eventually(t, func() bool {
		_, err := l.Subscribe(ctx, device.Subscription{Spans: []device.Span{span(1)}, Every: 1})
		return err != nil && strings.Contains(err.Error(), "48 commands have telemetry already")
	}, time.Minute, time.Millisecond)
	status, err := l.Status(ctx)
	require.NoError(t, err)
	assert.True(t, status.Running)
	_, err = l.Set(ctx, []device.Piece{{Offset: 4, Bytes: []byte{1, 0, 0, 0}}}, 0)
	require.NoError(t, err)
}

// TestPortions: of random subscriptions that come and go, with random losses, each gets the right bytes, and is told
// of every record that it lacks.
func TestPortions(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.Of(t), 0))
	for range 300 {
		portions(t, random)
	}
}

func portions(t *testing.T, random *rand.Rand) {
	type client struct {
		sub     device.Subscription
		portion *share.Portion
		last    uint32
		begun   bool
	}
	var clients []*client
	var u *share.Union
	regroup := func() {
		var subs []device.Subscription
		for _, c := range clients {
			subs = append(subs, c.sub)
		}
		u = share.Unite(subs...)
	}
	add := func() {
		c := &client{sub: device.Subscription{Every: 1 + random.IntN(12)}}
		for range 1 + random.IntN(4) {
			c.sub.Spans = append(c.sub.Spans, device.Span{Offset: 4 * random.Uint32N(8), Length: 4 * (1 + random.Uint32N(3))})
		}
		c.portion = share.NewPortion(c.sub)
		clients = append(clients, c)
		regroup()
	}
	add()
	drops := uint32(0)
	tick := random.Uint32() // often near its wrap
	if random.IntN(2) == 0 {
		tick = ^uint32(0) - random.Uint32N(100)
	}
	start := tick
	for range 400 {
		if random.IntN(60) == 0 && len(clients) < 5 {
			add()
			start, drops = tick, 0
		}
		every := uint32(share.EveryOf(u))
		if (tick-start)%every == 0 {
			if random.IntN(4) == 0 {
				drops++
			} else {
				r := device.Record{Tick: tick, Drops: drops}
				drops = 0
				for _, s := range share.SpansOf(u) {
					for b := range s.Length {
						r.Data = append(r.Data, byte(s.Offset+b)+byte(tick))
					}
				}
				for _, c := range clients {
					part, ok := c.portion.Take(u, r)
					if !ok {
						continue
					}
					var want []byte
					for _, s := range c.sub.Spans {
						for b := range s.Length {
							want = append(want, byte(s.Offset+b)+byte(tick))
						}
					}
					require.Equal(t, want, part.Data)
					if c.begun {
						since := tick - c.last
						require.Positive(t, since)
						require.GreaterOrEqual(t, part.Drops, (since-1)/uint32(c.sub.Every), "nothing is lost untold")
						require.LessOrEqual(t, part.Drops, (since-1)/uint32(c.sub.Every)+1)
					} else {
						require.Zero(t, part.Drops)
					}
					c.begun, c.last = true, tick
				}
			}
		}
		tick++
	}
}
