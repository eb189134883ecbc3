//go:build unix

package emulator

import (
	"os"
	"syscall"
)

func supported() error { return nil }

// openTTY opens a tty without making it the controlling one.
func openTTY(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
}
