package loop

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
)

// TestBusy: a loop of which no tick ends before the next one is due can be asked, read and stopped all the same.
func TestBusy(t *testing.T) {
	spin := func(d time.Duration) func(uint32) error {
		return func(uint32) error {
			for end := time.Now().Add(d); time.Now().Before(end); {
			}
			return nil
		}
	}
	big := newCounter(1, spin(900*time.Microsecond))
	big.memory = make([]byte, 200_000)
	for name, c := range map[string]struct {
		body   *counter
		period time.Duration
		length uint32 // that is read
	}{
		"a microsecond":        {newCounter(1, nil), time.Microsecond, 4},
		"a tick of two":        {newCounter(1, spin(2*time.Millisecond)), time.Millisecond, 4},
		"no pause long enough": {big, time.Millisecond, 200_000},
	} {
		t.Run(name, func(t *testing.T) {
			l := start(t, c.body, device.LoopConfig{Period: c.period}, Host{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s, err := l.Status(ctx)
			require.NoError(t, err)
			require.True(t, s.Running)
			data, _, err := l.Read(ctx, []device.Span{{Length: c.length}})
			require.NoError(t, err)
			require.Len(t, data[0], int(c.length))
			s, err = l.Stop(ctx)
			require.NoError(t, err)
			require.Equal(t, "stopped", s.End)
		})
	}
}

// TestPatience: what no pause is long enough for is done all the same, but not at once.
func TestPatience(t *testing.T) {
	l, err := New(newCounter(1, nil), 1, device.LoopConfig{Hz: 1000}, Host{})
	require.NoError(t, err)
	done := 0
	l.mail.Store(&request{do: func() { done++ }, cost: 200 * time.Microsecond, done: make(chan struct{})})
	for n := 0; done == 0; n++ {
		require.Less(t, n, 2000, "it is passed over for ever")
		l.serve(100 * time.Microsecond)
		require.True(t, done == 0 || n >= 100, "pauses of other requests are waited for")
	}
	l.serve(time.Second)
	require.Equal(t, 1, done)
}
