package local

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/copaflash/copaflash/firmware/images"
)

// HostArchs lists the architectures whose runners this machine runs without an emulator, its own first.
func HostArchs() []string { return slices.Clone(arches[runtime.GOARCH]) }

// Serve runs the embedded runner for this machine until ctx is done, which is no error. said is called with each line that
// the runner says; one of them begins with "listens at ".
func Serve(ctx context.Context, s Service, said func(line string)) error {
	own, ok := arches[runtime.GOARCH]
	if !ok {
		return ErrUnsupported
	}
	if err := mayMakeCode(); err != nil {
		return err
	}
	image, err := images.Linux(own[0])
	if err != nil {
		return err
	}
	path, err := writeFile(image)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	cmd := exec.CommandContext(ctx, path, s.Args()...)
	cmd.Args[0] = "copaflash-runner"
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // whose end would be the parent's
	defer runtime.UnlockOSThread()
	out, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = strings.TrimPrefix(lines.Text(), "runner: ")
		said(last)
	}
	_, _ = io.Copy(io.Discard, out) // of a line that was too long
	err = cmd.Wait()
	if name, ok := strings.CutPrefix(s.Listen, "unix:"); ok && strings.HasPrefix(last, "listens at ") {
		_ = os.Remove(name)
	}
	if ctx.Err() != nil {
		return nil
	}
	return &ServiceError{Said: last, End: err}
}
