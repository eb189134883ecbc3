package native

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// timerSignals makes a timer of 1 ms send SIGALRM, and SIGUSR1 and the runtime's own SIGURG now and then, until it is
// told to stop and to say how many have come.
func timerSignals(t *testing.T) (stop func() int64) {
	var n atomic.Int64
	got := make(chan os.Signal, 100)
	signal.Notify(got, syscall.SIGALRM, syscall.SIGUSR1)
	setTimer(t, time.Millisecond)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-got:
				if n.Add(1)%16 == 0 {
					_ = syscall.Kill(os.Getpid(), syscall.SIGUSR1)
					_ = syscall.Kill(os.Getpid(), syscall.SIGURG)
				}
			case <-done:
				return
			}
		}
	}()
	return func() int64 {
		setTimer(t, 0)
		time.Sleep(10 * time.Millisecond) // for those under way
		signal.Stop(got)
		close(done)
		return n.Load()
	}
}

func setTimer(t *testing.T, every time.Duration) {
	us := int64(every / time.Microsecond)
	timer := [4]int64{0, us, 0, us} // struct itimerval: interval, value
	_, _, err := unix.Syscall(unix.SYS_SETITIMER, unix.ITIMER_REAL, uintptr(unsafe.Pointer(&timer)), 0)
	require.Zero(t, err)
}
