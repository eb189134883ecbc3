package compiler

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// A Task is a part of the program with a rate of its own, see graph.Task: an entry of the image.
type Task = graph.Task

// BaseName is the name of the entry of what belongs to no task.
const BaseName = "base"

// TaskLoop is the error of tasks that wait for each other's values.
type TaskLoop struct {
	Tasks []string // in the order in which values go round
	Pos   []uint32 // by task: the position of a value that goes from there to the next one
}

func (e *TaskLoop) Error() string {
	return "values go round between tasks: " + strings.Join(append(slices.Clone(e.Tasks), e.Tasks[0]), " -> ")
}

// entry is what one entry of the image computes.
type entry struct {
	task    Task
	results []int      // indices of the outputs that are no states
	states  []graph.ID // in compilation.g: those that take their next value
}

// splitter rewrites a graph so that each node depends on nodes of its own task, on inputs and on states.
type splitter struct {
	c     *compilation
	from  *graph.Graph
	to    *graph.Graph
	moved []graph.ID
	free  []bool // by node: of no task, and depends on no state
	holds map[graph.ID]graph.ID
	names map[graph.ID]string    // of held values that are outputs
	hash  map[graph.ID]uint64    // of held values that are none
	edges map[[2]int][2]graph.ID // from the task of a held value to that of its user: the value, and the user
}

// split finds out what each entry computes, and holds the values that go from task to task in states.
func (c *compilation) split() error {
	c.g = c.source
	if err := checkTasks(c.opt.Tasks); err != nil {
		return err
	}
	if len(c.opt.Tasks) > 0 {
		s := &splitter{
			c: c, from: c.source, to: c.source.Derive(), free: make([]bool, c.source.NumNodes()),
			moved: make([]graph.ID, c.source.NumNodes()), holds: map[graph.ID]graph.ID{}, names: map[graph.ID]string{},
			hash: map[graph.ID]uint64{}, edges: map[[2]int][2]graph.ID{},
		}
		if err := s.run(); err != nil {
			return err
		}
		c.g, c.moved = s.to, s.moved
	}
	c.whole = whole{c.g, slices.Clone(c.outs), slices.Clone(c.moved)}
	return nil
}

func checkTasks(tasks []Task) error {
	if len(tasks) > graph.MaxTasks-1 {
		return fmt.Errorf("%d tasks: at most %d are supported", len(tasks), graph.MaxTasks-1)
	}
	names := map[string]bool{BaseName: true}
	for i, t := range tasks {
		switch {
		case t.Name == "":
			return fmt.Errorf("task %d has no name", i)
		case names[t.Name]:
			return fmt.Errorf("the name %q of task %d is taken", t.Name, i)
		case t.Divisor < 0 || t.Divisor > image.MaxDivisor:
			return fmt.Errorf("task %q runs in one of %d ticks: want 1 to %d", t.Name, t.Divisor, image.MaxDivisor)
		}
		names[t.Name] = true
	}
	return checkRates(tasks)
}

// checkRates refuses rates of which no rate of ticks follows.
func checkRates(tasks []Task) error {
	ticks := 0.0
	for _, t := range tasks {
		if t.Rate == 0 {
			continue
		}
		hz := t.Rate * float64(max(t.Divisor, 1))
		if !(hz > 0) || math.IsInf(hz, 0) || ticks != 0 && math.Abs(hz-ticks) > 1e-6*ticks {
			return fmt.Errorf("task %q runs %v times a second, in one of %d ticks: that does not agree with the tasks before it", t.Name, t.Rate, max(t.Divisor, 1))
		}
		ticks = hz
	}
	return nil
}

// taskOf is the task of an output.
func (c *compilation) taskOf(o *Output) int {
	return cmp.Or(o.Task, c.source.TaskOf(o.Value.ID()))
}

func (s *splitter) run() error {
	g := s.from
	for i, id := range s.c.outs {
		o := &s.c.named[i]
		if o.Task < 0 || o.Task > len(s.c.opt.Tasks) {
			return fmt.Errorf("output %q is of task %d, of %d tasks", o.Name, o.Task, len(s.c.opt.Tasks))
		}
		if o.Name != "" && s.names[id] == "" {
			s.names[id] = o.Name
		}
	}
	uses := g.Users(g.Roots(s.c.outs))
	var args []graph.ID
	for i := range s.moved {
		id := graph.ID(i)
		if s.moved[id] = graph.None; uses[id] == 0 {
			continue
		}
		n := g.Node(id)
		if t := g.TaskOf(id); t > len(s.c.opt.Tasks) {
			return fmt.Errorf("node %%%d (%v) is of task %d, of %d tasks", id, n.Op, t, len(s.c.opt.Tasks))
		}
		s.free[id] = s.isFree(id)
		args = args[:0]
		for _, a := range g.Args(id) {
			args = append(args, s.in(a, g.TaskOf(id), id))
		}
		s.to.SetPos(n.Pos)
		s.to.SetFast(n.Fast)
		s.moved[id] = s.to.Intern(n.Op, n.DType, n.Shape, n.Attr, args...)
		s.to.SetFast(false)
	}
	s.c.freeOuts = make([]bool, len(s.c.outs))
	for i, id := range s.c.outs {
		s.c.freeOuts[i] = s.free[id]
		s.c.outs[i] = s.moved[id]
		if o := &s.c.named[i]; g.Node(id).Op != graph.OpState {
			s.c.outs[i] = s.in(id, s.c.taskOf(o), id)
		}
	}
	for _, st := range g.States(s.c.sourceOuts()) {
		if next := g.StateInfo(st).Next; next != graph.None {
			if err := s.to.SetNext(s.to.Value(s.moved[st]), s.to.Value(s.in(next, g.TaskOf(st), st))); err != nil {
				return err
			}
			s.c.own(s.moved[st], g.TaskOf(st), s.to)
		}
	}
	for _, id := range sortedKeys(s.holds) {
		if err := s.to.SetNext(s.to.Value(s.holds[id]), s.to.Value(s.moved[id])); err != nil {
			return err
		}
		s.c.own(s.holds[id], g.TaskOf(id), s.to)
	}
	return s.checkLoops()
}

func sortedKeys(m map[graph.ID]graph.ID) []graph.ID {
	var keys []graph.ID
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sourceOuts are the nodes of the outputs in the graph as given.
func (c *compilation) sourceOuts() []graph.ID {
	outs := make([]graph.ID, len(c.named))
	for i, o := range c.named {
		outs[i] = o.Value.ID()
	}
	return outs
}

// own notes which task a state changes with.
func (c *compilation) own(state graph.ID, task int, g *graph.Graph) {
	if c.owner == nil {
		c.owner = map[uint64]int{}
	}
	c.owner[g.Node(state).Attr] = task
}

// isFree reports whether a node may be computed anywhere, at any time within a tick, with the same result.
func (s *splitter) isFree(id graph.ID) bool {
	switch s.from.Node(id).Op {
	case graph.OpState:
		return false
	case graph.OpConst, graph.OpInput:
		return true
	}
	return s.from.TaskOf(id) == 0 && !slices.ContainsFunc(s.from.Args(id), func(a graph.ID) bool { return !s.free[a] })
}

// in is the node for the value of id within a task, where user needs it.
func (s *splitter) in(id graph.ID, task int, user graph.ID) graph.ID {
	from := s.from.TaskOf(id)
	if s.free[id] || s.from.Node(id).Op == graph.OpState || from == task {
		return s.moved[id]
	}
	if _, ok := s.edges[[2]int{from, task}]; !ok {
		s.edges[[2]int{from, task}] = [2]graph.ID{id, user}
	}
	if h, ok := s.holds[id]; ok {
		return h
	}
	n := s.from.Node(id)
	zeros := make([]uint32, s.from.Elements(id)*n.DType.Words())
	s.to.SetPos(n.Pos)
	h, err := s.to.State(s.holdName(id), n.DType, s.from.ShapeOf(id), zeros)
	if err != nil {
		panic(err) // the value itself has that type and shape
	}
	s.holds[id] = h.ID()
	return h.ID()
}

// holdName names what is held, so that a program that is swapped in takes over the same value or
// none: by the output that it is, or else by what is computed.
func (s *splitter) holdName(id graph.ID) string {
	if name := s.names[id]; name != "" {
		return name
	}
	return fmt.Sprintf("held.%08x", uint32(s.formula(id)^s.formula(id)>>32))
}

// formula is a number for what a node computes of which variables.
func (s *splitter) formula(id graph.ID) uint64 {
	if h, ok := s.hash[id]; ok {
		return h
	}
	g, n := s.from, s.from.Node(id)
	h := fnv.New64a()
	word := func(w uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, w)) }
	fmt.Fprint(h, n.Op, n.DType, g.ShapeOf(id), g.TaskOf(id))
	switch n.Op {
	case graph.OpInput:
		fmt.Fprint(h, g.InputInfo(id).Name)
	case graph.OpState:
		fmt.Fprint(h, g.StateInfo(id).Name)
	case graph.OpConst:
		for _, w := range g.ConstBits(id) {
			word(uint64(w))
		}
	case graph.OpScan:
		scan, result := g.ScanInfo(id)
		word(uint64(result))
		_ = scan.Body.Dump(h) // a hash takes everything
	default:
		word(n.Attr)
	}
	for _, a := range g.Args(id) {
		word(s.formula(a))
	}
	s.hash[id] = h.Sum64()
	return s.hash[id]
}

// checkLoops refuses values that go round: some of them would be a tick late, and nobody says which.
func (s *splitter) checkLoops() error {
	n := len(s.c.opt.Tasks) + 1
	state := make([]uint8, n) // 1: being visited, 2: done
	var path []int
	var visit func(t int) error
	visit = func(t int) error {
		state[t] = 1
		path = append(path, t)
		for to := range n {
			if _, ok := s.edges[[2]int{t, to}]; !ok || state[to] == 2 {
				continue
			}
			if state[to] == 1 {
				return s.loopError(path[slices.Index(path, to):])
			}
			if err := visit(to); err != nil {
				return err
			}
		}
		path = path[:len(path)-1]
		state[t] = 2
		return nil
	}
	for t := range n {
		if state[t] == 0 {
			if err := visit(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *splitter) loopError(tasks []int) error {
	e := &TaskLoop{}
	for i, t := range tasks {
		name := BaseName
		if t > 0 {
			name = s.c.opt.Tasks[t-1].Name
		}
		e.Tasks = append(e.Tasks, name)
		edge := s.edges[[2]int{t, tasks[(i+1)%len(tasks)]}]
		e.Pos = append(e.Pos, s.from.Node(edge[0]).Pos)
	}
	return e
}

// entries lists what each entry computes, once the graph is optimised: tasks that compute nothing have none.
func (c *compilation) entries() []entry {
	all := c.g.States(c.outs)
	if len(c.opt.Tasks) == 0 {
		e := entry{task: Task{Name: "run"}, states: all}
		for i := range c.outs {
			if !c.isState(i) {
				e.results = append(e.results, i)
			}
		}
		return []entry{e}
	}
	base := Task{Name: BaseName, Divisor: 1}
	for _, t := range c.opt.Tasks {
		if t.Rate != 0 {
			base.Rate = t.Rate * float64(max(t.Divisor, 1))
		}
	}
	list := make([]entry, 1, len(c.opt.Tasks)+1)
	list[0].task = base
	for _, t := range c.opt.Tasks {
		t.Divisor = max(t.Divisor, 1)
		list = append(list, entry{task: t})
	}
	for i := range c.outs {
		if !c.isState(i) {
			e := &list[c.taskOf(&c.named[i])]
			e.results = append(e.results, i)
		}
	}
	var still []graph.ID // states that never change
	for _, id := range all {
		if c.g.StateInfo(id).Next == id {
			still = append(still, id)
			continue
		}
		e := &list[c.owner[c.g.Node(id).Attr]]
		e.states = append(e.states, id)
	}
	c.withoutBase(list)
	list = slices.DeleteFunc(list, func(e entry) bool { return len(e.results)+len(e.states) == 0 })
	if len(list) == 0 {
		list = []entry{{task: base}}
	}
	list[0].states = append(list[0].states, still...)
	slices.Sort(list[0].states)
	return list
}

// withoutBase leaves what may be computed anywhere to a task that runs in every tick, if the base has
// nothing else to do.
func (c *compilation) withoutBase(list []entry) {
	base := &list[0]
	if len(base.states) > 0 || slices.ContainsFunc(base.results, func(i int) bool { return c.freeOuts == nil || !c.freeOuts[i] }) {
		return
	}
	for i := range list[1:] {
		if e := &list[1+i]; e.task.Divisor == 1 && len(e.results)+len(e.states) > 0 {
			e.results = append(e.results, base.results...)
			slices.Sort(e.results)
			base.results = nil
			return
		}
	}
}

// partOf is the index of the entry of a task, of the first entry for a task that has none.
func (c *compilation) partOf(task int) int {
	name := BaseName
	if task > 0 {
		name = c.opt.Tasks[task-1].Name
	}
	return max(0, slices.IndexFunc(c.parts, func(e entry) bool { return e.task.Name == name }))
}
