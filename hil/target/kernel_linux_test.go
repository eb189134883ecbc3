//go:build linux && drivers

package target_test

import (
	"encoding/binary"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/protocol/packet"
)

// The drivers of a real kernel, where docs/linux.md says which there have to be. It is run as
//
//	go test -tags drivers ./hil/target -run TestKernel

// A bus is a socket at vcan0.
type bus struct {
	t  *testing.T
	fd int
}

func newBus(t *testing.T) *bus {
	fd, err := unix.Socket(unix.AF_CAN, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.CAN_RAW)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	i, err := net.InterfaceByName("vcan0")
	require.NoError(t, err)
	require.NoError(t, unix.Bind(fd, &unix.SockaddrCAN{Ifindex: i.Index}))
	require.NoError(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 5}))
	return &bus{t, fd}
}

func (b *bus) send(id uint32, data ...byte) {
	f := make([]byte, 16)
	binary.LittleEndian.PutUint32(f, id)
	f[4] = byte(len(data))
	copy(f[8:], data)
	_, err := unix.Write(b.fd, f)
	require.NoError(b.t, err)
}

func (b *bus) receive() (id uint32, data []byte) {
	f := make([]byte, 16)
	n, err := unix.Read(b.fd, f)
	require.NoError(b.t, err)
	require.Equal(b.t, 16, n)
	return binary.LittleEndian.Uint32(f), f[8 : 8+f[4]]
}

// TestKernelCAN: signals of frames from and to a bus, of both orders of bytes; no other identifier passes, and a bus that goes down
// ends the loop.
func TestKernelCAN(t *testing.T) {
	real := &tree{t, ""}
	dev := real.open("vcan0/123=in", "vcan0/12345678=out", "vcan0/055")
	b := newBus(t)
	l, err := begin(t, dev, 2, -1, "in=vcan0/123:signal,start=7,width=16,order=motorola,signed=yes,scale=0.5",
		"out=vcan0/12345678:send,start=28,width=16,signed=yes,length=6")
	require.NoError(t, err)
	for _, v := range []int16{0, 1, -1, 1234, -4321, 32767 / 2} {
		b.send(0x123, byte(v>>8), byte(v), 0xff)
		b.send(0x124, 0x11, 0x22, 0x33)
		l.becomes(t, float32(v)/2)
		deadline := time.Now().Add(patience)
		for {
			require.True(t, time.Now().Before(deadline))
			id, data := b.receive()
			require.Equal(t, uint32(0x12345678|unix.CAN_EFF_FLAG), id)
			require.Len(t, data, 6)
			whole := binary.LittleEndian.Uint64(append(data, 0, 0))
			if got := int16(whole >> 28); got == v {
				require.Equal(t, uint64(uint16(v))<<28, whole)
				break
			}
		}
	}
	down(t)
	s := l.ended(t)
	require.Equal(t, packet.LoopEndDevice.String(), s.End)
	require.ErrorContains(t, s.Fault, "vcan0/")
	require.ErrorContains(t, s.Fault, "the interface is down")
	t.Log(s.Fault)
}

// down takes vcan0 out of service, and the end of the test back into it.
func down(t *testing.T) {
	set := func(flags uint16) {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			fd, err = unix.Socket(unix.AF_CAN, unix.SOCK_RAW, unix.CAN_RAW)
		}
		require.NoError(t, err)
		defer unix.Close(fd)
		q, err := unix.NewIfreq("vcan0")
		require.NoError(t, err)
		q.SetUint16(flags)
		require.NoError(t, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, q))
	}
	set(0)
	t.Cleanup(func() { set(unix.IFF_UP) })
}

// TestKernelGPIO: two lines of a chip and a temperature, by the kernel's own view of the lines.
func TestKernelGPIO(t *testing.T) {
	real := &tree{t, ""}
	dev := real.open("gpiochip0/5", "gpiochip0/6", "hwmon0/temp1=in", "vcan0/123")
	b := newBus(t)
	l, err := begin(t, dev, 1, 0, "in=vcan0/123:signal,signed=yes", "positive=gpiochip0/5:out", "negative=gpiochip0/6:out,active=low")
	require.NoError(t, err)
	lines := func() string {
		text, err := os.ReadFile("/sys/kernel/debug/gpio")
		require.NoError(t, err)
		var all []string
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "copaflash") {
				f := strings.Fields(line[strings.Index(line, ")")+1:])
				all = append(all, strings.Join(f, " "))
			}
		}
		return strings.Join(all, "; ")
	}
	for _, c := range []struct {
		v    byte
		want string
	}{{1, "out hi; out hi ACTIVE LOW"}, {0xff, "out lo; out lo ACTIVE LOW"}, {0, "out lo; out hi ACTIVE LOW"}} {
		b.send(0x123, c.v)
		require.Eventually(t, func() bool { return lines() == c.want }, patience, time.Millisecond, "%s, at the end %s", c.want, lines())
	}
	_, err = l.loop.Stop(t.Context())
	require.NoError(t, err)
	l, err = begin(t, dev, 1, 0, "in=hwmon0/temp1", "positive=gpiochip0/5:out", "negative=gpiochip0/6:out")
	require.NoError(t, err)
	for deadline := time.Now().Add(patience); l.value(t, "in") < 5 || lines() != "out hi; out lo"; time.Sleep(time.Millisecond) {
		s, err := l.loop.Status(t.Context())
		require.NoError(t, err)
		require.True(t, s.End == "" && time.Now().Before(deadline), "%+v; %s", s, lines())
	}
	t.Log(l.value(t, "in"), " degrees; ", lines())
	s, err := l.loop.Stop(t.Context())
	require.NoError(t, err)
	t.Logf("%+v", s)
}
