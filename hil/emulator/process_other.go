//go:build !linux

package emulator

import "os/exec"

// bindToThread has nothing to offer where the kernel does not couple a process
// to its parent: there QEMU ends with Close, with the context, and with the
// interrupt from the keyboard that it gets like its parent.
func bindToThread(*exec.Cmd) (unbind func()) { return func() {} }
