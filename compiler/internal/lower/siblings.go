package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// mapping is a nest that computes arrays element by element. The last one waits to be placed, since
// one that follows and reads the same arrays may join it: what both read is loaded once.
type mapping struct {
	*nest
	x    expr
	outs []computed
}

// computed is a step of an expression that is written to a stream.
type computed struct {
	node         graph.ID
	step, stream int
	read         int32 // how often it is an operand of the other steps
}

// maxJoined is how many steps mappings have that are one.
const maxJoined = maxWideSteps

// await places the mapping later, alone or with others of its kind.
func (l *lowerer) await(m *mapping) {
	l.grow(m.loop)
	if l.waiting != nil && l.waiting.join(m) {
		return
	}
	l.placeWaiting()
	l.waiting = m
}

// placeWaiting places the mapping that waits, if there is one.
func (l *lowerer) placeWaiting() {
	if m := l.waiting; m != nil {
		l.waiting = nil
		m.emit()
	}
}

// emit places the mapping.
func (m *mapping) emit() {
	m.dropRead()
	m.collapse(0)
	m.place(m.mapped(&m.x, func(b *body, e int) {
		vals := m.x.eval(b, e)
		for _, o := range m.outs {
			b.store(o.stream, e, vals[o.step])
		}
	}))
}

// dropRead leaves out the arrays that nothing but the mapping itself reads.
func (m *mapping) dropRead() {
	outs := len(m.outs)
	m.outs = slices.DeleteFunc(m.outs, func(o computed) bool { return o.read > 0 && o.read == m.l.uses[o.node] })
	if len(m.outs) == outs {
		return
	}
	var streams []*int
	for k := range m.outs {
		streams = append(streams, &m.outs[k].stream)
	}
	m.dropStreams(&m.x, streams...)
}

// lanes is how many elements of the mapping are computed in one register.
func (m *mapping) lanes() int {
	n := *m.nest
	n.streams = slices.Clone(n.streams)
	n.collapse(0)
	return n.lanesFor(&m.x, n.inner())
}

// join makes one mapping of m and one that follows, if both are computed in vectors, some array is
// read by both, or written by one and read by the other, and the registers suffice.
func (m *mapping) join(next *mapping) bool {
	if next.loop > m.loop || !slices.Equal(m.dims, next.dims) || len(m.x.steps)+len(next.x.steps) > maxJoined || !m.simple() || !next.simple() {
		return false
	}
	both := mapping{nest: &nest{l: m.l, dims: m.dims, loop: m.loop, streams: slices.Clone(m.streams)}, x: expr{steps: slices.Clone(m.x.steps)}, outs: slices.Clone(m.outs)}
	if !both.add(next) || !both.fits() {
		return false
	}
	if width := both.lanes(); m.lanes() != width || next.lanes() != width {
		return false
	}
	next.loop = m.loop
	*m = both
	return true
}

// simple reports whether there is nothing in the expression but ops on elements.
func (m *mapping) simple() bool {
	return !m.x.calls && len(m.x.windows) == 0 && !slices.ContainsFunc(m.x.steps, func(s step) bool { return s.op == graph.OpTake })
}

// add takes over the steps and streams of another mapping, and reports whether that is one gain at least, and
// possible: what it reads of an array that is written here is the same element.
func (m *mapping) add(other *mapping) bool {
	first, gain := len(m.x.steps), false
	from := make([]operand, len(other.streams))
	for s := range other.streams {
		st := other.streams[s]
		before := len(m.streams)
		k := m.nest.add(st)
		from[s] = operand{step: -1, stream: k}
		gain = gain || k < before && st.moves()
		for _, o := range m.outs {
			if o.stream == k {
				from[s] = operand{step: o.step, stream: -1}
			} else if m.reads(&st, o) {
				return false
			}
		}
		m.streams[k].written = m.streams[k].written || st.written
	}
	for _, s := range other.x.steps {
		s.args = slices.Clone(s.args)
		for i := range s.args {
			switch o := &s.args[i]; {
			case o.step >= 0:
				o.step += first
			case o.stream >= 0:
				m.count(o, from[o.stream].step)
				o.step, o.stream = from[o.stream].step, from[o.stream].stream
			}
		}
		if s.partner >= 0 {
			s.partner += first
		}
		m.x.steps = append(m.x.steps, s)
	}
	for _, o := range other.outs {
		o.step, o.stream = o.step+first, from[o.stream].stream
		m.outs = append(m.outs, o)
	}
	return gain
}

// count notes that a step that is written is an operand.
func (m *mapping) count(o *operand, step int) {
	for k := range m.outs {
		if c := &m.outs[k]; c.step == step && c.node == o.node {
			c.read++
		}
	}
}

// shiftsBy reports whether a step is a shift that holds its count.
func (l *lowerer) shiftsBy(s *step) bool {
	if s.t != graph.I32 || s.op != graph.OpShl && s.op != graph.OpShr || s.args[1].val == 0 {
		return false
	}
	n, ok := l.constantOf(s.args[1].val)
	return ok && n > 0 && n < 32 && l.m.Ops[shrBy].Valid
}

// reads reports whether a stream begins within an array that is written.
func (m *mapping) reads(s *stream, o computed) bool {
	to := &m.streams[o.stream]
	d, size := int(s.at)-int(to.at), graph.WordSize
	for _, n := range m.dims {
		size *= n
	}
	return s.at.Region() == to.at.Region() && d >= 0 && d < size
}

// fits reports whether there are registers for pointers and for what is the same for all elements.
func (m *mapping) fits() bool {
	pointers, same := 1, map[operand]bool{}
	for s := range m.streams {
		if m.step(s) != 0 {
			pointers++
		} else {
			same[operand{step: -1, stream: s}] = true
		}
	}
	for k := range m.x.steps {
		s := &m.x.steps[k]
		for i, o := range s.args {
			if o.step < 0 && o.stream < 0 && !(i == 1 && m.l.shiftsBy(s)) {
				same[o] = true
			}
		}
	}
	regs := &m.l.m.Regs
	return (m.l.m.FreeOffsets || pointers <= regs[lir.Int]) && len(same) <= regs[lir.Float]-bodyFloats
}
