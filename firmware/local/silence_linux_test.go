package local_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A RUN whose host said how long it would be silent at most ends when it is silent for longer.
func TestARunEndsWithItsHost(t *testing.T) {
	c := start(t)
	c.load(native.store42)
	for _, period := range []time.Duration{0, time.Millisecond, time.Hour} {
		began := time.Now()
		r := request[*packet.RunResponse](c, &packet.RunRequest{
			Count: math.MaxUint32, Period: c.counts(period), Silence: c.counts(200 * time.Millisecond),
		})
		assert.Equal(t, packet.StatusSilence, r.Status)
		assert.NotZero(t, r.Runs)
		assert.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
		status := request[*packet.StatusResponse](c, &packet.StatusRequest{})
		assert.Equal(t, packet.StateReady, status.State)
	}
}

// A limit that would make the runner deaf for longer than 10 s is refused.
func TestLongLimitsAreRefused(t *testing.T) {
	c := start(t)
	c.load(native.store42)
	for _, limit := range []uint64{c.counts(packet.RunLimitS*time.Second) + 1, math.MaxUint64} {
		for _, count := range []uint32{1, 5} {
			r := request[*packet.RunResponse](c, &packet.RunRequest{Count: count, Limit: limit})
			assert.Equal(t, packet.StatusBadLength, r.Status)
		}
	}
	assert.Equal(t, packet.StatusOK, c.run(10*time.Second).Status)
}

// A session that waits for a RUN keeps it alive, however long that takes; without it the RUN ends.
func TestASessionKeepsItsRunAlive(t *testing.T) {
	r, err := local.Start(t.Context())
	require.NoError(t, err)
	s, err := session.Open(t.Context(), r, session.Options{Timeout: 1500 * time.Millisecond})
	require.NoError(t, err)
	defer s.Close()
	image := &packet.Image{Arch: s.Info().Arch, Code: native.store42, BSS: 64, Entries: []uint32{0}}
	_, err = s.Load(t.Context(), image, nil)
	require.NoError(t, err)
	run := session.Run{Count: 2500, Period: 2 * time.Millisecond, Limit: 100 * time.Millisecond}
	answer, err := s.Run(t.Context(), run)
	require.NoError(t, err, "more than twice as long as it may be silent")
	assert.EqualValues(t, 2500, answer.Runs)

	// One that is cancelled is over before the next request.
	run.Count = math.MaxUint32
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = s.Run(ctx, run)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	st, err := s.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, packet.StateReady, st.State)
}

// A program was killed and has left the runner inside a run of 9.5 s: the next one finds it all the same.
func TestADeafRunnerIsWaitedFor(t *testing.T) {
	t.Parallel() // it does nothing but wait
	r, err := local.Start(t.Context())
	require.NoError(t, err)
	hub := transporttest.NewHub(r, 0, 1)
	defer hub.Close()
	killed, err := session.Open(t.Context(), hub.Plug(), session.Options{})
	require.NoError(t, err)
	image := &packet.Image{Arch: killed.Info().Arch, Code: native.spin, BSS: 64, Entries: []uint32{0}}
	_, err = killed.Load(t.Context(), image, nil)
	require.NoError(t, err)
	const limit = 9500 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // in which it is sent
	defer cancel()
	start := time.Now()
	_, err = killed.Run(ctx, session.Run{Count: 1, Limit: limit})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, killed.Close())

	var told []string
	s, err := session.Open(t.Context(), hub.Plug(), session.Options{Notice: func(text string) { told = append(told, text) }})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), limit)
	assert.Equal(t, []string{session.DeafNotice}, told)
	st, err := s.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, packet.StateFaulted, st.State)
	require.NoError(t, s.Close())
}
