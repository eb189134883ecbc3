//go:build !windows

package device

import "time"

var began = time.Now()

// Clock is the time since some moment, by the finest clock that there is.
func Clock() time.Duration { return time.Since(began) }
