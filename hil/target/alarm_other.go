//go:build !linux

package target

import (
	"time"

	"github.com/copaflash/copaflash/compiler/device"
)

// alarm is the finest clock that there is, and timers of package time, which the system may end late.
type alarm struct{}

func setAlarm() alarm { return alarm{} }

func (alarm) restore() {}

func (alarm) now() time.Duration { return device.Clock() }

// until sleeps until then, or not quite as long.
func (alarm) until(then time.Duration) { time.Sleep(then - device.Clock()) }
