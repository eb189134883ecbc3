//go:build unix

package files

import "syscall"

// nonblock keeps an open from waiting, should a FIFO have taken a file's place.
const nonblock = syscall.O_NONBLOCK
