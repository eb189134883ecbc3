package bind

import (
	"slices"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

// A generator is a signal that depends on nothing but counters.
type generator struct {
	states []counter
	next   func(states []graph.Value) []graph.Value // their values in the next tick
	value  func(states []graph.Value) graph.Value   // of the signal
}

// A counter is a state, an i32. Its name is that of the variable and this.
type counter struct {
	name  string
	first int32
}

// ownTask is the task of generators.
const ownTask = "sim"

// generate feeds an input with a signal. A program with tasks gets it as a state, which a task behind all
// others makes for the next tick: so no task waits for another one because of it.
func (j *job) generate(in compiler.Port, n *generator) error {
	w := j.w
	var states []graph.Value
	for _, c := range n.states {
		states = append(states, w.Graph.StateTensor(in.Name+c.name, graph.ScalarI32(c.first)))
	}
	if err := w.Graph.Err(); err != nil {
		return err
	}
	if len(w.Tasks()) == 0 {
		w.After(func() error { return setNext(w, states, n.next(states), 0) })
		return w.Feed(in, n.value(states))
	}
	first, err := n.first()
	if err != nil {
		return err
	}
	ahead := w.Graph.StateTensor(in.Name+".ahead", first)
	w.After(func() error {
		task := j.ownTask()
		w.Graph.SetTask(task)
		next := n.next(states)
		value := n.value(next)
		w.Graph.SetTask(0)
		return setNext(w, append(states, ahead), append(next, value), task)
	})
	return w.Feed(in, ahead)
}

func setNext(w *compiler.Wiring, states, next []graph.Value, task int) error {
	if err := w.Graph.Err(); err != nil {
		return err
	}
	for i, s := range states {
		if err := w.SetNext(s, next[i], task); err != nil {
			return err
		}
	}
	return nil
}

// ownTask is the number of the task of generators.
func (j *job) ownTask() int {
	if j.task > 0 {
		return j.task
	}
	name := ownTask
	for slices.ContainsFunc(j.w.Tasks(), func(t compiler.Task) bool { return t.Name == name }) {
		name += "_"
	}
	j.task = j.w.AddTask(compiler.Task{Name: name, Divisor: 1, Rate: j.w.Rate})
	return j.task
}

// first is the signal at tick 0.
func (n *generator) first() (graph.Tensor, error) {
	g := graph.New()
	var states []graph.Value
	for _, c := range n.states {
		states = append(states, g.I32(c.first))
	}
	v := n.value(states)
	if err := g.Err(); err != nil {
		return graph.Tensor{}, err
	}
	r, _, err := eval.Eval(g, []graph.ID{v.ID()}, nil)
	if err != nil {
		return graph.Tensor{}, err
	}
	return r[0], nil
}
