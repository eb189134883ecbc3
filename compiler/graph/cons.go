package graph

import "math/bits"

// consTable finds equal nodes. A slot holds the node's ID + 1 and, above it, the high bits of
// its hash, so that a probe seldom touches the arena; half of the slots are empty at least. A node is looked for in the block that its youngest
// operand points at, then, where that is full, from the slot that its hash points
// at onwards. Nodes are mostly made soon after their operands, so blocks in use lie
// side by side and stay in the cache, where places by hash alone would each miss it.
type consTable struct {
	slots []uint32
	count int
}

// idBits is the size of the ID in a slot; MaxNodes, as the ID + 1 of the last node, fits.
const idBits = 25

func makeSlot(hash uint32, id ID) uint32 { return hash>>idBits<<idBits | uint32(id+1) }

// mayBe reports whether the node in a slot that is not empty may have a hash.
func mayBe(slot, hash uint32) bool { return (slot^hash)>>idBits == 0 }

// slotID is the ID of the node in a slot.
func slotID(slot uint32) ID { return ID(slot&(1<<idBits-1)) - 1 }

// block is the number of slots in a block, half a cache line; slotsPerID of them belong
// to each operand.
const (
	block      = 8
	slotsPerID = 2
)

// probe is a walk over the slots where a node may be.
type probe struct {
	at, mask uint32
	left     uint32 // slots left in the block
	hash     uint32
}

// probe begins at the block of a node whose youngest operand this is.
func (t *consTable) probe(hash uint32, youngest ID) probe {
	p := probe{mask: uint32(len(t.slots) - 1), hash: hash}
	if youngest < 0 {
		p.at = hash & p.mask
		return p
	}
	p.at = uint32(youngest) * slotsPerID & p.mask &^ (block - 1)
	p.left = block
	return p
}

func (p *probe) next() {
	p.at = (p.at + 1) & p.mask
	if p.left > 0 {
		if p.left--; p.left == 0 {
			p.at = p.hash & p.mask
		}
	}
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

// resize makes a table of size slots, a power of two.
func (g *Graph) resize(size int) {
	g.cons.slots = make([]uint32, size)
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.Op == OpInput || n.Op == OpState {
			continue
		}
		var hash uint32
		youngest := None
		if n.nargs == inPool {
			hash = hashNode(n.Op, n.DType, n.Shape, n.Attr^hashIDs(g.Args(ID(i))), None, None, None)
		} else {
			hash = hashNode(n.Op, n.DType, n.Shape, n.Attr, n.args[0], n.args[1], n.args[2])
			youngest = max(n.args[0], n.args[1], n.args[2])
		}
		p := g.cons.probe(hash, youngest)
		for g.cons.slots[p.at] != 0 {
			p.next()
		}
		g.cons.slots[p.at] = makeSlot(hash, ID(i))
	}
}

func (g *Graph) grow() {
	if g.shared { // from here on the table has to know all nodes
		g.cons.count, g.shared = g.countInterned(), false
	}
	most := max(g.cons.count, g.reserved.interned)
	g.resize(max(minSlots, 4*len(g.cons.slots), 1<<bits.Len(uint(2*most))))
}

// countInterned counts the nodes that belong in the table.
func (g *Graph) countInterned() (n int) {
	for i := range g.nodes {
		if op := g.nodes[i].Op; op != OpInput && op != OpState {
			n++
		}
	}
	return n
}

// Reserve has the graph make room for n more nodes as soon as it needs any, of which about sources are inputs and
// states, for passes that know how many come. Sources are in no table.
func (g *Graph) Reserve(n, sources int) {
	g.reserved.nodes, g.reserved.interned = len(g.nodes)+n, g.cons.count+max(n-sources, 0)
}

// Same makes the next node of g that of from, from which it is derived, and reports whether it could: as long as nothing
// else was made in it or looked for. Both share the memory of these nodes, and no table is made.
func (g *Graph) Same(from *Graph) bool {
	n := len(g.nodes)
	if !g.shared || from.tasks != nil || from.nodes[n].Op == OpScan {
		return false
	}
	g.nodes = from.nodes[: n+1 : n+1]
	at := &g.nodes[n]
	g.note(at)
	if at.nargs == inPool {
		end := at.args[0] + at.args[1]
		g.pool = from.pool[:end:end]
	}
	return true
}

// Intern returns the node with these fields, made now if there is none. It
// trusts its arguments, whose types and shapes must be right: it is for passes
// that rewrite checked graphs; front ends use Apply and its kin. Operands of a
// commutative op are put in order. An input or state is interned once for each of its
// attributes. It panics beyond MaxNodes.
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
	if op == OpInput || op == OpState {
		// Each has its own attribute, so none equals another.
		return g.push(Node{Op: op, DType: t, Shape: s, Attr: attr, Pos: g.pos, args: [maxInline]ID{None, None, None}})
	}
	if Ops[op].Commutative && a > b {
		a, b = b, a
	}
	fast := g.fast && TakesFast(op, t)
	task := g.taskFor(op)
	if 2*g.cons.count >= len(g.cons.slots) {
		g.grow()
	}
	h := hashNode(op, t, s, attr, a, b, c)
	p := g.cons.probe(h, max(a, b, c))
	for ; ; p.next() {
		slot := g.cons.slots[p.at]
		if slot == 0 {
			break
		}
		if mayBe(slot, h) {
			id := slotID(slot)
			n := &g.nodes[id]
			if n.Op == op && n.DType == t && n.Shape == s && n.Attr == attr && int(n.nargs) == nargs && n.Fast == fast &&
				n.args[0] == a && n.args[1] == b && n.args[2] == c && g.inTask(id, task) {
				return id
			}
		}
	}
	return g.enter(p.at, h, Node{Op: op, DType: t, Shape: s, Attr: attr, Pos: g.pos, Fast: fast, args: [maxInline]ID{a, b, c}, nargs: uint8(nargs)})
}

func (g *Graph) internPool(op Op, t DType, s ShapeID, attr uint64, args []ID) ID {
	if 2*g.cons.count >= len(g.cons.slots) {
		g.grow()
	}
	h := hashNode(op, t, s, attr^hashIDs(args), None, None, None)
	p := g.cons.probe(h, None)
	for ; ; p.next() {
		slot := g.cons.slots[p.at]
		if slot == 0 {
			break
		}
		if mayBe(slot, h) {
			id := slotID(slot)
			n := &g.nodes[id]
			if n.Op == op && n.DType == t && n.Shape == s && n.Attr == attr && n.nargs == inPool && equalIDs(g.Args(id), args) && g.inTask(id, g.taskFor(op)) {
				return id
			}
		}
	}
	at := ID(len(g.pool))
	g.pool = append(g.pool, args...)
	return g.enter(p.at, h, Node{Op: op, DType: t, Shape: s, Attr: attr, Pos: g.pos, args: [maxInline]ID{at, ID(len(args)), 0}, nargs: inPool})
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

// enter appends a node and enters it in a free slot.
func (g *Graph) enter(slot, hash uint32, n Node) ID {
	id := g.push(n)
	g.cons.slots[slot] = makeSlot(hash, id)
	g.cons.count++
	return id
}

// growNodes makes room for more nodes. Where append would make the arena larger by a quarter, it grows to four times its size,
// if large to twice that, so that little is copied; memory that is not written yet costs nothing.
func (g *Graph) growNodes() {
	const large = 1 << 16
	size := 2 * len(g.nodes)
	if len(g.nodes) < large {
		size = 4 * len(g.nodes)
	}
	g.nodes = append(make([]Node, 0, max(minNodes, size, g.reserved.nodes)), g.nodes...)
	g.shared = false
}

// note notes what a new node says of the graph.
func (g *Graph) note(n *Node) {
	g.has[n.Op] = true
	g.marked = g.marked || n.Fast
}

// push appends a node.
func (g *Graph) push(n Node) ID {
	if len(g.nodes) >= MaxNodes {
		panic("graph: more than MaxNodes nodes")
	}
	id := ID(len(g.nodes))
	if len(g.nodes) == cap(g.nodes) {
		g.growNodes()
	}
	if n.Op == OpScan {
		loop, _ := n.ScanRange()
		g.inBodies += g.scans.list[loop].known.weight
	}
	g.note(&n)
	g.nodes = append(g.nodes, n)
	if g.tasks != nil {
		g.tasks = append(g.tasks, g.taskFor(n.Op))
	}
	return id
}
