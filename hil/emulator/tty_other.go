//go:build !linux && !darwin

package emulator

import "errors"

var errNoPTY = errors.New("emulator: QEMU offers no pseudo-terminal here; run it on Linux or macOS")

func supported() error { return errNoPTY }

func holdTTY(string) (release func(), err error) { return nil, errNoPTY }
