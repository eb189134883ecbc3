package lower

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Arrays that are walked backwards or by every other or every fourth word are read in vectors of
// neighbours, whose lanes are then put in order.

// walksWide reports whether all arrays can be walked in vectors of so many lanes.
func (n *nest) walksWide(width int) bool {
	for s := range n.streams {
		st, step := &n.streams[s], n.step(s)
		if st.t == graph.F64 || step != 0 && step != 4 && !(st.written && n.weaves(step, width) || !st.written && n.l.rearranges(step, width)) {
			return false
		}
	}
	return true
}

// rearranges reports whether there is code for reading vectors at that step.
func (l *lowerer) rearranges(step, width int) bool {
	if _, ok := l.loadsEvery(step, width); ok {
		return true
	}
	ops := map[int][]graph.Op{-4: {lir.Reverse}, 8: {lir.Even, lir.Odd}, 16: {lir.Even, lir.Odd}}[step]
	for _, op := range ops {
		if !l.m.Ops[lir.Of(op, lir.Vector(width))].Valid {
			return false
		}
	}
	return ops != nil
}

// accesses is about how many instructions move a vector of each array.
func (n *nest) accesses() (count int) {
	for s := range n.streams {
		switch step := n.step(s); {
		case step < 0:
			count += 2
		case step > 4:
			words := step / graph.WordSize
			lead, _ := n.leader(s)
			if n.streams[s].written {
				count++
			} else if _, ok := n.l.loadsEvery(step, 4); ok {
				if lead == s {
					count += 2
				}
				continue
			} else if lead == s {
				count += words // loads
			}
			count += words / 2
		default:
			count++
		}
	}
	return count
}

// leader is the first of the arrays that are walked alike and lie between two elements of each
// other, and how many words s lies behind it. What is loaded for one of them does for all.
func (n *nest) leader(s int) (lead, words int) {
	var alike []int
	of := &n.streams[s]
	for i := range n.streams {
		if st := &n.streams[i]; st.ptr == of.ptr && st.at.Region() == of.at.Region() && slices.Equal(st.strides, of.strides) {
			alike = append(alike, i)
		}
	}
	slices.SortStableFunc(alike, func(i, j int) int { return cmp.Compare(n.streams[i].at, n.streams[j].at) })
	behind := func(i, j int) int { return int(n.streams[i].at) - int(n.streams[j].at) }
	lead = alike[0]
	for _, i := range alike {
		if behind(i, lead) >= n.step(s) {
			lead = i
		}
		if i == s {
			break
		}
	}
	return lead, behind(s, lead) / graph.WordSize
}

// loadEvery reads the elements of a stream with a step of several words: all words between, of which
// each round of ops leaves every other one.
func (b *body) loadEvery(s, e int) lir.Val {
	lead, words := b.n.leader(s)
	b.n.readBehind()
	if op, ok := b.n.l.loadsEvery(b.n.step(s), b.width); ok {
		bytes, every := 0, b.n.step(s)/graph.WordSize
		if b.row != nil { // perhaps a place between two elements
			bytes = -(b.row[s] % b.n.step(s))
		}
		if words -= bytes / graph.WordSize; words >= every {
			words, bytes = words-every, bytes+b.n.step(s)
		}
		first := b.wordsAt(lead, e, bytes)
		if first.Op = op; int64(first.Imm) > int64(b.n.l.m.Ops[op].MaxImm) {
			ptr := b.n.l.newVal(lir.Int, b.block)
			b.emit(lir.Ins{Op: lir.Of(lir.AddConst, graph.I32), A: first.A, D: ptr, Imm: first.Imm})
			first.A, first.Imm = ptr, 0
		}
		v := b.once(first, graph.F32)
		if words > 0 {
			v = b.once(lir.Ins{Op: lir.Of(lir.Beside, lir.Vector(b.width)), A: v, Imm: uint32(words)}, graph.F32)
		}
		return v
	}
	list := make([]lir.Val, b.n.step(s)/graph.WordSize)
	for k := range list {
		list[k] = b.once(b.wordsAt(lead, e, k*b.width*graph.WordSize), graph.F32)
	}
	for ; len(list) > 1; words /= 2 {
		op := [2]graph.Op{lir.Even, lir.Odd}[words%2]
		if b.n.halves && b.width == lir.MaxLanes {
			op = [2]graph.Op{lir.Even4, lir.Odd4}[words%2]
		}
		for k := range len(list) / 2 {
			list[k] = b.once(lir.Ins{Op: lir.Of(op, lir.Vector(b.width)), A: list[2*k], B: list[2*k+1]}, graph.F32)
		}
		list = list[:len(list)/2]
	}
	return list[0]
}

// readBehind makes sure that what a vector reads behind the last element is there.
func (n *nest) readBehind() {
	if !n.behind {
		n.behind = true
		n.l.f.Data.Room(lanes)
	}
}

// loadsEvery is the op that reads vectors at that step at once, for all elements between.
func (l *lowerer) loadsEvery(step, width int) (op lir.Op, ok bool) {
	code, known := map[int]graph.Op{8: lir.LoadEvery2, 12: lir.LoadEvery3, 16: lir.LoadEvery4}[step]
	op = lir.Of(code, lir.Vector(width))
	return op, known && l.m.Pointers && l.m.Ops[op].Valid
}

// wordsAt is the load of neighbouring words, from so many bytes behind element e of a stream on.
func (b *body) wordsAt(s, e, bytes int) lir.Ins {
	in := lir.Ins{Op: lir.Of(lir.LoadAt, lir.Vector(b.width))}
	at, ptr, offset := b.place(s, e)
	if in.A, in.Imm = ptr, uint32(offset+bytes); at != lir.NoAddr {
		in.Op, in.Imm = lir.Of(lir.LoadIn, lir.Vector(b.width)), uint32(at.Plus(bytes))
	}
	return in
}

// wide emits an instruction and returns its result.
func (b *body) wide(in lir.Ins) lir.Val {
	in.D = b.n.l.newWide(b.width)
	b.emit(in)
	return in.D
}
