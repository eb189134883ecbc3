package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// pointers gives the body of an inner loop a phi for each stream, moved on by
// count elements each iteration. It returns the loop that runs the body so many times,
// and code to run before it.
func (b *body) pointers(iterations int) (loop *lir.Loop, before []lir.Ins) {
	steps := make([]int, len(b.n.streams))
	for s := range steps {
		steps[s] = b.count * b.n.step(s)
	}
	return b.pointersBy(steps, iterations)
}

// pointersBy does so where an iteration takes each stream on by so many bytes.
func (b *body) pointersBy(steps []int, iterations int) (loop *lir.Loop, before []lir.Ins) {
	l := b.n.l
	loop, b.steps = &lir.Loop{}, steps
	b.phi = make([]lir.Val, len(b.n.streams))
	counter := -1
	var phis []lir.Phi
	for s := range b.n.streams {
		st := &b.n.streams[s]
		step := steps[s]
		if step == 0 {
			continue
		}
		if l.m.FreeOffsets && st.ptr == 0 && b.n.step(s) != 0 && (b.index != 0 && step == int(loop.Step) || counter < 0 && step > 0 && step <= maxStep) {
			if counter < 0 {
				b.index, counter = l.newVal(lir.Int, local), s
				loop.Step, loop.Length = int32(step), int32(step*iterations)
				phis = append([]lir.Phi{{Val: b.index, From: lir.NoAddr}}, phis...)
			}
			b.phi[s] = b.index
			continue
		}
		if st.lead != 0 {
			continue // see below
		}
		b.phi[s] = l.newVal(lir.Int, local)
		p := lir.Phi{Val: b.phi[s]}
		switch low := b.lowest(s); {
		case st.ptr == 0:
			p.From = st.at.Plus(low)
		case low == 0:
			p.Init = st.ptr
		default:
			start := l.newVal(lir.Int, local)
			p.Init = l.homed(lir.Int, l.f.Data.Slot(), local)
			before = append(before,
				lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: st.ptr, D: start, Imm: uint32(low)},
				lir.Ins{Op: lir.Of(lir.Store, graph.I32), A: start, Imm: uint32(l.f.Values[p.Init].Home)})
		}
		if counter < 0 && !l.m.Pointers && st.ptr == 0 && step > 0 && step <= maxStep {
			counter = s
			loop.Step, loop.Length = int32(step), int32(step*iterations)
			phis = append([]lir.Phi{p}, phis...)
			continue
		}
		p.Next = l.newVal(lir.Int, local)
		phis = append(phis, p)
	}
	for s := range b.n.streams {
		if st := &b.n.streams[s]; st.lead != 0 && b.phi[s] == 0 {
			b.phi[s] = b.phi[st.lead-1]
		}
	}
	if counter < 0 {
		loop.Step, loop.Length = 1, int32(iterations)
		phis = append([]lir.Phi{{Val: l.newVal(lir.Int, local), From: lir.NoAddr}}, phis...)
	}
	loop.Phis = phis
	return loop, before
}

// maxStep is the largest step of a loop counter on every architecture.
const maxStep = 4095

// advance emits the steps of the pointers and makes the body that of the loop.
func (b *body) advance(loop *lir.Loop) {
	for _, p := range loop.Phis[1:] {
		for s, v := range b.phi {
			if v == p.Val && b.n.streams[s].lead == 0 {
				b.emit(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: v, D: p.Next, Imm: uint32(b.steps[s])})
			}
		}
	}
	loop.Body = []lir.Item{{Block: &lir.Block{Ins: b.ins}}}
}
