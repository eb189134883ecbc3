package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/uf2"
	"github.com/copaflash/copaflash/hil/emulator"
	"github.com/copaflash/copaflash/protocol/packet"
)

// attachCmd plugs something into a USB port of the script's desk: it makes the files of sysfs, and the nodes of its port and drive.
//
//	attach NAME -id VID:PID [-product TEXT] [-serial TEXT] [-port TTY [-to PATH]] [-drive DISK -label LABEL [-folder FOLDER]]
//
// -to is the pseudo terminal of whoever answers, by default one at which nobody does; -folder is where the drive is mounted.
func attachCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: attach NAME -id VID:PID ...")
	}
	f := flag.NewFlagSet("attach", flag.ContinueOnError)
	id, product, serial := f.String("id", "", ""), f.String("product", "", ""), f.String("serial", "", "")
	port, to := f.String("port", "", ""), f.String("to", "", "")
	disk, label, folder := f.String("drive", "", ""), f.String("label", "", ""), f.String("folder", "", "")
	ts.Check(f.Parse(args[1:]))
	name := args[0]
	vid, pid, _ := strings.Cut(*id, ":")
	device := "sys/devices/usb1/" + name + "/"
	for file, text := range map[string]string{"idVendor": vid, "idProduct": pid, "product": *product, "serial": *serial} {
		put(ts, device+file, text+"\n")
	}
	if *port != "" {
		put(ts, device+"tty/"+*port+"/dev", "166:0\n")
		link(ts, device+"tty/"+*port+"/device", "../..")
		link(ts, "sys/class/tty/"+*port, "../../devices/usb1/"+name+"/tty/"+*port)
		if *to == "" {
			*to = silentPTY(ts)
		}
		link(ts, "dev/"+*port, *to)
	}
	if *disk != "" {
		put(ts, device+"block/"+*disk+"/size", "1\n")
		link(ts, "sys/class/block/"+*disk, "../../devices/usb1/"+name+"/block/"+*disk)
		link(ts, "dev/disk/by-label/"+*label, "../../"+*disk)
		if *folder != "" {
			addMount(ts, ts.MkAbs(*folder), "/dev/"+*disk)
		}
	}
}

// detachCmd unplugs it.
func detachCmd(ts *testscript.TestScript, neg bool, args []string) {
	root := deskOf(ts)
	for _, class := range []string{"sys/class/tty", "sys/class/block"} {
		entries, _ := os.ReadDir(filepath.Join(root, class))
		for _, e := range entries {
			if to, _ := os.Readlink(filepath.Join(root, class, e.Name())); strings.Contains(to, "/"+args[0]+"/") {
				ts.Check(os.Remove(filepath.Join(root, class, e.Name())))
			}
		}
	}
	ts.Check(os.RemoveAll(filepath.Join(root, "sys/devices/usb1", args[0])))
}

// builtinCmd makes a serial port of the machine: builtin TTY TYPE. Type 0 is one without hardware.
func builtinCmd(ts *testscript.TestScript, neg bool, args []string) {
	put(ts, "sys/devices/platform/serial8250/tty/"+args[0]+"/type", args[1]+"\n")
	link(ts, "sys/devices/platform/serial8250/tty/"+args[0]+"/device", "../../../serial8250")
	link(ts, "sys/class/tty/"+args[0], "../../devices/platform/serial8250/tty/"+args[0])
	put(ts, "dev/"+args[0], "")
}

func deskOf(ts *testscript.TestScript) string { return ts.Getenv(deskVariable) }

func put(ts *testscript.TestScript, name, text string) {
	path := filepath.Join(deskOf(ts), name)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
}

func link(ts *testscript.TestScript, name, to string) {
	path := filepath.Join(deskOf(ts), name)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	_ = os.Remove(path)
	ts.Check(os.Symlink(to, path))
}

func addMount(ts *testscript.TestScript, folder, device string) {
	ts.Check(os.MkdirAll(folder, 0o700))
	path := filepath.Join(deskOf(ts), "proc/self/mountinfo")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	text, _ := os.ReadFile(path)
	text = fmt.Appendf(text, "99 22 8:16 / %s rw,nosuid shared:1 - vfat %s rw\n", strings.ReplaceAll(folder, " ", `\040`), device)
	ts.Check(os.WriteFile(path, text, 0o600))
}

func silentPTY(ts *testscript.TestScript) string {
	master, slave, err := openPTY()
	ts.Check(err)
	ts.Defer(func() { master.Close(); slave.Close() })
	return slave.Name()
}

// runnerCmd boots a board's own runner, and puts the path of its line into $PORT. QEMU's machines are those of the boards, but
// for the Nucleo, which it does not know: that image runs on the chip of another board, whose second line is the Nucleo's. The
// Pico runs on rp2040js.
//
//	runner BOARD
func runnerCmd(ts *testscript.TestScript, neg bool, args []string) {
	path, _, end := bootRunner(ts, args[0], nil)
	ts.Defer(end)
	ts.Setenv("PORT", path)
}

const rp2040js = "../../hil/emulator/rp2040js"

// bootRunner starts an image, by default the board's. It returns the number that the runner has drawn at its start, too.
func bootRunner(ts *testscript.TestScript, name string, image []byte) (tty string, boot uint32, end func()) {
	b, err := boards.Find(name)
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	if image == nil {
		image = b.Image
	}
	var m interface {
		TTY() string
		Close() error
	}
	if b.Tier == boards.TierSimulated {
		m, err = emulator.Simulate(ctx, b, rp2040js)
	} else {
		o := emulator.Options{Image: image}
		if other, ok := elsewhere[name]; ok {
			at, err := boards.Find(other.on)
			ts.Check(err)
			qemu := *at.QEMU
			qemu.Serial = other.serial
			b.QEMU = &qemu
		}
		m, err = emulator.Start(ctx, b, o)
	}
	ts.Check(err)
	for range 60 { // simulated chips take their time to start
		var hello *packet.HelloResponse
		if hello, err = sayHello(ctx, m.TTY()); err == nil {
			boot = hello.BootNonce
			break
		}
	}
	ts.Check(err)
	return m.TTY(), boot, func() { m.Close(); cancel() }
}

// probeCmd is the debug probe of a board with a drive: it takes the file that is copied there, gives the image in it to the
// board's chip, which starts anew, and leaves FAIL.TXT where it takes none.
//
//	probe BOARD FOLDER TTY [-refuse TEXT] [-keep]
//
// TTY is the name of the port. -refuse has it fail with a text; -keep has it do nothing at all.
func probeCmd(ts *testscript.TestScript, neg bool, args []string) {
	f := flag.NewFlagSet("probe", flag.ContinueOnError)
	refuse, keep := f.String("refuse", "", ""), f.Bool("keep", false, "")
	ts.Check(f.Parse(args[3:]))
	name, folder, port := args[0], ts.MkAbs(args[1]), args[2]
	tty, boot, end := bootRunner(ts, name, nil)
	link(ts, "dev/"+port, tty)
	stop, stopped := make(chan struct{}), make(chan struct{})
	pull := sync.OnceFunc(func() { close(stop); <-stopped; end() })
	if before, ok := probes.Swap(folder, pull); ok {
		before.(func())()
	}
	ts.Defer(pull)
	b, err := boards.Find(name)
	ts.Check(err)
	file, content, err := probeFile(&b)
	ts.Check(err)
	path := filepath.Join(folder, file)
	root := deskOf(ts)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			text, err := os.ReadFile(path)
			if err != nil || len(text) < len(content) || *keep {
				continue
			}
			_ = os.Remove(path) // as the drive is remounted
			if *refuse != "" || string(text) != string(content) {
				_ = os.WriteFile(filepath.Join(folder, "FAIL.TXT"), []byte(cmp.Or(*refuse, "The file is not what was expected.")), 0o600)
				continue
			}
			_ = os.Remove(filepath.Join(folder, "FAIL.TXT"))
			// The chip is reset, and starts what is in its flash now. Its port is gone until then: a new pseudo-terminal can have
			// the name of the old one, and who still knew that would be heard in between.
			_ = os.Remove(filepath.Join(root, "dev", port))
			end()
			// QEMU has nothing but its clock that tells starts apart, and while that is late it stands still once in 2^24 ticks.
			for before := boot; ; end() {
				if tty, boot, end = bootRunner(ts, name, b.Image); boot != before {
					break
				}
			}
			_ = os.Symlink(tty, filepath.Join(root, "dev", port))
		}
	}()
}

var probes sync.Map // by the folder of its drive: what unplugs it

// TestWatchPorts: a line for what is there, plugged in and unplugged, as it happens.
func TestWatchPorts(t *testing.T) {
	root := t.TempDir()
	plug := func(tty, vid string) {
		device := filepath.Join(root, "sys/devices", tty)
		require.NoError(t, os.MkdirAll(filepath.Join(device, "tty"), 0o700))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "sys/class/tty"), 0o700))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "dev"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(device, "idVendor"), []byte(vid+"\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(root, "dev", tty), nil, 0o600))
		require.NoError(t, os.Symlink("..", filepath.Join(device, "tty/device")))
		require.NoError(t, os.Symlink("../../devices/"+tty+"/tty", filepath.Join(root, "sys/class/tty", tty)))
	}
	plug("ttyACM0", "0d28")
	c := command(t, "ports", "--watch", "--json")
	c.Env = append(c.Env, deskVariable+"="+root)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer c.Process.Kill()
	lines := json.NewDecoder(stdout)
	next := func(event, tty string) {
		t.Helper()
		var e portEvent
		require.NoError(t, lines.Decode(&e))
		require.Equal(t, event, e.Event)
		require.Equal(t, filepath.Join(root, "dev", tty), e.Port.Name)
	}
	next("there", "ttyACM0")
	plug("ttyUSB0", "0403")
	next("plugged", "ttyUSB0")
	require.NoError(t, os.Remove(filepath.Join(root, "dev/ttyACM0")))
	next("unplugged", "ttyACM0")
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.NoError(t, c.Wait(), "interrupted, it ends well")
}

// uf2Cmd holds a UF2 file against the image of a board, by the rules of a boot ROM: uf2 FILE BOARD.
func uf2Cmd(ts *testscript.TestScript, neg bool, args []string) {
	file, err := uf2.Parse([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	b, err := boards.Find(args[1])
	ts.Check(err)
	img, err := b.Flat()
	ts.Check(err)
	if !strings.HasPrefix(string(file.Data), string(img.Data)) {
		ts.Fatalf("%s does not hold the image of %s", args[0], args[1])
	}
}
