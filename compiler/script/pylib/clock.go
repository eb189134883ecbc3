package pylib

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/script/vm"
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
	m := vm.NewModule("time")
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
	m.Func("strftime", strftime)
	m.Func("ctime", func(_ *vm.Thread, a vm.Args) (vm.Value, error) {
		vs, err := a.Bind("ctime", "seconds?")
		if err != nil {
			return nil, err
		}
		at, err := moment(vs[0])
		return at.Format(time.ANSIC), err
	})
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

// moment is a time in seconds since 1970, now if absent.
func moment(v vm.Value) (time.Time, error) {
	if v == nil || v == vm.None {
		return time.Now(), nil
	}
	s, ok := vm.AsFloat(v)
	if !ok || math.Abs(s) > 1e11 || math.IsNaN(s) {
		return time.Time{}, vm.TypeErrorf("a time in seconds is needed, not '%s'", vm.TypeName(v))
	}
	whole := math.Floor(s)
	return time.Unix(int64(whole), int64((s-whole)*1e9)), nil
}

// directives of strftime, as layouts of package time.
var directives = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'j': "002", 'a': "Mon", 'A': "Monday",
	'b': "Jan", 'B': "January", 'I': "03", 'p': "PM", 'Z': "MST", 'z': "-0700", 'F': "2006-01-02", 'T': "15:04:05",
	'D': "01/02/06", 'R': "15:04", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
}

func strftime(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	vs, err := a.Bind("strftime", "format", "seconds?", "/")
	if err != nil {
		return nil, err
	}
	format, ok := vs[0].(string)
	if !ok {
		return nil, vm.TypeErrorf("strftime() argument 1 must be str, not %s", vm.TypeName(vs[0]))
	}
	at, err := moment(vs[1])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch c := format[i]; {
		case c == '%':
			b.WriteByte('%')
		case c == 's':
			b.WriteString(strconv.FormatInt(at.Unix(), 10))
		case directives[c] != "":
			b.WriteString(at.Format(directives[c]))
		default:
			b.WriteString("%" + string(c))
		}
	}
	return b.String(), nil
}
