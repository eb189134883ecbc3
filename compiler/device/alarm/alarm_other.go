//go:build !linux

package alarm

import (
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// Alarm is the finest clock that there is, and timers of package time, which the system may end late.
type Alarm struct{}

// Set prepares nothing.
func Set() Alarm { return Alarm{} }

// Restore has nothing to leave as it was.
func (Alarm) Restore() {}

// Now is the time since some moment.
func (Alarm) Now() time.Duration { return device.Clock() }

// Until sleeps until then, or not quite as long.
func (Alarm) Until(then time.Duration) { time.Sleep(then - device.Clock()) }
