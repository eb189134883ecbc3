// Package stm32 programs STM32 chips through the boot loader in their ROM, over
// a serial line with 8 data bits and even parity.
//
// The protocol is that of ST's application note AN3155, the numbers of chips are
// those of AN2606. Everything written is read back. Unlocking erases the chip,
// and is done only if the caller asks for it.
package stm32

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Chip is what the boot loader is expected to find.
type Chip struct {
	ID      uint16
	Flash   uint32   // address of the first sector
	Sectors []uint32 // sizes in bytes, in order of their addresses
}

// Options say how to program.
type Options struct {
	Timing Timing
	// Unlock lifts a readout protection, which erases the whole chip.
	Unlock bool
	// Progress is called with the stage and how much of it is done.
	Progress func(stage string, done, total int)
}

// A ChipError says that another chip answered.
type ChipError struct{ Want, Got uint16 }

func (e *ChipError) Error() string {
	return fmt.Sprintf("the chip has number %#x, the board's has %#x", e.Got, e.Want)
}

// Hint says what to do next.
func (e *ChipError) Hint() string {
	return "check the name of the board (copaflash boards) and the port"
}

// ErrProtected says that the chip lets nobody read or write its flash.
var ErrProtected = errors.New("the chip is protected against reading and writing")

// A VerifyError says that flash reads back differently.
type VerifyError struct {
	Address   uint32
	Want, Got byte
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("flash at %#x holds %#02x instead of %#02x", e.Address, e.Got, e.Want)
}

// ErrStart says that the program is stored and verified but was not started.
var ErrStart = errors.New("the runner is stored and verified, but did not start; reset the board with BOOT0 low")

const blockBytes = 256 // at most, for one message

type programmer struct {
	*link
	o        Options
	commands []byte // that the boot loader has
}

// Program stores data at an address, verifies it and starts it.
func Program(ctx context.Context, rw io.ReadWriter, chip Chip, address uint32, data []byte, o Options) error {
	first, count, err := chip.cover(address, len(data))
	if err != nil {
		return err
	}
	// Messages carry words.
	data = append(data[:len(data):len(data)], bytes.Repeat([]byte{0xFF}, -len(data)&3)...)
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &programmer{link: newLink(ctx, rw, o.Timing), o: o}
	if err := p.wakeUp(ctx, true); err != nil {
		return err
	}
	if err := p.identify(ctx, chip); err != nil {
		return err
	}
	if err := p.unprotected(ctx, address); err != nil {
		return err
	}
	// Twice: a block that noise has spoiled half-way can only be erased.
	for range 2 {
		if err = p.store(ctx, first, count, address, data); !dirty(err) {
			break
		}
	}
	if err != nil {
		return err
	}
	err = p.retry(ctx, func() error {
		if err := p.send(ctx, p.timing.Answer, cmdGo); err != nil {
			return err
		}
		return p.send(ctx, p.timing.Answer, be32(address)...)
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	return nil
}

// cover finds the sectors that hold a piece of memory.
func (c *Chip) cover(address uint32, size int) (first, count int, err error) {
	at, first := uint64(c.Flash), -1
	end := uint64(address) + uint64(size)
	for i, s := range c.Sectors {
		next := at + uint64(s)
		if uint64(address) < next && end > at {
			if first < 0 {
				first = i
			}
			count++
		}
		at = next
	}
	if size == 0 || address < c.Flash || end > at {
		return 0, 0, fmt.Errorf("%d bytes at %#x are not within the flash at %#x to %#x", size, address, c.Flash, at)
	}
	return first, count, nil
}

// identify asks for the commands and for the chip.
func (p *programmer) identify(ctx context.Context, chip Chip) error {
	answer, err := p.ask(ctx, cmdGet)
	if err != nil {
		return fmt.Errorf("ask for commands: %w", err)
	}
	p.commands = answer[1:] // behind the version
	if answer, err = p.ask(ctx, cmdGetID); err != nil {
		return fmt.Errorf("ask for the chip: %w", err)
	}
	if len(answer) != 2 {
		return fmt.Errorf("ask for the chip: %d bytes instead of 2", len(answer))
	}
	if id := uint16(answer[0])<<8 | uint16(answer[1]); id != chip.ID {
		return &ChipError{Want: chip.ID, Got: id}
	}
	return nil
}

// ask sends a command until it is answered twice in the same way: answers have no
// sum.
func (p *programmer) ask(ctx context.Context, command byte) ([]byte, error) {
	var last []byte
	for range attempts {
		answer, err := p.askOnce(ctx, command)
		if err != nil || last != nil && bytes.Equal(answer, last) {
			return answer, err
		}
		last = answer
	}
	return nil, errors.New("the answers differ: the line is noisy")
}

// askOnce sends a command with an answer that begins with its length less one.
func (p *programmer) askOnce(ctx context.Context, command byte) (answer []byte, err error) {
	err = p.retry(ctx, func() error {
		if err := p.send(ctx, p.timing.Answer, command); err != nil {
			return err
		}
		var n [1]byte
		if err := p.receive(ctx, n[:], p.timing.Answer); err != nil {
			return err
		}
		answer = make([]byte, int(n[0])+1)
		if err := p.receive(ctx, answer, p.timing.Answer); err != nil {
			return err
		}
		return p.acknowledged(ctx, p.timing.Answer)
	})
	return answer, err
}

// unprotected tries to read: a protected chip refuses the command itself.
func (p *programmer) unprotected(ctx context.Context, address uint32) error {
	_, err := p.read(ctx, address, 4)
	switch {
	case !errors.Is(err, errNack):
		return err
	case !p.o.Unlock:
		return ErrProtected
	}
	p.o.Progress("unlock", 0, 1)
	err = p.retry(ctx, func() error { return p.send(ctx, p.timing.Answer, cmdUnlock) })
	if err == nil {
		err = p.acknowledged(ctx, p.timing.Unlock)
	}
	if err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	// The chip resets itself and begins anew.
	if err := p.wakeUp(ctx, true); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	p.o.Progress("unlock", 1, 1)
	return nil
}

func (p *programmer) read(ctx context.Context, address uint32, n int) ([]byte, error) {
	data := make([]byte, n)
	err := p.retry(ctx, func() error {
		if err := p.send(ctx, p.timing.Answer, cmdRead); err != nil {
			return err
		}
		if err := p.send(ctx, p.timing.Answer, be32(address)...); err != nil {
			return err
		}
		if err := p.send(ctx, p.timing.Answer, byte(n-1)); err != nil {
			return err
		}
		return p.receive(ctx, data, p.timing.Answer)
	})
	return data, err
}

// errSpoiled says that a block can neither be kept nor written again.
var errSpoiled = errors.New("a block is half written")

// dirty says that erasing and writing once more may help.
func dirty(err error) bool {
	var verify *VerifyError
	return errors.Is(err, errSpoiled) || errors.As(err, &verify)
}

// store erases, writes and verifies.
func (p *programmer) store(ctx context.Context, first, count int, address uint32, data []byte) error {
	for i := range count {
		p.o.Progress("erase", i, count)
		if err := p.retry(ctx, func() error { return p.erase(ctx, first+i) }); err != nil {
			return fmt.Errorf("erase sector %d: %w", first+i, err)
		}
	}
	p.o.Progress("erase", count, count)
	at := address
	for block := range slices.Chunk(data, blockBytes) {
		p.o.Progress("write", int(at-address), len(data))
		if err := p.write(ctx, at, block); err != nil {
			return fmt.Errorf("write %#x: %w", at, err)
		}
		at += uint32(len(block))
	}
	p.o.Progress("write", len(data), len(data))
	at = address
	for block := range slices.Chunk(data, blockBytes) {
		p.o.Progress("verify", int(at-address), len(data))
		if err := p.verify(ctx, at, block); err != nil {
			return err
		}
		at += uint32(len(block))
	}
	p.o.Progress("verify", len(data), len(data))
	return nil
}

// erase erases one sector by the command that the boot loader has.
func (p *programmer) erase(ctx context.Context, sector int) error {
	switch {
	case slices.Contains(p.commands, cmdExtErase):
		if err := p.send(ctx, p.timing.Answer, cmdExtErase); err != nil && !errors.Is(err, errTimeout) {
			return err
		}
		// Goes on if only the answer was lost: bytes to find back in step would
		// be taken as a number of sectors here. What follows is no command.
		return p.send(ctx, p.timing.Erase, 0, 0, byte(sector>>8), byte(sector))
	case slices.Contains(p.commands, cmdErase) && sector <= 0xFF:
		if err := p.send(ctx, p.timing.Answer, cmdErase); err != nil {
			return err
		}
		return p.send(ctx, p.timing.Erase, 0, byte(sector))
	}
	return fmt.Errorf("the boot loader has no command for it; it has % x", p.commands)
}

// write writes one block. What failed may have been done all the same, so it is
// read back before another attempt: flash is written once after it was erased.
func (p *programmer) write(ctx context.Context, address uint32, block []byte) error {
	var err error
	for range attempts {
		if err = p.writeOnce(ctx, address, block); err == nil || !noisy(err) {
			return err
		}
		if err := p.wakeUp(ctx, false); err != nil {
			return err
		}
		there, err := p.read(ctx, address, len(block))
		switch {
		case err != nil:
			return err
		case bytes.Equal(there, block):
			return nil
		case !bytes.Equal(there, bytes.Repeat([]byte{0xFF}, len(block))):
			return errSpoiled
		}
	}
	return err
}

func (p *programmer) writeOnce(ctx context.Context, address uint32, block []byte) error {
	if err := p.send(ctx, p.timing.Answer, cmdWrite); err != nil {
		return err
	}
	if err := p.send(ctx, p.timing.Answer, be32(address)...); err != nil {
		return err
	}
	return p.send(ctx, p.timing.Answer, append([]byte{byte(len(block) - 1)}, block...)...)
}

// verify compares a block. The answer to a read has no sum of its own, so that a
// difference is read once more: it may have come from the line.
func (p *programmer) verify(ctx context.Context, address uint32, want []byte) error {
	for try := 0; ; try++ {
		got, err := p.read(ctx, address, len(want))
		if err != nil {
			return fmt.Errorf("read back %#x: %w", address, err)
		}
		i := 0
		for i < len(want) && got[i] == want[i] {
			i++
		}
		switch {
		case i == len(want):
			return nil
		case try > 0:
			return &VerifyError{Address: address + uint32(i), Want: want[i], Got: got[i]}
		}
	}
}
