//go:build linux

package target

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/firmware/local"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/hil/emulator/emulatortest"
	"github.com/copaflash/copaflash/internal/extent"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/transport"
)

// A cable is a line to a runner that is pulled when so many bytes have gone there.
type cable struct {
	name string                              // of the target at the host's end
	open func() (transport.Transport, error) // the runner's end
	left atomic.Int64                        // bytes until it is pulled
	sent atomic.Int64                        // bytes so far
}

// newCable lays one that holds for as long as nobody says otherwise.
func newCable(t *testing.T, open func() (transport.Transport, error)) *cable {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cable")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	c := &cable{name: "unix:" + path, open: open}
	c.left.Store(1 << 62)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			host, err := l.Accept()
			if err != nil {
				return
			}
			c.carry(host)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return c
}

func (c *cable) carry(host net.Conn) {
	runner, err := c.open()
	if err != nil {
		host.Close()
		return
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(host, runner)
		host.Close()
		close(ended)
	}()
	buffer := make([]byte, 256)
	for {
		n, err := host.Read(buffer)
		if err != nil {
			break
		}
		left := c.left.Add(-int64(n)) + int64(n)
		_, err = runner.Write(buffer[:max(0, min(int64(n), left))])
		c.sent.Add(int64(n))
		if left <= int64(n) || err != nil {
			break
		}
	}
	runner.Close()
	host.Close()
	<-ended
}

// TestCableIsPulledInASwap: whenever that happens, the loop goes on with the old program or with the new one, whole, and with the
// outputs at their safe values if the host is to be heard; and whoever comes next can go on from there.
func TestCableIsPulledInASwap(t *testing.T) {
	for _, name := range extent.Of([]string{"mps2-an386", "riscv-virt32"}, []string{"mps2-an386", "lm3s6965evb", "rpi1", "rpi3", "vexpress-a9", "riscv-virt32", "riscv-virt64"}) {
		t.Run(name, func(t *testing.T) {
			needs(t, "qemu:"+name)
			b, err := boards.Find(name)
			require.NoError(t, err)
			defer emulatortest.Alone(t)()
			m, err := emulator.Start(t.Context(), b, emulator.Options{Args: []string{"-icount", "shift=0,sleep=off"}})
			require.NoError(t, err)
			t.Cleanup(func() { m.Close() })
			pullInSwaps(t, newCable(t, func() (transport.Transport, error) { return transport.OpenSerial(m.TTY(), DefaultBaud) }), true)
		})
	}
}

// TestCableToLinuxIsPulledInASwap: the same of the runner for Linux, which serves one host after the other.
func TestCableToLinuxIsPulledInASwap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runner")
	ctx, stop := context.WithCancel(t.Context())
	listens, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- local.Serve(ctx, local.Service{Listen: "unix:" + path}, func(line string) {
			if strings.HasPrefix(line, "listens at ") {
				close(listens)
			}
		})
	}()
	select {
	case <-listens:
	case err := <-ended:
		require.NoError(t, err)
	}
	defer func() { stop(); require.NoError(t, <-ended) }()
	pullInSwaps(t, newCable(t, func() (transport.Transport, error) { return transport.DialUnix(t.Context(), path) }), false)
}

// A visit is what a host sees of the loop from its HELLO on.
type visit struct {
	dev  *Runner
	loop device.Loop
	of   devicetest.Controlled
}

// visit opens the target again, and finds out which of the programs runs.
func (c *cable) visit(t *testing.T, programs []devicetest.Controlled) visit {
	t.Helper()
	dev, err := OpenRunner(t.Context(), c.name, Options{})
	require.NoError(t, err)
	digest, err := dev.Running(t.Context())
	require.NoError(t, err)
	for _, p := range programs {
		if want := p.Image.Digest(); string(want[:]) == string(digest) {
			loop, err := dev.Attach(t.Context(), p.Image)
			require.NoError(t, err)
			return visit{dev, loop, p}
		}
	}
	require.Fail(t, "none of the programs runs")
	return visit{}
}

// exact: the time of the target does not depend on how busy this machine is.
func pullInSwaps(t *testing.T, c *cable, exact bool) {
	dev, err := OpenRunner(t.Context(), c.name, Options{})
	require.NoError(t, err)
	programs := []devicetest.Controlled{devicetest.NewControlled(t, dev, 1), devicetest.NewControlled(t, dev, 7)}
	loaded, err := dev.Load(t.Context(), programs[0].Program)
	require.NoError(t, err)
	loop, err := loaded.(device.Looper).StartLoop(t.Context(), device.LoopConfig{Hz: 200, Safe: programs[0].Safe, Limit: time.Second})
	require.NoError(t, err)
	v := visit{dev, loop, programs[0]}
	other := func() devicetest.Controlled {
		if v.of.Image == programs[0].Image {
			return programs[1]
		}
		return programs[0]
	}
	swap := func() (*device.SwapReport, error) {
		trial := 5
		if !exact {
			trial = 0 // which a busy machine would fail
		}
		next, _ := device.NextOf(v.of.Image, other().Program, trial)
		return v.loop.Swap(t.Context(), next)
	}

	before := c.sent.Load()
	_, err = swap()
	require.NoError(t, err)
	v.of = other()
	length := c.sent.Load() - before
	t.Logf("a swap takes %d bytes", length)

	kept := map[bool]int{}
	cuts := extent.Of(10, 60)
	for i := range cuts {
		if half := int64(cuts / 2); int64(i) < half {
			c.left.Store(length * int64(i) / half)
		} else { // while the swap is asked for, and on trial
			c.left.Store(length - 1 - 120*(int64(cuts-1-i))/half)
		}
		old := v.of
		_, err := swap()
		v.dev.Close()
		c.left.Store(1 << 62)
		v = c.visit(t, programs)
		kept[v.of.Image == old.Image]++
		s, statusErr := v.loop.Status(t.Context())
		require.NoError(t, statusErr)
		require.True(t, s.Running, "cut %d: %v", i, err)
		if exact {
			require.Zero(t, s.Missed)
		}
		v.of.Follows(t, v.loop, 20)
		// And a swap goes through now.
		before := v.of
		_, err = swap()
		var late *session.TimeoutError
		for tries := 1; exact && errors.As(err, &late) && tries < 5; tries++ { // an emulator that a busy machine gives no turn
			t.Logf("cut %d: %v; once more", i, err)
			_, err = swap()
		}
		require.NoError(t, err, "after cut %d", i)
		v.of = other()
		v.of.Follows(t, v.loop, 10)
		require.NotEqual(t, before.Image, v.of.Image)
	}
	t.Logf("%d cuts: the old program went on %d times, the new one %d times", cuts, kept[true], kept[false])
	assert.Positive(t, kept[true])
	assert.Positive(t, kept[false])
	_, err = v.loop.Stop(t.Context())
	require.NoError(t, err)

	// Where the host is to be heard, the outputs are safe once it is not.
	loaded, err = v.dev.Load(t.Context(), programs[0].Program)
	require.NoError(t, err)
	const silence = 2 * time.Second // in which a busy machine gives this process its turn
	v.loop, err = loaded.(device.Looper).StartLoop(t.Context(), device.LoopConfig{Hz: 200, Safe: programs[0].Safe, Limit: time.Second, Silence: silence})
	require.NoError(t, err)
	v.of = programs[0]
	c.left.Store(length / 4) // of which less than half asks how the trial goes: the new program does not come whole
	_, err = swap()
	require.Error(t, err)
	v.dev.Close()
	c.left.Store(1 << 62)
	var s *device.LoopStatus
	for wait := silence + silence/2; s == nil || s.Running; wait *= 2 { // of an emulator that may be slower than its time
		require.Less(t, wait, time.Minute, "the loop goes on")
		time.Sleep(wait)
		v.dev, err = OpenRunner(t.Context(), c.name, Options{})
		require.NoError(t, err)
		v.loop, err = v.dev.Attach(t.Context(), programs[0].Image)
		require.NoError(t, err)
		s, err = v.loop.Status(t.Context())
		require.NoError(t, err)
		if s.Running {
			v.dev.Close()
		}
	}
	defer v.dev.Close()
	require.Equal(t, "silence", s.End)
	u, ok := programs[0].Image.Symbol(image.Output, "u")
	require.True(t, ok)
	data, _, err := v.loop.Read(t.Context(), []device.Span{device.SpanOf(u)})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 0, 0, 0}, data[0])
}
