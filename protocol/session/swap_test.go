package session_test

import (
	"encoding/binary"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// nextImage has the counter of ticks eight bytes further on, and its code differs by a byte.
func nextImage(b byte) *packet.Image {
	m := loopImage()
	m.Code[0] = b
	return m
}

func swapTo(m *packet.Image) session.SwapStart {
	return session.SwapStart{
		Image: m, Tasks: []session.Task{{Divisor: 1}}, Trial: 10, Telemetry: counter,
		Moves: []session.Move{{From: counter[0], To: counter[0]}, {From: session.Span{Offset: firstAt, Length: 4}, To: session.Span{Offset: 24, Length: 4}}},
		Safe:  []session.Piece{{Offset: 28, Bytes: le(9)}},
	}
}

// TestSwaps: again and again the loop goes on with another program, whatever the line does; no tick is missed, states are
// carried over, and telemetry goes on.
func TestSwaps(t *testing.T) {
	for name, faults := range map[string]transporttest.Faults{"clean": {}, "bad line": {Seed: 9, DropFrame: 0.05, CorruptFrame: 0.05, DoubleFrame: 0.1}} {
		t.Run(name, func(t *testing.T) {
			c := serial
			c.ToRunner = faults
			onLoop(t, c, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
				stream, err := l.Subscribe(b.Context(), counter, 1)
				require.NoError(b, err)
				for i := range 10 {
					before, err := l.Live(b.Context())
					require.NoError(b, err)
					done, err := l.Swap(b.Context(), swapTo(nextImage(byte(i+1))), nil)
					require.NoError(b, err)
					assert.False(b, done.Back)
					assert.Greater(b, done.Tick, before.Counts.Ticks)
					_, err = l.Apply(b.Context(), both(uint32(i)), 0)
					require.NoError(b, err)
				}
				s, err := l.Stop(b.Context())
				require.NoError(b, err)
				assert.Zero(b, s.Counts.Missed)
				records, lost, last := drain(b, stream, 1)
				assert.Zero(b, lost)
				assert.NotZero(b, records)
				assert.Equal(b, s.Counts.Ticks-1, last)
				data, _, err := l.Read(b.Context(), []session.Span{{Offset: 24, Length: 4}, {Offset: 28, Length: 4}})
				require.NoError(b, err)
				assert.Equal(b, le(8), data[0], "what the program before was set to")
				assert.Equal(b, le(9), data[1], "its safe value")
			})
		})
	}
}

// TestSwapGoesBack: a program that fails its trial is not kept, and the old one goes on with its states.
func TestSwapGoesBack(t *testing.T) {
	for name, fails := range map[string]func(r *sessiontest.Runner, tick *uint32) *packet.Fault{
		"fault": func(*sessiontest.Runner, *uint32) *packet.Fault {
			return &packet.Fault{Kind: packet.FaultMemory, Address: 16, PC: 8, Inside: true}
		},
		"late": func(_ *sessiontest.Runner, took *uint32) *packet.Fault {
			*took = 2000
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var r *sessiontest.Runner
			onLoop(t, serial, func(runner *sessiontest.Runner) {
				r = runner
				r.Program = func(entry uint32, data []byte) (uint64, *packet.Fault) {
					ticks, fault := control(entry, data)
					if binary.LittleEndian.Uint32(data[24:]) == 77 { // only the new program has it there
						took := uint32(ticks)
						if fault = fails(r, &took); fault != nil {
							return 1, fault
						}
						return uint64(took), nil
					}
					return ticks, fault
				}
			}, session.LoopStart{}, func(b *bench, l *session.Loop) {
				_, err := l.Apply(b.Context(), both(77), 0)
				require.NoError(b, err)
				done, err := l.Swap(b.Context(), swapTo(nextImage(1)), nil)
				require.NoError(b, err)
				assert.True(b, done.Back)
				assert.Equal(b, name == "fault", done.Fault != nil)
				time.Sleep(100 * time.Millisecond)
				s, err := l.Live(b.Context())
				require.NoError(b, err)
				assert.Equal(b, packet.LoopEndNone, s.Counts.End)
				data, _, err := l.Read(b.Context(), []session.Span{{Offset: firstAt, Length: 4}})
				require.NoError(b, err)
				assert.Equal(b, le(77), data[0])
				_, err = l.Apply(b.Context(), both(1), 0)
				require.NoError(b, err)
				done, err = l.Swap(b.Context(), swapTo(nextImage(2)), nil)
				require.NoError(b, err)
				assert.False(b, done.Back, "another one is taken")
			})
		})
	}
}

// TestNoRoomBeside: it is said in bytes before anything is sent.
func TestNoRoomBeside(t *testing.T) {
	onLoop(t, serial, func(r *sessiontest.Runner) { r.Hello.DataCapacity = 3*block - 64 }, session.LoopStart{}, func(b *bench, l *session.Loop) {
		big := nextImage(1)
		big.BSS = 2 * block
		begun := b.runner.Done(packet.MsgBegin)
		for _, err := range []error{l.FitsBeside(big), func() error { _, err := l.Swap(b.Context(), swapTo(big), nil); return err }()} {
			var room *session.BesideError
			require.ErrorAs(b, err, &room)
			assert.Equal(b, session.BesideError{Region: "data", Needs: 2 * block, Have: 2*block - 64, Running: block}, *room)
		}
		assert.Equal(b, begun, b.runner.Done(packet.MsgBegin))
		// The places alternate: behind the running program, and in front of it again.
		for i := range 4 {
			_, err := l.Swap(b.Context(), swapTo(nextImage(byte(i+2))), nil)
			require.NoError(b, err)
		}
		_, err := b.Load(b.Context(), loopImage(), nil)
		var ticking session.TickingError
		require.ErrorAs(b, err, &ticking)
		wrong := swapTo(nextImage(9))
		wrong.Moves[0].To.Length = 8
		_, err = l.Swap(b.Context(), wrong, nil)
		require.ErrorContains(b, err, "a move of 4 bytes to 8")
	})
}

// TestAttach: another host finds what it needs in the note.
func TestAttach(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{Safe: []session.Piece{{Offset: 20, Bytes: le(5)}}}, func(b *bench, l *session.Loop) {
		_, err := l.Swap(b.Context(), swapTo(nextImage(1)), nil)
		require.NoError(b, err)
		_, err = l.Apply(b.Context(), both(2), 0)
		require.NoError(b, err)
		_, err = l.Capture(b.Context(), session.CaptureStart{Spans: counter, Before: 100, Trigger: packet.TriggerEnd})
		require.NoError(b, err)
		b.abandon()
		digest, err := b.Running(b.Context())
		require.NoError(b, err)
		want := nextImage(1).Digest()
		assert.Equal(b, want[:], digest)

		other, err := b.AttachLoop(b.Context(), nextImage(1))
		require.NoError(b, err)
		s, err := other.Live(b.Context())
		require.NoError(b, err)
		assert.EqualValues(b, 1000, s.Period)
		assert.NotEmpty(b, s.Histograms[1])
		assert.Equal(b, packet.CaptureOff, s.Counts.Capture)
		_, err = other.Apply(b.Context(), both(3), 0)
		require.NoError(b, err)
		stream, err := other.Subscribe(b.Context(), counter, 2)
		require.NoError(b, err)
		_, err = stream.Next(b.Context())
		require.NoError(b, err)
		_, err = other.Swap(b.Context(), swapTo(nextImage(2)), nil)
		require.NoError(b, err)
		s, err = other.Stop(b.Context())
		require.NoError(b, err)
		data, _, err := other.Read(b.Context(), []session.Span{{Offset: 28, Length: 4}})
		require.NoError(b, err)
		assert.Equal(b, le(9), data[0], "nothing was written over the list of safe values")
		assert.Zero(b, s.Counts.Missed)
		digest, err = b.Running(b.Context())
		require.NoError(b, err)
		assert.Nil(b, digest)
	})
}

// TestAttachWithoutANote: what needs live memory is refused, and all else goes.
func TestAttachWithoutANote(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		b.runner.Scribble(0, make([]byte, 64))
		other, err := b.AttachLoop(b.Context(), loopImage())
		require.NoError(b, err)
		_, err = other.Live(b.Context())
		require.NoError(b, err)
		_, _, err = other.Read(b.Context(), counter)
		require.NoError(b, err)
		_, err = other.Apply(b.Context(), both(1), 0)
		require.ErrorIs(b, err, session.ErrNoNote)
		_, err = other.Subscribe(b.Context(), counter, 1)
		require.ErrorIs(b, err, session.ErrNoNote)
		_, err = other.Capture(b.Context(), session.CaptureStart{Spans: counter})
		require.ErrorIs(b, err, session.ErrNoNote)
		_, err = other.Swap(b.Context(), swapTo(nextImage(1)), nil)
		require.ErrorIs(b, err, session.ErrNoNote)
		_, err = other.Stop(b.Context())
		require.NoError(b, err)
	})
}

// TestRunnerRestarts: there is no loop any more, and that is said.
func TestRunnerRestarts(t *testing.T) {
	onLoop(t, serial, nil, session.LoopStart{}, func(b *bench, l *session.Loop) {
		b.runner.Restart()
		_, err := l.Live(b.Context())
		var restart *session.RestartError
		require.ErrorAs(b, err, &restart)
		_, err = l.Live(b.Context())
		var ended *session.EndedError
		require.ErrorAs(b, err, &ended)
		assert.True(b, ended.Lost)
	})
}

// TestFaultEndsTheLoop: with safe values, and what it was.
func TestFaultEndsTheLoop(t *testing.T) {
	onLoop(t, serial, func(r *sessiontest.Runner) {
		r.Program = func(entry uint32, data []byte) (uint64, *packet.Fault) {
			if binary.LittleEndian.Uint32(data[ticksAt:]) == 500 {
				return 1, &packet.Fault{Kind: packet.FaultMemory, PC: 8, Inside: true, Address: 0x1234}
			}
			return control(entry, data)
		}
	}, session.LoopStart{Safe: []session.Piece{{Offset: 20, Bytes: le(5)}}}, func(b *bench, l *session.Loop) {
		stream, err := l.Subscribe(b.Context(), counter, 1)
		require.NoError(b, err)
		var lost, last uint32
		for {
			r, err := stream.Next(b.Context())
			lost += r.Drops
			if err == io.EOF {
				break
			}
			require.NoError(b, err)
			last = r.Tick
		}
		assert.Zero(b, lost)
		assert.EqualValues(b, 500, last, "the tick that faulted")
		s, err := l.Live(b.Context())
		require.NoError(b, err)
		assert.Equal(b, packet.LoopEndFault, s.Counts.End)
		require.NotNil(b, s.Fault)
		assert.EqualValues(b, 500, s.Fault.Run)
		_, err = l.Apply(b.Context(), both(1), 0)
		var ended *session.EndedError
		require.ErrorAs(b, err, &ended)
		assert.Contains(b, err.Error(), "0x1234")
	})
}
