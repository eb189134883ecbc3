package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// planIndexed notes the carries that stay in memory beside a body in registers: those that change by a number at an index, and of which
// only numbers are taken. As a value for each element they would be chains of selects.
func (x *scanner) planIndexed(outs map[graph.ID]int) {
	b := x.b
	for k, next := range x.s.Results[:x.s.Carries] {
		c := x.s.Param(1 + k)
		if outs[next] != 1 || b.uses[next] != 1 || b.mode == Always || !b.changesByNumber(c, next) || !b.onlyTaken(c, next) {
			continue
		}
		if x.puts == nil {
			x.puts = map[graph.ID]put{}
		}
		x.puts[c], _, _ = b.put(next)
	}
}

// changesByNumber reports whether the next value of an array is the array with a number put at an index, and that is better done
// in memory.
func (l *lowerer) changesByNumber(of, next graph.ID) bool {
	if l.g.Elements(of) <= fewRows {
		return false
	}
	p, before, ok := l.put(next)
	return ok && before == of && len(p.at) == len(l.g.ShapeOf(of))
}

// onlyTaken reports whether all that reads an array, but for one node, takes single numbers of it.
func (l *lowerer) onlyTaken(of, but graph.ID) bool {
	taken := int32(0)
	for id := range graph.ID(l.g.NumNodes()) {
		if l.uses[id] > 0 && id != but && slices.Contains(l.g.Args(id), of) {
			if !l.takesRow(id) || l.g.Node(id).Shape != graph.Scalar {
				return false
			}
			taken++
		}
	}
	return l.uses[of] == taken+1
}

// isIndexed reports whether a carry is one of those, and what is put is a number.
func (x *scanner) isIndexed(c *carry) bool {
	p, ok := x.puts[c.id]
	return ok && x.b.isNumber(p.row)
}

// isNumber reports whether all elements of a node are one value.
func (l *lowerer) isNumber(id graph.ID) bool { return l.form[id] == splat || l.form[id] == scalar }

// putNumber is the store of a number at its index, behind all that block k takes. Where no row has the index it stores what it finds.
func (l *lowerer) putNumber(p put, to lir.Addr, k int32) lir.Ins {
	t := l.g.Node(p.id).DType
	whole := view{at: to, size: 4 * t.Words(), strides: rowMajor(l.g.ShapeOf(p.id))}
	offset, fits := l.placeOfPut(p, whole)
	v := lir.Val(l.ref[p.row])
	if fits != 0 {
		l.readIn(offset, k)
		before := l.newVal(lir.ClassOf(t), k)
		l.emit(k, lir.Ins{Op: lir.Of(lir.LoadIn, wordType(t)), A: offset, D: before, Imm: uint32(to)})
		v = l.apply(graph.OpSelect, t, fits, v, before)
	}
	l.readIn(offset, k)
	l.readIn(v, k)
	return lir.Ins{Op: lir.Of(lir.StoreIn, wordType(t)), A: v, B: offset, Imm: uint32(to)}
}

// readIn gives a value a home if block k, which reads it, does not make it.
func (l *lowerer) readIn(v lir.Val, k int32) {
	if l.level[v] != k {
		l.settle(v)
	}
}

// putNumbers makes the updates of arrays by numbers at indices, behind all else in the last block, and returns the others, which
// come after them. It makes none where others are copied in loops, or where one reads what another changes.
func (l *lowerer) putNumbers(list []update) (others []update) {
	var puts []change
	for _, u := range list {
		c := l.changes[u.next]
		if c == nil {
			others = append(others, u)
			continue
		}
		if c.all != c.carry || len(c.puts) != 1 || !l.changesByNumber(c.carry, u.next) || !l.isNumber(c.puts[0].row) {
			return list
		}
		puts = append(puts, change{u, c})
	}
	for _, c := range puts {
		for _, u := range others {
			if l.readsPart(u.next, l.carried(c.update)) {
				return list
			}
		}
		for _, o := range puts {
			if o.next != c.next && l.readsPart(o.puts[0].row, l.carried(c.update)) {
				return list
			}
		}
	}
	l.updated = len(l.blocks) - 1
	for _, c := range puts {
		l.updates = append(l.updates, l.putNumber(c.puts[0], c.to, int32(l.updated)))
	}
	return others
}

// readsPart reports whether a node is not values, or one of them lies in a part of the data block.
func (l *lowerer) readsPart(id graph.ID, s span) bool {
	if l.form[id] == memory || l.form[id] == splat && l.g.Elements(id) > medium {
		return l.g.Elements(id) > 0
	}
	for _, v := range l.elements(id) {
		if home := l.f.Values[v].Home; home != lir.NoAddr && home >= s.from && home < s.to {
			return true
		}
	}
	return false
}
