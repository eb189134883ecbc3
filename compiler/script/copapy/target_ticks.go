package copapy

import (
	"math"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// ticks is tg.run(n, period=seconds): n runs whose starts are that far apart.
func (x *target) ticks(t *vm.Thread, n, period vm.Value, c device.Call) (vm.Value, error) {
	if n == nil {
		return nil, vm.WithHint(vm.ValueErrorf("run: with a period the number of ticks must be given"), "for a second at 1 kHz: tg.run(1000, period=1e-3)")
	}
	seconds, ok := vm.AsFloat(period)
	if !ok || !array.IsNumber(period) {
		return nil, vm.TypeErrorf("run: the period must be a number of seconds, not '%s'", vm.TypeName(period))
	}
	refused := func(text string) error {
		return vm.WithHint(vm.ValueErrorf("run: %s", text), "give the period in seconds, as in tg.run(1000, period=1e-3); without one, runs are back to back")
	}
	if !(seconds > 0 && seconds <= device.MaxPeriod.Seconds()) {
		return nil, refused("the period must be a number of seconds, from 0.000001 to 4294.967295")
	}
	var err error
	if c.Period, err = device.Period(time.Duration(math.Round(seconds * 1e9))); err != nil {
		return nil, refused(err.Error())
	}
	if device.HasTasks(x.loaded.image) {
		return nil, vm.WithHint(vm.ValueErrorf("run: this program has tasks, which run with a period in a loop"), "tg.start(rate=1000), and later tg.stop(); or tg.run(n), which does not wait between ticks")
	}
	timing, err := x.loaded.line.call(t.Context(), x.loaded.on, c)
	if err != nil {
		return nil, vm.Abort(err)
	}
	x.stats.Runs += c.Runs
	x.ran = true
	return x.m.timing(timing), nil
}

// timed is what a script sees of the timing of ticks, in seconds: names with their values.
type timed struct {
	class  *vm.Class
	fields []field
}

type field struct {
	name  string
	value vm.Value
}

// timing shows a Timing to the script; what the device does not measure is None.
func (m *module) timing(timing *device.Timing) *timed {
	worst, jitter := vm.Value(vm.None), vm.Value(vm.None)
	if s := timing.Starts; s != nil {
		worst, jitter = s.Worst.Seconds(), s.Jitter.Seconds()
	}
	e := timing.Execution
	return &timed{m.timingClass, []field{
		{"ticks", int64(timing.Ticks)}, {"period", timing.Period.Seconds()}, {"late", int64(timing.Late)},
		{"worst_lateness", worst}, {"jitter", jitter},
		{"execution", &timed{m.executionClass, []field{{"min", e.Min.Seconds()}, {"mean", e.Mean.Seconds()}, {"max", e.Max.Seconds()}}}},
		{"paced", !timing.Unpaced},
	}}
}

func (r *timed) PyClass() *vm.Class { return r.class }

// Attr is a field.
func (r *timed) Attr(_ *vm.Thread, name string) (vm.Value, error) {
	for _, f := range r.fields {
		if f.name == name {
			return f.value, nil
		}
	}
	return nil, nil
}

// Repr shows all fields.
func (r *timed) Repr(t *vm.Thread) (string, error) {
	parts := make([]string, len(r.fields))
	for i, f := range r.fields {
		s, err := t.Repr(f.value)
		if err != nil {
			return "", err
		}
		parts[i] = f.name + "=" + s
	}
	return r.class.Name + "(" + strings.Join(parts, ", ") + ")", nil
}
