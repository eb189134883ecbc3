package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/boards/machine"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// Client uses a loop, and the device that it runs on, through the process that holds it.
type Client struct {
	path  string
	about hello
}

var _ device.Attacher = (*Client)(nil)

// Dial finds the share of a target, by the name that its port or target has, or with an empty name the only share
// that there is. It fails with ErrNone or ErrSeveral.
func Dial(ctx context.Context, name string) (*Client, error) {
	if name == "" {
		return only(ctx)
	}
	dir, err := folder(false)
	if err != nil {
		return nil, err
	}
	path, err := socketOf(dir, name)
	if err != nil {
		return nil, err
	}
	return meet(ctx, path)
}

func only(ctx context.Context) (*Client, error) {
	all, err := List(ctx)
	if err != nil {
		return nil, err
	}
	switch len(all) {
	case 0:
		return nil, ErrNone
	case 1:
		return all[0], nil
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return nil, fmt.Errorf("%w: %s", ErrSeveral, strings.Join(names, ", "))
}

// List gives the shares of this user that answer.
func List(ctx context.Context) ([]*Client, error) {
	paths, err := sockets()
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Client
	for _, p := range paths {
		if c, err := meet(ctx, p); err == nil {
			all = append(all, c)
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return all, nil
}

// meetTime is how long a share may take to say what it is.
const meetTime = 3 * time.Second

func meet(ctx context.Context, path string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	c := &Client{path: path}
	a, err := c.ask(ctx, &request{Op: "hello"})
	if err != nil {
		return nil, err
	}
	if a.Hello == nil {
		return nil, fmt.Errorf("%s: what listens there is no share", path)
	}
	c.about = *a.Hello
	return c, nil
}

// dial opens a connection for one request.
func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		if c.about.Name != "" {
			return nil, errEnded
		}
		return nil, ErrNone
	}
	return conn, err
}

// begin sends a request. The connection ends with ctx.
func (c *Client) begin(ctx context.Context, q *request) (conn net.Conn, stop func() bool, err error) {
	if conn, err = c.dial(ctx); err != nil {
		return nil, nil, err
	}
	q.Version = version
	stop = context.AfterFunc(ctx, func() { conn.Close() })
	if err := send(conn, q); err != nil {
		// A share that refuses a request does not read all of it, and its answer says why.
		var a response
		if receive(conn, &a, maxWhole) == nil && a.Err != nil {
			err = a.Err.err()
		}
		stop()
		conn.Close()
		return nil, nil, c.lost(ctx, err)
	}
	return conn, stop, nil
}

// ask sends a request and waits for its answer.
func (c *Client) ask(ctx context.Context, q *request) (*response, error) {
	conn, stop, err := c.begin(ctx, q)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer stop()
	return c.answer(ctx, conn)
}

// answer reads a message of the share.
func (c *Client) answer(ctx context.Context, conn net.Conn) (*response, error) {
	var a response
	if err := receive(conn, &a, maxWhole); err != nil {
		return nil, c.lost(ctx, err)
	}
	return &a, a.Err.err()
}

// lost is what an error of a connection means.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var far *farError
	if errors.As(err, &far) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed) {
		return errEnded
	}
	return fmt.Errorf("%w: share of %s: %w", transport.ErrHangup, c.about.Name, err)
}

// Name is that of the shared target.
func (c *Client) Name() string { return c.about.Name }

// Board is what the runner calls its board; empty where there is none.
func (c *Client) Board() string { return c.about.Board }

// Pins is the board whose channels the runner connects variables to in loops; the error is why there is none.
func (c *Client) Pins() (*boards.Board, error) {
	if !c.about.Pins {
		return nil, fmt.Errorf("the runner on %s uses no pins", c.about.Board)
	}
	if c.about.Drivers != "" {
		drivers, err := machine.Parse(c.about.Drivers)
		if err != nil {
			return nil, err
		}
		return machine.Board(c.about.Board, drivers)
	}
	b, err := boards.Find(c.about.Board)
	return &b, err
}

// MayTune tells whether values may be changed, and loops started, stopped and swapped.
func (c *Client) MayTune() bool { return c.about.Tune }

// Arch is the architecture to compile for.
func (c *Client) Arch() string { return c.about.Arch }

// Features are the optional instruction sets there.
func (c *Client) Features() packet.Features { return packet.Features(c.about.Features) }

// Close does nothing: the target is the share's.
func (c *Client) Close() {}

// Image is that of the program that runs, or ran last.
func (c *Client) Image(ctx context.Context) (*image.Image, error) {
	a, err := c.ask(ctx, &request{Op: "image"})
	if err != nil {
		return nil, err
	}
	return image.Decode(a.Image)
}

// Running tells the digest of the program whose loop runs there, nil if none does.
func (c *Client) Running(ctx context.Context) ([]byte, error) {
	a, err := c.ask(ctx, &request{Op: "running"})
	if err != nil || len(a.Digest) == 0 {
		return nil, err
	}
	return a.Digest, nil
}

// Attach joins those who use the loop that runs there, or takes the last one that did, to ask how it has ended.
func (c *Client) Attach(ctx context.Context, m *image.Image) (device.Loop, error) {
	a, err := c.ask(ctx, &request{Op: "last"})
	if err != nil {
		return nil, err
	}
	d := m.Digest()
	if !bytes.Equal(a.Digest, d[:]) {
		return nil, fmt.Errorf("%w at the share of %s", ErrChanged, c.Name())
	}
	return &loop{client: c, digest: d}, nil
}

// Load has the share load a program. It takes the right to tune, and that no loop runs.
func (c *Client) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	start := time.Now()
	b, err := p.Image.Encode()
	if err != nil {
		return nil, err
	}
	if _, err := c.ask(ctx, &request{Op: "load", Image: b}); err != nil {
		return nil, err
	}
	return &program{client: c, digest: p.Image.Digest(), wire: len(b), took: time.Since(start)}, nil
}

// program is one that the share has loaded.
type program struct {
	client *Client
	digest digest
	wire   int
	took   time.Duration

	mu       sync.Mutex
	flags    device.Flags
	released bool
}

var _ device.Looper = (*program)(nil)

func (p *program) ask(ctx context.Context, q *request) (*response, error) {
	p.mu.Lock()
	released := p.released
	p.mu.Unlock()
	if released {
		return nil, device.ErrReleased
	}
	q.Digest = p.digest[:]
	return p.client.ask(ctx, q)
}

// Call uses the program.
func (p *program) Call(ctx context.Context, c device.Call) (device.Result, error) {
	a, err := p.ask(ctx, &request{Op: "call", Call: &call{Writes: c.Writes, Runs: c.Runs, Period: c.Period, Limit: c.Limit, Reads: c.Reads, Timed: c.Timed != nil, Entry: c.Entry}})
	if err != nil {
		return device.Result{}, err
	}
	if a.Called == nil {
		return device.Result{}, errNoAnswer
	}
	p.mu.Lock()
	p.flags = a.Called.Flags
	p.mu.Unlock()
	for _, d := range a.Called.Times {
		c.Timed(d)
	}
	return device.Result{Data: a.Called.Data, Total: a.Called.Total, Timing: a.Called.Timing}, nil
}

// errNoAnswer says that an answer lacks what was asked for.
var errNoAnswer = errors.New("the share has given another answer than to what was asked: use the same copaflash on both sides")

// StartLoop starts the loop. It goes on when this client has ended.
func (p *program) StartLoop(ctx context.Context, cfg device.LoopConfig) (device.Loop, error) {
	if _, err := p.ask(ctx, &request{Op: "start", Config: &cfg}); err != nil {
		return nil, err
	}
	return &loop{client: p.client, digest: p.digest}, nil
}

func (p *program) Flags() device.Flags {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flags
}

func (p *program) Transfer() (wireBytes int, d time.Duration) { return p.wire, p.took }

func (p *program) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
}
