package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// InProcess is the target "local": programs that the compiler has made in this process run in it. There is
// no way to load an image from elsewhere, which belongs into a sandbox (OpenRunner).
//
// Its programs are device.Direct, except those that go to the sandbox: long ones, which somebody may want
// to interrupt, and those that the system does not run in its own process. Different programs may be called
// at the same time.
type InProcess struct {
	opt    Options
	ctx    context.Context // of the target, and of its sandbox
	cancel context.CancelFunc

	mu      sync.Mutex
	sandbox *Runner // nil: not needed yet
	none    error   // why there is no sandbox on this system
}

// What runs in the process.
const (
	// longest is the bound on the instructions of a run beyond which it goes to the sandbox, where its
	// limit of time and a cancelled context end it: 5 to 35 ms.
	longest = 100_000_000
	// slowest is what an instruction takes on average, at most.
	slowest = time.Nanosecond
	// ownLimit is that of runs for which none is stated: the same as of every runner.
	ownLimit = packet.RunLimitS * time.Second
	// The memory of a program, as in the sandbox (firmware/host), in bytes.
	codeCapacity = 64 << 20
	dataCapacity = 256 << 20
)

// openInProcess opens this process as a target. The error wraps native.ErrUnsupported where it cannot be one.
func openInProcess(ctx context.Context, opt Options) (*InProcess, error) {
	p, err := native.Load(&image.Image{Version: image.Version, Arch: native.Arch, Code: make([]byte, image.Alignment),
		BSS: image.Alignment, Entries: []image.Entry{{Name: "probe"}}})
	if err != nil {
		return nil, err
	}
	if err := p.Close(); err != nil {
		return nil, err
	}
	if opt.GuardFaults {
		_ = native.GuardFaults() // elsewhere a fault ends the process, which is said in the documentation
	}
	t := &InProcess{opt: opt}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t, nil
}

// Name is the name of the target.
func (t *InProcess) Name() string { return "local" }

// Board is what the sandbox calls its board, too.
func (t *InProcess) Board() string { return "local" }

// Arch is the architecture of this machine.
func (t *InProcess) Arch() string { return native.Arch.String() }

// Features are the optional instruction sets that the processor has.
func (t *InProcess) Features() packet.Features { return native.Features() }

// Pins has no board: the error is why, and what gives programs here the machine's channels.
func (t *InProcess) Pins() (*boards.Board, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("programs here have no pins")
	}
	return nil, errNotAllowed
}

// Close ends the target. The memory of programs stays until their Release.
func (t *InProcess) Close() {
	t.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sandbox != nil {
		t.sandbox.Close()
	}
}

// Sandbox is the runner for what does not run in this process. The error wraps local.ErrUnsupported where there
// is none.
func (t *InProcess) Sandbox() (*Runner, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sandbox == nil {
		if t.ctx.Err() != nil {
			return nil, transport.ErrClosed
		}
		if t.none != nil {
			return nil, t.none
		}
		r, err := OpenRunner(t.ctx, SandboxName, t.opt)
		if errors.Is(err, local.ErrUnsupported) {
			t.none = err
		}
		if err != nil {
			return nil, err
		}
		t.sandbox = r
	}
	return t.sandbox, nil
}

// Load makes a program ready to be called.
func (t *InProcess) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.ctx.Err() != nil {
		return nil, transport.ErrClosed
	}
	img := p.Image
	if err := fitsHere(img); err != nil {
		return nil, err
	}
	if img.Budget.Instructions > longest {
		loaded, err := t.loadInSandbox(ctx, p)
		if !errors.Is(err, local.ErrUnsupported) {
			return loaded, err
		}
	}
	start := device.Clock()
	n, err := native.Load(img)
	if errors.Is(err, native.ErrUnsupported) {
		loaded, second := t.loadInSandbox(ctx, p)
		if errors.Is(second, local.ErrUnsupported) {
			return nil, fmt.Errorf("%w; %w", err, second)
		}
		return loaded, second
	}
	if err != nil {
		return nil, err
	}
	d := &direct{t: t, took: device.Clock() - start}
	d.become(p, n)
	return d, nil
}

// become makes it a program that was loaded.
func (d *direct) become(p *compiler.Program, n *native.Program) {
	d.cleanup.Stop()
	d.prog, d.native, d.memory = p, n, n.Data()
	d.stopped, d.most = newStoppage(p.Image), ceiling(p.Image.Budget.Instructions)
	limit := cmp.Or(d.t.opt.Limit, ownLimit)
	d.short = d.most <= limit && limit <= ownLimit
	// Programs that nobody releases give their memory back all the same.
	d.cleanup = runtime.AddCleanup(d, func(n *native.Program) { _ = n.Close() }, n)
}

// fitsHere refuses programs that are too large for any place of this machine.
func fitsHere(img *image.Image) error {
	if n := uint64(len(img.Code)); n > codeCapacity {
		return &session.SizeError{Region: "code", Needs: n, Have: codeCapacity}
	}
	if n := img.DataSize(); n > dataCapacity {
		return &session.SizeError{Region: "data", Needs: n, Have: dataCapacity}
	}
	if img.DataSize() < image.FlagsOffset+4 {
		return errors.New("the program has no place for its arithmetic flags")
	}
	return nil
}

func (t *InProcess) loadInSandbox(ctx context.Context, p *compiler.Program) (device.Program, error) {
	r, err := t.Sandbox()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return r.Load(ctx, p)
}

// ceiling is the longest that a run of so many instructions takes.
func ceiling(instructions uint64) time.Duration {
	return time.Duration(min(instructions, uint64(1<<62/slowest))) * slowest
}
