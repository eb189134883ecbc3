package copapy

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// loopRows are the methods of targets for programs that run every tick.
var loopRows = []array.Row{
	{Name: "start", Params: "target rate? period? ticks? limit? misses? watchdog? silence?", Call: ofTarget((*target).pyStart), Is: array.Method},
	{Name: "stop", Params: "target", Call: ofTarget((*target).pyStop), Is: array.Method},
	{Name: "status", Params: "target", Call: ofTarget((*target).pyStatus), Is: array.Method},
	{Name: "set", Params: "target **values", Free: onTarget((*target).pySet), Is: array.Method},
	{Name: "get", Params: "target *variables", Free: onTarget((*target).pyGet), Is: array.Method},
	{Name: "stream", Params: "target variables? every? count?", Call: ofTarget((*target).pyStream), Is: array.Method},
	{Name: "capture", Params: "target variables trigger? above? below? rising? falling? before? after?", Call: ofTarget((*target).pyCapture), Is: array.Method},
	{Name: "swap", Params: "target *values trial?", Free: onTarget((*target).pySwap), Is: array.Method},
}

// loopState is the loop of a target's program, also one that has ended.
type loopState struct {
	device.Loop
	last *device.LoopStatus // after the end; nil: it may run
}

// seconds reads a time in seconds; 0 where it is left out.
func seconds(fn, name string, v vm.Value, most float64) (time.Duration, error) {
	if array.IsNone(v) {
		return 0, nil
	}
	s, ok := vm.AsFloat(v)
	if !ok || !array.IsNumber(v) || !(s >= 1e-6 && s <= most) {
		return 0, vm.ValueErrorf("%s: %s must be a number of seconds, from 0.000001 to %v", fn, name, most)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}

// count reads a whole number; 0 where it is left out.
func count(fn, name string, v vm.Value, least int64) (int, error) {
	if array.IsNone(v) {
		return 0, nil
	}
	n, ok := vm.AsInt(v)
	if !ok || n < least || n > math.MaxInt32 {
		return 0, vm.ValueErrorf("%s: %s must be a whole number, %d or more", fn, name, least)
	}
	return int(n), nil
}

// loopConfig reads the arguments of tg.start.
func (x *target) loopConfig(args []vm.Value) (c device.LoopConfig, ticks int, err error) {
	hz := 0.0
	if !array.IsNone(args[0]) {
		var ok bool
		if hz, ok = vm.AsFloat(args[0]); !ok || !array.IsNumber(args[0]) || !(hz > 0 && !math.IsInf(hz, 0)) {
			return c, 0, vm.WithHint(vm.ValueErrorf("start: the rate must be a number of ticks per second"), "as in tg.start(rate=1000)")
		}
	}
	period, err := seconds("start", "period", args[1], device.MaxPeriod.Seconds())
	if err != nil {
		return c, 0, err
	}
	if hz != 0 && period != 0 {
		return c, 0, vm.WithHint(vm.ValueErrorf("start: a rate and a period"), "give one of them")
	}
	meant := x.prog.Image.TickRate()
	rate := hz
	if period != 0 {
		rate = 1 / period.Seconds()
	}
	if c, err = device.LoopOf(x.prog.Image, rate); errors.Is(err, device.ErrNoRate) {
		return c, 0, vm.WithHint(vm.ValueErrorf("start: nothing says how often the program runs"), "tg.start(rate=1000) for 1000 ticks a second, or cp.task(rate=...)")
	} else if err != nil {
		return c, 0, vm.ValueErrorf("start: %v", err)
	}
	if period != 0 {
		c.Period, c.Hz = period, 0
	}
	if meant != 0 && rate != 0 && math.Abs(rate-meant) > 1e-6*meant {
		x.m.warn("start: the tasks are meant for %v ticks a second, and run at %v: each as many times slower or faster", meant, rate)
	}
	if ticks, err = count("start", "ticks", args[2], 1); err != nil {
		return c, 0, err
	}
	if c.Limit, err = limitArg("start", args[3], x.limit); err != nil {
		return c, 0, err
	}
	if c.Misses, err = count("start", "misses", args[4], 0); err != nil {
		return c, 0, err
	}
	if c.Watchdog, err = seconds("start", "watchdog", args[5], 3600); err != nil {
		return c, 0, err
	}
	c.Silence, err = seconds("start", "silence", args[6], 3600)
	return c, ticks, err
}

// pyStart is tg.start(rate=1000): the program runs every tick from now on. With ticks it returns when so many have
// run, and what tg.stop() gives.
func (x *target) pyStart(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	if err := x.runnable(); err != nil {
		return nil, err
	}
	if x.ticking() {
		return nil, isTicking("start")
	}
	c, ticks, err := x.loopConfig(args)
	if err != nil {
		return nil, err
	}
	looper, ok := x.loaded.on.(device.Looper)
	if !ok {
		return nil, vm.WithHint(vm.Raise(vm.RuntimeError, "start: this target runs no loops"), "tg.run(n, period=seconds) does so many runs")
	}
	ctx := t.Context()
	if err := x.loaded.line.flush(ctx, x.loaded.on); err != nil {
		return nil, vm.Abort(err)
	}
	l, err := looper.StartLoop(ctx, c)
	if err != nil {
		return nil, vm.Abort(err)
	}
	x.loaded.begin(l)
	x.loop, x.ran = &loopState{Loop: l}, true
	if ticks == 0 {
		return vm.None, nil
	}
	for {
		s, err := x.loopStatus(ctx)
		if err != nil {
			return nil, err
		}
		left := ticks - int(s.Ticks)
		if !s.Running || left <= 0 {
			return x.pyStop(t, nil)
		}
		if err := pause(ctx, min(max(time.Duration(left)*s.Period, time.Millisecond), 100*time.Millisecond)); err != nil {
			return nil, vm.Abort(err)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// ticking tells whether the loop runs, as far as is known here.
func (x *target) ticking() bool { return x.loaded != nil && x.loaded.loop != nil }

func isTicking(fn string) error {
	return vm.WithHint(vm.Raise(vm.RuntimeError, "%s: the loop of this program is running", fn), "call tg.stop() first")
}

// begin and end hold what is not possible while the loop runs.
func (p *loadedProgram) begin(l device.Loop) { p.loop, p.direct, p.line = l, nil, line{} }

func (p *loadedProgram) end() {
	p.loop, p.staged, p.line = nil, nil, line{}
	p.direct, _ = p.on.(device.Direct)
}

// patience is how long a loop may take to end, also where the script was interrupted: on a board it
// would go on.
const patience = 5 * time.Second

// halt ends the loop of a program.
func (p *loadedProgram) halt(ctx context.Context) error {
	if p.loop == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_, err := p.loop.Stop(ctx)
	p.end()
	return err
}

// loopStatus asks how the loop goes, and notes its end.
func (x *target) loopStatus(ctx context.Context) (*device.LoopStatus, error) {
	if x.loop == nil {
		return nil, vm.WithHint(vm.Raise(vm.RuntimeError, "status: no loop was started"), "call tg.start(rate=1000) first")
	}
	if x.loop.last != nil {
		return x.loop.last, nil
	}
	s, err := x.loop.Status(ctx)
	if err != nil {
		return nil, vm.Abort(err)
	}
	if !s.Running {
		x.loop.last = s
		x.loaded.end()
	}
	return s, nil
}

// pyStop is tg.stop(): the loop ends between two ticks.
func (x *target) pyStop(t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	if x.loop == nil {
		return nil, vm.WithHint(vm.Raise(vm.RuntimeError, "stop: no loop was started"), "call tg.start(rate=1000) first")
	}
	if x.loop.last == nil {
		s, err := x.loop.Stop(t.Context())
		if err != nil {
			return nil, vm.Abort(err)
		}
		x.loop.last = s
		x.loaded.end()
	}
	return x.m.loopStatus(x.loop.last), nil
}

// pyStatus is tg.status().
func (x *target) pyStatus(t *vm.Thread, _ []vm.Value) (vm.Value, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	s, err := x.loopStatus(t.Context())
	if err != nil {
		return nil, err
	}
	return x.m.loopStatus(s), nil
}

// loopStatus shows a status to the script, times in seconds.
func (m *module) loopStatus(s *device.LoopStatus) *timed {
	spread := func(x device.Spread) *timed {
		return &timed{m.spreadClass, []field{{"min", x.Min.Seconds()}, {"mean", x.Mean.Seconds()}, {"max", x.Max.Seconds()},
			{"p50", x.P50.Seconds()}, {"p99", x.P99.Seconds()}, {"p999", x.P999.Seconds()}}}
	}
	fault := vm.Value(vm.None)
	if s.Fault != nil {
		fault = s.Fault.Error()
	}
	end := vm.Value(vm.None)
	if s.End != "" {
		end = s.End
	}
	return &timed{m.statusClass, []field{
		{"running", s.Running}, {"end", end}, {"fault", fault},
		{"ticks", int64(s.Ticks)}, {"period", s.Period.Seconds()}, {"late", int64(s.Missed)},
		{"worst_lateness", s.Lateness.Max.Seconds()}, {"jitter", (s.Lateness.Max - s.Lateness.Min).Seconds()},
		{"execution", spread(s.Execution)}, {"lateness", spread(s.Lateness)}, {"slack", spread(s.Slack)},
		{"sets", int64(s.Applied)}, {"drops", int64(s.Drops)}, {"swap", s.Swap},
	}}
}

// variableNamed finds a variable of the program that can be written.
func (x *target) variableNamed(fn, name string) (id graph.ID, err error) {
	id = graph.None
	var names []string
	x.prog.EachVariable(func(node graph.ID, s *image.Symbol) {
		names = append(names, s.Name)
		if s.Name == name && (id == graph.None || s.Kind == image.Input) {
			id = node
		}
	})
	if id == graph.None {
		return id, noSuchName(fn, name, names)
	}
	return id, nil
}

func noSuchName(fn, name string, names []string) error {
	slices.Sort(names)
	names = slices.Compact(names)
	hint := "it has none"
	if len(names) > 12 {
		names = append(names[:12:12], "...")
	}
	if len(names) > 0 {
		hint = "it has " + strings.Join(names, ", ")
	}
	return vm.WithHint(vm.ValueErrorf("%s: the program has no variable %q", fn, name), hint)
}

// pySet is tg.set(kp=2.0, ki=1.0), or tg.set({"kp": 2.0}): variables change together, between two ticks. It returns
// the number of the first tick that sees them.
func (x *target) pySet(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	type write struct{ to, value vm.Value }
	var writes []write
	named := func(name string, v vm.Value) error {
		id, err := x.variableNamed("set", name)
		if err == nil {
			writes = append(writes, write{x.m.Node(x.m.Graph.Value(id)), v})
		}
		return err
	}
	for _, p := range a.Pos {
		d, ok := p.(*vm.Dict)
		if !ok {
			return nil, vm.WithHint(vm.TypeErrorf("set: takes names with values, or a dict, not '%s'", vm.TypeName(p)), "as in tg.set(kp=2.0, ki=1.0) or tg.set({'pid.kp': 2.0})")
		}
		for k, v := range d.All() {
			if name, ok := k.(string); ok {
				if err := named(name, v); err != nil {
					return nil, err
				}
				continue
			}
			writes = append(writes, write{k, v})
		}
	}
	for _, k := range a.Kw {
		if err := named(k.Name, k.Value); err != nil {
			return nil, err
		}
	}
	if len(writes) == 0 {
		return nil, vm.WithHint(vm.ValueErrorf("set: nothing to set"), "as in tg.set(kp=2.0, ki=1.0)")
	}
	return x.together(t, func() error {
		for _, w := range writes {
			if err := x.write(t, w.to, w.value); err != nil {
				return err
			}
		}
		return nil
	})
}

// together has all that is written take effect at once or, where one of the writes fails, nothing of it.
func (x *target) together(t *vm.Thread, write func() error) (vm.Value, error) {
	before := make(map[graph.ID][]uint32, len(x.written))
	for id, words := range x.written {
		before[id] = slices.Clone(words)
	}
	x.loaded.gathers = true
	err := write()
	x.loaded.gathers = false
	staged := x.loaded.staged
	x.loaded.staged = nil
	tick := uint32(0)
	if err == nil && x.ticking() && len(staged) > 0 {
		if tick, err = x.loaded.loop.Set(t.Context(), staged, 0); err != nil {
			err = x.loopError(err)
		}
	}
	if err != nil {
		x.written, x.places = before, places{}
		return nil, err
	}
	if !x.ticking() {
		for _, p := range staged {
			x.loaded.write(p.Offset, p.Bytes)
		}
	}
	return int64(tick), nil
}

// loopError is an error of a loop, as an exception where the script can do something about it.
func (x *target) loopError(err error) error {
	var over *device.OversubscribedError
	switch {
	case errors.As(err, &over):
		return vm.WithHint(vm.ValueErrorf("%v", over), over.Hint())
	case errors.Is(err, device.ErrEnded):
		why := ""
		if s, err := x.loopStatus(x.m.thread.Context()); err == nil && s.End != "" {
			why = ": " + s.End
		}
		return vm.WithHint(vm.Raise(vm.RuntimeError, "the loop has ended%s", why), "tg.status() tells more; tg.start(...) starts it again")
	}
	return vm.Abort(err)
}

// named is a variable of the program that the script asks for by its name: of several outputs of one value, it is this one.
type named struct {
	m *module
	s *image.Symbol
}

func (n *named) PyClass() *vm.Class { return n.m.ValueClass }

// numbers is its value, of its bytes.
func (n *named) numbers(raw []byte) vm.Value {
	all := decode(n.s.DType, n.s.Decode(raw).Bits)
	if len(n.s.Shape) == 0 {
		return all[0]
	}
	return n.m.PlainTensor(n.s.Shape, all)
}

// resolve finds the variables that are named in v: outputs first, then inputs and states.
func (x *target) resolve(t *vm.Thread, fn string, v vm.Value) (vm.Value, error) {
	if name, ok := v.(string); ok {
		var names []string
		for _, kind := range []image.Kind{image.Output, image.Input, image.State} {
			if s, ok := x.prog.Image.Symbol(kind, name); ok {
				return &named{x.m, s}, nil
			}
		}
		for i := range x.prog.Image.Symbols {
			names = append(names, x.prog.Image.Symbols[i].Name)
		}
		return nil, noSuchName(fn, name, names)
	}
	v, err := x.m.listOf(t, v)
	if err != nil {
		return nil, err
	}
	elems, like, ok := array.Sequence(v)
	if _, isTensor := v.(*array.Tensor); !ok || isTensor {
		return v, nil
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		if out[i], err = x.resolve(t, fn, e); err != nil {
			return nil, err
		}
	}
	return array.Rebuild(out, like), nil
}

// pyGet is tg.get("kp", x): values of one moment, by name or as they are; one of them, or a tuple of all.
func (x *target) pyGet(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	if len(a.Pos) == 0 || len(a.Kw) > 0 {
		return nil, vm.WithHint(vm.TypeErrorf("get: takes variables, by name or as values"), "as in tg.get('kp', 'ki')")
	}
	all := make([]vm.Value, len(a.Pos))
	for i, v := range a.Pos {
		var err error
		if all[i], err = x.resolve(t, "get", v); err != nil {
			return nil, err
		}
	}
	v, err := x.pyRead(t, []vm.Value{vm.NewTuple(all...)})
	if err != nil {
		return nil, err
	}
	if values, ok := v.(*vm.Tuple); ok && len(values.Elems) == 1 {
		return values.Elems[0], nil
	}
	return v, nil
}
