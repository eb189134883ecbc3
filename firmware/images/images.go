// Package images holds the runners of boards, built by firmware/build and
// committed, so that nobody needs a C compiler to flash or emulate one.
package images

import (
	"embed"
	"fmt"
)

//go:embed *.elf
var files embed.FS

// Read returns an image by its file name.
func Read(name string) ([]byte, error) {
	image, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("no image %s: run `make firmware`: %w", name, err)
	}
	return image, nil
}
