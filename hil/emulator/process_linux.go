package emulator

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// give hands the kernel over as descriptor 3 and removes its name, so that not
// even a killed process leaves a file behind.
func give(cmd *exec.Cmd, kernel *os.File) (remove func()) {
	os.Remove(kernel.Name())
	cmd.ExtraFiles = []*os.File{kernel}
	cmd.Args = append(cmd.Args, "-kernel", "/dev/fd/3")
	return func() {}
}

// bindToThread makes the kernel kill the command when the calling thread ends,
// and keeps the goroutine on that thread until unbind is called: the kernel
// watches the thread that starts a process, and Go ends idle ones. The command
// gets its own process group, so that an interrupt from the keyboard reaches the
// caller alone, who then closes in order.
func bindToThread(cmd *exec.Cmd) (unbind func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
