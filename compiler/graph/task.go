package graph

// MaxTasks bounds the tasks of a program.
const MaxTasks = 16

// A Task is a part of a program with a rate of its own. Task i of a list is number i+1 for
// Graph.SetTask. What belongs to no task, number 0, is the base: it runs in every tick, before the tasks.
//
// Each node is computed in the task that it was built in. Where another one uses its value, that is
// held in memory in between: such values change together, with the states of their task, when a run
// of the task ends, and are 0 before its first run. So within a tick, tasks see what those before them in the list
// have just computed, and what those behind them left the last time. Nodes of the base that depend
// on nothing but inputs and constants are computed wherever they are used.
type Task struct {
	Name    string
	Divisor int     // it runs in ticks whose number is a multiple of this; 0 is 1
	Rate    float64 // how often it is meant to run, per second; 0: not said
}

// SetTask says to which task of a program the nodes built from now on belong: 1 to MaxTasks, or 0 for
// what belongs to none. Constants, inputs and states belong to none; a state changes with the task in
// which SetNext was called. The task is part of a node: what is computed in two tasks is two nodes.
func (g *Graph) SetTask(task int) {
	g.task = uint8(task)
	if task != 0 && g.tasks == nil {
		g.tasks = make([]uint8, len(g.nodes), cap(g.nodes))
	}
}

// Task returns what was set last by SetTask.
func (g *Graph) Task() int { return int(g.task) }

// TaskOf is the task that a node was built in; of a state, the one that it changes with.
func (g *Graph) TaskOf(id ID) int {
	if g.nodes[id].Op == OpState {
		return int(g.StateInfo(id).Task)
	}
	if g.tasks == nil {
		return 0
	}
	return int(g.tasks[id])
}

// taskFor is the task of a node of this op that is built now.
func (g *Graph) taskFor(op Op) uint8 {
	if taskless(op) {
		return 0
	}
	return g.task
}

// taskless tells what belongs to no task.
func taskless(op Op) bool {
	return op == OpConst || op == OpInput || op == OpState || op == OpParam
}

// inTask reports whether a node belongs to a task.
func (g *Graph) inTask(id ID, task uint8) bool { return g.tasks == nil || g.tasks[id] == task }
