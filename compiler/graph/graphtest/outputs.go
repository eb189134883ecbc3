package graphtest

import "github.com/copaflash/copaflash/compiler/graph"

// maxOutputs keeps what a test has to compare small.
const maxOutputs = 24

// outputs chooses the values that no other uses, newest first, and a few more.
func (m *maker) outputs() []graph.Value {
	ids := make([]graph.ID, len(m.values))
	for i, v := range m.values {
		ids[i] = v.ID()
	}
	uses := m.g.Users(ids)
	listed := map[graph.ID]int32{}
	for _, id := range ids {
		listed[id]++
	}
	var outs []graph.Value
	taken := map[graph.ID]bool{}
	for i := len(m.values) - 1; i >= 0 && len(outs) < maxOutputs; i-- {
		v := m.values[i]
		unused := uses[v.ID()] == listed[v.ID()]
		if !taken[v.ID()] && (unused || m.rng.IntN(8) == 0) {
			taken[v.ID()] = true
			outs = append(outs, v)
		}
	}
	return outs
}
