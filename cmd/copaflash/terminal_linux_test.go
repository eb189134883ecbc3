package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// terminalCmd runs a command on a terminal of 100 columns and puts what is seen there
// in the end into the file screen:
//
//	terminal FILE COMMAND...
//
// Every line of FILE has to be there whole and in this order, and a bar was drawn
// but is not there any more.
func terminalCmd(ts *testscript.TestScript, neg bool, args []string) {
	master, slave, err := openPTY()
	ts.Check(err)
	defer master.Close()
	ts.Check(unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}))

	path, err := exec.LookPath(args[1])
	ts.Check(err)
	c := exec.Command(path, args[2:]...)
	c.Dir = ts.MkAbs(".")
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	for _, name := range []string{"HOME", "PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	c.Env = append(c.Env, "TERM=xterm", "TESTSCRIPT_COMMAND="+args[1])
	ts.Check(c.Start())
	slave.Close()
	out, err := io.ReadAll(pty{master})
	if !errors.Is(err, syscall.EIO) { // that is how a terminal ends
		ts.Check(err)
	}
	if err := c.Wait(); (err == nil) == neg {
		ts.Fatalf("%v: %v\n%s", args[1:], err, out)
	}
	if !bytes.Contains(out, []byte("100 %")) {
		ts.Fatalf("no bar was drawn: %q", out)
	}
	screen := rendered(out)
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(screen), 0o644))
	seen := strings.Split(screen, "\n")
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		line = strings.TrimSuffix(line, "\n")
		for len(seen) > 0 && seen[0] != line {
			seen = seen[1:]
		}
		if len(seen) == 0 {
			ts.Fatalf("not on the screen whole, or not in its place: %q\n%s", line, screen)
		}
	}
	if strings.Contains(screen, " %  ") {
		ts.Fatalf("a bar is still there:\n%s", screen)
	}
}

// rendered is what a terminal shows of text with carriage returns.
func rendered(out []byte) string {
	var screen strings.Builder
	var line []rune
	at := 0
	for _, r := range string(out) {
		switch {
		case r == '\n':
			screen.WriteString(strings.TrimRight(string(line), " ") + "\n")
			line, at = line[:0], 0
		case r == '\r':
			at = 0
		case at < len(line):
			line[at] = r
			at++
		default:
			line = append(line, r)
			at++
		}
	}
	screen.WriteString(strings.TrimRight(string(line), " "))
	return screen.String()
}
