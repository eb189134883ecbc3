package compiler_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	p, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(p, &created, &exited, &kernel, &user)
	}
	if err != nil {
		return 0
	}
	return duration(kernel) + duration(user)
}

// duration is a span in units of 100 ns.
func duration(f syscall.Filetime) time.Duration {
	return time.Duration(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) * 100
}
