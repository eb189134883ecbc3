// Package esp makes the images that the ROMs of Espressif's chips start from flash, and writes them through the loader in those ROMs,
// over a serial line or the chip's own USB port.
//
// The format of images, the protocol, the sequences of the modem lines and the numbers of chips and registers are those of esptool
// (https://github.com/espressif/esptool). No program is loaded into the chip for it, and flash is compared by its MD5 afterwards.
package esp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// A Chip is what the loader is expected to run on.
type Chip struct {
	ID   uint16 // in images
	Name string
}

// Options say how to program.
type Options struct {
	Timing Timing
	// Lines may be nil, and may fail where there are none: then somebody must have started the loader by hand.
	Lines  Lines
	Wiring Wiring
	// Progress is called with the stage and how much of it is done.
	Progress func(stage string, done, total int)
}

// ErrSilent says that nobody answered as the loader does.
var ErrSilent = errors.New("no boot loader answers")

// ErrStart says that the image is stored and verified, but nobody could have the chip start it.
var ErrStart = errors.New("the runner is stored and verified, but did not start; reset the board")

// A BootModeError says that the board was reset and started what is in its flash.
type BootModeError struct{ Mode string }

func (e *BootModeError) Error() string {
	return fmt.Sprintf("the board was reset, but did not start its boot loader (boot mode %s)", e.Mode)
}

// A ChipError says that another chip answered.
type ChipError struct{ Want, Got string }

func (e *ChipError) Error() string {
	return fmt.Sprintf("the chip is not an %s: it is %s", e.Want, e.Got)
}

// Hint says what to do next.
func (e *ChipError) Hint() string {
	return "check the name of the board (copaflash boards) and the port"
}

// A SecurityError says that fuses of the chip keep the image from being stored or started.
type SecurityError struct{ What string }

func (e *SecurityError) Error() string { return "the chip is locked: " + e.What }

// A VerifyError says that flash holds something else.
type VerifyError struct {
	Offset    uint32
	Want, Got string // MD5
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("flash from %#x on has the MD5 %s instead of %s", e.Offset, e.Got, e.Want)
}

type programmer struct {
	*link
	o    Options
	regs registers // of the chip; none known: zero
	usb  bool      // the loader speaks over the chip's own USB port
}

// Program stores an image at an offset in flash, verifies it and starts it.
func Program(ctx context.Context, rw io.ReadWriter, chip Chip, offset uint32, image []byte, o Options) error {
	if len(image) == 0 || offset%sectorBytes != 0 || uint64(offset)+uint64(len(image)) > flashBytes {
		return fmt.Errorf("%d bytes from %#x on are not within %d bytes of flash, from the start of a sector on", len(image), offset, flashBytes)
	}
	image = append(image[:len(image):len(image)], bytes.Repeat([]byte{erased}, (blockBytes-len(image)%blockBytes)%blockBytes)...)
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &programmer{link: newLink(ctx, rw, o.Timing), o: o, regs: chips[chip.ID]}
	for _, stage := range []struct {
		name string
		do   func() error
	}{
		{"connect", func() error { return p.connect(ctx) }},
		{"ask for the chip", func() error { return p.identify(ctx, chip) }},
		{"stop the watchdogs", func() error { return p.calm(ctx) }},
		{"store", func() error { return p.store(ctx, offset, image) }},
	} {
		if err := stage.do(); err != nil {
			return fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	if err := p.start(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil
}

// bootMode finds what the ROM prints when it starts, such as "rst:0x1 (POWERON),boot:0xc (SPI_FAST_FLASH_BOOT)".
var bootMode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`boot:(0x[0-9a-f]+ \([A-Z0-9_]+\))`)
})

// connect has the board start its loader, and finds it.
func (p *programmer) connect(ctx context.Context) error {
	p.o.Progress("connect", 0, 1)
	mode, silent := "", ErrSilent
	sequences := entries[p.o.Wiring]
	for i := range resets {
		p.said()
		if p.o.Lines != nil {
			if err := play(ctx, p.o.Lines, sequences[i%len(sequences)], p.timing.Tick); err != nil {
				p.o.Lines = nil
			}
		} else if i > 0 {
			break
		}
		err := p.sync(ctx)
		if err == nil {
			p.o.Progress("connect", 1, 1)
			return nil
		}
		if !errors.Is(err, ErrSilent) {
			return err
		}
		silent = err
		if m := bootMode().FindSubmatch(p.said()); m != nil {
			mode = string(m[1])
		}
	}
	if mode != "" {
		return &BootModeError{mode}
	}
	return silent
}

// start resets the chip by the lines or, where they cannot do it, by a watchdog: where there are none, and over the chip's own USB port
// if the loader was started by its button, which only a reset of the whole chip asks for again.
func (p *programmer) start(ctx context.Context) error {
	lines := p.o.Lines
	if lines != nil && p.usb {
		strap, err := p.read(ctx, p.regs.strap)
		if err != nil {
			return err
		}
		if strap&p.regs.strapFlash == 0 {
			lines = nil
		}
	}
	if lines != nil {
		err := play(ctx, lines, restart, p.timing.Tick)
		if err == nil || p.gone() {
			return nil
		}
	}
	if len(p.regs.resetAll) == 0 {
		return errors.New("it has no lines for that")
	}
	return p.resetAll(ctx)
}

// resetAll has a watchdog reset the chip. Where that is not answered, it may have done it already, or the command was lost: then the
// loader is still there.
func (p *programmer) resetAll(ctx context.Context) (err error) {
	last := len(p.regs.resetAll) - 1
	for range attempts {
		for _, c := range p.regs.resetAll[:last] {
			if err := p.change(ctx, c); err != nil {
				return err
			}
		}
		c := p.regs.resetAll[last]
		var a answer
		if a, err = p.exchange(ctx, p.timing.Sync, cmdWriteReg, 0, le32(c.address, c.value, 1<<32-1, 0)); err == nil {
			err = a.status(0)
		}
		if err == nil || p.gone() {
			return nil
		}
		if !noisy(err) {
			return err
		}
		if err := p.sync(ctx); errors.Is(err, ErrSilent) || p.gone() {
			return nil
		} else if err != nil {
			return err
		}
	}
	return err
}

// gone tells that the line has ended, as a USB port does when its chip is reset.
func (p *programmer) gone() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
