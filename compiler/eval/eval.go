package eval

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Tensor is a value outside a graph.
type Tensor = graph.Tensor

// Eval computes the nodes outs of g. Inputs have the given values, or their
// initial ones where inputs does not name them. It returns the values in the
// order of outs and the sticky flags raised by the nodes that outs depend on.
// An error means that inputs does not fit the graph.
func Eval(g *graph.Graph, outs []graph.ID, inputs map[graph.ID]Tensor) ([]Tensor, uint32, error) {
	for id, t := range inputs {
		if err := checkInput(g, id, t); err != nil {
			return nil, 0, fmt.Errorf("eval: %w", err)
		}
	}
	run := run{g: g, words: make([][]uint32, g.NumNodes())}
	run.place(g.Users(outs))
	for id, words := range run.words {
		if words != nil {
			run.compute(graph.ID(id), inputs)
		}
	}
	results := make([]Tensor, len(outs))
	for i, id := range outs {
		results[i] = Tensor{DType: g.Node(id).DType, Shape: g.ShapeOf(id), Bits: append([]uint32(nil), run.words[id]...)}
	}
	return results, run.flags, nil
}

func checkInput(g *graph.Graph, id graph.ID, t Tensor) error {
	if id < 0 || int(id) >= g.NumNodes() || g.Node(id).Op != graph.OpInput {
		return fmt.Errorf("node %%%d is no input", id)
	}
	if want := g.Node(id).DType; t.DType != want {
		return fmt.Errorf("input %q is %v, not %v", g.InputInfo(id).Name, want, t.DType)
	}
	if want := g.ShapeOf(id); !want.Equal(t.Shape) {
		return fmt.Errorf("input %q has shape %v, not %v", g.InputInfo(id).Name, want, t.Shape)
	}
	if n := g.Elements(id); len(t.Bits) != n {
		return fmt.Errorf("input %q has %d values for %d elements", g.InputInfo(id).Name, len(t.Bits), n)
	}
	return nil
}

// run is one evaluation: the words of each node that is needed, and the flags
// so far.
type run struct {
	g     *graph.Graph
	words [][]uint32
	flags uint32
	args  [][]uint32 // operands of the node at hand
}

// place gives every needed node its part of one slab.
func (r *run) place(uses []int32) {
	total := 0
	for id, n := range uses {
		if n > 0 {
			total += r.g.Elements(graph.ID(id))
		}
	}
	slab := make([]uint32, total)
	for id, n := range uses {
		if n > 0 {
			size := r.g.Elements(graph.ID(id))
			r.words[id], slab = slab[:size:size], slab[size:]
		}
	}
}

func (r *run) compute(id graph.ID, inputs map[graph.ID]Tensor) {
	n, out := r.g.Node(id), r.words[id]
	switch {
	case n.Op == graph.OpConst:
		copy(out, r.g.ConstBits(id))
	case n.Op == graph.OpInput:
		from := r.g.InputInfo(id).Init
		if t, ok := inputs[id]; ok {
			from = t.Bits
		}
		for i, w := range from {
			out[i] = graph.Canonical(n.DType, w)
		}
	default:
		r.args = r.args[:0]
		for _, a := range r.g.Args(id) {
			r.args = append(r.args, r.words[a])
		}
		r.flags |= Node(r.g, id, r.args, out)
	}
}

// Node computes one node of g, neither constant nor input, from canonical words
// of its operands into out, which has a word for each of its elements. It
// returns the sticky flags raised.
func Node(g *graph.Graph, id graph.ID, args [][]uint32, out []uint32) (flags uint32) {
	n, ids := g.Node(id), g.Args(id)
	if !n.Op.Info().Elementwise {
		arrays[n.Op](node{g, id, out, args, g.ShapeOf(ids[0])})
		return 0
	}
	// An operand that the op does not have is never read: any words will do.
	operand := [3][]uint32{out, out, out}
	copy(operand[:], args)
	k := scalars[n.Op].kernel(g.Node(ids[len(ids)-1]).DType)
	for i := range out {
		w, f := k(operand[0][i], operand[1][i], operand[2][i])
		out[i] = w
		flags |= f
	}
	return flags
}
