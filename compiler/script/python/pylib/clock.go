package pylib

import (
	"context"
	"math"
	"time"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// started is the zero of the clocks that only measure durations.
var started = time.Now()

// clocks are the functions without arguments: seconds, and the same in nanoseconds.
var clocks = map[string]func() time.Duration{
	"time":         func() time.Duration { return time.Duration(time.Now().UnixNano()) },
	"perf_counter": func() time.Duration { return time.Since(started) },
	"monotonic":    func() time.Duration { return time.Since(started) },
	"process_time": func() time.Duration { return time.Since(started) },
	"thread_time":  func() time.Duration { return time.Since(started) },
}

func (h *host) time(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_time")
	for name, clock := range clocks {
		m.Func(name, func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
			_, err := a.Bind(name)
			return clock().Seconds(), err
		})
		m.Func(name+"_ns", func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
			_, err := a.Bind(name + "_ns")
			return int64(clock()), err
		})
	}
	m.Func("sleep", sleep)
	for name, f := range dates {
		m.Func(name, f)
	}
	return m, nil
}

// sleep waits, but not beyond the end of the run.
func sleep(t *vm.Thread, a vm.Args) (vm.Value, error) {
	vs, err := a.Bind("sleep", "secs", "/")
	if err != nil {
		return nil, err
	}
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
