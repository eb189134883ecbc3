package local

import (
	"fmt"
	"strconv"
)

// A Service says how a runner listens for hosts, and what it does for the punctuality of its ticks.
type Service struct {
	Listen   string   // unix:PATH, tcp:ADDRESS:PORT or serial:DEVICE@BAUD
	Remote   bool     // tcp may be other than loopback
	Priority int      // of SCHED_FIFO, 1 to 99; 0: that of other programs
	CPU      int      // processor of the ticks; negative: any
	Lock     bool     // its memory stays in RAM
	Allow    []string // drivers of the machine that programs may use, such as gpiochip0/17
	Root     string   // in front of the names of their files, for tests; empty: the machine's
	Store    string   // file that programs are kept in; empty: none are
}

// Args are the arguments of the runner.
func (s Service) Args() []string {
	args := []string{"-listen", s.Listen}
	if s.Remote {
		args = append(args, "-remote")
	}
	if s.Priority != 0 {
		args = append(args, "-priority", strconv.Itoa(s.Priority))
	}
	if s.CPU >= 0 {
		args = append(args, "-cpu", strconv.Itoa(s.CPU))
	}
	if s.Lock {
		args = append(args, "-lock")
	}
	if s.Store != "" {
		args = append(args, "-store", s.Store)
	}
	return append(args, allowed(s.Allow, s.Root)...)
}

// allowed are the arguments about drivers.
func allowed(names []string, root string) []string {
	var args []string
	for _, name := range names {
		args = append(args, "-allow", name)
	}
	if root != "" {
		args = append(args, "-root", root)
	}
	return args
}

// A ServiceError is the end of a runner that listened, or was to listen.
type ServiceError struct {
	Said string // its last line
	End  error
}

func (e *ServiceError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("the runner has ended: %v", e.End)
	}
	return e.Said
}

func (e *ServiceError) Unwrap() error { return e.End }
