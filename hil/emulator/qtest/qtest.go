// Package qtest looks at an emulated board from outside, over QEMU's qtest protocol, while its processor goes on:
// it reads and writes registers, and drives pins.
package qtest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"
)

// A Probe is connected to a machine.
type Probe struct {
	conn net.Conn
	in   *bufio.Reader
}

// Socket is where a machine with Args listens, in a folder of its own.
func Socket(dir string) string { return filepath.Join(dir, "qtest") }

// Args are those of QEMU for a probe.
func Args(dir string) []string {
	return []string{"-accel", "tcg", "-qtest", "unix:" + Socket(dir) + ",server=on,wait=off"}
}

// Dial connects a probe to a machine that was started with Args, which may take so long for it. Commands fail when
// twice that is over.
func Dial(ctx context.Context, dir string, patience time.Duration) (*Probe, error) {
	deadline := time.Now().Add(patience)
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", Socket(dir))
		switch {
		case err == nil:
			return &Probe{conn, bufio.NewReader(conn)}, conn.SetDeadline(deadline.Add(patience))
		case ctx.Err() != nil || time.Now().After(deadline):
			return nil, err
		}
		time.Sleep(10 * time.Millisecond) // QEMU tells of the board's line before it makes the socket
	}
}

// Close ends it.
func (p *Probe) Close() error { return p.conn.Close() }

// Do sends a command, and returns what is behind OK.
func (p *Probe) Do(format string, args ...any) (string, error) {
	command := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(p.conn, command); err != nil {
		return "", err
	}
	line, err := p.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(line, "OK")
	if !ok {
		return "", fmt.Errorf("%s: %s", command, strings.TrimSpace(line))
	}
	return strings.TrimSpace(rest), nil
}

// Read reads a register of 32 bits.
func (p *Probe) Read(address uint32) (v uint32, err error) {
	text, err := p.Do("readl %#x", address)
	if err == nil {
		_, err = fmt.Sscanf(text, "%v", &v)
	}
	return v, err
}

// Drive gives an input of a device, by its path among QEMU's objects, a level.
func (p *Probe) Drive(device string, line int, high bool) error {
	level := 0
	if high {
		level = 1
	}
	_, err := p.Do("set_irq_in %s unnamed-gpio-in %d %d", device, line, level)
	return err
}
