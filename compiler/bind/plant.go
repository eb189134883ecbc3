package bind

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// plant is a program that becomes part of the one that is bound. In each tick it runs behind that one, and
// gets what that one puts out; in the next tick that one gets what the plant has left, as with copaflash pil.
type plant struct {
	name  string // in front of the names of its variables
	prog  *compiler.Program
	ports []compiler.Port
	from  map[string]string // by input of the plant: the output of the program, as options name them
	moved []graph.ID
	first int // task of what belongs to none in the plant; 0: the program has no tasks
}

// plantKey is a file of a set.
type plantKey struct {
	set  *Set
	file string
}

// plant is that of a channel; one file is one plant.
func (j *job) plant(c *channel) (*plant, error) {
	key := plantKey{c.set, c.arg}
	p := j.plants[key]
	if p == nil {
		if c.set.Plant == nil {
			return nil, refuse("bind the variable where scripts can be run", "%s%s: no programs can be compiled here", simulated, c.kind.name)
		}
		prog, err := c.set.Plant(c.arg)
		if err != nil {
			return nil, refused(err, "try it alone: copaflash run "+c.arg)
		}
		p = &plant{name: stem(c.arg) + ".", prog: prog, from: map[string]string{}}
		if err := p.begin(j.w); err != nil {
			return nil, fmt.Errorf("%s: %w", c.arg, err)
		}
		j.plants[key] = p
		j.order = append(j.order, key)
	}
	for name, out := range c.options {
		if name == "output" {
			continue
		}
		if was, ok := p.from[name]; ok && was != out {
			return nil, refuse("say it once", "the plant's input %q is to be %q and %q", name, was, out)
		}
		p.from[name] = out
	}
	return p, nil
}

// begin puts the plant's states into the program.
func (p *plant) begin(w *compiler.Wiring) error {
	g := p.prog.Graph
	if rate := rateOf(p.prog.Tasks); rate != 0 && w.Rate != 0 && math.Abs(rate-w.Rate) > 1e-6*rate {
		return refuse("one of them has to change", "its tasks are made for %v ticks a second, and the program for %v", rate, w.Rate)
	} else if w.Rate == 0 {
		w.Rate = rate
	}
	p.moved = slices.Repeat([]graph.ID{graph.None}, g.NumNodes())
	for _, id := range g.States(p.roots()) {
		info := g.StateInfo(id)
		v, err := w.Graph.State(p.name+cmp.Or(info.Name, fmt.Sprint("state", id)), g.Node(id).DType, g.ShapeOf(id), info.Init)
		if err != nil {
			return err
		}
		p.moved[id] = v.ID()
	}
	return nil
}

func rateOf(tasks []compiler.Task) float64 {
	for _, t := range tasks {
		if t.Rate != 0 {
			return t.Rate * float64(max(t.Divisor, 1))
		}
	}
	return 0
}

// roots are the nodes of the plant's outputs.
func (p *plant) roots() []graph.ID {
	ids := make([]graph.ID, len(p.prog.Outputs))
	for i, o := range p.prog.Outputs {
		ids[i] = o.Value.ID()
	}
	return ids
}

// outputs are the names of what the plant computes.
func (p *plant) outputs() []string {
	var list []string
	for _, o := range p.prog.Outputs {
		list = append(list, o.Name)
	}
	return list
}

// feedPlant makes an input an output of a plant.
func feedPlant(j *job, in compiler.Port, c *channel) error {
	p, err := j.plant(c)
	if err != nil {
		return err
	}
	name := cmp.Or(c.options["output"], in.Name)
	at := slices.Index(p.outputs(), name)
	if at < 0 {
		return refuse("name one with output=NAME: it has "+listOr(p.outputs(), "none"), "%s has no output %q", c.arg, name)
	}
	return j.feedFrom(p, in, &p.prog.Outputs[at])
}

// bindPlant connects the inputs of the program to outputs of their names.
func (j *job) bindPlant(c *channel) error {
	if c.options["output"] != "" {
		return refuse("write VARIABLE="+simulated+"plant="+c.arg+",output="+c.options["output"], "output= is for one variable")
	}
	p, err := j.plant(c)
	if err != nil {
		return err
	}
	fed := 0
	declares := slices.ContainsFunc(j.w.Inputs(), func(in compiler.Port) bool { return in.Meta.Role == graph.RoleInput })
	for _, in := range j.w.Inputs() {
		if at := slices.Index(p.outputs(), in.Name); at >= 0 && in.Meta.Role.FedByName(declares) {
			fed++
			if err := j.feedFrom(p, in, &p.prog.Outputs[at]); err != nil {
				return err
			}
		}
	}
	if fed == 0 && len(j.w.Inputs()) > 0 {
		return refuse(fmt.Sprintf("name them: INPUT=%splant=%s,output=NAME; inputs are %s, and outputs of the plant %s", simulated, c.arg,
			listOr(names(j.w.Inputs()), "none"), listOr(p.outputs(), "none")), "no input of the program has the name of an output of %s", c.arg)
	}
	return nil
}

// feedFrom makes an input what the plant has left in an output: a state itself or, of what is computed, a
// state that keeps it.
func (j *job) feedFrom(p *plant, in compiler.Port, o *compiler.Output) error {
	if o.Value.DType() != in.DType || !o.Value.Shape().Equal(in.Shape) {
		return refuse("convert it in one of the two scripts", "%q is %v of shape %v, and the plant's %q %v of shape %v", in.Name, in.DType, in.Shape,
			o.Name, o.Value.DType(), o.Value.Shape())
	}
	if o.IsState() {
		return j.w.Feed(in, j.w.Graph.Value(p.moved[o.Value.ID()]))
	}
	state, err := j.w.Graph.State(p.name+o.Name+".left", in.DType, in.Shape, in.Init)
	if err != nil {
		return err
	}
	j.w.After(func() error {
		if err := p.build(j); err != nil {
			return err
		}
		return j.w.SetNext(state, j.w.Graph.Value(p.moved[o.Value.ID()]), p.taskOf(cmp.Or(o.Task, p.prog.Graph.TaskOf(o.Value.ID()))))
	})
	return j.w.Feed(in, state)
}

// finishPlants has the plants built when the program is there.
func (j *job) finishPlants() {
	for _, key := range j.order {
		p := j.plants[key]
		j.w.After(func() error {
			if err := p.build(j); err != nil {
				return fmt.Errorf("%s: %w", key.file, err)
			}
			return p.show(j)
		})
	}
}

// taskOf is the task of the program for one of the plant.
func (p *plant) taskOf(task int) int {
	if p.first == 0 {
		return 0
	}
	return p.first + task
}

// addTasks has the plant run behind the program within a tick, where one of them has tasks.
func (p *plant) addTasks(j *job) error {
	if len(j.w.Tasks()) == 0 && len(p.prog.Tasks) == 0 {
		return nil
	}
	taken := map[string]bool{}
	for _, t := range j.w.Tasks() {
		taken[t.Name] = true
	}
	// What belongs to no task of the plant is one of its own here.
	for _, t := range slices.Concat([]compiler.Task{{Divisor: 1, Rate: j.w.Rate}}, p.prog.Tasks) {
		t.Name = strings.TrimSuffix(p.name+t.Name, ".")
		if taken[t.Name] {
			return refuse("rename the script", "the program has a task %q already", t.Name)
		}
		if n := j.w.AddTask(t); p.first == 0 {
			p.first = n
		}
	}
	return nil
}

// build copies the plant behind the program, once.
func (p *plant) build(j *job) error {
	if p.ports != nil {
		return nil
	}
	if p.ports = j.w.Outputs(); len(p.ports) == 0 {
		return errors.New("the program has no outputs")
	}
	if err := p.addTasks(j); err != nil {
		return err
	}
	g, to := p.prog.Graph, j.w.Graph
	defer func() { to.SetFast(false); to.SetTask(0) }()
	for i, uses := range g.Users(g.Roots(p.roots())) {
		id := graph.ID(i)
		if uses == 0 || p.moved[id] != graph.None {
			continue
		}
		to.SetFast(g.Node(id).Fast)
		to.SetTask(p.taskOf(g.TaskOf(id)))
		at, err := p.node(j, id)
		if err != nil {
			return err
		}
		p.moved[id] = at
	}
	for name := range p.from {
		if !slices.Contains(p.inputs(), name) {
			return refuse("its inputs are "+listOr(p.inputs(), "none"), "it has no input %q", name)
		}
	}
	for _, s := range g.States(p.roots()) {
		if err := j.w.SetNext(to.Value(p.moved[s]), to.Value(p.moved[g.StateInfo(s).Next]), p.taskOf(g.TaskOf(s))); err != nil {
			return err
		}
	}
	return nil
}

// inputs are the names of what the plant needs.
func (p *plant) inputs() []string {
	g := p.prog.Graph
	var list []string
	for i, uses := range g.Users(g.Roots(p.roots())) {
		if id := graph.ID(i); uses > 0 && g.Node(id).Op == graph.OpInput && g.InputInfo(id).Name != "" {
			list = append(list, g.InputInfo(id).Name)
		}
	}
	return list
}

// declares tells whether some of its inputs are declared as such.
func (p *plant) declares() bool {
	g := p.prog.Graph
	for i, uses := range g.Users(g.Roots(p.roots())) {
		if id := graph.ID(i); uses > 0 && g.Node(id).Op == graph.OpInput && g.InputInfo(id).Meta != nil && g.InputInfo(id).Meta.Role == graph.RoleInput {
			return true
		}
	}
	return false
}

// node copies a node, whose operands are there.
func (p *plant) node(j *job, id graph.ID) (graph.ID, error) {
	g, to := p.prog.Graph, j.w.Graph
	n, shape := g.Node(id), g.ShapeOf(id)
	attr := n.Attr
	switch n.Op {
	case graph.OpConst:
		v, err := to.Const(graph.Tensor{DType: n.DType, Shape: shape, Bits: g.ConstBits(id)})
		return v.ID(), err
	case graph.OpInput:
		return p.input(j, id)
	case graph.OpScan:
		s, out := g.ScanInfo(id)
		loop, err := to.InternScan(s)
		if err != nil {
			return graph.None, err
		}
		attr = graph.ScanAttr(loop, out)
	}
	args := make([]graph.ID, len(g.Args(id)))
	for k, a := range g.Args(id) {
		args[k] = p.moved[a]
	}
	return to.Define(n.Op, n.DType, shape, attr, args...)
}

// input is an output of the program or, for what people set, an input of its own.
func (p *plant) input(j *job, id graph.ID) (graph.ID, error) {
	info, n, shape := p.prog.Graph.InputInfo(id), p.prog.Graph.Node(id), p.prog.Graph.ShapeOf(id)
	role := graph.NoRole
	if info.Meta != nil {
		role = info.Meta.Role
	}
	wanted, chosen := p.from[info.Name]
	out, ok := find(p.ports, cmp.Or(wanted, info.Name))
	fed := chosen || role == graph.RoleInput || ok && role.FedByName(p.declares())
	switch {
	case info.Name == "" || !fed:
		v, err := j.w.Graph.Input(p.name+cmp.Or(info.Name, fmt.Sprint("input", id)), n.DType, shape, info.Init)
		if err == nil {
			j.w.Graph.InputInfo(v.ID()).Meta = info.Meta
		}
		return v.ID(), err
	case !ok:
		return graph.None, refuse("name one as "+info.Name+"=OUTPUT behind the script; its outputs are "+listOr(names(p.ports), "none"),
			"the plant's input %q: the program has no output %q", info.Name, cmp.Or(wanted, info.Name))
	}
	v, _ := j.w.Output(out)
	if v.DType() != n.DType || !v.Shape().Equal(shape) {
		return graph.None, refuse("convert it in one of the two scripts", "the plant's input %q is %v of shape %v, and the output %q %v of shape %v",
			info.Name, n.DType, shape, out.Name, v.DType(), v.Shape())
	}
	return v.ID(), nil
}

// show adds what the plant computes to the outputs.
func (p *plant) show(j *job) error {
	for i := range p.prog.Outputs {
		o := p.prog.Outputs[i]
		o.Name = p.name + o.Name
		o.Task = p.taskOf(cmp.Or(o.Task, p.prog.Graph.TaskOf(o.Value.ID())))
		o.Value = j.w.Graph.Value(p.moved[o.Value.ID()])
		o.Meta.Role, o.Meta.Safe = graph.RoleLog, nil
		j.w.AddOutput(o)
	}
	return nil
}
