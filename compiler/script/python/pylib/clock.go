package pylib

import (
	"context"
	"math"
	"time"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// started is the zero of the clocks that only measure durations.
var started = time.Now()

// clocks are the functions without arguments: in seconds, and with _ns in nanoseconds.
var clocks = []struct {
	name string
	now  func() time.Duration
}{
	{"time", sinceEpoch},
	{"perf_counter", sinceStart},
	{"monotonic", sinceStart},
	{"process_time", sinceStart},
	{"thread_time", sinceStart},
}

func sinceEpoch() time.Duration { return time.Duration(time.Now().UnixNano()) }

func sinceStart() time.Duration { return time.Since(started) }

func (h *host) time(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_time")
	for _, c := range clocks {
		m.Define(
			vm.DefFunc(c.name, func(*vm.Thread, []vm.Value) (vm.Value, error) { return c.now().Seconds(), nil }),
			vm.DefFunc(c.name+"_ns", func(*vm.Thread, []vm.Value) (vm.Value, error) { return int64(c.now()), nil }),
		)
	}
	m.Define(
		vm.DefFunc("sleep", sleep, "secs", "/"),
		vm.DefFunc("_parts", dateParts, "seconds", "utc"),
		vm.DefFunc("_seconds", dateSeconds, "fields"),
		vm.DefFunc("_format", dateFormat, "format", "fields", "zone", "offset"),
		vm.DefFunc("_parse", dateParse, "text", "format"),
		vm.DefFunc("_zone", dateZone),
	)
	return m, nil
}

// sleep waits, but not beyond the end of the run.
func sleep(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	s, ok := vm.AsFloat(vs[0])
	switch {
	case !ok:
		return nil, vm.TypeErrorf("'%s' object cannot be interpreted as an integer", vm.TypeName(vs[0]))
	case math.IsNaN(s):
		return nil, vm.ValueErrorf("Invalid value NaN (not a number)")
	case s < 0:
		return nil, vm.ValueErrorf("sleep length must be non-negative")
	case s > 1e9:
		return nil, vm.Raise(vm.OverflowError, "timestamp too large to convert to C _PyTime_t")
	}
	timer := time.NewTimer(time.Duration(s * 1e9))
	defer timer.Stop()
	select {
	case <-timer.C:
		return vm.None, nil
	case <-t.Context().Done():
		return nil, context.Cause(t.Context())
	}
}
