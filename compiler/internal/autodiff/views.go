package autodiff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// The elements of an array may be those of others: of the array that it is a part of, or of
// the scalars that it was put together from. A result can use these without that array, also
// where it was made afterwards, and the derivative by an element counts every use of it. So
// a gradient with respect to such an array is made of those with respect to its sources.

// ErrRepeats is why there is no derivative with respect to an array that repeats elements which the result
// uses without it: which of the repetitions that is cannot be told.
var ErrRepeats = errors.New("the elements of this argument are repetitions of a value that the result uses without it")

// movesElements has the ops whose result consists of elements of their operands.
var movesElements = map[graph.Op]bool{
	graph.OpIndex: true, graph.OpSlice: true, graph.OpReshape: true, graph.OpTranspose: true,
	graph.OpStack: true, graph.OpConcat: true, graph.OpBroadcast: true,
}

// view is an argument to differentiate by, as far as its elements come from others.
type view struct {
	x        graph.Value
	nodes    []graph.ID // those that move elements from the sources to x, and x; ascending
	sources  []graph.ID // where the elements come from, constants left out
	joined   bool       // from several nodes, or repeated
	repeats  bool
	constant bool // some elements are constants
	alone    bool // it is taken for a source itself: the result uses its sources through it only
}

func newView(g *graph.Graph, x graph.Value) *view {
	v := &view{x: x}
	seen := map[graph.ID]bool{x.ID(): true}
	for pending := []graph.ID{x.ID()}; len(pending) > 0; {
		id := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch op := g.Node(id).Op; {
		case op == graph.OpConst && id != x.ID():
			v.constant = true
			v.nodes = append(v.nodes, id)
			continue
		case !movesElements[op]:
			v.sources = append(v.sources, id)
			continue
		case op == graph.OpBroadcast:
			v.joined, v.repeats = true, true
		case op == graph.OpStack || op == graph.OpConcat:
			v.joined = true
		}
		v.nodes = append(v.nodes, id)
		for _, a := range g.Args(id) {
			if !seen[a] {
				seen[a] = true
				pending = append(pending, a)
			}
		}
	}
	slices.Sort(v.nodes)
	return v
}

// reaches tells whether y depends on one of the sources on a way that does not lead
// through x.
func (v *view) reaches(g *graph.Graph, y graph.ID) bool {
	first := slices.Min(v.sources)
	if y < first {
		return false
	}
	depends := make([]bool, y-first+1)
	for _, id := range v.sources {
		if id <= y {
			depends[id-first] = true
		}
	}
	for id := first; id <= y; id++ {
		depends[id-first] = id != v.x.ID() && (depends[id-first] ||
			slices.ContainsFunc(g.Args(id), func(a graph.ID) bool { return a >= first && depends[a-first] }))
	}
	return depends[y-first]
}

// UsedWithout tells whether ys depend on elements of base on a way that does not lead through
// part, which was computed from some of them.
func UsedWithout(ys []graph.Value, base, part graph.Value) bool {
	v := newView(base.Graph(), base)
	v.x = part
	return len(v.sources) > 0 && slices.ContainsFunc(ys, func(y graph.Value) bool { return v.reaches(base.Graph(), y.ID()) })
}

// Sources are the nodes that the elements of x come from.
func Sources(x graph.Value) []graph.ID { return newView(x.Graph(), x).sources }

// viewsOf finds out what to differentiate by for the gradients with respect to xs.
func viewsOf(y graph.Value, xs []graph.Value) ([]*view, error) {
	g := y.Graph()
	views := make([]*view, len(xs))
	shared := map[graph.ID]bool{} // sources that are differentiated by themselves
	for i, x := range xs {
		v := newView(g, x)
		views[i] = v
		if v.alone = v.joined && (!v.constant || v.stack(g) != graph.None) && len(v.sources) > 0 && x.DType().IsFloat() && !v.reaches(g, y.ID()); !v.alone {
			v.share(shared)
		}
	}
	for again := true; again; { // nothing flows to a source through what stands alone
		again = false
		for _, v := range views {
			if v.alone && slices.ContainsFunc(v.sources, func(id graph.ID) bool { return shared[id] }) {
				v.alone, again = false, true
				v.share(shared)
			}
		}
	}
	for i, v := range views {
		if v.repeats && !v.alone && len(v.sources) > 0 {
			return nil, fmt.Errorf("grad: argument %d: %w", i, ErrRepeats)
		}
	}
	return views, nil
}

func (v *view) share(shared map[graph.ID]bool) {
	for _, id := range v.sources {
		shared[id] = true
	}
}

// arguments are the sources of all views.
func arguments(g *graph.Graph, views []*view) []graph.Value {
	var out []graph.Value
	seen := map[graph.ID]bool{}
	for _, v := range views {
		from := v.sources
		if v.alone {
			from = []graph.ID{v.x.ID()}
		}
		for _, id := range from {
			if !seen[id] {
				seen[id] = true
				out = append(out, g.Value(id))
			}
		}
	}
	return out
}

// stack is the stack of scalars that x is, in some shape; none if x is something else.
func (v *view) stack(g *graph.Graph) graph.ID {
	id := v.x.ID()
	for g.Node(id).Op == graph.OpReshape {
		id = g.Args(id)[0]
	}
	if g.Node(id).Op != graph.OpStack {
		return graph.None
	}
	return id
}

// withoutConstants is the gradient d with respect to a view that stands alone, with 0 for
// what is a constant.
func (v *view) withoutConstants(d graph.Value) (graph.Value, error) {
	if !v.constant || !v.alone {
		return d, nil
	}
	g := d.Graph()
	elements := g.Args(v.stack(g))
	flat, err := g.Reshape(d, graph.Shape{len(elements)})
	parts := make([]graph.Value, len(elements))
	for i, id := range elements {
		switch {
		case err != nil:
		case g.IsConst(id):
			parts[i] = g.Number(d.DType(), 0)
		default:
			parts[i], err = g.Index(flat, i)
		}
	}
	if err == nil {
		d, err = g.Stack(parts...)
	}
	if err == nil {
		d, err = g.Reshape(d, v.x.Shape())
	}
	if err != nil {
		return d, fmt.Errorf("grad: %w", err)
	}
	return d, nil
}

// gradient puts the gradients with respect to the sources where their elements are in x.
func (v *view) gradient(g *graph.Graph, by map[graph.ID]graph.Value) (graph.Value, error) {
	if d, ok := by[v.x.ID()]; ok {
		return v.withoutConstants(d)
	}
	made := map[graph.ID]graph.Value{}
	of := func(id graph.ID) graph.Value {
		if d, ok := made[id]; ok {
			return d
		}
		return by[id]
	}
	for _, id := range v.nodes {
		n, args := g.Node(id), g.Args(id)
		var d graph.Value
		var err error
		switch n.Op {
		case graph.OpConst, graph.OpBroadcast: // of constants only
			d, err = g.Fill(gradientType(g.Value(id)), g.ShapeOf(id), 0)
		case graph.OpIndex:
			d, err = g.Index(of(args[0]), int(n.Attr))
		case graph.OpSlice:
			start, step := n.SliceRange()
			d, err = g.Slice(of(args[0]), start, g.ShapeOf(id)[0], step)
		case graph.OpReshape:
			d, err = g.Reshape(of(args[0]), g.ShapeOf(id))
		case graph.OpTranspose:
			d, err = g.Transpose(of(args[0]))
		default:
			parts := make([]graph.Value, len(args))
			for i, a := range args {
				parts[i] = of(a)
			}
			d, err = g.Apply(n.Op, parts...)
		}
		if err != nil {
			return d, fmt.Errorf("grad: %w", err)
		}
		made[id] = d
	}
	return made[v.x.ID()], nil
}
