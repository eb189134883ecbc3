package esp

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

const (
	blockBytes  = 1 << 10 // the ROM takes no more in one message
	sectorBytes = 4 << 10 // what flash is erased by
	pageBytes   = 256
	eraseBytes  = 64 << 10
	flashBytes  = 4 << 20 // as images say; chips with less have room for them, too
	erased      = 0xFF
)

// attach connects the flash at its usual pins.
func (p *programmer) attach(ctx context.Context) error {
	if _, err := p.ask(ctx, p.timing.Answer, cmdAttach, 0, 0, 0); err != nil {
		return err
	}
	const id, statusMask = 0, 0xFFFF
	_, err := p.ask(ctx, p.timing.Answer, cmdSetParams, 0, id, flashBytes, eraseBytes, sectorBytes, pageBytes, statusMask)
	return err
}

// store begins anew where something went wrong on the line or in flash. A block is not sent again by itself: the loader may have
// written it although its answer was lost, and would write it once more behind itself.
func (p *programmer) store(ctx context.Context, offset uint32, image []byte) error {
	err := p.storeOnce(ctx, offset, image)
	for range attempts - 1 {
		var refused *StatusError
		var verify *VerifyError
		if err == nil || !noisy(err) && !errors.As(err, &refused) && !errors.As(err, &verify) {
			return err
		}
		if err := p.sync(ctx); err != nil {
			return err
		}
		err = p.storeOnce(ctx, offset, image)
	}
	return err
}

// storeOnce attaches the flash, erases, writes and verifies.
func (p *programmer) storeOnce(ctx context.Context, offset uint32, image []byte) error {
	if err := p.attach(ctx); err != nil {
		return fmt.Errorf("attach the flash: %w", err)
	}
	p.o.Progress("erase", 0, 1)
	size := uint32(len(image)+sectorBytes-1) / sectorBytes * sectorBytes
	const plain = 0 // not encrypted
	if _, err := p.ask(ctx, p.timing.Erase, cmdFlashBegin, 0, size, uint32(len(image)/blockBytes), blockBytes, offset, plain); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	p.o.Progress("erase", 1, 1)
	done := 0
	for block := range slices.Chunk(image, blockBytes) {
		p.o.Progress("write", done, len(image))
		head := le32(blockBytes, uint32(done/blockBytes), 0, 0)
		a, err := p.exchange(ctx, p.timing.Answer, cmdFlashData, xor(firstSum, block), append(head, block...))
		if err == nil {
			err = a.status(0)
		}
		if err != nil {
			return fmt.Errorf("write %#x: %w", int(offset)+done, err)
		}
		done += blockBytes
	}
	p.o.Progress("write", done, len(image))
	return p.verify(ctx, offset, image)
}

// verify has the loader add up what is in flash. A sum that differs is asked for once more: it may have come from the line.
func (p *programmer) verify(ctx context.Context, offset uint32, image []byte) error {
	p.o.Progress("verify", 0, 1)
	sum := md5.Sum(image)
	want := hex.EncodeToString(sum[:])
	for try := 0; ; try++ {
		a, err := p.ask(ctx, p.timing.MD5, cmdMD5, len(want), offset, uint32(len(image)), 0, 0)
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
		got := string(a.body[:len(want)])
		switch {
		case got == want:
			p.o.Progress("verify", 1, 1)
			return nil
		case try > 0:
			return &VerifyError{offset, want, fmt.Sprintf("%.32q", got)}
		}
	}
}
