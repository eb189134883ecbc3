package eval

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// loop computes all results of a loop that are needed, iteration by iteration.
func (r *run) loop(group *graph.ScanGroup) {
	s := r.g.Scans()[group.Loop]
	carries, rows := s.Needs(r.g.Used(group))
	var roots []graph.ID
	for k, id := range s.Results {
		if k < s.Carries && carries[k] || k >= s.Carries && rows[k-s.Carries] {
			roots = append(roots, id)
		}
	}
	body := newRun(s.Body, roots)
	iteration := []uint32{0}
	body.params = append([][]uint32{iteration}, r.operands(group.Nodes[0])...)
	now := body.params[1 : 1+s.Carries] // operands are not written: carries have words of their own
	for k := range now {
		now[k] = slices.Clone(now[k])
	}
	slicesNow := body.params[1+s.Carries : 1+s.Carries+s.Slices]
	arrays := slices.Clone(slicesNow)
	for i := range s.Iterations {
		iteration[0] = uint32(i)
		for k, words := range arrays {
			size := len(words) / s.Iterations
			slicesNow[k] = words[i*size : (i+1)*size]
		}
		body.all(nil)
		for _, id := range group.Nodes {
			switch _, out := r.g.ScanInfo(id); {
			case out >= len(s.Results):
				row := now[out-len(s.Results)]
				copy(r.words[id][i*len(row):], row)
			case out >= s.Carries:
				row := body.words[s.Results[out]]
				copy(r.words[id][i*len(row):], row)
			}
		}
		for k := range now {
			if carries[k] {
				copy(now[k], body.words[s.Results[k]])
			}
		}
	}
	for _, id := range group.Nodes {
		if _, out := r.g.ScanInfo(id); out < s.Carries {
			copy(r.words[id], now[out])
		}
	}
	r.flags |= body.flags
}

// operands are the words of the operands of a node.
func (r *run) operands(id graph.ID) [][]uint32 {
	var list [][]uint32
	for _, a := range r.g.Args(id) {
		list = append(list, r.words[a])
	}
	return list
}
