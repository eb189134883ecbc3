package lower

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// planIndexed notes the carries that stay in memory beside a body in registers: of which iterations take numbers at
// indices, and into which they put one. As a value for each element that would be a chain of selects.
func (x *scanner) planIndexed(outs map[graph.ID]int) {
	b := x.b
	for k, next := range x.s.Results[:x.s.Carries] {
		c := x.s.Param(1 + k)
		if outs[next] != 1 || b.uses[next] != 1 || b.mode == Always || b.g.Elements(c) <= fewRows {
			continue
		}
		p, before, ok := b.put(next)
		if ok && before == c && len(p.at) == len(b.g.ShapeOf(c)) && b.onlyTaken(c, next) {
			if x.puts == nil {
				x.puts = map[graph.ID]put{}
			}
			x.puts[c] = p
		}
	}
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
	f := x.b.form[p.row]
	return ok && (f == splat || f == scalar)
}

// putNumber has an iteration put its number, behind all that it takes. Where no row has the index it puts back what it finds.
func (x *scanner) putNumber(c *carry) lir.Ins {
	b, p := x.b, x.puts[c.id]
	t := b.g.Node(c.id).DType
	whole := view{at: c.at, size: 4 * t.Words(), strides: rowMajor(b.g.ShapeOf(c.id))}
	offset, fits := b.placeOfPut(p, whole)
	v := lir.Val(b.ref[p.row])
	if fits != 0 {
		before := b.newVal(lir.ClassOf(t), 0)
		b.emit(0, lir.Ins{Op: lir.Of(lir.LoadIn, wordType(t)), A: offset, D: before, Imm: uint32(c.at)})
		v = b.apply(graph.OpSelect, t, [3]lir.Val{fits, v, before})
	}
	return lir.Ins{Op: lir.Of(lir.StoreIn, wordType(t)), A: v, B: offset, Imm: uint32(c.at)}
}
