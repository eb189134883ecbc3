package alarm

import (
	"time"

	"golang.org/x/sys/unix"
)

// Alarm is the monotonic clock of the system, and a thread that sleeps until moments of it.
type Alarm struct{ slack int } // ns, of the thread before

// Set has the system wake this thread when it asks to be: usually it may be 50 us later, to
// save power. The goroutine must keep its thread.
func Set() Alarm {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) != nil {
		return Alarm{}
	}
	return Alarm{slack}
}

// Restore leaves the thread as it was.
func (a Alarm) Restore() {
	if a.slack > 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(a.slack), 0, 0, 0)
	}
}

// Now is the time since some moment.
func (Alarm) Now() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has it
	return time.Duration(t.Nano())
}

// Until sleeps until then, or until a signal.
func (Alarm) Until(then time.Duration) {
	t := unix.NsecToTimespec(int64(then))
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &t, nil)
}
