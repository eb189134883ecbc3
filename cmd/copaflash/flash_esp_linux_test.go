package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/firmware/flash/esp"
	"github.com/copaflash/copaflash/firmware/flash/esp/romtest"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
)

// espDesk has a board with an ESP32-C3 at a port, which is a pseudo terminal: it has no modem lines, so that the loader was started by
// hand. The board is a Pico in all but the way to flash it, for its USB identity and an image.
type espDesk struct {
	*testing.T
	root   string
	board  boards.Board
	rom    *romtest.ROM
	runner *sessiontest.Runner // answers when the chip has started from flash
	port   string
	out    bytes.Buffer
	notes  bytes.Buffer
}

func newESPDesk(t *testing.T, set func(*espDesk)) *espDesk {
	t.Helper()
	b, err := boards.Find("pico")
	require.NoError(t, err)
	b.Flash = &boards.Flash{Method: boards.MethodESP, ESP: &boards.ESP{ChipID: 5, Chip: "ESP32-C3", Enter: "hold BOOT while pressing RESET"},
		Recipes: []boards.Recipe{{With: "esptool", Steps: []string{"esptool.py --chip esp32c3 write_flash 0x0 {esp}"}}}}
	d := &espDesk{T: t, root: t.TempDir(), board: b, rom: romtest.New(nil), runner: sessiontest.New()}
	d.rom.Circuit, d.rom.Leave = romtest.None, true
	d.rom.Hold()
	d.runner.Hello.Board = b.Name
	if set != nil {
		set(d)
	}
	d.port = d.connect()
	return d
}

// connect has the board at a new pseudo terminal.
func (d *espDesk) connect() string {
	d.Helper()
	master, slave, err := openPTY()
	require.NoError(d, err)
	d.Cleanup(func() { master.Close(); slave.Close() })
	d.rom.Line = master
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.rom.Serve()
		if d.rom.Started > 0 && d.runner != nil {
			_ = d.runner.Serve(pty{master})
		}
	}()
	d.Cleanup(func() { master.Close(); <-done })
	return slave.Name()
}

// plug makes a port of the desk that leads to a pseudo terminal.
func (d *espDesk) plug(tty, vid, pid, product, to string) string {
	d.Helper()
	device := filepath.Join(d.root, "sys/devices", tty)
	for file, text := range map[string]string{"idVendor": vid, "idProduct": pid, "product": product} {
		require.NoError(d, os.MkdirAll(device, 0o700))
		require.NoError(d, os.WriteFile(filepath.Join(device, file), []byte(text+"\n"), 0o600))
	}
	for name, to := range map[string]string{
		filepath.Join(device, "tty/device"):         "..",
		filepath.Join(d.root, "sys/class/tty", tty): "../../devices/" + tty + "/tty",
		filepath.Join(d.root, "dev", tty):           to,
	} {
		require.NoError(d, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(d, os.Symlink(to, name))
	}
	return filepath.Join(d.root, "dev", tty)
}

// flash runs the command; the flags that are given are named.
func (d *espDesk) flash(flags flashFlags, given ...string) error {
	flags.given = func(name string) bool { return slices.Contains(given, name) }
	a := &app{ui: newUI(&d.out, &d.notes), desk: desk{root: d.root}}
	return a.flashBoard(d.Context(), &d.board, flags)
}

// stored checks that the ROM starts the board's image.
func (d *espDesk) stored() {
	d.Helper()
	m, err := esp.Parse(d.rom.Flash)
	require.NoError(d, err)
	img, err := d.board.Flat()
	require.NoError(d, err)
	require.EqualValues(d, 5, m.ChipID)
	require.EqualValues(d, img.Entry, m.Entry)
	require.EqualValues(d, img.Address, m.Segments[0].Address)
	require.Equal(d, img.Data, m.Segments[0].Data[:len(img.Data)])
	require.Equal(d, 1, d.rom.Started)
	require.Empty(d, d.rom.Wrong)
}

// espBoard is the board of scripts.
const espBoard = "esp32-c3"

const espWait = 30 * time.Second // a busy machine

func TestFlashESP(t *testing.T) {
	d := newESPDesk(t, nil)
	require.NoError(t, d.flash(flashFlags{port: d.port, wait: espWait}))
	d.stored()
	require.Regexp(t, `^stored and verified [0-9]+ bytes on pico\n$`, d.out.String())
	require.Contains(t, d.notes.String(), "the board runs pico's runner; next: copaflash deploy SCRIPT --port "+d.port)
}

// Without --port it is the only one with the board's identity.
func TestFlashESPFindsThePort(t *testing.T) {
	d := newESPDesk(t, nil)
	fails := func(code exitCode, message string) {
		t.Helper()
		f := classify(d.flash(flashFlags{wait: espWait}))
		require.Equal(t, code, f.Code)
		require.Contains(t, f.Message, message)
		require.Contains(t, f.Hint, "--port")
	}
	fails(exitNoDevice, "no port of pico")
	d.plug("ttyUSB0", "1a86", "7523", "USB Serial", "/dev/null")
	fails(exitNoDevice, "no port of pico")
	name := d.plug("ttyACM0", "2e8a", "000a", "Copaflash pico", d.port)
	second := d.plug("ttyACM1", "2e8a", "000a", "Copaflash pico", "/dev/null")
	fails(exitUsage, "2 ports may be that of pico: ")
	require.NoError(t, os.Remove(second))
	require.NoError(t, d.flash(flashFlags{port: autoPort, wait: espWait}))
	d.stored()
	require.Contains(t, d.notes.String(), "using "+name+"\n")
}

// By an adapter, the runner may answer at the board's own port. One that was there before is that of another board.
func TestFlashESPByAnAdapter(t *testing.T) {
	for _, own := range []bool{false, true} {
		var other, want string
		d := newESPDesk(t, func(d *espDesk) {
			answers := func(tty string) (name string) {
				r := sessiontest.New()
				r.Hello.Board = d.board.Name
				master, slave, err := openPTY()
				require.NoError(t, err)
				t.Cleanup(func() { master.Close(); slave.Close() })
				go func() { _ = r.Serve(pty{master}) }()
				return d.plug(tty, "2e8a", "000a", "Copaflash pico", slave.Name())
			}
			other = answers("ttyACM0")
			if !own {
				return
			}
			d.runner = nil
			want = answers("ttyACM1")
			line, err := os.Readlink(want)
			require.NoError(t, err)
			require.NoError(t, os.Remove(want))
			d.rom.Restarted = func() { _ = os.Symlink(line, want) }
		})
		here := d.plug("ttyUSB0", "1a86", "7523", "USB Serial", d.port)
		if !own {
			want = here
		}
		require.NoError(t, d.flash(flashFlags{port: here, wait: espWait}))
		d.stored()
		require.Contains(t, d.notes.String(), "--port "+want)
		require.NotContains(t, d.notes.String(), other)
	}
}

// The port goes away while the loader is started, and comes back as another terminal.
func TestFlashESPPortVanishes(t *testing.T) {
	d := newESPDesk(t, nil)
	master, slave, err := openPTY()
	require.NoError(t, err)
	name := d.plug("ttyACM0", "303a", "1001", "USB JTAG/serial debug unit", slave.Name())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = master.Read(make([]byte, 1))
		_ = os.Remove(name)
		slave.Close()
		master.Close()
		time.Sleep(lookAgain)
		_ = os.Symlink(d.port, name)
	}()
	require.NoError(t, d.flash(flashFlags{port: name, wait: espWait}))
	<-gone
	d.stored()
}

func TestFlashESPFails(t *testing.T) {
	for _, tt := range []struct {
		name    string
		set     func(*espDesk)
		code    exitCode
		message string
		hint    string
	}{
		{"another chip", func(d *espDesk) { d.rom.ChipID = 9 }, exitIncompatible, "the chip is not an ESP32-C3: it is an ESP32-S3", "copaflash boards"},
		{"locked", func(d *espDesk) { d.rom.Flags = 1 }, exitIncompatible, "starts signed images only", "another board"},
		{"worn", func(d *espDesk) { d.rom.Stuck = 0 }, exitVerify, "flash from 0x0 on has the MD5", "worn"},
		{"silent", func(d *espDesk) { d.rom.Loading = false }, exitTransport, "no boot loader answers", "hold BOOT while pressing RESET"},
		{"refused", func(d *espDesk) { d.rom.Refuse[2] = 100 }, exitTransport, "erase: the boot loader refused command 0x02", "try again; hold BOOT"},
		{"runner of another board", func(d *espDesk) { d.runner.Hello.Board = "rpi4" }, exitIncompatible, "is that of rpi4, not of pico", "ports --probe"},
		{"no runner", func(d *espDesk) { d.runner = nil }, exitTransport, "stored and verified, but the board does not answer", "press RESET"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newESPDesk(t, tt.set)
			err := d.flash(flashFlags{port: d.port, wait: 3 * time.Second})
			require.Error(t, err)
			f := classify(err)
			require.Equal(t, tt.code, f.Code, f.Message)
			require.Contains(t, f.Message, tt.message)
			require.Contains(t, f.Hint, tt.hint)
		})
	}
	d := newESPDesk(t, nil)
	f := classify(d.flash(flashFlags{port: d.port}, "baud"))
	require.Equal(t, exitUsage, f.Code)
	require.Contains(t, f.Hint, "--port, --wait")
	f = classify(d.flash(flashFlags{port: filepath.Join(d.root, "none")}))
	require.Equal(t, exitNoDevice, f.Code)
	require.NoError(t, d.flash(flashFlags{port: d.port, wait: 0}), "nobody waits")
	require.Contains(t, d.notes.String(), "copaflash info")
}

func TestFlashESPRecipe(t *testing.T) {
	d := newESPDesk(t, nil)
	dir := t.TempDir()
	require.NoError(t, d.flash(flashFlags{recipe: true, to: dir}, "to"))
	file := filepath.Join(dir, "pico-flash.bin")
	require.Contains(t, d.out.String(), "esptool.py --chip esp32c3 write_flash 0x0 "+file+"\n")
	require.Equal(t, 3, strings.Count(d.out.String(), "wrote "))
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	m, err := esp.Parse(content)
	require.NoError(t, err)
	require.Len(t, content, m.Size)
	img, err := d.board.Flat()
	require.NoError(t, err)
	require.EqualValues(t, img.Entry, m.Entry)
}

// espromCmd connects a simulated ESP32-C3 in its boot loader to a pseudo terminal, whose path it puts into $PORT; it starts the runner of a
// board when it is reset:
//
//	esprom [-id N] [-stuck] [-board NAME]
func espromCmd(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("esprom", flag.ContinueOnError)
	id := flags.Uint("id", 5, "")
	stuck := flags.Bool("stuck", false, "")
	board := flags.String("board", espBoard, "")
	ts.Check(flags.Parse(args))
	master, slave, err := openPTY()
	ts.Check(err)
	ts.Setenv("PORT", slave.Name())
	ts.Defer(func() { master.Close(); slave.Close() })
	r := romtest.New(master)
	r.Circuit, r.Leave, r.ChipID = romtest.None, true, uint32(*id)
	r.Hold()
	if *stuck {
		r.Stuck = 0
	}
	runner := sessiontest.New()
	runner.Hello.Board = *board
	go func() {
		r.Serve()
		if r.Started > 0 {
			_ = runner.Serve(pty{master})
		}
	}()
}

func TestWiringOf(t *testing.T) {
	for _, tt := range []struct {
		vid, pid string
		want     esp.Wiring
	}{{"", "", esp.Unknown}, {"303a", "1001", esp.USB}, {"303a", "0002", esp.Unknown}, {"10c4", "ea60", esp.Bridge}} {
		require.Equal(t, tt.want, wiringOf(&transport.PortInfo{VID: tt.vid, PID: tt.pid}), "%+v", tt)
	}
}
