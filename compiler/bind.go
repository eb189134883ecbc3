package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/copaflash/copaflash/compiler/graph"
)

// A Binder connects variables of a program to something before it is compiled: to a simulated
// signal, or to a channel of a board.
type Binder interface {
	// Bind feeds inputs of the wiring, and adds outputs to it.
	Bind(w *Wiring) error
}

// A Wiring is a program that is being bound. What a Binder adds becomes part of the program: it is
// computed with the same bits everywhere.
//
// Inputs are fed first, with values made of constants, states and inputs of its own. What depends on
// outputs of the program is built by functions given to After.
type Wiring struct {
	// Graph is the one that is compiled. Until the functions of After are called it has only what
	// the Binder has built.
	Graph *graph.Graph
	// Rate is how often the program is meant to run, ticks per second; 0: nothing says it.
	Rate float64

	from   *graph.Graph
	given  []Output
	outs   []Output // of Graph, from After on
	tasks  []Task
	inputs []graph.ID // of from, that the program needs
	moved  []graph.ID // from nodes of from
	fed    []graph.ID // of from, in order
	shown  map[graph.ID]int
	after  []func() error
	timed  bool // somebody has asked for the rate
}

// A Port is an input or output of the program that is being bound.
type Port struct {
	Name  string
	DType graph.DType
	Shape graph.Shape
	Meta  graph.Meta
	Init  []uint32 // of an input

	node  graph.ID // of the graph as given
	index int      // of an output
}

func newWiring(g *graph.Graph, outs []Output, opt *Options) *Wiring {
	w := &Wiring{
		Graph: g.Derive(), Rate: cmp.Or(rateOf(opt.Tasks), opt.Rate), from: g, given: outs, tasks: slices.Clone(opt.Tasks),
		moved: make([]graph.ID, g.NumNodes()), shown: map[graph.ID]int{},
	}
	ids := make([]graph.ID, len(outs))
	for i, o := range outs {
		ids[i] = o.Value.ID()
	}
	for id, uses := range g.Users(g.Roots(ids)) {
		w.moved[id] = graph.None
		if uses > 0 && g.Node(graph.ID(id)).Op == graph.OpInput {
			w.inputs = append(w.inputs, graph.ID(id))
		}
	}
	return w
}

// rateOf is how often tasks say that ticks are, per second; 0 if none says it.
func rateOf(tasks []Task) float64 {
	for _, t := range tasks {
		if t.Rate != 0 {
			return t.Rate * float64(max(t.Divisor, 1))
		}
	}
	return 0
}

// TickRate is Rate for what is made for that rate: the image says it, too.
func (w *Wiring) TickRate() float64 {
	w.timed = w.timed || w.Rate != 0
	return w.Rate
}

// Inputs are those inputs of the program that have a name and are fed by nobody yet.
func (w *Wiring) Inputs() []Port {
	var list []Port
	for _, id := range w.inputs {
		info := w.from.InputInfo(id)
		if info.Name == "" || w.moved[id] != graph.None {
			continue
		}
		p := Port{Name: info.Name, DType: w.from.Node(id).DType, Shape: w.from.ShapeOf(id), Init: info.Init, node: id}
		if info.Meta != nil {
			p.Meta = *info.Meta
		}
		list = append(list, p)
	}
	return list
}

// Outputs are the outputs of the program as given.
func (w *Wiring) Outputs() []Port {
	list := make([]Port, len(w.given))
	for i, o := range w.given {
		list[i] = Port{Name: o.Name, DType: o.Value.DType(), Shape: o.Value.Shape(), Meta: o.Meta, node: o.Value.ID(), index: i}
	}
	return list
}

// Feed makes an input a value of Graph, of its type and shape. The input is an output of its name
// from then on, so that it can be watched.
func (w *Wiring) Feed(in Port, v graph.Value) error {
	switch {
	case !v.Valid() || v.Graph() != w.Graph:
		return fmt.Errorf("what feeds %q is not a value of the graph", in.Name)
	case v.DType() != in.DType || !v.Shape().Equal(in.Shape):
		return fmt.Errorf("%q is %v of shape %v, and what feeds it %v of shape %v", in.Name, in.DType, in.Shape, v.DType(), v.Shape())
	}
	w.moved[in.node] = v.ID()
	w.fed = append(w.fed, in.node)
	return nil
}

// StateOf is the state that an output stands for: what a tick leaves in it is what the world sees. ok is
// false for outputs that are computed.
func (w *Wiring) StateOf(out Port) (v graph.Value, ok bool) {
	if !w.given[out.index].IsState() {
		return v, false
	}
	n := w.from.Node(out.node)
	if w.moved[out.node] == graph.None {
		w.Graph.SetPos(n.Pos)
		w.moved[out.node] = w.Graph.Intern(n.Op, n.DType, n.Shape, n.Attr)
		w.Graph.SetPos(0)
	}
	return w.Graph.Value(w.moved[out.node]), true
}

// After has a function called when the program is in Graph.
func (w *Wiring) After(f func() error) { w.after = append(w.after, f) }

// Output is what an output is when a tick has ended, and the task that it belongs to. It is for
// functions of After.
func (w *Wiring) Output(out Port) (v graph.Value, task int) {
	o := &w.outs[out.index]
	v = o.Value
	if o.IsState() {
		info := w.Graph.StateInfo(v.ID())
		return w.Graph.Value(info.Next), int(info.Task)
	}
	return v, cmp.Or(o.Task, w.Graph.TaskOf(v.ID()))
}

// SetNext says in which task a state changes, and to what.
func (w *Wiring) SetNext(state, next graph.Value, task int) error {
	before := w.Graph.Task()
	w.Graph.SetTask(task)
	err := w.Graph.SetNext(state, next)
	w.Graph.SetTask(before)
	return err
}

// AddOutput adds an output, for functions of After. A name that is taken gets a number.
func (w *Wiring) AddOutput(o Output) {
	stem := o.Name
	for n := 2; slices.ContainsFunc(w.outs, func(other Output) bool { return other.Name == o.Name }); n++ {
		o.Name = stem + "#" + strconv.Itoa(n)
	}
	w.outs = append(w.outs, o)
}

// Tasks are those of the program; what none of them computes belongs to task 0.
func (w *Wiring) Tasks() []Task { return w.tasks }

// AddTask adds a task that runs behind all others within a tick, and returns its number.
func (w *Wiring) AddTask(t Task) int {
	w.tasks = append(w.tasks, t)
	return len(w.tasks)
}

// run has the program bound.
func (w *Wiring) run(b Binder) error {
	if err := b.Bind(w); err != nil {
		return err
	}
	if err := w.copy(); err != nil {
		return err
	}
	for _, f := range w.after {
		if err := f(); err != nil {
			return err
		}
	}
	return w.Graph.Err()
}

// copy puts the program into Graph.
func (w *Wiring) copy() error {
	g, to := w.from, w.Graph
	ids := make([]graph.ID, len(w.given))
	for i, o := range w.given {
		ids[i] = o.Value.ID()
	}
	var args []graph.ID
	for i, uses := range g.Users(g.Roots(ids)) {
		id := graph.ID(i)
		if uses == 0 || w.moved[id] != graph.None {
			continue
		}
		n := g.Node(id)
		args = args[:0]
		for _, a := range g.Args(id) {
			args = append(args, w.moved[a])
		}
		to.SetPos(n.Pos)
		to.SetFast(n.Fast)
		if n.Op != graph.OpState {
			to.SetTask(g.TaskOf(id))
		}
		w.moved[id] = to.Intern(n.Op, n.DType, n.Shape, n.Attr, args...)
	}
	to.SetPos(0)
	to.SetFast(false)
	to.SetTask(0)
	for _, s := range g.States(ids) {
		if err := w.SetNext(to.Value(w.moved[s]), to.Value(w.moved[g.StateInfo(s).Next]), g.TaskOf(s)); err != nil {
			return err
		}
	}
	for _, o := range w.given {
		isState := o.Value.Op() == graph.OpState
		if o.Value = to.Value(w.moved[o.Value.ID()]); !isState {
			o.Value = w.seen(o.Value)
		}
		w.outs = append(w.outs, o)
	}
	return w.show()
}

// seen is what the program sees of a value in a tick, of a state as well: an output that is a state
// shows what the tick leaves in it.
func (w *Wiring) seen(v graph.Value) graph.Value {
	if v.Op() == graph.OpState {
		return v.Stop()
	}
	return v
}

// show adds outputs for the inputs that are fed.
func (w *Wiring) show() error {
	for _, id := range w.fed {
		info := w.from.InputInfo(id)
		at := slices.IndexFunc(w.given, func(o Output) bool { return o.Value.ID() == id && o.Name == info.Name })
		if at < 0 {
			at = len(w.outs)
			o := Output{Name: info.Name, Value: w.seen(w.Graph.Value(w.moved[id])), Meta: graph.Meta{Role: graph.RoleLog}}
			if info.Meta != nil {
				o.Meta.Unit = info.Meta.Unit
			}
			w.AddOutput(o)
		}
		w.shown[id] = at
	}
	return nil
}

// bind has the program bound, and compiles what becomes of it.
func (c *compilation) bind() (*Wiring, error) {
	w := newWiring(c.source, c.named, &c.opt)
	if err := w.run(c.opt.Bind); err != nil {
		return nil, err
	}
	c.source, c.g, c.named, c.opt.Tasks = w.Graph, w.Graph, w.outs, w.tasks
	c.outs = c.outs[:0]
	for _, o := range w.outs {
		c.outs = append(c.outs, o.Value.ID())
	}
	if err := c.source.CheckRoots(c.outs); err != nil {
		return nil, err
	}
	return w, checkRates(w.tasks)
}

// finish has a program know the variables of the graph as given, and the rate that it is made for.
func (w *Wiring) finish(p *Program) {
	vars := make([]int32, len(w.moved))
	for id, to := range w.moved {
		if to != graph.None {
			vars[id] = p.vars[to]
		}
	}
	for _, id := range w.fed {
		vars[id] = 0
	}
	p.vars, p.shown = vars, w.shown
	if m := p.Image; w.timed && m.TickRate() == 0 {
		m.Entries[0].Rate = w.Rate / float64(m.Entries[0].Every())
		m.Version = max(m.Version, m.LeastFormat())
	}
}

// Bound is the index of the output that shows an input of the graph as given, if that is bound.
func (p *Program) Bound(id graph.ID) (output int, ok bool) {
	output, ok = p.shown[id]
	return output, ok
}

// EachBound calls f for each bound input of the graph as given, with the output that shows it.
func (p *Program) EachBound(f func(id graph.ID, output int)) {
	for id, at := range p.shown {
		f(id, at)
	}
}
