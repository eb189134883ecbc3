package boards

import (
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
