//go:build unix

package transport

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// exitWait is how long a child may take to end after its socket was closed.
const exitWait = 500 * time.Millisecond

// A child is a Transport to a process.
type child struct {
	Transport
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process was waited for
	once  sync.Once
}

// StartCommand starts cmd with one end of a socket pair as descriptor
// 3+len(cmd.ExtraFiles) and returns the other end. Close ends the process: by
// closing the socket first, by a kill if that does not help.
func StartCommand(cmd *exec.Cmd) (Transport, error) {
	name := cmd.Path
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := FromFile(ours, name)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	c := &child{Transport: t, cmd: cmd, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the exit status is in cmd.ProcessState
		close(c.ended)
	}()
	return c, nil
}

// Read adds to a hang-up how the process ended.
func (c *child) Read(p []byte) (int, error) {
	n, err := c.Transport.Read(p)
	if !errors.Is(err, ErrHangup) {
		return n, err
	}
	select {
	case <-c.ended:
		err = fmt.Errorf("%w (process: %v)", err, c.cmd.ProcessState)
	case <-time.After(exitWait / 10):
	}
	return n, err
}

// Close returns when the process is gone.
func (c *child) Close() error {
	err := c.Transport.Close()
	c.once.Do(func() {
		select {
		case <-c.ended:
		case <-time.After(exitWait):
			_ = c.cmd.Process.Kill()
			<-c.ended
		}
	})
	return err
}

// socketPair returns two connected stream sockets that no other child inherits.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "socketpair"), os.NewFile(uintptr(fds[1]), "socketpair"), nil
}
