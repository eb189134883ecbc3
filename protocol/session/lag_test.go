package session_test

import "time"

const (
	lagStep  = 5 * time.Millisecond
	lagLeast = 5 * time.Millisecond // a quiet machine's timers are late, too, but not this much
)

// lag measures how long this process waits for a processor: how late a sleep ends, summed
// until the function that it returns is called.
func lag() (total func() time.Duration) {
	stop, sum := make(chan struct{}), make(chan time.Duration)
	go func() {
		var late time.Duration
		for {
			start := time.Now()
			select {
			case <-stop:
				sum <- late
				return
			case <-time.After(lagStep):
			}
			if over := time.Since(start) - lagStep; over > lagLeast {
				late += over
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-sum
	}
}
