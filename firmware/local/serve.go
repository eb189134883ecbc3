package local

import (
	"fmt"
	"strconv"
)

// A Service says how a runner listens for hosts, and what it does for the punctuality of its ticks.
type Service struct {
	Listen   string // unix:PATH, tcp:ADDRESS:PORT or serial:DEVICE@BAUD
	Remote   bool   // tcp may be other than loopback
	Priority int    // of SCHED_FIFO, 1 to 99; 0: that of other programs
	CPU      int    // processor of the ticks; negative: any
	Lock     bool   // its memory stays in RAM
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
