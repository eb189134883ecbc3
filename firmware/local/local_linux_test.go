package local_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

func TestHello(t *testing.T) {
	about := start(t).about
	require.Equal(t, "local", about.Board)
	require.Equal(t, packet.StateIdle, about.State)
	require.EqualValues(t, 64<<20, about.CodeCapacity)
	require.EqualValues(t, 256<<20, about.DataCapacity)
	require.Greater(t, about.TimerHz, uint64(1_000_000))
	require.Empty(t, about.Bauds)
}

func TestFaultsAreReportedAndSurvived(t *testing.T) {
	c := start(t)
	checkFaults(t, c, native)
	checkSystemCall(t, c, native)
}

func checkSystemCall(t *testing.T, c *client, p programs) {
	t.Run("system call", func(t *testing.T) {
		c.t = t
		c.load(p.system)
		r := c.run(longest)
		require.Equal(t, packet.StatusFault, r.Status)
		require.Equal(t, packet.FaultOther, r.Fault.Kind)
		require.True(t, r.Fault.Inside)
		c.works(p)
	})
}

func checkFaults(t *testing.T, c *client, p programs) {
	for _, f := range p.faults {
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			data := c.dataAddress(p)
			c.load(f.code)
			r := c.run(longest)
			require.Equal(t, packet.StatusFault, r.Status)
			require.EqualValues(t, 0, r.Runs)
			require.NotNil(t, r.Fault)
			require.Equal(t, f.kind, r.Fault.Kind, "kind")
			require.Equal(t, f.inside, r.Fault.Inside, "inside")
			if f.inside || f.pc != 0 {
				require.Equal(t, f.pc, r.Fault.PC, "pc")
			}
			if f.address != nil {
				require.Equal(t, f.address(data), r.Fault.Address, "address")
			}
			status := request[*packet.StatusResponse](c, &packet.StatusRequest{})
			require.Equal(t, packet.StateFaulted, status.State)
			require.Equal(t, r.Fault, status.Fault)
			require.Equal(t, packet.StatusBadState, c.run(longest).Status)
			c.works(p)
		})
	}
}

// dataAddress asks the runner where its data block lies, by a patch.
func (c *client) dataAddress(p programs) uint64 {
	c.t.Helper()
	code, data := p.store42, make([]byte, 24)
	// One kind: absolute, 8 bytes, all bits, from data to data; one patch at 16 with target 0.
	patches := []byte{1, 0, 8, 0, 0, 0, 1, 1, 1, 0, 64, 0, 1, 16, 0}
	begin := &packet.BeginRequest{
		Arch: c.about.Arch, CodeLength: uint32(len(code)), DataLength: uint32(len(data)),
		PatchLength: uint32(len(patches)), Entries: []uint32{0},
	}
	sum := begin.Sum(code, data, patches)
	begin.Digest = sum[:]
	require.Equal(c.t, packet.StatusOK, request[*packet.BeginResponse](c, begin).Status)
	for region, bytes := range [][]byte{code, data, patches} {
		c.send(&packet.ChunkRequest{Region: packet.Region(region), Bytes: bytes})
		require.Equal(c.t, packet.KindAck, c.receive().Kind)
	}
	require.Equal(c.t, packet.StatusOK, request[*packet.SealResponse](c, &packet.SealRequest{}).Status)
	read := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 16, Length: 8})
	return binary.LittleEndian.Uint64(read.Bytes)
}

func TestEndlessLoopEndsAtItsLimit(t *testing.T) {
	c := start(t)
	checkTimeLimit(t, c, native)
}

func checkTimeLimit(t *testing.T, c *client, p programs) {
	// One that short passes on the way into the program every now and then.
	limits := slices.Repeat([]time.Duration{time.Microsecond}, 50)
	for _, limit := range append(limits, time.Millisecond, 50*time.Millisecond) {
		c.load(p.spin)
		began := time.Now()
		r := c.run(limit)
		took := time.Since(began)
		require.Equal(t, packet.StatusTimeLimit, r.Status)
		require.Equal(t, packet.FaultTimeLimit, r.Fault.Kind)
		require.True(t, r.Fault.Inside, "%+v", r.Fault)
		require.Zero(t, r.Fault.PC)
		require.GreaterOrEqual(t, took, limit)
		require.Less(t, took, limit+patience)
		c.works(p)
	}
}

// A process that gets no processor when its limit is over, as on a busy machine, is not ended for that: it tells where its program
// was as soon as it has its turn.
func TestProcessWithoutATurnIsNotEnded(t *testing.T) {
	c := start(t)
	for _, late := range []time.Duration{time.Second, 2 * time.Second} {
		c.load(native.spin)
		child := childOf(t, c.runner.PID())
		require.NoError(t, syscall.Kill(child, syscall.SIGSTOP))
		began := time.Now()
		time.AfterFunc(late, func() { _ = syscall.Kill(child, syscall.SIGCONT) })
		r := c.run(50 * time.Millisecond)
		require.GreaterOrEqual(t, time.Since(began), late-50*time.Millisecond)
		require.Equal(t, packet.StatusTimeLimit, r.Status)
		require.EqualValues(t, syscall.SIGALRM, r.Fault.Cause>>16, "by its own timer")
		require.True(t, r.Fault.Inside, "%+v", r.Fault)
		c.works(native)
	}
	// One that is asleep for good is ended after all.
	c.load(native.store42)
	require.NoError(t, syscall.Kill(childOf(t, c.runner.PID()), syscall.SIGSTOP))
	r := c.run(50 * time.Millisecond)
	require.Equal(t, packet.StatusTimeLimit, r.Status)
	require.EqualValues(t, syscall.SIGKILL, r.Fault.Cause>>16)
	c.works(native)
}

// A timer that is still set for an earlier run must not end a later one.
func TestTimerOfAnEarlierRun(t *testing.T) {
	c := start(t)
	c.load(native.store42)
	inTime := func(q *packet.RunRequest) { // a busy machine may take a run's time, but not each time
		for deadline := time.Now().Add(patience); ; c.load(native.store42) {
			r := request[*packet.RunResponse](c, q)
			if r.Status == packet.StatusOK {
				require.Equal(t, q.Count, r.Runs)
				return
			}
			require.Equal(t, packet.StatusTimeLimit, r.Status)
			require.True(t, time.Now().Before(deadline), "ended by a timer that was not its own")
		}
	}
	for range 3 {
		inTime(&packet.RunRequest{Count: 1, Limit: c.counts(2 * time.Millisecond)})
		time.Sleep(time.Millisecond)
	}
	inTime(&packet.RunRequest{Count: 20, Period: c.counts(time.Millisecond), Limit: c.counts(3 * time.Millisecond)})
}

// Nobody waits for the run of a host that has gone away.
func TestNewSessionEndsALongRun(t *testing.T) {
	c := start(t)
	c.load(native.store42)
	for _, period := range []time.Duration{0, time.Millisecond, time.Hour} {
		c.send(&packet.RunRequest{Count: math.MaxUint32, Period: c.counts(period)})
		time.Sleep(30 * time.Millisecond)
		c.session, c.seq = 0, 0
		about := request[*packet.HelloResponse](c, &packet.HelloRequest{Version: packet.ProtocolVersion, Nonce: 7 + uint32(period.Milliseconds())})
		require.Equal(t, packet.StateReady, about.State)
		c.session, c.seq = about.Session, 1
		r := c.run(longest)
		require.Equal(t, packet.StatusOK, r.Status)
		require.EqualValues(t, 1, r.Runs)
	}
}

func TestPeriodAndSamples(t *testing.T) {
	c := start(t)
	c.load(native.store42)
	const runs, period = 50, time.Millisecond
	began := time.Now()
	r := request[*packet.RunResponse](c, &packet.RunRequest{Count: runs, Period: c.counts(period)})
	took := time.Since(began)
	require.Equal(t, packet.StatusOK, r.Status)
	require.EqualValues(t, runs, r.Runs)
	require.GreaterOrEqual(t, took, (runs-1)*period)
	samples := packet.RegionSamples
	s := request[*packet.ReadResponse](c, &packet.ReadRequest{Length: 4 * runs, Region: &samples})
	require.Equal(t, packet.StatusOK, s.Status)
	var total, least, most uint64
	least = r.Max
	for i := range runs {
		ticks := uint64(binary.LittleEndian.Uint32(s.Bytes[4*i:]))
		total += ticks
		least = min(least, ticks)
		most = max(most, ticks)
	}
	require.Equal(t, []uint64{r.Total, r.Min, r.Max}, []uint64{total, least, most})
	s = request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 1, Length: 4 * runs, Region: &samples})
	require.Equal(t, packet.StatusOutOfRange, s.Status)
}

func TestLargeImage(t *testing.T) {
	c := start(t)
	code := make([]byte, 3<<20)
	copy(code, native.store42)
	c.load(code)
	require.Equal(t, packet.StatusOK, c.run(longest).Status)
}

func TestCloseEndsEvenABusyRunner(t *testing.T) {
	c := start(t)
	c.load(native.spin)
	c.send(&packet.RunRequest{Count: 1, Limit: c.counts(packet.RunLimitS * time.Second)})
	time.Sleep(20 * time.Millisecond)
	pid := c.runner.PID()
	require.NoError(t, c.runner.Close())
	require.NoFileExists(t, fmt.Sprintf("/proc/%d/maps", pid))
	_, err := c.runner.Read(make([]byte, 1))
	require.ErrorIs(t, err, transport.ErrClosed)
	require.NoError(t, c.runner.Close())
}

func TestContextEndsTheRunner(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := local.Start(ctx)
	require.NoError(t, err)
	defer r.Close()
	connect(t, r)
	cancel()
	require.ErrorContains(t, gone(t, r), "local runner ended (signal: killed)")
}

// The test binary starts itself as a parent that dies without closing anything.
func TestRunnerDiesWithItsParent(t *testing.T) {
	const variable = "COPAFLASH_TEST_PARENT"
	if os.Getenv(variable) != "" {
		c := start(t)
		c.load(native.spin)
		c.send(&packet.RunRequest{Count: 1, Limit: c.counts(packet.RunLimitS * time.Second)})
		fmt.Printf("runner %d\n", c.runner.PID())
		os.Stdout.Sync()
		time.Sleep(20 * time.Millisecond)
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRunnerDiesWithItsParent$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.Output()
	require.Error(t, err)
	var pid int
	_, err = fmt.Sscanf(string(out), "runner %d\n", &pid)
	require.NoError(t, err, "%s", out)
	require.Eventually(t, func() bool {
		// Gone, or dead and not yet collected by init.
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, patience, 10*time.Millisecond)
}

// underEmulation starts the runner of an architecture under an emulator of user programs.
func underEmulation(t *testing.T, arch packet.Arch, emulator string) *client {
	t.Helper()
	if _, err := exec.LookPath(emulator); err != nil && os.Getenv("COPAFLASH_NO_SKIP") == "" {
		t.Skipf("%s is not installed (Debian: qemu-user-static)", emulator)
	}
	r, err := local.StartUnder(context.Background(), arch.String(), emulator)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return connect(t, r)
}

// otherWidth starts the runner of 32 bits of a machine of 64: nil where there is none, or
// where the system runs no programs of 32 bits, which is told.
func otherWidth(t *testing.T) *client {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		return nil
	}
	r, err := local.StartArch(context.Background(), "x86_32")
	if errors.Is(err, local.ErrUnsupported) {
		t.Logf("EMULATED: this system runs no programs of 32 bits: %v", err)
		return nil
	}
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return connect(t, r)
}

func TestUnderEmulation(t *testing.T) {
	for _, m := range []struct {
		arch     packet.Arch
		emulator string
		programs programs
	}{
		{packet.ArchAarch64, "qemu-aarch64-static", arm},
		{packet.ArchX86_32, "qemu-i386-static", x8632},
		{packet.ArchArmv7a, "qemu-arm-static", armv7},
	} {
		t.Run(m.arch.String(), func(t *testing.T) {
			c := underEmulation(t, m.arch, m.emulator)
			require.Equal(t, m.arch, c.about.Arch)
			checkFaults(t, c, m.programs.emulated())
			t.Run("time limit", func(t *testing.T) { c.t = t; checkTimeLimit(t, c, m.programs) })
			t.Run("floating-point mode", func(t *testing.T) { c.t = t; checkMode(t, c, m.programs) })
		})
	}
}

// Programs of 32 bits on a machine of 64.
func TestOtherWidth(t *testing.T) {
	c := otherWidth(t)
	if c == nil {
		return
	}
	require.Equal(t, packet.ArchX86_32, c.about.Arch)
	checkFaults(t, c, x8632)
	checkSystemCall(t, c, x8632)
	t.Run("time limit", func(t *testing.T) { c.t = t; checkTimeLimit(t, c, x8632) })
	t.Run("floating-point mode", func(t *testing.T) { c.t = t; checkMode(t, c, x8632) })
}

// One program's floating-point mode must not reach the next.
func TestFloatingPointModeIsReset(t *testing.T) { checkMode(t, start(t), native) }

func checkMode(t *testing.T, c *client, p programs) {
	for _, code := range [][]byte{p.setMode, p.getMode} {
		c.load(code)
		require.Equal(t, packet.StatusOK, c.run(longest).Status)
	}
	read := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: 16, Length: 4})
	require.Equal(t, p.mode, binary.LittleEndian.Uint32(read.Bytes))
}

// The runner and the host's side of the protocol, both as they are used.
func TestSession(t *testing.T) {
	r, err := local.Start(context.Background())
	require.NoError(t, err)
	s, err := session.Open(context.Background(), r, session.Options{})
	require.NoError(t, err)
	defer s.Close()
	ctx := context.Background()
	image := &packet.Image{Arch: s.Info().Arch, Code: make([]byte, 1<<20), Data: make([]byte, 1<<20), BSS: 1 << 20, Entries: []uint32{0}}
	copy(image.Code, native.store42)
	report, err := s.Load(ctx, image, nil)
	require.NoError(t, err)
	// A machine that is busy elsewhere may answer late, and is asked again.
	t.Logf("2 MB in %d chunks, %d of them sent again: %v", report.Chunks, report.Resent, report.Took)
	answer, err := s.Run(ctx, session.Run{Count: 1000})
	require.NoError(t, err)
	require.EqualValues(t, 1000, answer.Runs)
	t.Logf("ticks of a run of two instructions: least %d, mean %d", answer.Min, answer.Total/1000)
	samples, err := s.Samples(ctx, 0, 1000)
	require.NoError(t, err)
	require.Len(t, samples, 1000)
	data, err := s.Read(ctx, 16, 2<<20-16)
	require.NoError(t, err)
	require.EqualValues(t, 42, data[0])

	copy(image.Code, native.spin)
	_, err = s.Load(ctx, image, nil)
	require.NoError(t, err)
	_, err = s.Run(ctx, session.Run{Count: 1, Limit: time.Millisecond})
	var fault *session.FaultError
	require.ErrorAs(t, err, &fault)
	status, err := s.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, packet.StateFaulted, status.State)
	require.NoError(t, s.Drop(ctx))
}

func TestStartErrors(t *testing.T) {
	_, err := local.StartUnder(context.Background(), "z80", "true")
	require.EqualError(t, err, `no runner for Linux on "z80"; there are: aarch64, armv7a, x86_32, x86_64`)
	_, err = local.StartUnder(context.Background(), "aarch64", "no-such-emulator")
	require.ErrorContains(t, err, "start runner under no-such-emulator")

	r, err := local.StartUnder(context.Background(), "aarch64", "false")
	require.NoError(t, err)
	defer r.Close()
	require.ErrorContains(t, gone(t, r), "local runner ended (exit status 1)")
}

func BenchmarkRoundTrip(b *testing.B) {
	c := start(b)
	for b.Loop() {
		request[*packet.StatusResponse](c, &packet.StatusRequest{})
	}
}

// BenchmarkRun is the round trip of one call of a program of two instructions.
func BenchmarkRun(b *testing.B) {
	c := start(b)
	c.load(native.store42)
	for b.Loop() {
		c.run(longest)
	}
}

// BenchmarkRuns is one call among many of the same request.
func BenchmarkRuns(b *testing.B) {
	c := start(b)
	c.load(native.store42)
	r := request[*packet.RunResponse](c, &packet.RunRequest{Count: uint32(b.N), Limit: c.counts(time.Second)})
	require.EqualValues(b, b.N, r.Runs)
}

func BenchmarkLoad(b *testing.B) {
	c := start(b)
	for b.Loop() {
		c.load(native.store42)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		r, err := local.Start(context.Background())
		require.NoError(b, err)
		connect(b, r)
		r.Close()
	}
}
