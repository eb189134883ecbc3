package graph

import (
	"math/bits"
	"slices"
)

// consTable finds equal nodes: open addressing with linear probing, at most
// half full. A slot holds the node's hash in the high and its ID + 1 in the low
// 32 bits, so that a probe seldom touches the arena and growing never does.
type consTable struct {
	slots []uint64
	count int
}

// First sizes of the table and the arena.
const (
	minSlots = 256
	minNodes = 64
)

// hashNode mixes every field that Node equality looks at.
func hashNode(op Op, t DType, s ShapeID, attr uint64, a, b, c ID) uint32 {
	x := uint64(uint32(a)) | uint64(uint32(b))<<32
	y := uint64(uint32(c)) | uint64(op)<<32 | uint64(t)<<40 | uint64(uint16(s))<<48
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, y^0xd1b54a32d192ed03)
	hi, lo = bits.Mul64(hi^lo^attr, 0x8cb92ba72f3d8dd7^uint64(s))
	return uint32(hi ^ lo)
}

func hashIDs(ids []ID) uint64 {
	h := uint64(len(ids))
	for _, id := range ids {
		hi, lo := bits.Mul64(h^uint64(uint32(id))^0x9e3779b97f4a7c15, 0xd1b54a32d192ed03)
		h = hi ^ lo
	}
	return h
}

// resize makes room for size slots, a power of two.
func (t *consTable) resize(size int) {
	old := t.slots
	t.slots = make([]uint64, size)
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := uint32(s>>32) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

func (t *consTable) grow() { t.resize(max(minSlots, 4*len(t.slots))) }

// Reserve makes room for n more nodes, for passes that know how many come.
func (g *Graph) Reserve(n int) {
	g.nodes = slices.Grow(g.nodes, n)
	if slots := 2 * (g.cons.count + n); slots > len(g.cons.slots) {
		g.cons.resize(1 << bits.Len(uint(slots)))
	}
}

// Intern returns the node with these fields, made now if there is none. It
// trusts its arguments, whose types and shapes must be right: it is for passes
// that rewrite checked graphs; front ends use Apply and its kin. Operands of a
// commutative op are put in order. It panics beyond MaxNodes.
func (g *Graph) Intern(op Op, t DType, s ShapeID, attr uint64, args ...ID) ID {
	if len(args) > maxInline {
		return g.internPool(op, t, s, attr, args)
	}
	a, b, c := None, None, None
	switch len(args) {
	case 3:
		c = args[2]
		fallthrough
	case 2:
		b = args[1]
		fallthrough
	case 1:
		a = args[0]
	}
	return g.intern(op, t, s, attr, a, b, c, len(args))
}

func (g *Graph) intern(op Op, t DType, s ShapeID, attr uint64, a, b, c ID, nargs int) ID {
	if Ops[op].Commutative && a > b {
		a, b = b, a
	}
	if 2*g.cons.count >= len(g.cons.slots) {
		g.cons.grow()
	}
	h := hashNode(op, t, s, attr, a, b, c)
	mask := uint32(len(g.cons.slots) - 1)
	i := h & mask
	for {
		slot := g.cons.slots[i]
		if slot == 0 {
			break
		}
		if uint32(slot>>32) == h {
			id := ID(uint32(slot) - 1)
			n := &g.nodes[id]
			if n.Op == op && n.DType == t && n.Shape == s && n.Attr == attr && int(n.nargs) == nargs &&
				n.args[0] == a && n.args[1] == b && n.args[2] == c {
				return id
			}
		}
		i = (i + 1) & mask
	}
	return g.push(i, h, Node{Op: op, DType: t, Shape: s, Attr: attr, Pos: g.pos, args: [maxInline]ID{a, b, c}, nargs: uint16(nargs)})
}

func (g *Graph) internPool(op Op, t DType, s ShapeID, attr uint64, args []ID) ID {
	if 2*g.cons.count >= len(g.cons.slots) {
		g.cons.grow()
	}
	h := hashNode(op, t, s, attr^hashIDs(args), None, None, None)
	mask := uint32(len(g.cons.slots) - 1)
	i := h & mask
	for {
		slot := g.cons.slots[i]
		if slot == 0 {
			break
		}
		if uint32(slot>>32) == h {
			id := ID(uint32(slot) - 1)
			n := &g.nodes[id]
			if n.Op == op && n.DType == t && n.Shape == s && n.Attr == attr && n.nargs == inPool && equalIDs(g.Args(id), args) {
				return id
			}
		}
		i = (i + 1) & mask
	}
	at := ID(len(g.pool))
	g.pool = append(g.pool, args...)
	return g.push(i, h, Node{Op: op, DType: t, Shape: s, Attr: attr, Pos: g.pos, args: [maxInline]ID{at, ID(len(args)), 0}, nargs: inPool})
}

func equalIDs(a, b []ID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// push appends a node and enters it in the free slot i.
func (g *Graph) push(i, hash uint32, n Node) ID {
	if len(g.nodes) >= MaxNodes {
		panic("graph: more than MaxNodes nodes")
	}
	id := ID(len(g.nodes))
	if len(g.nodes) == cap(g.nodes) {
		// Doubling, where append would grow by a quarter: a large arena is
		// copied once on average, not four times.
		g.nodes = slices.Grow(g.nodes, max(minNodes, len(g.nodes)))
	}
	g.nodes = append(g.nodes, n)
	g.cons.slots[i] = uint64(hash)<<32 | uint64(uint32(id)+1)
	g.cons.count++
	return id
}
