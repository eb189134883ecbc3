package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
)

// boardCmd connects a simulated runner to a pseudo terminal, whose path it puts
// into $PORT:
//
//	board [-arch NAME] [-version N] [-pull BYTES] [-busy] [-silent] [-fault] [-store PAGES]
//
// -pull hangs up after that many bytes from the host, -busy has another program
// hold the port, -silent has nobody at the other end, -fault has every run fail, -store has it keep
// programs in slots of so many pages.
func boardCmd(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("board", flag.ContinueOnError)
	arch := flags.String("arch", "aarch64", "")
	version := flags.Uint("version", 0, "")
	pull := flags.Int("pull", 0, "")
	busy := flags.Bool("busy", false, "")
	silent := flags.Bool("silent", false, "")
	fault := flags.Bool("fault", false, "")
	throttled := flags.Bool("throttled", false, "")
	store := flags.Uint("store", 0, "")
	ts.Check(flags.Parse(args))

	master, slave, err := openPTY()
	ts.Check(err)
	path := slave.Name()
	ts.Setenv("PORT", path)
	ts.Defer(func() {
		master.Close()
		slave.Close()
	})
	if *busy {
		holder, err := transport.OpenSerial(path, 115200)
		ts.Check(err)
		ts.Defer(func() { holder.Close() })
	}
	if *silent {
		return
	}
	r := sessiontest.New()
	r.Version = uint8(*version)
	if *throttled {
		r.Hello.Conditions = packet.ConditionThrottled | packet.ConditionWasThrottled
	}
	if *arch == "x86_64" {
		r.Hello.Arch = packet.ArchX86_64
	}
	r.Program = func(uint32, []byte) (uint64, *packet.Fault) {
		if *fault {
			return 0, &packet.Fault{Kind: packet.FaultMemory, PC: 0x40, Address: 0xdead0, Inside: true}
		}
		return 5, nil
	}
	if *store > 0 {
		r.Store = sessiontest.NewFlash(uint32(*store))
	}
	boardsByPort.Store(path, r)
	var t transport.Transport = pty{master}
	if *pull > 0 {
		t = &pulled{Transport: t, left: *pull}
	}
	go func() { _ = r.Serve(t) }()
}

var boardsByPort sync.Map // of the boards of scripts

// resetCmd resets the board at $PORT, with its button held or not:
//
//	reset [-hold]
func resetCmd(ts *testscript.TestScript, neg bool, args []string) {
	r, ok := boardsByPort.Load(ts.Getenv("PORT"))
	if !ok || neg {
		ts.Fatalf("there is no board at $PORT")
	}
	board := r.(*sessiontest.Runner)
	board.HoldButton(len(args) > 0)
	board.Restart()
}

// pty is the board's end of a pseudo terminal.
type pty struct{ *os.File }

func (p pty) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	if err != nil {
		err = errors.Join(transport.ErrHangup, err)
	}
	return n, err
}

func (pty) Baud() int         { return 0 }
func (pty) SetBaud(int) error { return nil }
func (pty) String() string    { return "pty" }

// pulled is a cable that is pulled out after some bytes.
type pulled struct {
	transport.Transport
	left int
}

func (p *pulled) Read(b []byte) (int, error) {
	n, err := p.Transport.Read(b)
	if p.left -= n; p.left < 0 {
		return 0, errors.Join(transport.ErrHangup, p.Transport.Close())
	}
	return n, err
}

// openPTY returns both ends of a new pseudo terminal. The slave is to be held
// open, so that the master does not see a hang-up before the first client.
func openPTY() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	conn, err := master.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	number := 0
	var inner error
	err = conn.Control(func(fd uintptr) {
		if inner = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); inner == nil {
			number, inner = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err = errors.Join(err, inner); err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	if err := makeRaw(slave); err != nil {
		return nil, nil, errors.Join(err, slave.Close(), master.Close())
	}
	return master, slave, nil
}

// makeRaw turns off echo and line editing.
func makeRaw(f *os.File) error {
	t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	t.Cc[unix.VMIN] = 1
	return unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, t)
}
