package graphfile

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// loopRecord is a static loop as either form describes it, but for the nodes of
// its body.
type loopRecord struct {
	iterations, carries, slices uint64
	results                     []uint64 // by place in the body
}

// loopsOf lists the loops that a graph and their bodies refer to, those in a body
// before the loop around them, with their places in the list.
func loopsOf(g *graph.Graph) ([]*graph.Scan, map[*graph.Scan]int) {
	var list []*graph.Scan
	places := map[*graph.Scan]int{}
	var collect func(g *graph.Graph)
	collect = func(g *graph.Graph) {
		used := make([]bool, len(g.Scans()))
		for i := range g.NumNodes() {
			if n := g.Node(graph.ID(i)); n.Op == graph.OpScan {
				loop, _ := n.ScanRange()
				used[loop] = true
			}
		}
		for i, s := range g.Scans() {
			if _, ok := places[s]; ok || !used[i] {
				continue
			}
			collect(s.Body)
			places[s] = len(list)
			list = append(list, s)
		}
	}
	collect(g)
	return list, places
}

// checkParams refuses a graph with params: values of the body of a loop that was
// built in it. No output needs them.
func (f *File) checkParams() error {
	for i := range f.Graph.NumNodes() {
		if f.Graph.Node(graph.ID(i)).Op == graph.OpParam {
			return fmt.Errorf("node %d exists only in the body of a loop: Trim leaves out what no output needs", i)
		}
	}
	return nil
}

// newBody is the builder of the body of the next loop.
func (b *builder) newBody() *builder {
	return &builder{g: graph.New(), names: map[string]bool{}, loops: b.loops, body: true}
}

// addLoop makes the next loop of a file, whose body is built.
func (b *builder) addLoop(body *builder, r *loopRecord) error {
	if r.iterations > graph.MaxIterations || r.carries > uint64(len(r.results)) || r.slices > uint64(len(body.ids)) {
		return fmt.Errorf("%d iterations, %d carries and %d slices do not fit %d results and %d nodes", r.iterations, r.carries, r.slices, len(r.results), len(body.ids))
	}
	s := &graph.Scan{Iterations: int(r.iterations), Body: body.g, Carries: int(r.carries), Slices: int(r.slices)}
	for k, place := range r.results {
		if place >= uint64(len(body.ids)) {
			return fmt.Errorf("result %d: there is no node %d in the body", k, place)
		}
		s.Results = append(s.Results, body.ids[place])
	}
	if body.g.NumNodes() == 0 {
		return errors.New("the body has no nodes: its first is the iteration")
	}
	if err := s.Check(); err != nil {
		return err
	}
	b.loops = append(b.loops, s)
	return nil
}
