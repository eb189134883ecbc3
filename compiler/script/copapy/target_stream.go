package copapy

import (
	"cmp"
	"errors"
	"io"
	"math"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// watched are variables of which records are taken.
type watched struct {
	x     *target
	what  vm.Value // names resolved
	spans []device.Span
}

// watched finds the variables of a stream or capture: by default the outputs and logs of the script.
func (x *target) watched(t *vm.Thread, fn string, v vm.Value) (*watched, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	if !x.ticking() {
		return nil, vm.WithHint(vm.Raise(vm.RuntimeError, "%s: the program does not run every tick", fn), "call tg.start(rate=1000) first")
	}
	if array.IsNone(v) {
		var all []vm.Value
		for i, o := range x.prog.Outputs {
			if o.Meta.Role != graph.NoRole {
				all = append(all, &named{x.m, x.prog.Output(i)})
			}
		}
		v = vm.NewList(all)
	}
	w := &watched{x: x}
	var err error
	if w.what, err = x.resolve(t, fn, v); err != nil {
		return nil, err
	}
	if err := x.extend(t, w.what); err != nil {
		return nil, err
	}
	seen := map[device.Span]bool{}
	for _, s := range x.spans(nil, w.what) {
		if !seen[s] {
			seen[s] = true
			w.spans = append(w.spans, s)
		}
	}
	if len(w.spans) == 0 {
		return nil, vm.WithHint(vm.ValueErrorf("%s: no variables", fn), "name some, as in tg.stream([x, 'u']), or make cp.output or cp.log")
	}
	return w, nil
}

// every is how many ticks there are from one record to the next where the script does not say.
func (w *watched) every() int { return image.EveryOf(w.symbols(nil, w.what)) }

// symbols are those of what is watched. Of a value that has no name it is one of which nothing is said.
func (w *watched) symbols(to []*image.Symbol, v vm.Value) []*image.Symbol {
	if n, ok := v.(*named); ok {
		return append(to, n.s)
	}
	if _, isTensor := v.(*array.Tensor); !isTensor {
		if elems, _, ok := array.Sequence(v); ok {
			for _, e := range elems {
				to = w.symbols(to, e)
			}
			return to
		}
	}
	if node := array.TracedNode(v); node.Valid() {
		if s := w.x.symbol(node.ID()); s != nil {
			return append(to, s)
		}
	}
	return append(to, &image.Symbol{})
}

// record shows a record to the script.
func (w *watched) record(r device.Record) *timed {
	p := w.x.loaded
	data := r.Data
	direct := p.direct
	p.direct, p.line.fetched = nil, nil // also of a loop that has ended since
	for _, s := range w.spans {
		p.line.keep([]device.Span{s}, [][]byte{data[:s.Length]})
		data = data[s.Length:]
	}
	values := w.x.numbers(w.what)
	p.direct, p.line.fetched = direct, nil
	return &timed{w.x.m.recordClass, []field{{"tick", int64(r.Tick)}, {"time", r.Time.Seconds()}, {"values", values}, {"drops", int64(r.Drops)}}}
}

// stream is what tg.stream() gives: an iterator of records.
type stream struct {
	*watched
	loop *loopState
	from device.Stream
	left int // records; below 0: all
}

// pyStream is tg.stream([x, y], every=10): records of variables, one in so many ticks, until the loop ends.
func (x *target) pyStream(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	every, err := count("stream", "every", args[1], 1)
	if err != nil {
		return nil, err
	}
	n, err := count("stream", "count", args[2], 1)
	if err != nil {
		return nil, err
	}
	w, err := x.watched(t, "stream", args[0])
	if err != nil {
		return nil, err
	}
	from, err := x.loaded.loop.Subscribe(t.Context(), device.Subscription{Spans: w.spans, Every: cmp.Or(every, w.every())})
	if err != nil {
		return nil, x.loopError(err)
	}
	return &stream{w, x.loop, from, cmp.Or(n, -1)}, nil
}

func (s *stream) PyClass() *vm.Class { return s.x.m.streamClass }

// Next waits for a record.
func (s *stream) Next(t *vm.Thread) (vm.Value, error) {
	if s.left == 0 {
		return nil, s.close()
	}
	if s.x.loop != s.loop {
		return nil, vm.Raise(vm.RuntimeError, "the program of this stream is not loaded any more")
	}
	r, err := s.from.Next(t.Context())
	if errors.Is(err, io.EOF) {
		s.left = 0
		return nil, nil
	}
	if err != nil {
		return nil, s.x.loopError(err)
	}
	if s.left--; s.left == 0 {
		if err := s.close(); err != nil {
			return nil, err
		}
	}
	return s.record(r), nil
}

func (s *stream) close() error {
	if s.from == nil {
		return nil
	}
	err := s.from.Close()
	s.from = nil
	if err != nil {
		return vm.Abort(err)
	}
	return nil
}

// triggers are the arguments of tg.capture that tell when.
var triggers = []string{"above", "below", "rising", "falling"}

// pyCapture is tg.capture([x, y], trigger=x, above=0.5, before=100, after=200): records of every tick around the moment
// at which the trigger fires, by default now. It returns when all are there.
func (x *target) pyCapture(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	w, err := x.watched(t, "capture", args[0])
	if err != nil {
		return nil, err
	}
	c := device.CaptureConfig{Spans: w.spans, Trigger: device.Trigger{Kind: "now"}}
	for i, kind := range triggers {
		v := args[2+i]
		if array.IsNone(v) {
			continue
		}
		if c.Trigger.Kind != "now" {
			return nil, vm.ValueErrorf("capture: %s and %s: one of them says when", c.Trigger.Kind, kind)
		}
		if array.IsNone(args[1]) {
			return nil, vm.WithHint(vm.ValueErrorf("capture: %s of what?", kind), "name the variable: trigger=x")
		}
		if c.Trigger, err = x.trigger(t, kind, args[1], v); err != nil {
			return nil, err
		}
	}
	if c.Trigger.Kind == "now" && !array.IsNone(args[1]) {
		return nil, vm.WithHint(vm.ValueErrorf("capture: the trigger does not say when"), "as in trigger=x, above=0.5; there are above, below, rising and falling")
	}
	if c.Before, err = count("capture", "before", args[6], 0); err != nil {
		return nil, err
	}
	if c.After, err = count("capture", "after", args[7], 0); err != nil {
		return nil, err
	}
	if c.Before+c.After == 0 {
		c.After = 100
	}
	taken, err := x.loaded.loop.Capture(t.Context(), c)
	if err != nil {
		return nil, x.loopError(err)
	}
	records, tick, err := taken.Wait(t.Context())
	if err != nil {
		return nil, x.loopError(err)
	}
	list := make([]vm.Value, len(records))
	for i, r := range records {
		list[i] = w.record(r)
	}
	return &timed{x.m.captureClass, []field{{"tick", int64(tick)}, {"records", vm.NewList(list)}}}, nil
}

// trigger is one that compares a number of the program.
func (x *target) trigger(t *vm.Thread, kind string, what, threshold vm.Value) (device.Trigger, error) {
	v, err := x.resolve(t, "capture", what)
	if err != nil {
		return device.Trigger{}, err
	}
	var sym *image.Symbol
	if n, ok := v.(*named); ok {
		sym = n.s
	} else if node := array.TracedNode(v); node.Valid() {
		sym = x.symbol(node.ID())
	}
	if sym == nil || sym.Len() != 1 || sym.DType == graph.F64 {
		return device.Trigger{}, vm.WithHint(vm.ValueErrorf("capture: the trigger must be a single float, int or bool that the program has"), "give it a name with cp.log")
	}
	level, ok := vm.AsFloat(threshold)
	if !ok || !array.IsNumber(threshold) || math.IsNaN(level) {
		return device.Trigger{}, vm.TypeErrorf("capture: %s must be a number, not '%s'", kind, vm.TypeName(threshold))
	}
	return device.Trigger{Kind: kind, Offset: sym.Offset, Float: sym.DType.IsFloat(), Threshold: uint32(sym.DType.FromNumber(graph.Nearest(sym.DType, level)))}, nil
}

// pySwap is tg.swap(*values, trial=100): the loop goes on with another program, made of the values, and outputs and logs.
func (x *target) pySwap(t *vm.Thread, a vm.Args) (vm.Value, error) {
	trial := 0
	for _, k := range a.Kw {
		if k.Name != "trial" {
			return nil, vm.TypeErrorf("swap() takes values and trial=, not %s=", k.Name)
		}
		var err error
		if trial, err = count("swap", "trial", k.Value, 0); err != nil {
			return nil, err
		}
	}
	if err := x.ready(); err != nil {
		return nil, err
	}
	if !x.ticking() {
		return nil, vm.WithHint(vm.Raise(vm.RuntimeError, "swap: the program does not run every tick"), "call tg.start(rate=1000) first, or just tg.compile(...)")
	}
	a.Kw = nil
	outs, err := x.outputs(t, a)
	if err != nil {
		return nil, err
	}
	prog, stats, err := x.build(t, outs, x.m.programTasks())
	if err != nil {
		return nil, err
	}
	x.m.roles.round++
	next, plan := device.NextOf(x.prog.Image, prog, trial)
	start := time.Now()
	report, err := x.loaded.loop.Swap(t.Context(), next)
	if err != nil {
		return nil, x.loopError(err)
	}
	stats.Transfer = time.Since(start)
	cause := vm.Value(vm.None)
	if report.Cause != nil {
		cause = report.Cause.Error()
	}
	if !report.Back {
		x.become(outs, prog, stats)
		x.loaded.image, x.written = prog.Image, map[graph.ID][]uint32{}
	}
	var carried, lost []vm.Value
	for _, name := range plan.Carried {
		carried = append(carried, name)
	}
	for _, l := range plan.Lost {
		lost = append(lost, l.String())
	}
	return &timed{x.m.swapClass, []field{{"tick", int64(report.Tick)}, {"back", report.Back}, {"cause", cause},
		{"carried", vm.NewList(carried)}, {"lost", vm.NewList(lost)}}}, nil
}
