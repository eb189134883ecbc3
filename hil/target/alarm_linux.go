package target

import (
	"time"

	"golang.org/x/sys/unix"
)

// alarm is the monotonic clock of the system, and a thread that sleeps until moments of it.
type alarm struct{ slack int } // ns, of the thread before

// setAlarm has the system wake this thread when it asks to be: usually it may be 50 us later, to
// save power.
func setAlarm() alarm {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) != nil {
		return alarm{}
	}
	return alarm{slack}
}

// restore leaves the thread as it was.
func (a alarm) restore() {
	if a.slack > 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(a.slack), 0, 0, 0)
	}
}

func (alarm) now() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has it
	return time.Duration(t.Nano())
}

// until sleeps until then, or until a signal.
func (alarm) until(then time.Duration) {
	t := unix.NsecToTimespec(int64(then))
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &t, nil)
}
