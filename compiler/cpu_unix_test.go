//go:build unix

package compiler_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, all threads
// together: garbage collection counts, other processes do not.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
