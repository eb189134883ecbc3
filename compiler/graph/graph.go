package graph

import (
	"fmt"
)

// ID is the index of a node in its graph. Operands have smaller IDs than the
// nodes that use them.
type ID int32

// None is the ID of no node.
const None ID = -1

// maxInline is the number of operands that a node holds itself.
const maxInline = 3

// inPool marks a node whose operands are in the graph's pool.
const inPool = 0xff

// Node is one value of a graph: 32 bytes, two to a cache line.
type Node struct {
	Attr  uint64 // see AttrUse
	Shape ShapeID
	Pos   uint32 // the source position that made the node first; 0: unknown
	args  [maxInline]ID
	nargs uint8 // number of operands, or inPool: then args is {offset, count, 0}
	Fast  bool  // it may be rewritten by rules that change its rounding, see SetFast
	Op    Op
	DType DType
}

// SliceRange returns the first row and the step of a slice node.
func (n *Node) SliceRange() (start, step int) {
	return int(uint32(n.Attr)), int(int32(n.Attr >> 32))
}

// SliceAttr is the attribute of a slice node; see Node.SliceRange.
func SliceAttr(start, step int) uint64 {
	return uint64(uint32(start)) | uint64(uint32(int32(step)))<<32
}

// Axis returns the axis that a sum node reduces, or -1 for all.
func (n *Node) Axis() int { return int(n.Attr) - 1 }

// Word returns the bits of a scalar constant.
func (n *Node) Word() uint64 { return n.Attr }

// Graph is an arena of nodes. Make one with New.
type Graph struct {
	nodes  []Node
	pool   []ID // operands of nodes with more than maxInline
	cons   consTable
	shapes shapes
	arrays arrayPool
	inputs list[InputInfo]
	states []StateInfo
	scans  scanTable
	params int // made so far
	// Nodes in the bodies of loops, counted for each node that is a result of one.
	inBodies int
	words    []uint32 // initial words of the latest scalar inputs, see InputWord
	held     int      // words in arrays and inputs, see hold
	err      error
	pos      uint32
	fast     bool
	task     uint8
	tasks    []uint8 // by node; nil: SetTask was never called
	shared   bool    // the nodes are those of another graph, see Same
	has      [NumOps]bool
	marked   bool // there are nodes marked by SetFast
	reserved struct{ nodes, interned int }
}

// MaxNodes bounds a graph: its arena stays below 1 GB.
const MaxNodes = 1 << 24

// New returns an empty graph.
func New() *Graph {
	return &Graph{shapes: newShapes()}
}

// Derive returns an empty graph with the shapes, constant arrays, inputs, states
// and loops of g, for passes that rewrite g into it: ShapeIDs and attributes of g are
// valid in it. Shapes and arrays made later in one are unknown to the other. The
// next values of the states are not set.
func (g *Graph) Derive() *Graph {
	d := New()
	d.shared = true
	for _, s := range g.shapes.list[1:] {
		// Interned before, hence within the bounds.
		if _, err := d.shapes.intern(s); err != nil {
			panic(err)
		}
	}
	d.arrays = g.arrays.clone()
	d.inputs = g.inputs.share() // never changed, only added to
	d.scans, d.params = g.scans.clone(), g.params
	for _, s := range g.states {
		d.states = append(d.states, StateInfo{Name: s.Name, Init: s.Init, Next: None})
	}
	return d
}

// NumNodes is the number of nodes; IDs are 0 to NumNodes-1.
func (g *Graph) NumNodes() int { return len(g.nodes) }

// Has reports whether there are nodes of an op, needed or not.
func (g *Graph) Has(op Op) bool { return g.has[op] }

// Node returns a node. It must not be changed.
func (g *Graph) Node(id ID) *Node { return &g.nodes[id] }

// Args returns the operands of a node. The slice must not be changed.
func (g *Graph) Args(id ID) []ID {
	n := &g.nodes[id]
	if n.nargs != inPool {
		return n.args[:n.nargs:n.nargs]
	}
	lo, hi := n.args[0], n.args[0]+n.args[1]
	return g.pool[lo:hi:hi]
}

// Shape returns an interned shape. It must not be changed.
func (g *Graph) Shape(id ShapeID) Shape { return g.shapes.list[id] }

// ShapeOf returns the shape of a node. It must not be changed.
func (g *Graph) ShapeOf(id ID) Shape { return g.shapes.list[g.nodes[id].Shape] }

// Elements returns the number of elements of a node.
func (g *Graph) Elements(id ID) int { return int(g.shapes.sizes[g.nodes[id].Shape]) }

// NumInputs is the number of inputs, needed or not.
func (g *Graph) NumInputs() int { return g.inputs.len() }

// NumShapes is the number of interned shapes; ShapeIDs are 0 to NumShapes-1.
func (g *Graph) NumShapes() int { return len(g.shapes.list) }

// InternShape returns the ShapeID of s.
func (g *Graph) InternShape(s Shape) (ShapeID, error) { return g.shapes.intern(s) }

// SetPos sets the source position given to the nodes built from now on. What
// the number means is the front end's choice; 0 means unknown.
func (g *Graph) SetPos(pos uint32) { g.pos = pos }

// Pos returns the position set last.
func (g *Graph) Pos() uint32 { return g.pos }

// SetFast marks the nodes built from now on, those that TakesFast allows: the
// compiler may then rewrite them by rules that are exact for real numbers but not
// for floats. The mark is part of a node: one with it and one without are not equal.
func (g *Graph) SetFast(on bool) { g.fast = on }

// Marked reports whether there are marked nodes, needed or not.
func (g *Graph) Marked() bool { return g.marked }

// Fast returns what was set last by SetFast.
func (g *Graph) Fast() bool { return g.fast }

// TakesFast reports whether nodes of this op and type may bear the mark of
// SetFast: computations that give floats.
func TakesFast(op Op, t DType) bool {
	info := &Ops[op]
	return t != Bool && t != I32 && (info.Elementwise || info.Sig == SigReduce)
}

// Err returns the first error of the methods of Value, or nil.
func (g *Graph) Err() error { return g.err }

// Error is a refused operation.
type Error struct {
	Op      Op
	Pos     uint32 // position in force at that moment, as given to SetPos
	Message string
}

// Error returns the op and the message.
func (e *Error) Error() string { return e.Op.String() + ": " + e.Message }

// Mixed reports whether f32 met f64.
func (e *Error) Mixed() bool { return e.Message == mixedMessage }

func (g *Graph) errorf(op Op, format string, args ...any) error {
	return &Error{Op: op, Pos: g.pos, Message: fmt.Sprintf(format, args...)}
}

// Users returns, for each node, how often it is an operand of a node that outs
// depend on, plus once for each time it is in outs. 0 means not needed within a
// run; what states need for the next one is found with Roots of outs.
func (g *Graph) Users(outs []ID) []int32 {
	uses := make([]int32, len(g.nodes))
	for _, id := range outs {
		uses[id]++
	}
	for id := len(g.nodes) - 1; id >= 0; id-- {
		if n := &g.nodes[id]; uses[id] > 0 && n.nargs > 0 {
			for _, a := range g.Args(ID(id)) {
				uses[a]++
			}
		}
	}
	return uses
}
