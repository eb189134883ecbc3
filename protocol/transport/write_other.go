//go:build !linux

package transport

import "io"

// write goes through the port itself: not every system can wait for a terminal
// that does not block.
func (portLock) write(port io.Writer, p []byte) (int, error) { return port.Write(p) }

// interrupt does nothing; a write ends when there is room, which throwing away
// the output makes.
func (portLock) interrupt() {}
