//go:build !unix

package transport

import (
	"errors"
	"os/exec"
)

// StartCommand needs socket pairs, which this system does not have.
func StartCommand(*exec.Cmd) (Transport, error) {
	return nil, errors.New("a runner as a child process needs a unix system: use a serial port or tcp")
}
