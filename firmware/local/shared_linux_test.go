package local_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A sharer is a host on a line with others. Whatever it reads must be its own.
type sharer struct {
	*testing.T
	end    *transporttest.HubEnd
	image  packet.Image
	rng    *rand.Rand
	loaded bool
	s      *session.Session

	good, taken, others int
}

// try loads the program unless it should be there, and reads a piece of its data.
func (h *sharer) try(ctx context.Context) error {
	if h.s != nil && h.rng.IntN(50) == 0 { // the program ends, and is started again
		if err := h.s.Close(); err != nil {
			return err
		}
		h.s, h.loaded, h.end = nil, false, h.end.Again()
		time.Sleep(time.Duration(h.rng.IntN(1000)) * time.Microsecond)
	}
	if h.s == nil {
		s, err := session.Open(ctx, h.end, session.Options{Timeout: time.Second})
		if err != nil {
			h.end = h.end.Again()
			return err
		}
		h.s = s
	}
	if !h.loaded {
		if _, err := h.s.Load(ctx, &h.image, nil); err != nil {
			return err
		}
		h.loaded = true
	}
	at := h.rng.IntN(len(h.image.Data) - 64)
	n := 1 + h.rng.IntN(64)
	got, err := h.s.Read(ctx, uint32(at), n)
	if err != nil {
		return err
	}
	if !bytes.Equal(h.image.Data[at:at+n], got) {
		h.Errorf("read %x at %d instead of %x", got, at, h.image.Data[at:at+n])
	}
	return nil
}

// share tries so many times. An error must say what it is about, and what to do next.
func (h *sharer) share(ctx context.Context, times int) {
	for range times {
		err := h.try(ctx)
		if err == nil {
			h.good++
			continue
		}
		h.loaded = false
		var hint interface{ Hint() string }
		if !assert.ErrorAs(h, err, &hint) || !assert.NotEmpty(h, hint.Hint()) {
			return
		}
		if strings.Contains(err.Error(), "another host is talking on this line") {
			h.taken++
		} else {
			// What both have said at once was noise to the runner, and neither was heard.
			var silent *session.TimeoutError
			if !assert.ErrorAs(h, err, &silent) {
				return
			}
			h.others++
		}
		time.Sleep(time.Duration(h.rng.IntN(2000)) * time.Microsecond)
	}
}

// Two hosts on one line, which both use all the time, read 10 000 times: what they get is
// theirs, or they are told that there is somebody else.
func TestTwoHostsOnOneLine(t *testing.T) {
	r, err := local.Start(t.Context())
	require.NoError(t, err)
	hub := transporttest.NewHub(r, 0.02, 1)
	defer hub.Close()
	arch := func() *session.Session {
		s, err := session.Open(t.Context(), hub.Plug(), session.Options{})
		require.NoError(t, err)
		return s
	}()
	info := arch.Info()
	require.NoError(t, arch.Close())
	var wg sync.WaitGroup
	hosts := make([]*sharer, 2)
	for i := range hosts {
		h := &sharer{T: t, end: hub.Plug(), rng: rand.New(rand.NewPCG(2, uint64(i)))}
		h.image = packet.Image{Arch: info.Arch, Code: native.store42, Data: make([]byte, 4096), Entries: []uint32{0}}
		for at := range h.image.Data {
			h.image.Data[at] = byte(i<<7 | at&0x7f)
		}
		hosts[i] = h
		wg.Go(func() { h.share(t.Context(), 5000) })
	}
	wg.Wait()
	for i, h := range hosts {
		t.Logf("host %d: %d reads, %d times another host was there, %d times no answer", i, h.good, h.taken, h.others)
		assert.Equal(t, 5000, h.good+h.taken+h.others)
		assert.Greater(t, h.good, 1000)
		assert.NotZero(t, h.taken)
		if h.s != nil {
			require.NoError(t, h.s.Close())
		}
	}
}
