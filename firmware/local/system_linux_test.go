package local_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/transport"
)

// again runs the test that calls it in another process, and shows what went wrong there.
func again(t *testing.T, path string, change func(*exec.Cmd)) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(path, "-test.run=^"+name+"$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"GODEBUG=" + os.Getenv("GODEBUG"), againVariable + "=1"}
	change(cmd)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+name)
}

const againVariable = "COPAFLASH_TEST_AGAIN"

// asNobody runs the test that calls it as a user without rights.
func asNobody(t *testing.T) {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	path := filepath.Join(dir, "test")
	require.NoError(t, os.WriteFile(path, self, 0o755))
	again(t, path, func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	})
}

// Where the system has no process for the program, that is what is said, and not that the program has failed.
func TestNoProcessForTheProgram(t *testing.T) {
	if os.Geteuid() == 0 { // whom no limit binds
		asNobody(t)
		return
	}
	r, err := local.Start(context.Background())
	require.NoError(t, err)
	defer r.Close()
	c := connect(t, r)
	require.NoError(t, unix.Prlimit(r.PID(), unix.RLIMIT_NPROC, &unix.Rlimit{}, nil))
	c.load(native.store42)
	c.send(&packet.RunRequest{Count: 1})
	err = gone(t, r)
	require.ErrorContains(t, err, "cannot start a process for the program: errno 11")
	require.ErrorIs(t, err, transport.ErrHangup)
}

// Signals that were blocked by whoever started this do not count: the time limit is one of them.
func TestSignalsAreNotBlocked(t *testing.T) {
	if os.Getenv(againVariable) == "" {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var all, before unix.Sigset_t
		for i := range all.Val {
			all.Val[i] = ^all.Val[i]
		}
		require.NoError(t, unix.PthreadSigmask(unix.SIG_BLOCK, &all, &before))
		defer func() { require.NoError(t, unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)) }()
		again(t, os.Args[0], func(*exec.Cmd) {})
		return
	}
	c := start(t)
	c.load(native.spin)
	r := c.run(20 * time.Millisecond)
	require.Equal(t, packet.StatusTimeLimit, r.Status)
	require.True(t, r.Fault.Inside, "ended by the timer, which tells where it was")
	c.works(native)
}

// refuse makes a system call fail in this thread and in all that it starts.
func refuse(t *testing.T, number int) {
	t.Helper()
	const load, jumpIfEqual, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	filter := []unix.SockFilter{
		{Code: load}, // the number
		{Code: jumpIfEqual, K: uint32(number), Jf: 1},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	require.NoError(t, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	require.NoError(t, unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0))
}

// Containers may refuse memory that is a file, and a system may be older than some calls.
func TestSystemsThatRefuseCalls(t *testing.T) {
	if os.Getenv(againVariable) == "" {
		for name, number := range map[string]int{
			"memfd_create": unix.SYS_MEMFD_CREATE, "close_range": unix.SYS_CLOSE_RANGE,
			"getrandom": unix.SYS_GETRANDOM, "sched_getaffinity": unix.SYS_SCHED_GETAFFINITY,
		} {
			t.Run(name, func(t *testing.T) {
				runtime.LockOSThread() // for good: the thread ends with the goroutine
				refuse(t, number)
				again(t, os.Args[0], func(*exec.Cmd) {})
			})
		}
		return
	}
	c := start(t)
	c.works(native)
	c.load(native.spin)
	require.Equal(t, packet.StatusTimeLimit, c.run(time.Millisecond).Status)
}
