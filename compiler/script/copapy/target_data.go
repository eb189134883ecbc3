package copapy

import (
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// pyRead is tg.read_value(x): numbers in the structure of x.
func (x *target) pyRead(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	var err error
	if err := x.ready(); err != nil {
		return nil, err
	}
	if args[0], err = x.m.listOf(t, args[0]); err != nil {
		return nil, err
	}
	if v, ok := x.readNow(t, args[0]); ok {
		return v, nil
	}
	if !x.ran && x.needsRun(args[0]) {
		return nil, vm.WithHint(vm.Raise(vm.RuntimeError, "read_value: the program has not run yet, so this is not computed"), "call tg.run() first")
	}
	if err := x.extend(t, args[0]); err != nil {
		return nil, err
	}
	return x.read(t, args[0])
}

// extend adds what is to be read but was not compiled to the program. Without
// states the graph is a function of its inputs, so one run more gives what the
// last run had. With states a run cannot be repeated.
func (x *target) extend(t *vm.Thread, v vm.Value) error {
	c := collector{names: map[string]int{}, seen: map[graph.ID]bool{}}
	for _, o := range x.outs {
		c.names[o.Name]++
		c.seen[o.Value.ID()] = true
	}
	if err := c.add("read", v); err != nil {
		return vm.TypeErrorf("read_value: cannot read a '%s'", vm.TypeName(unreadable(v)))
	}
	c.outs = slices.DeleteFunc(c.outs, func(o compiler.Output) bool { return x.isReadable(o.Value) })
	if len(c.outs) == 0 {
		return nil
	}
	c.outs = slices.Concat(x.outs, c.outs)
	if len(x.m.Graph.States(nodes(c.outs))) > 0 || len(x.m.tasks) > 0 || x.ticking() || x.prog.HasStates() {
		return vm.WithHint(vm.ValueErrorf("read_value: this was not compiled, and the last run cannot be repeated for it, since the program keeps states or ticks"),
			"give it to tg.compile(...) too")
	}
	if err := x.compile(t, c.outs, nil); err != nil {
		return err
	}
	for id, data := range x.written {
		if sym, ok := x.prog.Variable(id); ok {
			x.store(sym, 0, data)
		}
	}
	return x.run(t, 1, x.limit, nil)
}

// unreadable is what in v cannot be read: v itself, or the first such part of a list.
func unreadable(v vm.Value) vm.Value {
	elems, _, _ := array.Sequence(v)
	for _, e := range elems {
		_, _, isList := array.Sequence(e)
		_, isTensor := e.(*array.Tensor)
		if isList || !isTensor && !array.IsNumber(e) && !array.IsTraced(e) {
			return unreadable(e)
		}
	}
	return v
}

// needsRun tells whether something in v is known only when the program has run.
func (x *target) needsRun(v vm.Value) bool {
	c := collector{names: map[string]int{}, seen: map[graph.ID]bool{}}
	if c.add("read", v) != nil {
		return false
	}
	return slices.ContainsFunc(c.outs, func(o compiler.Output) bool {
		_, known := x.m.locateAll(o.Value, func(id graph.ID) bool { return x.m.isKnown(id) && !x.isBound(id) })
		return !known
	})
}

// read reads the values in v, all at once.
func (x *target) read(t *vm.Thread, v vm.Value) (vm.Value, error) {
	if v, ok := x.readNow(t, v); ok {
		return v, nil
	}
	if err := x.loaded.fetch(t.Context(), x.spans(nil, v)); err != nil {
		return nil, x.loopError(err)
	}
	return x.numbers(v), nil
}

// spans appends where the values in v lie.
func (x *target) spans(list []device.Span, v vm.Value) []device.Span {
	switch v := v.(type) {
	case *named:
		return append(list, device.SpanOf(v.s))
	case *array.Value:
		return x.nodeSpans(list, v.Node)
	case *array.Tensor:
		if v.Traced() {
			list = x.nodeSpans(list, v.Node)
		}
		return list
	}
	elems, _, _ := array.Sequence(v)
	for _, e := range elems {
		list = x.spans(list, e)
	}
	return list
}

// numbers has the numbers in the structure of v, which were read.
func (x *target) numbers(v vm.Value) vm.Value {
	switch v := v.(type) {
	case *named:
		return v.numbers(x.loaded.data(device.SpanOf(v.s)))
	case *array.Value:
		return x.node(v.Node)[0]
	case *array.Tensor:
		if !v.Traced() {
			return v.Copied()
		}
		return x.m.PlainTensor(v.Shape(), x.node(v.Node))
	}
	elems, like, ok := array.Sequence(v)
	if !ok {
		return v
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		out[i] = x.numbers(e)
	}
	return array.Rebuild(out, like)
}

// symbol is where a node's value lies in the data block, nil where the program does not have it.
func (x *target) symbol(id graph.ID) *image.Symbol {
	if i, isOut := x.index[id]; isOut {
		return x.prog.Output(i)
	}
	if sym, ok := x.prog.Variable(id); ok {
		return sym
	}
	return nil
}

// decode turns words into Python numbers.
func decode(d graph.DType, words []uint32) []vm.Value {
	out := make([]vm.Value, len(words)/d.Words())
	for i := range out {
		out[i] = number(d, d.At(words, i))
	}
	return out
}

// number is the Python number of the bits of type d.
func number(d graph.DType, bits uint64) vm.Value {
	switch w := graph.Canonical(d, bits); d {
	case graph.F64:
		return math.Float64frombits(w)
	case graph.F32:
		return float64(math.Float32frombits(uint32(w)))
	case graph.I32:
		return int64(int32(w))
	default:
		return w != 0
	}
}

// pyWrite is tg.write_value(x, data): sets variables for the next run.
func (x *target) pyWrite(t *vm.Thread, args []vm.Value) (vm.Value, error) {
	var err error
	if err := x.ready(); err != nil {
		return nil, err
	}
	if args[0], err = x.m.listOf(t, args[0]); err != nil {
		return nil, err
	}
	if !x.ticking() {
		return vm.None, x.write(t, args[0], args[1])
	}
	_, err = x.together(t, func() error { return x.write(t, args[0], args[1]) })
	return vm.None, err
}

func (x *target) write(t *vm.Thread, v, data vm.Value) error {
	if x.loaded.direct != nil && !x.loaded.gathers {
		if done, err := x.writeNow(v, data); done || err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case *array.Value:
		return x.writeNode(t, v.Node, []vm.Value{data})
	case *array.Tensor:
		if v.Traced() {
			if array.IsNumber(data) {
				return vm.WithHint(vm.ValueErrorf("write_value: one number for variables of shape %v", v.Shape()), "give an array of that shape, such as cp.full(x.shape, 1.0)")
			}
			d, err := x.m.NestedTensor(t, "write_value", data)
			if err != nil {
				return err
			}
			if !d.Shape().Equal(v.Shape()) {
				return vm.ValueErrorf("write_value: numbers of shape %v for variables of shape %v", d.Shape(), v.Shape())
			}
			return x.writeNode(t, v.Node, d.Plain)
		}
	}
	elems, _, ok := array.Sequence(v)
	if !ok {
		return vm.TypeErrorf("write_value: cannot write to a '%s'", vm.TypeName(v))
	}
	if array.IsNumber(data) {
		return vm.ValueErrorf("write_value: one number for %d variables", len(elems))
	}
	nums, err := t.Collect(data)
	if err != nil {
		return err
	}
	if len(nums) != len(elems) {
		return vm.ValueErrorf("write_value: %d numbers for %d variables", len(nums), len(elems))
	}
	for i, e := range elems {
		if err := x.write(t, e, nums[i]); err != nil {
			return err
		}
	}
	return nil
}

// store writes words to a variable, from one of its elements on.
func (x *target) store(s *image.Symbol, from int, words []uint32) {
	x.loaded.write(s.Offset+uint32(from*s.DType.Size()), s.Encode(words))
}

// variableWord converts a number for a variable of type d. A float is cut off for an
// int, which is warned about where that changes it.
func (x *target) variableWord(d graph.DType, n vm.Value) (uint64, error) {
	if f, ok := n.(float64); ok && d == graph.I32 && f != math.Trunc(f) && math.Abs(f) < math.MaxInt32 {
		cut := int64(f)
		x.m.warn("write_value: the variable is an int: %v is cut off to %d", f, cut)
		n = cut
	}
	return array.Word(d, n)
}
