package esp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Flags of the chip's fuses in the answer to cmdSecurityInfo.
const (
	secureBoot     = 1 << 0
	secureDownload = 1 << 2
)

// identify asks for the chip, and for what its fuses forbid.
func (p *programmer) identify(ctx context.Context, chip Chip) error {
	info, err := p.securityInfo(ctx)
	var refused *StatusError
	switch {
	case errors.As(err, &refused), err == nil && len(info) < infoBytes:
		return p.identifyByWord(ctx, chip)
	case err != nil:
		return err
	}
	if id := binary.LittleEndian.Uint32(info[12:]); id != uint32(chip.ID) {
		return &ChipError{Want: chip.Name, Got: nameOf(id)}
	}
	flags := binary.LittleEndian.Uint32(info)
	switch {
	case flags&secureDownload != 0:
		return &SecurityError{"its boot loader stores nothing (secure download mode)"}
	case flags&secureBoot != 0:
		return &SecurityError{"it starts signed images only (secure boot)"}
	case bits.OnesCount8(info[4])%2 == 1:
		return &SecurityError{"it starts encrypted images only (flash encryption)"}
	}
	return nil
}

// Lengths of what is known of the fuses: flags, the counter of encryption, seven purposes of keys; and, but of the ESP32-S2, the number
// of the chip and the version of the ROM.
const (
	infoBytes      = 20
	shortInfoBytes = 12
)

// securityInfo asks until two answers are the same: answers have no sum.
func (p *programmer) securityInfo(ctx context.Context) ([]byte, error) {
	var last []byte
	for range attempts {
		var info []byte
		err := p.retry(ctx, func() error {
			a, err := p.exchange(ctx, p.timing.Answer, cmdSecurityInfo, 0, nil)
			if err != nil {
				return err
			}
			n := 0
			for _, length := range []int{shortInfoBytes, infoBytes} {
				if len(a.body) >= length+2 {
					n = length
				}
			}
			info = a.body[:n]
			return a.status(n)
		})
		if err != nil || last != nil && bytes.Equal(info, last) {
			return info, err
		}
		last = info
	}
	return nil, errors.New("the answers differ: the line is noisy")
}

// identifyByWord finds a chip that does not tell its number.
func (p *programmer) identifyByWord(ctx context.Context, chip Chip) error {
	word, err := p.read(ctx, magicWord)
	var refused *StatusError
	switch {
	case errors.As(err, &refused):
		return &SecurityError{"its boot loader tells nothing"}
	case err != nil:
		return err
	case !slices.Contains(p.regs.magics, word):
		return &ChipError{Want: chip.Name, Got: fmt.Sprintf("an older or unknown one (%#x)", word)}
	}
	return nil
}

func (p *programmer) read(ctx context.Context, address uint32) (uint32, error) {
	a, err := p.ask(ctx, p.timing.Answer, cmdReadReg, 0, address)
	return a.value, err
}

func (p *programmer) change(ctx context.Context, c change) error {
	value := c.value
	if c.beside {
		before, err := p.read(ctx, c.address)
		if err != nil {
			return err
		}
		value |= before
	}
	_, err := p.ask(ctx, p.timing.Answer, cmdWriteReg, 0, c.address, value, 1<<32-1, 0)
	return err
}

// calm stops the watchdogs that a reset over the chip's USB port leaves running.
func (p *programmer) calm(ctx context.Context) error {
	if p.regs.port == 0 {
		return nil
	}
	port, err := p.read(ctx, p.regs.port)
	if err != nil {
		return err
	}
	if p.usb = port == p.regs.usbPort; !p.usb {
		return nil
	}
	for _, c := range p.regs.calm {
		if err := p.change(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
