//go:build !unix

package emulator

import (
	"errors"
	"os"
)

var errNoPTY = errors.New("emulator: this system has no pseudo-terminals; run it on Linux or macOS")

func supported() error { return errNoPTY }

func openTTY(string) (*os.File, error) { return nil, errNoPTY }
