package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/firmware/images"
)

// arches maps GOARCH to the architectures that such machines run, by the names of
// the protocol, their own first.
var arches = map[string][]string{"amd64": {"x86_64", "x86_32"}, "386": {"x86_32"}, "arm64": {"aarch64"}, "arm": {"armv7a"}}

// Start starts the embedded runner for this machine. It lives until Close, until
// ctx is done, or until this process ends, however that happens.
func Start(ctx context.Context) (*Runner, error) { return StartAllowed(ctx, nil) }

// StartAllowed starts it with drivers of the machine that its programs may use, as Service.Allow has them.
func StartAllowed(ctx context.Context, allow []string) (*Runner, error) {
	own, ok := arches[runtime.GOARCH]
	if !ok {
		return nil, ErrUnsupported
	}
	return startArch(ctx, own[0], allowed(allow, ""))
}

// mayMakeCode fails where processes started from this one are forbidden new code: a runner would start, and its
// programs end in a fault that says nothing.
func mayMakeCode() error {
	mode, err := unix.PrctlRetInt(unix.PR_GET_MDWE, 0, 0, 0, 0)
	if err == nil && mode&unix.PR_MDWE_REFUSE_EXEC_GAIN != 0 && mode&unix.PR_MDWE_NO_INHERIT == 0 {
		return forbidden{}
	}
	return nil // kernels before Linux 6.3 do not know the question
}

type forbidden struct{}

func (forbidden) Error() string {
	return "the system forbids this process, and those that it starts, new code (MemoryDenyWriteExecute of systemd)"
}

// Hint says what to do next.
func (forbidden) Hint() string {
	return "allow it for this service, or use --target oracle, --target qemu:BOARD or --port"
}

func (forbidden) Unwrap() error { return ErrUnsupported }

// StartArch starts the embedded runner for an architecture that this machine runs
// beside its own. It returns an error that wraps ErrUnsupported where it does not:
// not every kernel for x86-64 has programs of 32 bits.
func StartArch(ctx context.Context, arch string) (*Runner, error) { return startArch(ctx, arch, nil) }

func startArch(ctx context.Context, arch string, arg []string) (*Runner, error) {
	image, err := images.Linux(arch)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(arches[runtime.GOARCH], arch) {
		return nil, fmt.Errorf("%s does not run on this machine: %w", arch, ErrUnsupported)
	}
	if err := mayMakeCode(); err != nil {
		return nil, err
	}
	r, err := startMemory(ctx, image, arg)
	if errors.Is(err, unix.ENOEXEC) {
		return nil, fmt.Errorf("the system cannot run programs for %s: %w", arch, ErrUnsupported)
	}
	if err != nil && ctx.Err() == nil {
		// No memfd or no /proc: some containers.
		var second error
		if r, second = startFile(ctx, image, arg); second != nil {
			return nil, fmt.Errorf("start local runner: %w", errors.Join(err, second))
		}
		err = nil
	}
	return r, err
}

// StartUnder starts the embedded runner for another architecture under an
// emulator of user programs, such as "qemu-aarch64-static"; arg are arguments of
// the emulator. Such emulators have no seccomp, so the runner goes without its filter.
func StartUnder(ctx context.Context, arch, emulator string, arg ...string) (*Runner, error) {
	image, err := images.Linux(arch)
	if err != nil {
		return nil, err
	}
	path, err := writeFile(image)
	if err != nil {
		return nil, fmt.Errorf("start runner under %s: %w", emulator, err)
	}
	args := append(append([]string{}, arg...), path, "-emulated")
	r, err := start(ctx, func() { os.Remove(path) }, emulator, args...)
	if err != nil {
		return nil, fmt.Errorf("start runner under %s: %w", emulator, err)
	}
	return r, nil
}

// startMemory runs image from memory.
func startMemory(ctx context.Context, image []byte, arg []string) (*Runner, error) {
	fd, err := unix.MemfdCreate("runner", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if err == unix.EINVAL { // before Linux 6.3 there is no MFD_EXEC, and every memfd may be executed
		fd, err = unix.MemfdCreate("runner", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "runner")
	defer file.Close()
	if _, err := file.Write(image); err != nil {
		return nil, err
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	// By the parent's descriptor, since the child has closed its own when it executes.
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd)
	return start(ctx, func() {}, path, arg...)
}

// startFile runs image from a temporary file.
func startFile(ctx context.Context, image []byte, arg []string) (*Runner, error) {
	path, err := writeFile(image)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	for try := 0; ; try++ {
		r, err := start(ctx, func() {}, path, arg...)
		// A process that another goroutine forks at this moment may hold the file open for writing.
		if !errors.Is(err, unix.ETXTBSY) || try == 20 {
			return r, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func writeFile(image []byte) (string, error) {
	f, err := os.CreateTemp("", "copaflash-runner-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(image)
	err = errors.Join(err, f.Chmod(0o700), f.Close())
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// start starts a program with one end of a socket pair as its file descriptor
// 3. cleanup is called once the program is gone, or at once on error.
func start(ctx context.Context, cleanup func(), path string, arg ...string) (*Runner, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		cleanup()
		return nil, os.NewSyscallError("socketpair", err)
	}
	// Only this end: reads of the runner shall block.
	if err := unix.SetNonblock(fds[0], true); err != nil {
		panic(err) // a descriptor that was just made
	}
	r := &Runner{
		stream:  os.NewFile(uintptr(fds[0]), "local"),
		ended:   make(chan struct{}),
		closing: make(chan struct{}),
		cleanup: cleanup,
	}
	far := os.NewFile(uintptr(fds[1]), "local")
	r.cmd = exec.CommandContext(ctx, path, arg...)
	r.cmd.Args[0] = "copaflash-runner"
	r.cmd.Env = []string{}
	r.cmd.ExtraFiles = []*os.File{far}
	r.cmd.Stderr = &r.complaint
	// An interrupt from the keyboard reaches the caller alone, who may go on, or closes in order.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	started := make(chan error)
	go func() {
		// The runner asks to be killed when its parent dies, and a parent is a
		// thread. So the thread that starts it must not end before it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := r.cmd.Start()
		started <- err
		if err == nil {
			r.endErr = r.cmd.Wait()
			close(r.ended)
		}
	}()
	err = <-started
	far.Close()
	if err != nil {
		r.stream.Close()
		cleanup()
		return nil, err
	}
	return r, nil
}
