//go:build linux

package emulator_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// open connects to a board as a user's program does.
func open(t *testing.T, m *emulator.Machine) *session.Session {
	t.Helper()
	line, err := transport.OpenSerial(m.TTY(), 115200)
	require.NoError(t, err)
	s, err := session.Open(t.Context(), line, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// bigImage counts its runs, and is followed by size bytes that are only there
// to be sent.
func bigImage(isa *isa, size int) *packet.Image {
	random := rand.NewChaCha8([32]byte{2})
	code := make([]byte, size)
	random.Read(code)
	return &packet.Image{
		Arch:    isa.arch,
		Code:    append(append([]byte(nil), isa.counter...), code...),
		BSS:     64,
		Entries: []uint32{0},
	}
}

func TestSession(t *testing.T) {
	for _, b := range running(t) {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			m := power(t, b.Name, emulator.Options{})
			s := open(t, m)
			require.Equal(t, b.Name, s.Info().Board)
			report, err := s.Load(t.Context(), bigImage(isaOf(t, b), min(extent.Of(16<<10, 64<<10), int(s.Info().CodeCapacity)-1<<10)), nil)
			require.NoError(t, err)
			t.Logf("%d bytes in %v, %d chunks, %d sent again", report.Bytes, report.Took.Round(time.Millisecond), report.Chunks, report.Resent)
			result, err := s.Run(t.Context(), session.Run{Count: 1000})
			require.NoError(t, err)
			t.Logf("a run takes %v at least, %v at most (QEMU's time)", s.Ticks(result.Min), s.Ticks(result.Max))
			data, err := s.Read(t.Context(), resultAt, 4)
			require.NoError(t, err)
			require.EqualValues(t, 1000, binary.LittleEndian.Uint32(data))
			kept := min(1000, s.Info().SampleCapacity)
			samples, err := s.Samples(t.Context(), 0, kept)
			require.NoError(t, err)
			require.Len(t, samples, int(kept))
			var total uint64
			for _, ticks := range samples {
				total += uint64(ticks)
			}
			if kept == 1000 {
				require.Equal(t, result.Total, total)
			}
			require.NoError(t, s.Close())

			// The program outlives the session.
			s = open(t, m)
			require.Equal(t, packet.StateReady, s.Info().State)
			require.NoError(t, s.SetBaud(t.Context(), int(b.UART.Bauds[len(b.UART.Bauds)-1])))
			_, err = s.Run(t.Context(), session.Run{Count: 1})
			require.NoError(t, err)
		})
	}
}

// A board that goes away in the middle of a load is noticed at once.
func TestPulledCable(t *testing.T) {
	m := power(t, "rpi3", emulator.Options{})
	s := open(t, m)
	began := time.Now()
	_, err := s.Load(t.Context(), bigImage(&a64, 256<<10), func(done, _ int) {
		if done > 8<<10 {
			m.Close()
		}
	})
	require.ErrorIs(t, err, transport.ErrHangup)
	var delivery *session.DeliveryError
	require.ErrorAs(t, err, &delivery)
	require.Less(t, delivery.Delivered, delivery.Total)
	require.Less(t, time.Since(began), answerTime)
}
