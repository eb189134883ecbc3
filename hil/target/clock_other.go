//go:build !windows

package target

import "time"

var began = time.Now()

// clock is the time since some moment.
func clock() time.Duration { return time.Since(began) }
