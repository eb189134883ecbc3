package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/esp"
	"github.com/copaflash/copaflash/protocol/transport"
)

// espBaud is the rate of the loader after reset. The chip's own USB port has none.
const espBaud = 115200

// The identity of that port, which no program can change.
const (
	espVID = "303a"
	espPID = "1001"
)

// espFile makes the file that the ROM starts, and checks it as the ROM does.
func espFile(b *boards.Board) ([]byte, error) {
	img, err := b.Flat()
	if err != nil {
		return nil, err
	}
	if img.Entry > 1<<32-1 || img.Address > 1<<32-1 {
		return nil, fmt.Errorf("%s: image at %#x with its start at %#x is beyond 32 bits", b.Name, img.Address, img.Entry)
	}
	file, err := esp.Encode(b.Flash.ESP.ChipID, uint32(img.Entry), uint32(img.Address), img.Data)
	if err == nil {
		_, err = esp.Parse(file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	return file, nil
}

// espPort is the port with the loader, and what is known of it.
type espPort struct {
	name   string
	usb    string // device, as knownPort has it
	wiring esp.Wiring
}

// wiringOf says what is behind the modem lines of a port.
func wiringOf(p *transport.PortInfo) esp.Wiring {
	switch {
	case p.VID == "":
		return esp.Unknown // also where the system does not tell
	case p.VID == espVID && p.PID == espPID:
		return esp.USB
	case p.VID == espVID:
		return esp.Unknown
	}
	return esp.Bridge
}

// findESP finds the port of the board: the one that is named, or the only one with its USB identity.
func (a *app) findESP(b *boards.Board, named string) (espPort, error) {
	if named != "" {
		ports, err := a.desk.ports()
		if err != nil {
			return espPort{}, err
		}
		for _, p := range ports {
			if p.Name == named {
				return espPort{p.Name, p.USB, wiringOf(&p.PortInfo)}, nil
			}
		}
		return espPort{name: named}, nil
	}
	found := a.desk.portsOf(b, "")
	switch len(found) {
	case 0:
		return espPort{}, &failure{Code: exitNoDevice, Message: "no port of " + b.Name, Hint: "connect the board by its USB port, or name another with --port (see copaflash ports); " + b.Flash.ESP.Enter}
	case 1:
		a.ui.note("using %s", found[0].Name)
		return espPort{found[0].Name, found[0].USB, wiringOf(&found[0].PortInfo)}, nil
	}
	return espPort{}, &failure{Code: exitUsage, Message: fmt.Sprintf("%d ports may be that of %s: %s", len(found), b.Name, listPorts(found)),
		Hint: "name the one to write to with --port"}
}

// flashESP programs a board through the loader in the ROM of its chip, and waits for the runner to answer.
func (a *app) flashESP(ctx context.Context, b *boards.Board, flags flashFlags, r *flashResult) error {
	file, err := espFile(b)
	if err != nil {
		return err
	}
	p, err := a.findESP(b, flags.loaderPort())
	if err != nil {
		return err
	}
	before := a.espRunners(ctx, b, p)
	if err := a.programESP(ctx, b, p, file); err != nil {
		return err
	}
	r.Port, r.Bytes = p.name, len(file)
	return a.awaitESP(ctx, b, p, before, flags.wait, r)
}

const (
	// espTries bounds how often the board is programmed anew because its port has vanished, as one of the chip's own may when the
	// loader is started.
	espTries = 3
	// espReturn is how long such a port may take to come back, with the rights of the user.
	espReturn = 5 * time.Second
)

func (a *app) programESP(ctx context.Context, b *boards.Board, p espPort, file []byte) error {
	for try := 1; ; try++ {
		line, err := openBack(ctx, p.name, try > 1)
		if err != nil {
			return err
		}
		lines, _ := line.(transport.Lines)
		err = esp.Program(ctx, line, esp.Chip{ID: b.Flash.ESP.ChipID, Name: b.Flash.ESP.Chip}, uint32(b.Flash.ESP.Offset), file,
			esp.Options{Timing: esp.DefaultTiming, Lines: lines, Wiring: p.wiring, Progress: a.stage})
		_ = line.Close()
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, transport.ErrHangup) || try == espTries:
			return espFailure(b, p.name, err)
		}
	}
}

// openBack opens a port, and waits for one that has vanished.
func openBack(ctx context.Context, name string, vanished bool) (transport.Transport, error) {
	for end := time.Now().Add(espReturn); ; {
		line, err := transport.OpenSerial(name, espBaud)
		back := err == nil || !errors.Is(err, transport.ErrNoDevice) && !errors.Is(err, transport.ErrPermission) && !errors.Is(err, transport.ErrHangup)
		if !vanished || back || time.Now().After(end) {
			return line, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}

// awaitESP waits until the board answers with a runner that has started since.
func (a *app) awaitESP(ctx context.Context, b *boards.Board, p espPort, before map[string]uint32, wait time.Duration, r *flashResult) error {
	if wait <= 0 {
		r.Next = "the board starts the runner now; next: copaflash info --port PORT"
		return nil
	}
	a.ui.note("stored and verified; waiting for the runner")
	last := errors.New("it has no serial port")
	for end := time.Now().Add(wait); time.Now().Before(end); {
		for _, name := range a.desk.espLines(b, p) {
			hello, err := sayHello(ctx, name)
			if err != nil {
				last = err
				continue
			}
			if boot, was := before[name]; was && boot == hello.BootNonce {
				continue // that of another board
			}
			if hello.Board != b.Name {
				return &failure{Code: exitIncompatible, Message: fmt.Sprintf("the runner on %s is that of %s, not of %s", name, hello.Board, b.Name), Hint: "see copaflash ports --probe"}
			}
			r.Port, r.Running = name, true
			r.Next = "the board runs " + b.Name + "'s runner; next: copaflash deploy SCRIPT --port " + name
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
	return &failure{Code: exitTransport, Message: fmt.Sprintf("the runner is stored and verified, but the board does not answer (%v)", last),
		Hint: "press RESET on the board, then: copaflash ports --probe; the runner's line is " + b.UART.Device}
}

// espLines are where the runner may answer: at the port itself, at one with another name of the same USB device and, where that is an
// adapter, at the board's own port.
func (d desk) espLines(b *boards.Board, p espPort) []string {
	names := []string{p.name}
	var also []*knownPort
	switch {
	case p.wiring == esp.Bridge:
		also = d.portsOf(b, "")
	case p.usb != "":
		also = d.portsOf(b, p.usb)
	}
	for _, k := range also {
		if !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}

// espRunners are the numbers that runners have drawn at their start which are at other ports than that of the loader.
func (a *app) espRunners(ctx context.Context, b *boards.Board, p espPort) map[string]uint32 {
	boots := map[string]uint32{}
	for _, name := range a.desk.espLines(b, p) {
		if name == p.name {
			continue // it is reset
		}
		if hello, err := sayHello(ctx, name); err == nil {
			boots[name] = hello.BootNonce
		}
	}
	return boots
}

// espFailure finds exit code and next step for what the loader said.
func espFailure(b *boards.Board, port string, err error) error {
	f := classify(fmt.Errorf("%s: %w", port, err))
	var (
		mode   *esp.BootModeError
		chip   *esp.ChipError
		locked *esp.SecurityError
		verify *esp.VerifyError
	)
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, esp.ErrSilent), errors.As(err, &mode):
		f.Code, f.Hint = exitTransport, b.Flash.ESP.Enter
	case errors.Is(err, esp.ErrStart):
		f.Code, f.Hint = exitTransport, "press RESET on the board, then: copaflash ports --probe"
	case errors.As(err, &chip):
		f.Code = exitIncompatible
	case errors.As(err, &locked):
		f.Code, f.Hint = exitIncompatible, "fuses of a chip cannot be set back: use another board"
	case errors.As(err, &verify):
		f.Code, f.Hint = exitVerify, "flash cannot be written there: try again, else it is worn or damaged"
	default:
		f.Code = exitTransport
		f.Hint = strings.TrimPrefix(f.Hint+"; ", "; ") + "try again; " + b.Flash.ESP.Enter
	}
	return f
}
