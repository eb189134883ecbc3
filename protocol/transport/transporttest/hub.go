package transporttest

import (
	"math/rand/v2"
	"sync"

	"github.com/copaflash/copaflash/protocol/transport"
)

// A Hub lets several hosts share a line: each hears all that the runner says, and what they
// send goes to the runner in the order in which it comes, frames in pieces.
type Hub struct {
	runner transport.Transport
	split  float64 // how probable it is that a frame is sent in pieces, between which others' may come
	mu     sync.Mutex
	rng    *rand.Rand
	ends   []*HubEnd
}

// hubBaud is the rate that a host believes in. It is so high that no test waits for it.
const hubBaud = 12_000_000

// NewHub takes over the host's end of a line.
func NewHub(runner transport.Transport, split float64, seed uint64) *Hub {
	h := &Hub{runner: runner, split: split, rng: rand.New(rand.NewPCG(seed, 0x4b))}
	go h.serve()
	return h
}

// serve hands on what the runner says, until it is gone.
func (h *Hub) serve() {
	buf := make([]byte, 4096)
	for {
		n, err := h.runner.Read(buf)
		h.mu.Lock()
		for _, e := range h.ends {
			e.hear(buf[:n], err)
		}
		h.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Close ends the line for all.
func (h *Hub) Close() error { return h.runner.Close() }

// A HubEnd is one host's end.
type HubEnd struct {
	hub   *Hub
	mu    sync.Mutex
	more  *sync.Cond
	heard []byte
	err   error
}

var _ transport.Transport = (*HubEnd)(nil)

// Plug adds a host.
func (h *Hub) Plug() *HubEnd {
	e := &HubEnd{hub: h}
	e.more = sync.NewCond(&e.mu)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends = append(h.ends, e)
	return e
}

func (e *HubEnd) hear(p []byte, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, p...)
	if e.err == nil {
		e.err = err
	}
	e.more.Broadcast()
}

// Read returns what the runner has said to anybody.
func (e *HubEnd) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.heard) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.more.Wait()
	}
	n := copy(p, e.heard)
	e.heard = e.heard[n:]
	return n, nil
}

// Write sends to the runner, perhaps in two pieces.
func (e *HubEnd) Write(p []byte) (int, error) {
	h := e.hub
	for sent := 0; sent < len(p); {
		h.mu.Lock()
		n := len(p) - sent
		if n > 1 && h.rng.Float64() < h.split {
			n = 1 + h.rng.IntN(n-1)
		}
		m, err := h.runner.Write(p[sent : sent+n])
		h.mu.Unlock()
		if sent += m; err != nil {
			return sent, err
		}
	}
	return len(p), nil
}

// Close unplugs the host; the line stays.
func (e *HubEnd) Close() error {
	h := e.hub
	h.mu.Lock()
	for i, other := range h.ends {
		if other == e {
			h.ends = append(h.ends[:i], h.ends[i+1:]...)
			break
		}
	}
	h.mu.Unlock()
	e.hear(nil, transport.ErrClosed)
	return nil
}

// Again returns another end of the same hub, for a host whose session has closed this one.
func (e *HubEnd) Again() *HubEnd { return e.hub.Plug() }

// Baud returns a rate, so that a host expects answers soon.
func (*HubEnd) Baud() int { return hubBaud }

// SetBaud has nothing to set.
func (*HubEnd) SetBaud(int) error { return nil }

func (*HubEnd) String() string { return "hub" }
