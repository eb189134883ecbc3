//go:build !linux

package native

import "testing"

// timerSignals sends none on this system.
func timerSignals(*testing.T) (stop func() int64) { return func() int64 { return 0 } }
