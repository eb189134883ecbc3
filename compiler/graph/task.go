package graph

import "slices"

// MaxTasks bounds the tasks of a program.
const MaxTasks = 16

// SetTask says to which task of a program the nodes built from now on belong: 1 to MaxTasks, or 0 for
// what belongs to none. Constants, inputs and states belong to none; a state changes with the task in
// which SetNext was called. The task is part of a node: what is computed in two tasks is two nodes.
// What tasks do with each other's values is said by package compiler.
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

// HasTasks reports whether a node or a state belongs to a task.
func (g *Graph) HasTasks() bool {
	return g.tasks != nil && (slices.ContainsFunc(g.tasks, func(t uint8) bool { return t != 0 }) ||
		slices.ContainsFunc(g.states, func(s StateInfo) bool { return s.Task != 0 }))
}

// taskFor is the task of a node of this op that is built now.
func (g *Graph) taskFor(op Op) uint8 {
	switch op {
	case OpConst, OpInput, OpState, OpParam:
		return 0
	}
	return g.task
}

// inTask reports whether a node belongs to a task.
func (g *Graph) inTask(id ID, task uint8) bool { return g.tasks == nil || g.tasks[id] == task }
