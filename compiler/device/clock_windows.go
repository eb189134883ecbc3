package device

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The clock of package time moves in steps of up to 16 ms here, which is longer than most runs take.
var (
	performance      = windows.NewLazySystemDLL("kernel32.dll")
	performanceCount = performance.NewProc("QueryPerformanceCounter")
	ticksPerSecond   = counted(performance.NewProc("QueryPerformanceFrequency"))
)

func counted(p *windows.LazyProc) (n int64) {
	_, _, _ = syscall.SyscallN(p.Addr(), uintptr(unsafe.Pointer(&n))) // n stays on the stack; it does not fail from Windows XP on
	return n
}

// Clock is the time since some moment, by the finest clock that there is.
func Clock() time.Duration {
	n := counted(performanceCount)
	s, rest := n/ticksPerSecond, n%ticksPerSecond
	return time.Duration(s)*time.Second + time.Duration(rest*int64(time.Second)/ticksPerSecond)
}
