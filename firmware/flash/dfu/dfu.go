// Package dfu programs STM32 chips through the USB boot loader in their ROM.
//
// The protocol is USB's Device Firmware Upgrade, revision 1.1, with ST's commands of application note AN3156. This package
// knows no USB: a Pipe carries its requests, and a clock waits between them. Everything written is read back.
package dfu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Pipe carries class requests to the boot loader's interface.
type Pipe interface {
	// Out sends a request with data, In one that is answered with up to len(p) bytes. They fail with ErrStall where the device
	// refuses the request, and with ErrGone where it is there no more.
	Out(request byte, value uint16, data []byte) error
	In(request byte, value uint16, p []byte) (int, error)
}

var (
	// ErrStall says that the device refused a request.
	ErrStall = errors.New("the boot loader refused a request")
	// ErrGone says that the device is there no more.
	ErrGone = errors.New("the USB device is gone")
	// ErrProtected says that the chip lets nobody read or write its flash.
	ErrProtected = errors.New("the chip is protected against reading and writing")
	// ErrStart says that the program is stored and verified but was not started.
	ErrStart = errors.New("the runner is stored and verified, but did not start; reset the board with BOOT0 low")
)

// Requests, DFU 1.1, table 3.2.
const (
	dnload    = 1
	upload    = 2
	getStatus = 3
	clrStatus = 4
	abort     = 6
)

// A State is that of the boot loader, DFU 1.1, section 6.1.2.
type State byte

// The states of a boot loader; those of a program are 0 and 1.
const (
	Idle              State = 2
	DownloadSync      State = 3
	DownloadBusy      State = 4
	DownloadIdle      State = 5
	ManifestSync      State = 6
	Manifest          State = 7
	ManifestWaitReset State = 8
	UploadIdle        State = 9
	Failed            State = 10
)

// A StatusError is what the boot loader complains of.
type StatusError struct{ Status byte }

// Statuses of DFU 1.1, section 6.1.2, for people; AN3156 has those that an STM32 gives.
var statuses = map[byte]string{
	1: "the file is not for this device", 2: "the file is for another vendor's device", 3: "cannot write", 4: "cannot erase",
	5: "the flash is not erased", 6: "cannot program the flash", 7: "what was programmed differs", 8: "the address is out of range",
	9: "the end came too early", 10: "the program is corrupt", 11: "an error of its own, such as protection", 12: "unexpected reset of USB",
	13: "unexpected reset by power", 14: "an unknown error", 15: "a request that it does not know",
}

func (e *StatusError) Error() string {
	text, ok := statuses[e.Status]
	if !ok {
		text = "an error without a name"
	}
	return fmt.Sprintf("the boot loader says: %s (status %d)", text, e.Status)
}

// vendor is the status of an STM32 that is protected.
const vendor = 11

// A StateError says that the boot loader is in a state that cannot be after what was asked of it.
type StateError struct{ State State }

func (e *StateError) Error() string {
	return fmt.Sprintf("the boot loader is in an unexpected state (%d)", e.State)
}

// A VerifyError says that flash reads back differently.
type VerifyError struct {
	Address   uint32
	Want, Got byte
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("flash at %#x holds %#02x instead of %#02x", e.Address, e.Got, e.Want)
}

// Options say how to program.
type Options struct {
	Transfer int // bytes of a block, of the device's descriptor
	// Wait passes time; nil: by the clock of this machine.
	Wait func(context.Context, time.Duration) error
	// Progress is called with the stage and how much of it is done.
	Progress func(stage string, done, total int)
}

// Limits of what a device may ask for.
const (
	longestPoll = 10 * time.Second // one wait; the longest sector of an STM32 is erased in 4 s
	mostPolls   = 100              // of one request
	mostBlocks  = 1<<16 - 1 - firstBlock
	// firstBlock is the number of the block at the address that was set.
	firstBlock = 2
)

type programmer struct {
	p Pipe
	o Options
}

// Program erases the sectors that hold data, stores it at an address, verifies it and starts it. The layout is the device's own.
func Program(ctx context.Context, p Pipe, flash Layout, address uint32, data []byte, o Options) error {
	sectors, err := flash.cover(address, len(data))
	if err != nil {
		return err
	}
	if o.Transfer < 4 || o.Transfer > 1<<15 || (len(data)+o.Transfer-1)/o.Transfer > mostBlocks {
		return fmt.Errorf("blocks of %d bytes, for %d bytes", o.Transfer, len(data))
	}
	if o.Wait == nil {
		o.Wait = sleep
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	g := &programmer{p, o}
	if err := g.idle(ctx); err != nil {
		return err
	}
	for i, sector := range sectors {
		o.Progress("erase", i, len(sectors))
		if err := g.command(ctx, cmdErase, sector); err != nil {
			return fmt.Errorf("erase the sector at %#x: %w", sector, protected(err))
		}
	}
	o.Progress("erase", len(sectors), len(sectors))
	if err := g.write(ctx, address, data); err != nil {
		return err
	}
	if err := g.verify(ctx, address, data); err != nil {
		return err
	}
	if err := g.start(ctx, address); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil
}

// protected tells the one reason for which an STM32 refuses with a status of its own.
func protected(err error) error {
	var status *StatusError
	if errors.As(err, &status) && status.Status == vendor {
		return fmt.Errorf("%w: %w", ErrProtected, err)
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// status asks for the state, and how long the device wants to be left alone.
func (g *programmer) status() (code byte, state State, poll time.Duration, err error) {
	var answer [6]byte
	n, err := g.p.In(getStatus, 0, answer[:])
	if err == nil && n != len(answer) {
		err = fmt.Errorf("a status of %d bytes instead of %d", n, len(answer))
	}
	ms := int(answer[1]) | int(answer[2])<<8 | int(answer[3])<<16
	return answer[0], State(answer[4]), min(time.Duration(ms)*time.Millisecond, longestPoll), err
}

// idle brings the boot loader to where it takes requests, from whatever an earlier host has left it in.
func (g *programmer) idle(ctx context.Context) error {
	var state State
	for range mostPolls {
		_, now, poll, err := g.status()
		if err != nil {
			return fmt.Errorf("ask for the state: %w", err)
		}
		switch state = now; state {
		case Idle:
			return nil
		case Failed:
			err = g.p.Out(clrStatus, 0, nil)
		case DownloadIdle, UploadIdle, DownloadSync, ManifestSync:
			err = g.p.Out(abort, 0, nil)
		case DownloadBusy, Manifest:
			err = g.o.Wait(ctx, poll)
		default:
			return &StateError{state}
		}
		if err != nil && !errors.Is(err, ErrStall) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return &StateError{state}
}

// Commands of AN3156, in block 0.
const (
	cmdAddress = 0x21
	cmdErase   = 0x41
)

func (g *programmer) command(ctx context.Context, code byte, address uint32) error {
	return g.download(ctx, 0, []byte{code, byte(address), byte(address >> 8), byte(address >> 16), byte(address >> 24)})
}

// download sends a block and waits until it is done. The work begins with the first question for the status.
func (g *programmer) download(ctx context.Context, block uint16, data []byte) error {
	if err := g.p.Out(dnload, block, data); err != nil {
		if code, state, _, e := g.status(); errors.Is(err, ErrStall) && e == nil && state == Failed {
			return &StatusError{code}
		}
		return err
	}
	for range mostPolls {
		code, state, poll, err := g.status()
		switch {
		case err != nil:
			return err
		case state == Failed:
			return &StatusError{code}
		case state == DownloadIdle:
			return nil
		case state != DownloadBusy && state != DownloadSync:
			return &StateError{state}
		}
		if err := g.o.Wait(ctx, poll); err != nil {
			return err
		}
	}
	return errors.New("the boot loader does not come to an end")
}

func (g *programmer) write(ctx context.Context, address uint32, data []byte) error {
	if err := g.command(ctx, cmdAddress, address); err != nil {
		return fmt.Errorf("set the address %#x: %w", address, protected(err))
	}
	done := 0
	for block := range slices.Chunk(data, g.o.Transfer) {
		g.o.Progress("write", done, len(data))
		if err := g.download(ctx, uint16(firstBlock+done/g.o.Transfer), block); err != nil {
			return fmt.Errorf("write %#x: %w", address+uint32(done), protected(err))
		}
		done += len(block)
	}
	g.o.Progress("write", done, len(data))
	return nil
}

func (g *programmer) verify(ctx context.Context, address uint32, data []byte) error {
	if err := g.idle(ctx); err != nil {
		return err
	}
	if err := g.command(ctx, cmdAddress, address); err != nil {
		return fmt.Errorf("set the address %#x: %w", address, err)
	}
	if err := g.idle(ctx); err != nil { // reading begins there only
		return err
	}
	done := 0
	for want := range slices.Chunk(data, g.o.Transfer) {
		g.o.Progress("verify", done, len(data))
		got := make([]byte, len(want))
		n, err := g.p.In(upload, uint16(firstBlock+done/g.o.Transfer), got)
		if err == nil && n != len(got) {
			err = fmt.Errorf("%d bytes instead of %d", n, len(got))
		}
		if err != nil {
			return fmt.Errorf("read back %#x: %w", address+uint32(done), err)
		}
		if !bytes.Equal(got, want) {
			i := 0
			for got[i] == want[i] {
				i++
			}
			return &VerifyError{Address: address + uint32(done+i), Want: want[i], Got: got[i]}
		}
		done += len(want)
	}
	g.o.Progress("verify", done, len(data))
	return g.idle(ctx)
}

// start leaves the boot loader for the program: an empty block, and a question for the status, which may not be answered.
func (g *programmer) start(ctx context.Context, address uint32) error {
	if err := g.command(ctx, cmdAddress, address); err != nil {
		return err
	}
	if err := g.p.Out(dnload, 0, nil); err != nil {
		return err
	}
	code, state, _, err := g.status()
	switch {
	case errors.Is(err, ErrGone), errors.Is(err, ErrStall):
		return nil
	case err != nil:
		return err
	case state == Failed:
		return &StatusError{code}
	case state != Manifest && state != ManifestSync && state != ManifestWaitReset:
		return &StateError{state}
	}
	return nil
}
