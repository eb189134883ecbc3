package local_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/firmware/images"
	"github.com/copaflash/copaflash/protocol/packet"
)

// hostArch is the architecture of this machine's own runner.
var hostArch = map[string]string{"amd64": "x86_64", "386": "x86_32", "arm64": "aarch64", "arm": "armv7a"}[runtime.GOARCH]

// A service is a runner that listens, as one that is installed does.
type service struct {
	cmd  *exec.Cmd
	text said
	gone chan struct{}
}

type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// serve starts the runner of an architecture, under an emulator if there is one named, and waits until it listens.
func serve(t *testing.T, arch, emulator string, arg ...string) *service {
	t.Helper()
	image, err := images.Linux(arch)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "runner")
	require.NoError(t, os.WriteFile(path, image, 0o700))
	s := &service{cmd: exec.Command(path, arg...), gone: make(chan struct{})}
	if emulator != "" {
		s.cmd = exec.Command(emulator, append([]string{path, "-emulated"}, arg...)...)
	}
	s.cmd.Stderr = &s.text
	require.NoError(t, s.cmd.Start())
	go func() {
		s.cmd.Wait()
		close(s.gone)
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.gone
	})
	require.Eventually(t, func() bool { return strings.Contains(s.text.String(), "listens at ") || s.ended() },
		patience, time.Millisecond)
	return s
}

func (s *service) ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// unixName is a short name of a socket.
func unixName(t *testing.T) string { return filepath.Join(t.TempDir(), "s") }

func dialUnix(t *testing.T, name string) *client {
	t.Helper()
	stream, err := net.Dial("unix", name)
	require.NoError(t, err)
	t.Cleanup(func() { stream.Close() })
	return connectTo(t, stream)
}

// The loop outlives the connection of the host that has started it; the next host finds it.
func TestServiceTicksOnWithoutAHost(t *testing.T) {
	for _, m := range []struct {
		arch, emulator string
		programs       programs
	}{{hostArch, "", native}, {"aarch64", "qemu-aarch64-static", arm}, {"armv7a", "qemu-arm-static", armv7}} {
		t.Run(m.arch, func(t *testing.T) {
			name := unixName(t)
			s := serve(t, m.arch, m.emulator, "-listen", "unix:"+name)
			c := dialUnix(t, name)
			require.Equal(t, "linux", c.about.Board)
			require.Contains(t, c.about.Firmware, "no FIFO, not locked")
			c.load(m.programs.count)
			c.begin(time.Millisecond, c.safe())
			c.subscribe(1)
			before := c.status().Counts.Ticks
			_, err := c.stream.Write([]byte{1, 2, 3, 4}) // a frame that is cut off
			require.NoError(t, err)
			c.stream.Close()
			time.Sleep(100 * time.Millisecond)
			c = dialUnix(t, name)
			require.Equal(t, packet.StateTicking, c.about.State)
			c.tel = nil // what was on its way before HELLO
			time.Sleep(10 * time.Millisecond)
			c.ticked(before + 20)
			require.Empty(t, c.tel, "the subscription was that host's")
			require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
			require.EqualValues(t, safeValue, c.word(safeWord))
			require.False(t, s.ended())
		})
	}
}

// A fault while nobody is connected is there to be seen later.
func TestServiceKeepsTheEndOfALoop(t *testing.T) {
	name := unixName(t)
	serve(t, hostArch, "", "-listen", "unix:"+name)
	c := dialUnix(t, name)
	c.load(native.hang)
	c.begin(2*time.Millisecond, c.safe(), hasty)
	c.stream.Close()
	time.Sleep(200 * time.Millisecond)
	c = dialUnix(t, name)
	s := c.ended()
	require.Equal(t, packet.LoopEndTimeLimit, s.Counts.End)
	require.Equal(t, packet.FaultTimeLimit, s.Fault.Kind)
	require.EqualValues(t, safeValue, c.word(safeWord))
}

// The silence of a host that has gone counts.
func TestServiceEndsTheLoopInSilence(t *testing.T) {
	name := unixName(t)
	serve(t, hostArch, "", "-listen", "unix:"+name)
	c := dialUnix(t, name)
	c.load(native.count)
	c.begin(time.Millisecond, c.safe(), func(q *packet.StartRequest) { q.Silence = c.counts(50 * time.Millisecond) })
	c.stream.Close()
	for wait := 200 * time.Millisecond; ; wait *= 2 { // a busy machine gives the loop no turn meanwhile
		time.Sleep(wait)
		c = dialUnix(t, name)
		s := c.status()
		if s.Counts.End != packet.LoopEndNone {
			require.Equal(t, packet.LoopEndSilence, s.Counts.End)
			return
		}
		require.Less(t, wait, patience)
		c.stream.Close()
	}
}

// freePort is a TCP port that nobody listens at.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestServiceOverTCP(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		at := host + ":" + strconv.Itoa(freePort(t))
		s := serve(t, hostArch, "", "-listen", "tcp:"+at)
		if host == "[::1]" && s.ended() {
			t.Logf("this machine has no IPv6: %s", s.text.String())
			continue
		}
		for range 3 { // one connection after the other
			stream, err := net.Dial("tcp", at)
			require.NoError(t, err)
			c := connectTo(t, stream)
			c.works(native)
			stream.Close()
		}
	}
}

// A second host waits for the first.
func TestServiceTakesOneHostAfterTheOther(t *testing.T) {
	name := unixName(t)
	serve(t, hostArch, "", "-listen", "unix:"+name)
	first := dialUnix(t, name)
	stream, err := net.Dial("unix", name)
	require.NoError(t, err)
	defer stream.Close()
	done := make(chan *client)
	go func() { done <- connectTo(t, stream) }()
	first.works(native)
	select {
	case <-done:
		t.Fatal("two hosts at once")
	case <-time.After(50 * time.Millisecond):
	}
	first.stream.Close()
	(<-done).works(native)
}

// unlock returns the number of a pseudo terminal, whose far end may then be opened.
func unlock(t *testing.T, master *os.File) (number int) {
	t.Helper()
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var failed error
	require.NoError(t, raw.Control(func(fd uintptr) {
		if failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); failed == nil {
			number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, failed)
	return number
}

// A serial device, here the far end of a pseudo terminal.
func TestServiceOverASerialDevice(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer master.Close()
	number := unlock(t, master)
	s := serve(t, hostArch, "", "-listen", fmt.Sprintf("serial:/dev/pts/%d@921600", number))
	require.False(t, s.ended(), s.text.String())
	c := connectTo(t, master)
	c.works(native)
	c.load(native.count)
	c.begin(time.Millisecond)
	c.ticked(10)
	require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
}

// What it cannot do it says, and why.
func TestServiceRefusals(t *testing.T) {
	name := unixName(t)
	serve(t, hostArch, "", "-listen", "unix:"+name)
	for _, tt := range []struct{ args, want string }{
		{"-listen unix:" + name, "there is a runner at this socket, or a file in its place"},
		{"-listen unix:", "wants a path of 1 to 107 bytes"},
		{"-listen unix:" + strings.Repeat("a", 108), "wants a path of 1 to 107 bytes"},
		{"-listen tcp:0.0.0.0:7000", "add -remote"},
		{"-listen tcp:*:7000", "add -remote"},
		{"-listen tcp:[::]:7000", "add -remote"},
		{"-listen tcp:192.168.1.300:7000", "wants an address in numbers"},
		{"-listen tcp:127.0.0.1:70000", "a port of 1 to 65535"},
		{"-listen tcp:127.0.0.1:0", "a port of 1 to 65535"},
		{"-listen tcp:127.0.0.1:80x", "a port of 1 to 65535"},
		{"-listen serial:/dev/ttyS0", "wants a device and a rate"},
		{"-listen serial:@9600", "wants a device and a rate"},
		{"-listen serial:/dev/null@9600", "cannot set up the serial device"},
		{"-listen serial:/dev/none@9600", "cannot open the serial device"},
		{"-listen pipe:x", "-listen wants unix:PATH"},
		{"-listen unix:" + name + "2 -cpu 1000", "-cpu: this process may not run on that processor"},
		{"-listen unix:" + name + "3 -priority 0", "usage: runner"},
		{"-listen unix:" + name + "3 -priority 100", "usage: runner"},
		{"-listen unix:" + name + "3 -cpu x", "usage: runner"},
		{"-listen", "usage: runner"},
		{"-priority 5", "usage: runner"},
		{"-lock", "usage: runner"},
		{"-remote", "usage: runner"},
		{"-help", "usage: runner"},
		{"extra", "usage: runner"},
	} {
		s := serve(t, hostArch, "", strings.Fields(tt.args)...)
		<-s.gone
		require.Contains(t, s.text.String(), tt.want, tt.args)
		require.Equal(t, 1, s.cmd.ProcessState.ExitCode(), tt.args)
	}
}

// A socket that was left behind is taken over.
func TestServiceTakesOverASocket(t *testing.T) {
	name := unixName(t)
	for range 2 {
		s := serve(t, hostArch, "", "-listen", "unix:"+name)
		dialUnix(t, name).works(native)
		s.cmd.Process.Kill()
		<-s.gone
	}
}

// Rights that are missing are named, with what that costs; others do as before.
func TestServiceTellsWhatIsMissing(t *testing.T) {
	name := unixName(t)
	s := serve(t, hostArch, "", "-listen", "unix:"+name)
	require.Contains(t, s.text.String(), "no -priority: the ticks compete with all other programs")
	require.Contains(t, s.text.String(), "no -lock: memory may be taken away")
	if os.Geteuid() != 0 {
		s = serve(t, hostArch, "", "-listen", "unix:"+name+"1", "-priority", "50", "-lock")
		require.Contains(t, s.text.String(), "no realtime priority (SCHED_FIFO)")
		return
	}
	s = serve(t, hostArch, "", "-listen", "unix:"+name+"1", "-priority", "50", "-lock", "-cpu", "0")
	require.NotContains(t, s.text.String(), "no realtime priority")
	require.Contains(t, s.text.String(), "the processor of the ticks is not isolated")
	c := dialUnix(t, name+"1")
	require.Contains(t, c.about.Firmware, "; FIFO 50, locked, CPU 0")
	c.load(native.count)
	child := childOf(t, s.cmd.Process.Pid)
	for _, p := range []struct {
		pid, policy int
		cpus        string
	}{{child, unix.SCHED_FIFO, "0"}, {s.cmd.Process.Pid, unix.SCHED_NORMAL, ""}} {
		attr, err := unix.SchedGetAttr(p.pid, 0)
		require.NoError(t, err)
		require.EqualValues(t, p.policy, attr.Policy)
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
		require.NoError(t, err)
		if p.cpus != "" {
			require.Contains(t, string(status), "Cpus_allowed_list:\t"+p.cpus+"\n")
		}
		require.NotContains(t, string(status), "VmLck:\t       0 kB")
	}
	c.begin(time.Millisecond)
	c.ticked(10)
	c.stop()
	c.works(native)
	c.load(native.spin) // a realtime process that does not end
	c.begin(time.Millisecond, c.safe(), hasty)
	require.Equal(t, packet.LoopEndTimeLimit, c.ended().Counts.End)
}

// With one processor for both, not even a realtime program that does not end keeps the runner from ending it.
func TestServiceOnOneProcessor(t *testing.T) {
	var before unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &before))
	cpu := 0
	for !before.IsSet(cpu) {
		cpu++
	}
	name := unixName(t)
	args := []string{"-listen", "unix:" + name}
	if os.Geteuid() == 0 {
		args = append(args, "-priority", "50")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	one := unix.CPUSet{}
	one.Set(cpu)
	require.NoError(t, unix.SchedSetaffinity(0, &one)) // of this thread, and of what it starts
	s := serve(t, hostArch, "", args...)
	require.NoError(t, unix.SchedSetaffinity(0, &before))
	require.Contains(t, s.text.String(), "there is one processor for ticks and everything else")
	c := dialUnix(t, name)
	c.load(native.count)
	c.begin(time.Millisecond)
	c.ticked(10)
	c.stop()
	c.load(native.hang)
	c.begin(2*time.Millisecond, c.safe(), hasty)
	require.Equal(t, packet.LoopEndTimeLimit, c.ended().Counts.End)
	require.EqualValues(t, safeValue, c.word(safeWord))
	c.works(native)
}
