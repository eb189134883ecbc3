package copapy

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// target is one cp.Target(): at most one program, loaded on the device.
type target struct {
	m       *module
	outs    []compiler.Output
	prog    *compiler.Program
	loaded  *loadedProgram
	stats   *Stats
	index   map[graph.ID]int      // output by node
	written map[graph.ID][]uint32 // inputs and states that the script has written
	places  places
	ran     bool
	fast    bool          // Target(fast=True)
	limit   time.Duration // Target(limit=seconds); 0: the device's own
	closed  bool
	loop    *loopState // of the program; nil: none was started
	called  int        // when its jit function was last called: a count of such calls
	evict   func()     // of a jit function's program that can be compiled again: drops it
	jit     bool       // it is that of a jit function
	binding binding
}

func (x *target) PyClass() *vm.Class { return x.m.targetClass }

// newTarget is cp.Target(). The ancestor's parameters are taken: an
// architecture other than "native" must be that of the device. With fast, every
// float is computed as under cp.fast().
func (m *module) newTarget(t *vm.Thread, _ string, args []vm.Value) (_ vm.Value, err error) {
	x := &target{m: m}
	if args[2] != nil {
		if x.fast, err = t.Truth(args[2]); err != nil {
			return nil, err
		}
	}
	if x.limit, err = limitArg("Target", args[3], 0); err != nil {
		return nil, err
	}
	if arch, ok := args[0].(string); ok && arch != "native" {
		if err := m.open(); err != nil {
			return nil, err
		}
		if arch != m.device.Arch() {
			return nil, vm.WithHint(vm.ValueErrorf("the target is %s, not %s", m.device.Arch(), arch),
				"choose where to run on the command line, and leave out the architecture here")
		}
	}
	return x, nil
}

// open opens the device at its first use.
func (m *module) open() error {
	if m.device != nil {
		return nil
	}
	if m.opt.Open == nil {
		return vm.Raise(vm.RuntimeError, "there is no target to run on")
	}
	d, err := m.opt.Open(m.thread.Context())
	if err != nil {
		return vm.Abort(err)
	}
	m.device = d
	return nil
}

// targetRows are the methods of targets.
var targetRows = slices.Concat(loopRows, []array.Row{
	{Name: "compile", Params: "target *values", Free: onTarget((*target).pyCompile), Is: array.Method},
	{Name: "bind", Params: "target **channels", Free: onTarget((*target).pyBind), Is: array.Method},
	{Name: "run", Params: "target n? limit? period?", Call: ofTarget((*target).pyRun), Is: array.Method, Quick: true},
	{Name: "read_value", Params: "target variables", Call: ofTarget((*target).pyRead), Is: array.Method, Quick: true},
	{Name: "write_value", Params: "target variables data", Call: ofTarget((*target).pyWrite), Is: array.Method, Quick: true},
	{Name: "reset", Params: "target", Call: ofTarget((*target).pyReset), Is: array.Method, Quick: true},
	{Name: "close", Params: "target", Call: ofTarget((*target).pyClose), Is: array.Method, Quick: true},
	{Name: "__enter__", Params: "target", Call: ofTarget((*target).pyEnter), Is: array.Method},
	{Name: "__exit__", Params: "target kind? error? trace?", Call: ofTarget((*target).pyExit), Is: array.Method},
})

// onTarget makes a method of a function that takes its arguments as they are.
func onTarget(f func(*target, *vm.Thread, vm.Args) (vm.Value, error)) vm.GoFunc {
	return func(t *vm.Thread, a vm.Args) (vm.Value, error) {
		x := a.Pos[0].(*target)
		a.Pos = a.Pos[1:]
		return f(x, t, a)
	}
}

// ofTarget makes a handler of a method.
func ofTarget(f func(*target, *vm.Thread, []vm.Value) (vm.Value, error)) array.Handler {
	return func(t *vm.Thread, _ string, args []vm.Value) (vm.Value, error) {
		return f(args[0].(*target), t, args[1:])
	}
}

// pyCompile is tg.compile(*values): scalars, vectors, and lists of them.
func (x *target) pyCompile(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Kw) > 0 {
		return nil, vm.TypeErrorf("compile() takes no keyword arguments")
	}
	if x.closed {
		return nil, isClosed()
	}
	outs, err := x.outputs(t, a)
	if err != nil {
		return nil, err
	}
	if err := x.compile(t, outs, x.m.programTasks()); err != nil {
		return nil, err
	}
	x.m.roles.round++
	x.written, x.places = map[graph.ID][]uint32{}, places{}
	x.ran = false
	return vm.None, nil
}

// outputs are those of a program: the outputs and logs of the script, and values.
func (x *target) outputs(t *vm.Thread, a vm.Args) ([]compiler.Output, error) {
	c := collector{names: map[string]int{}, seen: map[graph.ID]bool{}}
	c.roles(x.m)
	for i, v := range a.Pos {
		v, err := x.m.listOf(t, v)
		if err != nil {
			return nil, err
		}
		if err := c.add(a.Text(i), v); err != nil {
			return nil, err
		}
	}
	if len(c.outs) == 0 && len(a.Pos) == 0 {
		return nil, vm.WithHint(vm.ValueErrorf("compile: nothing to compute: there is no argument, and the script has no cp.output or cp.log"),
			"give the values to compute, as in tg.compile(y)")
	}
	if len(c.outs) == 0 {
		return nil, vm.WithHint(vm.ValueErrorf("compile: nothing to compute: no argument is a traced value"),
			"make variables with cp.value(number) and compute with them")
	}
	x.m.nameVariables(t)
	c.watch(x.m, t)
	return c.outs, nil
}

// collector gathers the outputs of a program, each under a name of its own.
type collector struct {
	outs  []compiler.Output
	names map[string]int
	seen  map[graph.ID]bool
}

func (c *collector) output(name string, v graph.Value) {
	if c.seen[v.ID()] {
		return
	}
	c.seen[v.ID()] = true
	name = strings.TrimSpace(name)
	if name == "" {
		name = "out"
	}
	c.names[name]++
	if n := c.names[name]; n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	c.outs = append(c.outs, compiler.Output{Name: name, Value: v})
}

func (c *collector) add(name string, v vm.Value) error {
	switch v := v.(type) {
	case *named:
		return nil
	case *array.Value:
		c.output(name, v.Node)
		return nil
	case *array.Tensor:
		if v.Traced() {
			c.output(name, v.Node)
		}
		return nil
	}
	if elems, _, ok := array.Sequence(v); ok {
		names := partNames(name, len(elems))
		for i, e := range elems {
			if err := c.add(names(i), e); err != nil {
				return err
			}
		}
		return nil
	}
	if array.IsNumber(v) {
		return nil
	}
	return vm.TypeErrorf("compile: cannot compute a '%s'", vm.TypeName(v))
}

// watch adds the global variables that the program computes on its way anyway,
// so that a host can read them by name; each costs one store. Variables and states have
// names and places of their own.
func (c *collector) watch(m *module, t *vm.Thread) {
	uses := m.Graph.Users(m.Graph.Roots(nodes(c.outs)))
	t.EachGlobal(func(name string, v vm.Value) {
		if node := array.TracedNode(v); node.Valid() && uses[node.ID()] > 0 && !m.isKnown(node.ID()) {
			c.output(name, node)
		}
	})
}

// nodes are the nodes of outputs.
func nodes(outs []compiler.Output) []graph.ID {
	ids := make([]graph.ID, len(outs))
	for i, o := range outs {
		ids[i] = o.Value.ID()
	}
	return ids
}

// build makes the program of outs.
func (x *target) build(t *vm.Thread, outs []compiler.Output, tasks []compiler.Task) (*compiler.Program, *Stats, error) {
	m := x.m
	if err := m.checkStates(t, nodes(outs)); err != nil {
		return nil, nil, err
	}
	if err := m.Graph.CheckRoots(nodes(outs)); err != nil {
		return nil, nil, vm.WithHint(vm.ValueErrorf("a value made in the body of a loop is used outside of it"),
			"it is known only there: let the body return it, in the carry or as a row of cp.scan")
	}
	if err := m.open(); err != nil {
		return nil, nil, err
	}
	stats := &Stats{Trace: time.Since(m.mark)}
	start := time.Now()
	opt := m.opt.Compiler
	opt.Arch, opt.Features = m.device.Arch(), m.device.Features()
	opt.Fast = opt.Fast || x.fast
	opt.Tasks = tasks
	x.bindTo(&opt)
	prog, err := compiler.Compile(m.Graph, outs, opt)
	if refused := (*bind.Error)(nil); errors.As(err, &refused) {
		return nil, nil, bindError(err)
	}
	if none := (*compiler.NoDoubles)(nil); errors.As(err, &none) {
		_, line := t.Position(vm.Pos(none.Pos))
		raised := vm.TypeErrorf("float64 needs hardware double; programs for %s have none, and line %d makes one", none.Arch, line)
		return nil, nil, vm.WithHint(vm.StandFor(raised, none), "use float32, as in cp.value(x) without dtype, or another board")
	}
	if loop := (*compiler.TaskLoop)(nil); errors.As(err, &loop) {
		return nil, nil, m.taskError(t, loop)
	}
	if err != nil {
		return nil, nil, vm.Abort(err)
	}
	stats.Compile = time.Since(start)
	stats.Program = prog
	return prog, stats, nil
}

// become notes the program that is loaded.
func (x *target) become(outs []compiler.Output, prog *compiler.Program, stats *Stats) {
	x.outs, x.prog, x.stats, x.places, x.binding.changed = outs, prog, stats, places{}, false
	x.index = make(map[graph.ID]int, len(outs))
	for i, o := range outs {
		x.index[o.Value.ID()] = i
	}
	prog.EachBound(func(id graph.ID, output int) { x.index[id] = output })
}

// compile makes the program of outs and loads it.
func (x *target) compile(t *vm.Thread, outs []compiler.Output, tasks []compiler.Task) error {
	m := x.m
	prog, stats, err := x.build(t, outs, tasks)
	if err != nil {
		return err
	}
	if x.loaded != nil {
		if err := x.loaded.halt(t.Context()); err != nil {
			return vm.Abort(err)
		}
	}
	x.unload()
	if err := m.programs.makeRoom(t); err != nil {
		return err
	}
	loaded, err := m.device.Load(t.Context(), prog)
	if err != nil {
		return vm.Abort(err)
	}
	m.mark = time.Now()
	stats.Wire, stats.Transfer = loaded.Transfer()
	x.become(outs, prog, stats)
	x.loaded = newLoadedProgram(loaded, prog.Image)
	m.programs.add(x)
	limit := x.limit // x itself is not held: who keeps the figures does not keep the target
	stats.Again = func(ctx context.Context, runs int, period time.Duration) (*device.Timing, error) {
		r, err := device.Ticks(ctx, loaded, prog.Image, 0, device.Call{Runs: runs, Period: period, Limit: limit, Timed: stats.Timed})
		if err == nil {
			stats.Runs += runs
		}
		return r.Timing, err
	}
	if m.opt.Compiled != nil {
		m.opt.Compiled(stats)
	}
	return nil
}

// pyRun is tg.run(), or tg.run(n) for n runs back to back, of which none may take
// longer than limit seconds, or tg.run(n, period=seconds).
func (x *target) pyRun(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	n := int64(1)
	if args[0] != nil {
		var ok bool
		if n, ok = vm.AsInt(args[0]); !ok || n < 1 || n > math.MaxUint32 {
			return nil, vm.ValueErrorf("run: the number of runs must be a positive integer")
		}
	}
	if err := x.runnable(); err != nil {
		return nil, err
	}
	if x.ticking() {
		return nil, isTicking("run")
	}
	limit, err := limitArg("run", args[1], x.limit)
	if err != nil {
		return nil, err
	}
	if !array.IsNone(args[2]) {
		return x.ticks(t, args[0], args[2], device.Call{Runs: int(n), Limit: limit, Timed: x.stats.Timed})
	}
	return vm.None, x.run(t, int(n), limit, nil)
}

func (x *target) run(t *vm.Thread, n int, limit time.Duration, reads []device.Span) error {
	if err := x.loaded.run(t.Context(), n, limit, reads, x.stats.Timed); err != nil {
		return vm.Abort(err)
	}
	x.stats.Runs += n
	x.ran = true
	return nil
}

// mostTime is the greatest limit that runners take.
const mostTime = 10 * time.Second

// limitArg is a limit in seconds; byDefault where it is left out.
func limitArg(fn string, v vm.Value, byDefault time.Duration) (time.Duration, error) {
	if array.IsNone(v) {
		return byDefault, nil
	}
	seconds, ok := vm.AsFloat(v)
	if !ok || !array.IsNumber(v) || !(seconds >= 1e-6 && seconds <= mostTime.Seconds()) {
		return 0, vm.WithHint(vm.ValueErrorf("%s: the limit must be a number of seconds, from 0.000001 to %v", fn, mostTime.Seconds()),
			"a run that takes longer is stopped, and a runner hears nothing meanwhile: do longer work in several runs")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
