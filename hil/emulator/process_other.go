//go:build !linux

package emulator

import (
	"os"
	"os/exec"
)

// give hands the kernel over by name. QEMU opens it more than once, which
// descriptors of other systems do not support: they share one position.
func give(cmd *exec.Cmd, kernel *os.File) (remove func()) {
	name := kernel.Name()
	cmd.Args = append(cmd.Args, "-kernel", name)
	return func() { os.Remove(name) }
}

// bindToThread has nothing to offer where the kernel does not couple a process
// to its parent: there QEMU ends with Close, with the context, and with the
// interrupt from the keyboard that it gets like its parent.
func bindToThread(*exec.Cmd) (unbind func()) { return func() {} }
