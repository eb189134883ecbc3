package autodiff

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// rowFlow is the adjoint of one row of an array. The rows that single index
// nodes take are collected and put together once, when the array is reached:
// giving each its own array of zeros would be quadratic.
type rowFlow struct {
	row int
	flow
}

// gatherRows adds the rows collected for an array to its adjoint.
func (r *reverse) gatherRows(id graph.ID) {
	list := r.rows[id]
	if len(list) == 0 {
		return
	}
	delete(r.rows, id)
	slices.SortStableFunc(list, func(a, b rowFlow) int { return cmp.Compare(a.row, b.row) })
	merged := list[:0]
	for _, f := range list {
		if last := len(merged) - 1; last >= 0 && merged[last].row == f.row {
			merged[last].flow = r.merge(merged[last].flow, f.flow)
			continue
		}
		merged = append(merged, f)
	}
	// Rows that nothing takes are guarded like the side not taken of a select.
	shape := r.g.ShapeOf(id)
	gaps := len(merged) < shape[0]
	guarded := slices.ContainsFunc(merged, func(f rowFlow) bool { return f.guard != 0 })
	whole := flow{v: r.assemble(shape, r.g.Node(id).DType, merged, func(f rowFlow) graph.Value { return f.v })}
	if gaps || guarded {
		whole.zeroed = !guarded
		whole.guard = r.under(0, r.assemble(shape, graph.Bool, merged, func(f rowFlow) graph.Value {
			if f.guard == 0 {
				return r.g.Bool(true).Broadcast(shape[1:]...)
			}
			return r.condition(f.guard)
		}), false)
	}
	r.give(id, whole)
}

// assemble makes an array of type t of the rows that value gives, with zeros
// between them.
func (r *reverse) assemble(shape graph.Shape, t graph.DType, list []rowFlow, value func(rowFlow) graph.Value) graph.Value {
	zero := r.g.ConstWord(t, 0).Broadcast(shape[1:]...)
	dense := 4*len(list) >= shape[0]
	var parts, run []graph.Value
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, r.stackRows(run))
			run = run[:0]
		}
	}
	next := 0
	skipTo := func(row int) {
		if next == row {
			return
		}
		if dense {
			for ; next < row; next++ {
				run = append(run, zero)
			}
			return
		}
		flush()
		gap := append([]int{row - next}, shape[1:]...)
		parts = append(parts, r.g.ConstWord(t, 0).Broadcast(gap...))
		next = row
	}
	for _, f := range list {
		skipTo(f.row)
		run = append(run, value(f))
		next++
	}
	skipTo(shape[0])
	flush()
	return r.g.ConcatOf(parts...)
}

// stackRows puts rows of one shape together along a new axis 0.
func (r *reverse) stackRows(rows []graph.Value) graph.Value {
	shape := rows[0].Shape()
	if len(shape) == 0 {
		return r.g.StackOf(rows...)
	}
	lines := make([]graph.Value, len(rows))
	for i, row := range rows {
		lines[i] = row.Reshape(append([]int{1}, shape...)...)
	}
	return r.g.ConcatOf(lines...)
}
