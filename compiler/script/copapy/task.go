package copapy

import (
	"fmt"
	"math"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// task is cp.task(): the context of a with statement in which traced nodes, states that are assigned, outputs and
// logs belong to a task of the program. As a decorator it makes a function that is called in one.
type task struct {
	m      *module
	number int // for Graph.SetTask
	name   string
	rate   float64 // per second; 0: in every tick
	pos    vm.Pos
}

func (k *task) PyClass() *vm.Class { return k.m.taskClass }

func (m *module) makeTaskClass() {
	m.taskClass = vm.NewClass("task", nil, nil)
	m.taskClass.SetMethod("__enter__", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		return self, self.(*task).enter()
	})
	m.taskClass.SetMethod("__exit__", func(_ *vm.Thread, self vm.Value, _ vm.Args) (vm.Value, error) {
		self.(*task).leave()
		return false, nil
	})
}

// maxTasks are beside the base.
const maxTasks = image.MaxTasks - 1

// taskFunc is cp.task(rate=..., name=...).
func (m *module) taskFunc(t *vm.Thread, fn string, args []vm.Value) (vm.Value, error) {
	if vm.IsCallable(args[0]) && !array.IsNumber(args[0]) {
		return nil, vm.WithHint(vm.TypeErrorf("task: the rate is a number, not '%s'", vm.TypeName(args[0])), "write the brackets: @cp.task(rate=100)")
	}
	if err := m.outsideLoops("cp.task", "the loop is part of one task: open the task around it"); err != nil {
		return nil, err
	}
	if len(m.tasks) == maxTasks {
		return nil, vm.ValueErrorf("task: a program has at most %d tasks", maxTasks)
	}
	k := &task{m: m, number: len(m.tasks) + 1, name: fmt.Sprint("task", len(m.tasks)+1), pos: t.Pos()}
	if !array.IsNone(args[0]) {
		rate, ok := vm.AsFloat(args[0])
		if !ok || !array.IsNumber(args[0]) || !(rate > 0 && rate <= 1e6) {
			return nil, vm.WithHint(vm.ValueErrorf("task: the rate must be a number of runs per second, up to 1e6"), "as in cp.task(rate=100); without a rate it runs in every tick")
		}
		k.rate = rate
	}
	if !array.IsNone(args[1]) {
		var err error
		if k.name, err = variableName(fn, args[1]); err != nil {
			return nil, err
		}
	}
	if k.name == compiler.BaseName {
		return nil, vm.ValueErrorf("task: the name %q stands for what is outside of tasks", k.name)
	}
	for _, other := range m.tasks {
		if other.name == k.name {
			return nil, vm.ValueErrorf("task: the name %q is taken, by the task in line %d", k.name, other.line(t))
		}
		if other.rate == 0 || k.rate == 0 {
			continue
		}
		if _, ok := wholeRatio(max(other.rate, k.rate), min(other.rate, k.rate)); !ok {
			return nil, vm.WithHint(vm.ValueErrorf("task: %v runs a second and %v of the task in line %d are no whole ratio", k.rate, other.rate, other.line(t)),
				"the rate of the fastest task is a multiple of that of each other one")
		}
	}
	m.tasks = append(m.tasks, k)
	return k, nil
}

func (k *task) line(t *vm.Thread) int {
	_, line := t.Position(k.pos)
	return line
}

// wholeRatio is high / low, if that is a whole number that tasks can have.
func wholeRatio(high, low float64) (int, bool) {
	n := math.Round(high / low)
	return int(n), math.Abs(high-n*low) <= 1e-9*high && n <= image.MaxDivisor
}

func (k *task) enter() error {
	if k.m.Graph.Task() != 0 {
		inside := k.m.tasks[k.m.Graph.Task()-1].name
		return vm.WithHint(vm.ValueErrorf("the task %q begins within the task %q", k.name, inside), "tasks stand beside each other: end one before the other begins")
	}
	k.m.Graph.SetTask(k.number)
	return nil
}

func (k *task) leave() { k.m.Graph.SetTask(0) }

// Call decorates a function.
func (k *task) Call(_ *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Pos) != 1 || len(a.Kw) > 0 || !vm.IsCallable(a.Pos[0]) {
		return nil, vm.WithHint(vm.TypeErrorf("a task takes a function"), "as in: with cp.task(rate=100): ..., or @cp.task(rate=100) in the line before def")
	}
	return &taskCall{k, a.Pos[0]}, nil
}

// taskCall is a function under @cp.task(...).
type taskCall struct {
	k *task
	f vm.Value
}

func (c *taskCall) PyClass() *vm.Class { return c.k.m.taskClass }

// Call calls the function in the task.
func (c *taskCall) Call(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if err := c.k.enter(); err != nil {
		return nil, err
	}
	defer c.k.leave()
	return t.CallArgs(c.f, a)
}

// Bindable makes it a method where it is defined in a class.
func (c *taskCall) Bindable() {}

// Attr gives name and doc string of the function.
func (c *taskCall) Attr(t *vm.Thread, name string) (vm.Value, error) {
	return wrappedAttr(t, c.f, name)
}

// programTasks are the tasks of programs, none for a script without.
func (m *module) programTasks() []compiler.Task {
	fastest := 0.0
	for _, k := range m.tasks {
		fastest = max(fastest, k.rate)
	}
	var list []compiler.Task
	for _, k := range m.tasks {
		c := compiler.Task{Name: k.name, Divisor: 1, Rate: k.rate}
		if k.rate > 0 {
			c.Divisor, _ = wholeRatio(fastest, k.rate)
		}
		list = append(list, c)
	}
	return list
}

// taskError explains what is wrong with the tasks of a program.
func (m *module) taskError(t *vm.Thread, e *compiler.TaskLoop) error {
	text := ""
	for i, name := range e.Tasks {
		_, line := t.Position(vm.Pos(e.Pos[i]))
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s to %s (line %d)", taskText(name), taskText(e.Tasks[(i+1)%len(e.Tasks)]), line)
	}
	return vm.WithHint(vm.ValueErrorf("values go round between tasks: %s", text),
		"one of them must be of the run before: keep it in a cp.state, which the task assigns that makes it")
}

func taskText(name string) string {
	if name == compiler.BaseName {
		return "what is outside of tasks"
	}
	return fmt.Sprintf("%q", name)
}
