package session_test

import (
	"context"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/live"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// Of the program that the tests run: the number of its ticks, parameters that must be equal at any time, and how often
// they were not.
const (
	ticksAt = 4
	firstAt = 8
	lastAt  = 4096
	tornAt  = 12
	tenthAt = 16 // ticks of entry 1
	block   = 8192
)

func control(entry uint32, data []byte) (uint64, *packet.Fault) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	add := func(at int, v uint32) { binary.LittleEndian.PutUint32(data[at:], word(at)+v) }
	if entry == 1 {
		add(tenthAt, 1)
		return 5, nil
	}
	add(ticksAt, 1)
	if word(firstAt) != word(lastAt) {
		add(tornAt, 1)
	}
	return 100, nil
}

func loopImage() *packet.Image {
	return &packet.Image{Arch: packet.ArchAarch64, Code: make([]byte, 64), BSS: block, Entries: []uint32{0, 32}}
}

// onLoop runs a test with a loop of 1 kHz.
func onLoop(t *testing.T, c transporttest.Config, change func(*sessiontest.Runner), start session.LoopStart, test func(*bench, *session.Loop)) {
	t.Helper()
	onLine(t, c, func(r *sessiontest.Runner) {
		r.Program = control
		if change != nil {
			change(r)
		}
	}, func(b *bench) {
		m := loopImage()
		_, err := b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		if start.Period == 0 {
			start.Period = 1000
		}
		if start.Tasks == nil {
			start.Tasks = []session.Task{{Entry: 0, Divisor: 1}, {Entry: 1, Divisor: 10}}
		}
		l, err := b.StartLoop(b.Context(), m, start)
		require.NoError(b, err)
		test(b, l)
	})
}

func le(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

func both(v uint32) []session.Piece {
	return []session.Piece{{Offset: firstAt, Bytes: le(v)}, {Offset: lastAt, Bytes: le(v)}}
}

var serial = transporttest.Config{Baud: 115200, Queue: 1}

func TestLoopStartsAndStops(t *testing.T) {
	safe := []session.Piece{{Offset: 20, Bytes: le(77)}}
	onLoop(t, serial, nil, session.LoopStart{Safe: safe}, func(b *bench, l *session.Loop) {
		time.Sleep(time.Second)
		s, err := l.Live(b.Context())
		require.NoError(b, err)
		assert.Equal(b, packet.LoopEndNone, s.Counts.End)
		assert.InDelta(b, 1000, s.Counts.Ticks, 150)
		f := s.Times()
		assert.Equal(b, packet.Figure{Min: 100, Max: 105, Total: f[1].Total}, f[1])
		require.NotEmpty(b, s.Histograms[1])
		sum := uint32(0)
		for i, n := range s.Histograms[1] {
			sum += n
			if n != 0 {
				assert.Contains(b, []int{live.Bucket(100, 1000), live.Bucket(105, 1000)}, i)
			}
		}
		assert.InDelta(b, s.Counts.Ticks, sum, 100, "ticks that ended while they were read")
		data, ticks, err := l.Read(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}, {Offset: tenthAt, Length: 4}})
		require.NoError(b, err)
		assert.Equal(b, ticks, binary.LittleEndian.Uint32(data[0]))
		assert.Equal(b, (ticks+9)/10, binary.LittleEndian.Uint32(data[1]))
		_, err = b.Session.Run(b.Context(), session.Run{Count: 1})
		require.Error(b, err)
		s, err = l.Stop(b.Context())
		require.NoError(b, err)
		assert.Equal(b, packet.LoopEndStopped, s.Counts.End)
		data, ticks, err = l.Read(b.Context(), []session.Span{{Offset: 20, Length: 4}})
		require.NoError(b, err)
		assert.Equal(b, le(77), data[0], "safe values")
		assert.Equal(b, s.Counts.Ticks, ticks)
		_, err = l.Apply(b.Context(), both(1), 0)
		var ended *session.EndedError
		require.ErrorAs(b, err, &ended)
		assert.Equal(b, packet.LoopEndStopped, ended.End)
	})
}

func TestRunnersWithoutLoops(t *testing.T) {
	onLine(t, serial, func(r *sessiontest.Runner) { r.Hello.LiveCapacity = 0 }, func(b *bench) {
		m := loopImage()
		_, err := b.Load(b.Context(), m, nil)
		require.NoError(b, err)
		_, err = b.StartLoop(b.Context(), m, session.LoopStart{Period: 1000, Tasks: []session.Task{{Divisor: 1}}})
		var none *session.NoLoopError
		require.ErrorAs(b, err, &none)
		assert.NotEmpty(b, none.Hint())
		assert.Zero(b, b.runner.Done(packet.MsgStart))
	})
}

// TestSetsAreWhole: whatever the line does, parameters change together.
func TestSetsAreWhole(t *testing.T) {
	for name, faults := range map[string]transporttest.Faults{"clean": {}, "bad line": {Seed: 5, DropFrame: 0.1, CorruptFrame: 0.1, DoubleFrame: 0.1}} {
		t.Run(name, func(t *testing.T) {
			c := serial
			c.ToHost, c.ToRunner = faults, faults
			onLoop(t, c, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
				for v := range uint32(50) {
					tick, err := l.Apply(b.Context(), both(v+1), 0)
					require.NoError(b, err)
					data, ticks, err := l.Read(b.Context(), []session.Span{{Offset: firstAt, Length: 4}})
					require.NoError(b, err)
					assert.Equal(b, le(v+1), data[0])
					assert.Greater(b, ticks, tick)
				}
				s, err := l.Live(b.Context())
				require.NoError(b, err)
				assert.EqualValues(b, 50, s.Counts.Applied, "each once")
				data, _, err := l.Read(b.Context(), []session.Span{{Offset: tornAt, Length: 4}})
				require.NoError(b, err)
				assert.Equal(b, le(0), data[0])
			})
		})
	}
}

func TestSetAtATick(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		tick, err := l.Apply(b.Context(), both(1), 500)
		require.NoError(b, err)
		assert.EqualValues(b, 500, tick)
		ctx, cancel := context.WithTimeout(b.Context(), 100*time.Millisecond)
		defer cancel()
		_, err = l.Apply(ctx, both(2), 3000) // pending when this gives up
		require.ErrorIs(b, err, context.DeadlineExceeded)
		tick, err = l.Apply(b.Context(), both(3), 0) // waits for that one
		if err != nil {
			require.ErrorContains(b, err, "waits for its tick")
		} else {
			assert.GreaterOrEqual(b, tick, uint32(3000))
		}
	})
}

func TestLargeSets(t *testing.T) {
	onLoop(t, transporttest.Config{}, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		big := make([]byte, block-tenthAt-4)
		for i := range big {
			big[i] = byte(i)
		}
		copy(big[lastAt-tenthAt-4:], le(0))
		for range 3 {
			_, err := l.Apply(b.Context(), []session.Piece{{Offset: tenthAt + 4, Bytes: big}}, 0)
			require.NoError(b, err)
		}
		// It does not fit one answer either.
		data, ticks, err := l.Read(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}, {Offset: tenthAt + 4, Length: len(big)}})
		require.NoError(b, err)
		assert.Equal(b, le(ticks), data[0])
		assert.Equal(b, big, data[1])
		_, err = l.Apply(b.Context(), []session.Piece{{Offset: block - 4, Bytes: make([]byte, 8)}}, 0)
		require.ErrorContains(b, err, "outside")
		_, err = l.Apply(b.Context(), []session.Piece{{Offset: 6, Bytes: make([]byte, 4)}}, 0)
		require.ErrorContains(b, err, "whole words")
	})
}

// next takes records until the stream has ended, and checks that they and what was lost are all that there were.
func drain(b *bench, t *session.Telemetry, every uint32) (records, lost uint32, last uint32) {
	b.Helper()
	begun := false
	for {
		r, err := t.Next(b.Context())
		lost += r.Drops
		if err == io.EOF {
			return records, lost, last
		}
		require.NoError(b, err)
		assert.Equal(b, r.Tick+1, binary.LittleEndian.Uint32(r.Data), "values are of their tick")
		assert.Equal(b, int64(r.Tick)*1000, r.Time)
		if begun {
			assert.Equal(b, last+(r.Drops+1)*every, r.Tick, "nothing is lost that is not told")
		}
		begun, last = true, r.Tick
		records++
	}
}

func TestTelemetry(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults transporttest.Faults
		lossy  bool
	}{
		{"clean", transporttest.Faults{}, false},
		{"frames twice", transporttest.Faults{Seed: 1, DoubleFrame: 0.3}, false},
		{"frames lost", transporttest.Faults{Seed: 2, DropFrame: 0.2}, true},
		{"frames garbled", transporttest.Faults{Seed: 3, CorruptFrame: 0.1, TruncFrame: 0.1, Garbage: 0.1, FlipBit: 0.0005}, true},
		{"all of it", transporttest.Faults{Seed: 4, DropFrame: 0.1, CorruptFrame: 0.1, DoubleFrame: 0.1, DropByte: 0.0005}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := serial
			config.ToHost = c.faults
			onLoop(t, config, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
				const every = 5
				s, err := l.Subscribe(b.Context(), []session.Span{{Offset: ticksAt, Length: 4}, {Offset: firstAt, Length: 4}}, every)
				require.NoError(b, err)
				done := make(chan struct{})
				go func() {
					defer close(done)
					for v := range uint32(10) { // the link is for others, too
						time.Sleep(300 * time.Millisecond)
						_, err := l.Apply(b.Context(), both(v), 0)
						assert.NoError(b, err)
					}
					_, err := l.Stop(b.Context())
					assert.NoError(b, err)
				}()
				records, lost, last := drain(b, s, every)
				<-done
				state, err := l.Live(b.Context())
				require.NoError(b, err)
				slots := (state.Counts.Ticks - 1 - last) / every
				assert.Greater(b, records, uint32(100))
				if c.lossy {
					assert.NotZero(b, lost)
				} else {
					assert.Zero(b, lost)
					assert.Zero(b, slots)
				}
				assert.Equal(b, lost, s.Lost())
				b.Logf("%d records, %d lost", records, lost)
			})
		})
	}
}

// abandon leaves a request without an answer, so that the session has to be opened anew.
func (b *bench) abandon() {
	ctx, cancel := context.WithCancel(b.Context())
	time.AfterFunc(time.Millisecond, cancel)
	_, _ = b.Status(ctx)
}

// TestNothingWaitsForASet: while one waits for its tick, all else goes on.
func TestNothingWaitsForASet(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		applied := make(chan uint32, 1)
		go func() {
			tick, err := l.Apply(b.Context(), both(1), 60_000)
			assert.NoError(b, err)
			applied <- tick
		}()
		time.Sleep(time.Second)
		begun := time.Now()
		_, err := l.Live(b.Context())
		require.NoError(b, err)
		_, _, err = l.Read(b.Context(), counter)
		require.NoError(b, err)
		s, err := l.Subscribe(b.Context(), counter, 10)
		require.NoError(b, err)
		_, err = s.Next(b.Context())
		require.NoError(b, err)
		k, err := l.Capture(b.Context(), session.CaptureStart{Spans: counter, After: 10})
		require.NoError(b, err)
		_, _, err = k.Wait(b.Context())
		require.NoError(b, err)
		require.NoError(b, s.Close(b.Context()))
		assert.Less(b, time.Since(begun), 5*time.Second)
		assert.EqualValues(b, 60_000, <-applied)
	})
}
