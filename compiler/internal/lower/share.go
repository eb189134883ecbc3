package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// share finds streams that walk alike and lie near each other: one pointer does for them.
func (n *nest) share() {
	order := make([]int, len(n.streams))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(n.streams[i].at, n.streams[j].at) })
	for k, i := range order {
		lead := &n.streams[i]
		if lead.lead != 0 || lead.ptr != 0 || !lead.moves() {
			continue
		}
		for _, j := range order[k+1:] {
			s := &n.streams[j]
			d := int(s.at) - int(lead.at)
			if s.lead == 0 && s.ptr == 0 && s.at.Region() == lead.at.Region() && d <= n.l.reach(s.t) && d <= n.l.reach(lead.t) && slices.Equal(s.strides, lead.strides) {
				s.lead, s.off = i+1, d
			}
		}
	}
}

// moves reports whether the stream needs a pointer.
func (s *stream) moves() bool {
	return slices.ContainsFunc(s.strides, func(step int) bool { return step != 0 })
}

// behind is what bodies use behind a shared pointer beside the distance of the arrays: eight
// neighbours.
const behind = 32

// reach is how far behind a shared pointer an array may lie for nothing.
func (l *lowerer) reach(t graph.DType) int {
	reach := l.m.Reach
	if l.m.Lanes > 0 {
		reach = l.m.WideReach
	}
	if t == graph.F64 {
		return -1
	}
	return reach - behind
}

// follow gives streams that share a pointer the one of their lead.
func (n *nest) follow() {
	for i := range n.streams {
		if s := &n.streams[i]; s.lead != 0 {
			s.ptr = n.streams[s.lead-1].ptr
		}
	}
}
