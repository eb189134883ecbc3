package local_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

const (
	driversAt = 0x10000
	temp      = driversAt        // hwmon0/temp1
	fan       = driversAt + 0x40 // hwmon0/pwm1
)

// A pin is an entry of a list.
type pin struct{ control, address, mask, value uint32 }

const (
	pinRead, pinWrite, pinSlot, pin32 = uint32(packet.PinRead), uint32(packet.PinWrite), uint32(packet.PinSlot), uint32(0x20)
)

// The lists of a program whose word 8 is the temperature, and whose word 4, that it counts, goes to the fan; 9 is safe there.
var goodPins = [4][]pin{
	{{pinWrite | pin32, fan, 0xffffffff, 1}},
	{{pinRead | pinSlot | pin32, temp, 0xffffffff, 32}},
	{{pinWrite | pinSlot | pin32, fan, 0xff, 16}},
	{{pinWrite | pin32, fan, 0xffffffff, 9}},
}

// drivers is a runner on a tree of files, and the folder of its sensor.
func drivers(t *testing.T, arch, emulator string) (*client, *service, string) {
	t.Helper()
	root := t.TempDir()
	folder := filepath.Join(root, "sys/class/hwmon/hwmon0")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for file, text := range map[string]string{"temp1_input": "-7\n", "pwm1": "", "pwm2": "untouched", "pwm1_enable": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644))
	}
	name := unixName(t)
	s := serve(t, arch, emulator, "-listen", "unix:"+name, "-root", root, "-allow", "hwmon0/temp1", "-allow", "hwmon0/pwm1=out")
	return dialUnix(t, name), s, folder
}

// withPins is a program with lists behind it, and their place.
func withPins(code []byte, lists [4][]pin) ([]byte, uint32) {
	code = append([]byte{}, code...)
	for len(code)%4 != 0 {
		code = append(code, 0)
	}
	place := uint32(len(code))
	for _, l := range lists {
		code = binary.LittleEndian.AppendUint32(code, uint32(len(l)))
	}
	for _, l := range lists {
		for _, e := range l {
			for _, w := range []uint32{e.control, e.address, e.mask, e.value} {
				code = binary.LittleEndian.AppendUint32(code, w)
			}
		}
	}
	return code, place
}

func first(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

func eachDriverRunner(t *testing.T, f func(t *testing.T, c *client, s *service, folder string, p programs)) {
	for _, m := range []struct {
		arch, emulator string
		programs       programs
	}{{hostArch, "", native}, {"aarch64", "qemu-aarch64-static", arm}, {"armv7a", "qemu-arm-static", armv7}} {
		t.Run(m.arch, func(t *testing.T) {
			c, s, folder := drivers(t, m.arch, m.emulator)
			f(t, c, s, folder, m.programs)
		})
	}
}

// Inputs come before the program, outputs behind it, and safe values at the end, whatever ends the loop.
func TestDriversInALoop(t *testing.T) {
	eachDriverRunner(t, func(t *testing.T, c *client, s *service, folder string, p programs) {
		require.NotZero(t, c.about.LoopFeatures&packet.LoopDrivers)
		for _, code := range [][]byte{p.count, p.fail, p.hang} {
			with, place := withPins(code, goodPins)
			c.load(with)
			endless := &code[0] == &p.count[0]
			limit := map[bool]time.Duration{true: patience, false: 500 * time.Millisecond}[endless]
			c.begin(2*time.Millisecond, func(q *packet.StartRequest) { q.Pins, q.Limit = place, c.counts(limit) })
			if endless {
				c.ticked(5)
				require.Equal(t, packet.LoopEndStopped, c.stop().Counts.End)
			} else {
				c.ended()
			}
			require.Equal(t, "9", first(t, filepath.Join(folder, "pwm1")))
			require.EqualValues(t, 0xfffffff9, c.word(8))
		}
	})
}

// A host that knows no names can only give numbers: those of registers that are there, in lists that are right.
func TestHostileLists(t *testing.T) {
	eachDriverRunner(t, func(t *testing.T, c *client, s *service, folder string, p programs) {
		refused := func(status packet.Status, lists [4][]pin) {
			t.Helper()
			with, place := withPins(p.count, lists)
			c.load(with)
			r := request[*packet.StartResponse](c, &packet.StartRequest{Period: c.counts(time.Millisecond), Tasks: []uint32{0, 1}, Pins: place})
			require.Equal(t, status, r.Status, "%+v", lists)
		}
		outside := []uint32{0, driversAt - 4, driversAt + 0x80, driversAt + 0x1000, 0xfffffffc, 0x40000000, fan + 1}
		for _, address := range outside {
			for list := range 4 {
				lists := goodPins
				lists[list] = []pin{{pinWrite | pin32, address, 0xffffffff, 1}}
				refused(packet.StatusOutOfRange, lists)
			}
		}
		for _, e := range []pin{
			{pinWrite | 0x30, fan, 0xff, 1},               // a width that is none
			{pinSlot | pinRead | pin32, temp, 1, 4096},    // a variable behind the data
			{pinSlot | pinRead | pin32, temp, 1, 17},      // not aligned
			{pinWrite | pin32 | 0x8000, fan, 0xff, 1},     // bits that are to be 0
			{pinSlot | pinRead | pin32, temp, 1, 1 << 31}, // far away
		} {
			refused(packet.StatusOutOfRange, [4][]pin{nil, {e}, nil, nil})
		}
		for _, e := range []pin{ // within the window, and refused by the driver
			{pinWrite | pin32, temp, 0xffffffff, 1},       // an input
			{pinRead | pin32, fan, 0xffffffff, 1},         // an output
			{pinWrite | pin32, fan + 0x10, 0xffffffff, 1}, // a register that is not there
			{pinWrite | pin32, fan, 0xffffffff, 256},      // beyond its values
			{pinWrite, fan, 0xff, 1},                      // of 8 bits
			{pinWrite | 0x10, fan + 2, 0xffff, 1},         // of 16
			{pinWrite | pin32, fan, 0xffffffff, 0xffffffff},
		} {
			refused(packet.StatusFault, [4][]pin{{e}, nil, nil, nil})
			status := request[*packet.StatusResponse](c, &packet.StatusRequest{})
			require.Equal(t, packet.FaultDevice, status.Fault.Kind, "%+v", e)
			require.NotZero(t, status.Fault.Cause)
		}
		require.Equal(t, "untouched", first(t, filepath.Join(folder, "pwm2")))
		require.Empty(t, first(t, filepath.Join(folder, "pwm1")))
		for _, offset := range []uint32{0, 1 << 20, 1 << 31, 0xffffffff} { // the table ends where it ends
			region := packet.RegionDrivers
			r := request[*packet.ReadResponse](c, &packet.ReadRequest{Offset: offset, Length: 4096, Region: &region})
			require.Equal(t, packet.StatusOutOfRange, r.Status)
			w := request[*packet.WriteResponse](c, &packet.WriteRequest{Offset: offset, Bytes: []byte{1, 2, 3, 4}, Region: &region})
			require.Equal(t, packet.StatusOutOfRange, w.Status)
		}
		require.False(t, s.ended())
	})
}

// The process of a program has no descriptor, of a driver neither; that of the pins has those of drivers, and a filter of its own.
func TestDescriptorsOfDrivers(t *testing.T) {
	c, s, _ := drivers(t, hostArch, "")
	with, place := withPins(native.count, goodPins)
	c.load(with)
	c.begin(2*time.Millisecond, func(q *packet.StartRequest) { q.Pins, q.Limit = place, c.counts(patience) })
	c.ticked(3)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.cmd.Process.Pid, s.cmd.Process.Pid))
	require.NoError(t, err)
	children := strings.Fields(string(text))
	require.Len(t, children, 2)
	if os.Geteuid() != 0 {
		t.Skip("nobody else may look at the descriptors")
	}
	var all []string
	for _, pid := range children {
		status, err := os.ReadFile("/proc/" + pid + "/status")
		require.NoError(t, err)
		require.Contains(t, string(status), "Seccomp_filters:\t2\n")
		links, err := filepath.Glob("/proc/" + pid + "/fd/*")
		require.NoError(t, err)
		var names []string
		for _, link := range links {
			to, err := os.Readlink(link)
			require.NoError(t, err)
			if n := filepath.Base(link); n > "2" || len(n) > 1 {
				names = append(names, filepath.Base(to))
			}
		}
		all = append(all, strings.Join(names, " "))
	}
	require.ElementsMatch(t, []string{"", "pwm1 pwm1_enable temp1_input"}, all)
	c.stop()
	text, err = os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", s.cmd.Process.Pid, s.cmd.Process.Pid))
	require.NoError(t, err)
	require.Len(t, strings.Fields(string(text)), 1, "the process of the pins has ended with the loop")
}

// A program that writes to the requests of its process: the lists are carried out no more often than there are ticks, and
// none but its own.
func TestForgedRequests(t *testing.T) {
	attackers(t, func(t *testing.T, a *attacker, _ *client) {
		c, s, folder := drivers(t, a.arch, "")
		c.load(a.programs.count)
		page := sharedOf(t, s.cmd.Process.Pid)
		if page == 0 {
			return // said why
		}
		for _, from := range []uint64{0, 64, 128} {
			for _, value := range []uint32{0, 1, 2, 3, 0x101, 0x102, 0x103, 0x106, 0xffffffff} {
				with, place := withPins(forged(a, false, page+from, page+256, value), goodPins)
				c.load(with)
				c.begin(2*time.Millisecond, func(q *packet.StartRequest) { q.Pins, q.Limit = place, c.counts(20*time.Millisecond) })
				time.Sleep(10 * time.Millisecond)
				c.stop()
				require.Equal(t, "9", first(t, filepath.Join(folder, "pwm1")), "the safe value, after %#x from %d on", value, from)
				require.Equal(t, "untouched", first(t, filepath.Join(folder, "pwm2")))
				require.False(t, s.ended())
			}
		}
		with, place := withPins(a.programs.count, goodPins)
		c.load(with)
		c.begin(2*time.Millisecond, func(q *packet.StartRequest) { q.Pins, q.Limit = place, c.counts(patience) })
		c.ticked(3)
		c.stop()
	})
}
