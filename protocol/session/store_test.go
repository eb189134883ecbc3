package session_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/seed"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// onStore runs a test with a runner that has a store.
func onStore(t *testing.T, change func(*sessiontest.Runner), test func(*bench)) {
	t.Helper()
	onLine(t, serial, func(r *sessiontest.Runner) {
		r.Program = control
		r.Store = sessiontest.NewFlash(32)
		if change != nil {
			change(r)
		}
	}, test)
}

// record makes a program for the runner whose first parameter is v, which runs at 1 kHz.
func (b *bench) record(v uint32, autostart bool) *session.StoredProgram {
	b.Helper()
	r := session.NewRecorder(b.Info())
	s, err := session.Open(b.Context(), r, session.Options{})
	require.NoError(b, err)
	defer s.Close()
	m := loopImage()
	_, err = s.Load(b.Context(), m, nil)
	require.NoError(b, err)
	_, err = s.Call(b.Context(), session.Call{Writes: both(v)})
	require.NoError(b, err)
	_, err = s.StartLoop(b.Context(), m, session.LoopStart{
		Period: 1000, Tasks: []session.Task{{Entry: 0, Divisor: 1}, {Entry: 1, Divisor: 10}}, Safe: []session.Piece{{Offset: tenthAt, Bytes: le(77)}},
	})
	require.NoError(b, err)
	bodies, err := r.Bodies()
	require.NoError(b, err)
	p := &session.StoredProgram{Autostart: autostart}
	for _, body := range bodies {
		p.Records = packet.AppendRecord(p.Records, body)
	}
	return p
}

// restart starts the runner anew, and opens a session with it.
func (b *bench) restart() {
	b.Helper()
	b.runner.Restart()
	_, err := b.Status(b.Context())
	var restarted *session.RestartError
	require.ErrorAs(b, err, &restarted)
}

func (b *bench) look() *packet.StoreResponse {
	b.Helper()
	r, err := b.LookStore(b.Context())
	require.NoError(b, err)
	return r
}

// runs reports which program runs there, 0 for none, and holds it against what a host sees of it that comes anew.
func (b *bench) runs() uint32 {
	b.Helper()
	digest, err := b.Running(b.Context())
	require.NoError(b, err)
	if digest == nil {
		return 0
	}
	l, err := b.AttachLoop(b.Context(), loopImage())
	require.NoError(b, err)
	data, _, err := l.Read(b.Context(), []session.Span{{Offset: firstAt, Length: 4}, {Offset: lastAt, Length: 4}, {Offset: tornAt, Length: 4}})
	require.NoError(b, err)
	assert.Equal(b, data[0], data[1])
	assert.Equal(b, le(0), data[2])
	s, err := l.Live(b.Context())
	require.NoError(b, err)
	assert.Equal(b, uint64(1000), s.Period, "the note tells the period")
	return uint32(data[0][0])
}

func TestRecordingIsWhatAHostSends(t *testing.T) {
	onStore(t, nil, func(b *bench) {
		p := b.record(5, true)
		bodies, err := packet.Records(p.Records)
		require.NoError(b, err)
		var kinds []packet.Message
		for _, body := range bodies {
			assert.LessOrEqual(b, len(body)+packet.HeaderLength+packet.TrailerLength, int(b.Info().MaxPacket))
			q, err := packet.DecodeRequest(body)
			require.NoError(b, err)
			if k := q.Code(); len(kinds) == 0 || kinds[len(kinds)-1] != k {
				kinds = append(kinds, k)
			}
		}
		assert.Equal(b, []packet.Message{packet.MsgBegin, packet.MsgChunk, packet.MsgSeal, packet.MsgWrite, packet.MsgStart}, kinds)
	})
}

func TestRecorderRefusesWhatCannotBeStored(t *testing.T) {
	onStore(t, nil, func(b *bench) {
		r := session.NewRecorder(b.Info())
		s, err := session.Open(b.Context(), r, session.Options{})
		require.NoError(b, err)
		defer s.Close()
		_, err = s.Load(b.Context(), loopImage(), nil)
		require.NoError(b, err)
		_, err = s.Run(b.Context(), session.Run{Count: 1})
		require.Error(b, err)
		_, err = r.Bodies()
		assert.ErrorContains(b, err, "run cannot be part of a stored program")
	})
}

func TestStoredProgramStartsByItself(t *testing.T) {
	onStore(t, nil, func(b *bench) {
		assert.Equal(b, packet.StoredNone, b.look().State)
		var told []int
		p := b.record(5, true)
		require.NoError(b, b.Store(b.Context(), p, func(done, total int) { told = append(told, total-done) }))
		assert.Zero(b, told[len(told)-1])
		assert.Equal(b, packet.StoredNext, b.look().State)
		b.restart()
		require.Equal(b, uint32(5), b.runs())
		r := b.look()
		assert.Equal(b, packet.StoredDone, r.State)
		assert.Equal(b, packet.StoreAutostart, r.Flags)
		back, err := b.ReadStore(b.Context(), int(r.Length))
		require.NoError(b, err)
		assert.Equal(b, p.Records, back)

		// Who attaches sets variables, and the next one finds the loop, too.
		l, err := b.AttachLoop(b.Context(), loopImage())
		require.NoError(b, err)
		_, err = l.Apply(b.Context(), both(6), 0)
		require.NoError(b, err)
		require.Equal(b, uint32(6), b.runs())
		_, err = l.Stop(b.Context())
		require.NoError(b, err)
		safe, err := b.Read(b.Context(), tenthAt, 4)
		require.NoError(b, err)
		assert.Equal(b, le(77), safe, "the safe value")

		// A second program replaces the first; without autostart it is loaded only.
		require.NoError(b, b.Store(b.Context(), b.record(9, false), nil))
		b.restart()
		require.Zero(b, b.runs())
		st, err := b.Status(b.Context())
		require.NoError(b, err)
		assert.Equal(b, packet.StateReady, st.State)
		v, err := b.Read(b.Context(), firstAt, 4)
		require.NoError(b, err)
		assert.Equal(b, le(9), v)

		require.NoError(b, b.ClearStore(b.Context()))
		assert.Zero(b, b.look().Length)
		b.restart()
		st, err = b.Status(b.Context())
		require.NoError(b, err)
		assert.Equal(b, packet.StateIdle, st.State)
	})
}

func TestButtonHoldsTheProgramBack(t *testing.T) {
	onStore(t, nil, func(b *bench) {
		require.NoError(b, b.Store(b.Context(), b.record(5, true), nil))
		b.runner.HoldButton(true)
		b.restart()
		require.Zero(b, b.runs())
		assert.Equal(b, packet.StoredHeld, b.look().State)
		b.runner.HoldButton(false)
		b.restart()
		require.Equal(b, uint32(5), b.runs())
	})
}

func TestRefusedRecordIsTold(t *testing.T) {
	onStore(t, nil, func(b *bench) {
		p := b.record(5, true)
		bodies, err := packet.Records(p.Records)
		require.NoError(b, err)
		bad, err := packet.EncodeRequest(&packet.WriteRequest{Offset: 1 << 20, Bytes: []byte{1}})
		require.NoError(b, err)
		p.Records = packet.AppendRecord(nil, bodies[0])
		p.Records = packet.AppendRecord(p.Records, bad)
		require.NoError(b, b.Store(b.Context(), p, nil))
		b.restart()
		r := b.look()
		var refused *session.BootError
		require.ErrorAs(b, session.Booted(r), &refused)
		assert.ErrorContains(b, refused, "record 2 was refused: bad-state: ")
		assert.Contains(b, refused.Hint(), "deploy --store")
		require.NoError(b, b.Store(b.Context(), b.record(5, true), nil))
		require.NoError(b, session.Booted(b.look()))
	})
}

func TestStoreErrorsNameTheNextStep(t *testing.T) {
	onStore(t, func(r *sessiontest.Runner) { r.Store = nil }, func(b *bench) {
		var none *session.NoStoreError
		require.ErrorAs(b, b.Store(b.Context(), &session.StoredProgram{}, nil), &none)
		assert.Contains(b, none.Hint(), "deploy")
		require.ErrorAs(b, b.ClearStore(b.Context()), &none)
	})
	onStore(t, nil, func(b *bench) {
		have := b.look().Capacity()
		var large *session.StoreSizeError
		require.ErrorAs(b, b.Store(b.Context(), &session.StoredProgram{Records: make([]byte, have+3)}, nil), &large)
		assert.ErrorContains(b, large, ": 3 too many")
		assert.Equal(b, 2, b.runner.Done(packet.MsgStore), "it was looked at, and nothing was erased")

		require.NoError(b, b.Store(b.Context(), b.record(5, true), nil))
		b.restart()
		var ticking session.TickingError
		require.ErrorAs(b, b.Store(b.Context(), b.record(6, true), nil), &ticking)
		require.ErrorAs(b, b.ClearStore(b.Context()), &ticking)
		require.Equal(b, uint32(5), b.runs())
	})
}

// TestStoreSurvivesABadLine: requests and answers are lost, and pages are erased for long; what is stored is whole.
func TestStoreSurvivesABadLine(t *testing.T) {
	bad := transporttest.Faults{Seed: seed.Of(t), DropFrame: 0.1, CorruptFrame: 0.05, DoubleFrame: 0.05}
	onLine(t, transporttest.Config{Baud: 115200, Queue: 1, ToRunner: bad, ToHost: bad}, func(r *sessiontest.Runner) {
		r.Program, r.Store = control, sessiontest.NewFlash(32)
		r.Work = map[packet.Message]time.Duration{packet.MsgStore: 20 * time.Millisecond}
	}, func(b *bench) {
		p := b.record(5, true)
		require.NoError(b, b.Store(b.Context(), p, nil))
		b.restart()
		require.Equal(b, uint32(5), b.runs())
	})
}

// TestPowerMayFailAtAnyMomentOfAStore: the old program or the new one starts, whole.
func TestPowerMayFailAtAnyMomentOfAStore(t *testing.T) {
	var flash *sessiontest.Flash
	onStore(t, func(r *sessiontest.Runner) { flash = r.Store }, func(b *bench) {
		require.NoError(b, b.Store(b.Context(), b.record(1, true), nil))
		old, seen := uint32(1), map[bool]int{}
		cuts := 0
		for cut := 1; ; cut += 1 + cut/8 {
			next := old + 1
			p := b.record(next, true)
			flash.Cut = cut
			err := b.Store(b.Context(), p, nil)
			whole := !flash.Dead
			flash.Cut, flash.Dead = 0, false
			b.restart()
			got := b.runs()
			require.Contains(b, []uint32{old, next}, got, "cut %d", cut)
			if err == nil {
				require.Equal(b, next, got)
			}
			seen[got == next]++
			cuts++
			l, aerr := b.AttachLoop(b.Context(), loopImage())
			require.NoError(b, aerr)
			_, aerr = l.Stop(b.Context())
			require.NoError(b, aerr)
			old = got
			if whole {
				break
			}
		}
		b.Logf("%d cuts: %d times the old program, %d times the new one", cuts, seen[false], seen[true])
		assert.Positive(b, seen[false])
		assert.Positive(b, seen[true])
	})
}

func TestStoreCanBeCancelled(t *testing.T) {
	onStore(t, nil, func(b *bench) {
		require.NoError(b, b.Store(b.Context(), b.record(1, true), nil))
		ctx, cancel := context.WithCancel(b.Context())
		err := b.Store(ctx, b.record(2, true), func(int, int) { cancel() })
		require.True(b, errors.Is(err, context.Canceled), "%v", err)
		b.restart()
		require.Equal(b, uint32(1), b.runs())
	})
}
