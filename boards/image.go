package boards

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/copaflash/copaflash/firmware/flat"
)

// Bytes returns the runner's image in the given form.
func (b *Board) Bytes(form Form) ([]byte, error) {
	if form == FormELF {
		return b.Image, nil
	}
	img, err := b.Flat()
	if err != nil {
		return nil, err
	}
	return img.Data, nil
}

// Use takes another image, as of a runner with drivers of one's own, instead of the board's. One that names
// another board, or lies elsewhere in memory, is refused.
func (b *Board) Use(image []byte) error {
	own, err := b.Flat()
	if err != nil {
		return err
	}
	img, err := flat.FromELF(image)
	switch {
	case err != nil:
		return err
	case img.Address != own.Address:
		return fmt.Errorf("it is for address %#x, want %#x", img.Address, own.Address)
	case !bytes.Contains(img.Data, []byte(b.Name+"\n")): // in front of its version, as HELLO has it
		return fmt.Errorf("it does not name %s as its board", b.Name)
	}
	b.Image = image
	return nil
}

// Flat returns the runner as it lies in memory, with its load address.
func (b *Board) Flat() (*flat.Image, error) {
	img, err := flat.FromELF(b.Image)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.ImageFile, err)
	}
	return img, nil
}

// Content returns what is to be written to a file of Flash.
func (b *Board) Content(f FlashFile) ([]byte, error) {
	if f.Image != "" {
		return b.Bytes(f.Image)
	}
	return []byte(strings.Join(f.Text, "\n") + "\n"), nil
}
