package share

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
)

// Config says what is shared.
type Config struct {
	Name     string // of the target, as others call it
	Board    string // as its runner calls itself; may be empty
	Pins     bool   // its runner connects variables to the board's channels
	Drivers  string // table of the drivers that these stand for; empty: they are those of a chip
	Arch     string
	Features packet.Features
	Loop     device.Loop  // that runs; nil: none yet
	Image    *image.Image // of its program
	Tune     bool         // clients may change values, start, stop and swap
	// Load loads a program that a client has sent; nil: no program may come from clients, as it would run in
	// this process.
	Load func(ctx context.Context, m *image.Image) (device.Looper, error)
	// Joined is told the number of clients' streams whenever it changes; may be nil.
	Joined func(streams int)
}

// Server offers a loop on a socket.
type Server struct {
	cfg      Config
	listener net.Listener
	path     string
	ctx      context.Context

	hub atomic.Pointer[hub] // of the loop, which may have ended; nil: none has been started yet

	mu      sync.RWMutex // for reading while offsets of the running program are in use, which a swap changes
	past    history
	program device.Looper // that a client has loaded last; nil: none
	loaded  digest        // its image's
	taking  chan struct{} // holds a token while a capture is under way
	streams atomic.Int32
	conns   conns
	clients sync.WaitGroup
}

// Listen opens the socket of a share. It fails with ErrTaken where its target is shared already.
func Listen(cfg Config) (*Server, error) {
	dir, err := folder(true)
	if err != nil {
		return nil, err
	}
	path, err := socketOf(dir, cfg.Name)
	if err != nil {
		return nil, err
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return nil, fmt.Errorf("%s: %w", cfg.Name, ErrTaken)
	}
	// What is left of a share that did not end by itself answers nobody.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("socket of an earlier share: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("share %s: %w", cfg.Name, err)
	}
	return &Server{cfg: cfg, listener: l, path: path, taking: make(chan struct{}, 1)}, nil
}

// Path is that of the socket.
func (s *Server) Path() string { return s.path }

// Serve answers clients until ctx ends. The loop goes on then.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx = ctx
	if s.cfg.Loop != nil {
		s.past.add(s.cfg.Image)
		s.hub.Store(newHub(ctx, s.cfg.Loop))
	}
	defer s.clients.Wait()
	defer s.conns.closeAll()
	stop := context.AfterFunc(ctx, func() { s.listener.Close() })
	defer stop()
	defer s.listener.Close()
	for {
		c, err := s.listener.Accept()
		if ctx.Err() != nil {
			if err == nil {
				c.Close()
			}
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil {
			// Too many open files, say: that passes.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.conns.add(c)
		s.clients.Go(func() {
			defer s.conns.remove(c)
			s.converse(ctx, c)
		})
	}
}

// Close ends a share that was never served.
func (s *Server) Close() error { return s.listener.Close() }

const (
	// askTime is how long a client may take to say what it wants, and to take an answer.
	askTime    = 10 * time.Second
	answerTime = 10 * time.Second
	// maxConns bounds the clients' connections: beyond it the one goes that has been silent for longest.
	maxConns = 128
	// maxStreams bounds those of them that stay.
	maxStreams = 48
)

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = c.SetReadDeadline(time.Now().Add(askTime))
	var q request
	limit := maxRequest
	if s.cfg.Tune {
		limit = maxWhole
	}
	if err := receive(c, &q, limit); err != nil {
		s.answer(c, &response{Err: describe(err)})
		return
	}
	s.conns.asked(c)
	_ = c.SetReadDeadline(time.Time{})
	gone := make(chan struct{})
	s.clients.Go(func() {
		// A client that hangs up, or says anything more, takes its request back.
		defer close(gone)
		var b [1]byte
		_, _ = c.Read(b[:])
		cancel()
	})
	defer func() { c.Close(); <-gone }()
	op, ok := operations[q.Op]
	switch {
	case q.Version != version || !ok:
		s.answer(c, &response{Err: &failure{Text: fmt.Sprintf("the share is of another version of copaflash (request %.40q, version %d)", q.Op, q.Version),
			Hint: "use the same copaflash on both sides"}})
		return
	case op.tunes && !s.cfg.Tune:
		s.answer(c, &response{Err: describe(fmt.Errorf("%s: %w", q.Op, ErrReadOnly))})
		return
	}
	if op.stream != nil {
		op.stream(s, ctx, c, &q)
		return
	}
	if op.whole {
		// It is carried out even where its client goes meanwhile.
		ctx = s.ctx
	}
	a, err := op.do(s, ctx, &q)
	if err != nil {
		a = &response{Err: describe(err)}
	}
	s.answer(c, a)
}

// answer sends a message to a client, which may not take forever to read it.
func (s *Server) answer(c net.Conn, a *response) bool {
	_ = c.SetWriteDeadline(time.Now().Add(answerTime))
	return send(c, a) == nil
}

// conns are the connections of clients.
type conns struct {
	mu     sync.Mutex
	asking []net.Conn // have not said what they want, oldest first
	busy   map[net.Conn]struct{}
	closed bool
}

func (s *conns) add(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return
	}
	if len(s.asking)+len(s.busy) >= maxConns {
		if len(s.asking) == 0 {
			c.Close()
			return
		}
		s.asking[0].Close()
		s.asking = s.asking[1:]
	}
	s.asking = append(s.asking, c)
}

func (s *conns) without(c net.Conn) {
	for i, o := range s.asking {
		if o == c {
			s.asking = append(s.asking[:i:i], s.asking[i+1:]...)
			return
		}
	}
}

func (s *conns) asked(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.without(c)
	if s.busy == nil {
		s.busy = map[net.Conn]struct{}{}
	}
	s.busy[c] = struct{}{}
}

func (s *conns) remove(c net.Conn) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.without(c)
	delete(s.busy, c)
}

func (s *conns) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, c := range s.asking {
		c.Close()
	}
	for c := range s.busy {
		c.Close()
	}
}
