package lower

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Unroll says which arrays become scalars.
type Unroll uint8

// Auto unrolls small arrays, Always all, Never only empty ones.
const (
	Auto Unroll = iota
	Always
	Never
)

// form is how the value of a node exists.
type form uint8

const (
	absent  form = iota // not needed, or not yet lowered
	scalar              // ref is the Val
	elems               // ref is the index of the first element in pool
	splat               // ref is the Val of every element
	memory              // ref is the index of the view
	virtual             // computed in the loop of the node that uses it
)

type lowerer struct {
	g    *graph.Graph
	m    *lir.Machine
	f    *lir.Func
	uses []int32 // by node; 0 = not needed

	form     []form  // by node
	ref      []int32 // by node, see form
	pool     []lir.Val
	views    []view
	inMemory map[graph.ID]int32     // views made of nodes of other forms
	asElems  map[graph.ID][]lir.Val // elements of nodes in memory
	words    map[uint32]lir.Val     // constants that are no nodes
	splats   map[lir.Addr]lir.Val   // wide copies of words
	written  map[lir.Addr]lir.Val   // values stored as elements of arrays, by place
	states   []span                 // places of the states, in order
	copied   map[lir.Val]lir.Val    // copies of values that lie in states, see apart
	plan     plan

	level  []int32 // by Val: the first block that may read it; local: only the block at hand
	blocks [][]lir.Ins
	loops  [][]lir.Item // loops[k] run just before blocks[k]
	ops    int
}

const local = -1

// maxOps bounds the instructions of a program; unrolling can multiply them.
const maxOps = 1 << 22

// room checks that n more instructions are within the bound.
func (l *lowerer) room(n int) error {
	if l.ops+n > maxOps {
		return fmt.Errorf("program of more than %d instructions: leave arrays as loops", maxOps)
	}
	return nil
}

// Run lowers the nodes outs of a checked graph and all that they depend on, and
// the next values of the states among these and in keep.
func Run(g *graph.Graph, outs, keep []graph.ID, m *lir.Machine, mode Unroll) (*lir.Func, error) {
	n := g.NumNodes()
	states := g.States(slices.Concat(outs, keep))
	roots := g.Roots(slices.Concat(outs, states))
	l := &lowerer{
		g: g, m: m, uses: g.Users(roots),
		f:        &lir.Func{Values: make([]lir.Value, 1, n+n/4+16)},
		form:     make([]form, n),
		ref:      make([]int32, n),
		inMemory: map[graph.ID]int32{},
		asElems:  map[graph.ID][]lir.Val{},
		words:    map[uint32]lir.Val{},
		splats:   map[lir.Addr]lir.Val{},
		written:  map[lir.Addr]lir.Val{},
		copied:   map[lir.Val]lir.Val{},
		level:    make([]int32, 1, n+n/4+16),
		blocks:   make([][]lir.Ins, 1),
		loops:    make([][]lir.Item, 1),
	}
	l.blocks[0] = make([]lir.Ins, 0, n)
	l.planAll(roots, mode)
	l.placeSources()
	for id := range graph.ID(n) {
		if l.uses[id] == 0 || l.form[id] != absent {
			continue
		}
		if err := l.node(id); err != nil {
			return nil, fmt.Errorf("lower: node %%%d (%s): %w", id, g.Node(id).Op, err)
		}
	}
	for _, id := range outs {
		l.f.Outputs = append(l.f.Outputs, lir.Symbol{Node: id, Addr: l.output(id)})
	}
	l.updateStates()
	for k := range l.blocks {
		l.f.Items = append(l.f.Items, l.loops[k]...)
		if len(l.blocks[k]) > 0 {
			l.f.Items = append(l.f.Items, lir.Item{Block: &lir.Block{Ins: l.blocks[k]}})
		}
	}
	return l.f, nil
}

// node lowers one node whose operands are lowered.
func (l *lowerer) node(id graph.ID) error {
	n := l.g.Node(id)
	if err := l.room(0); err != nil {
		return err
	}
	switch {
	case n.Op == graph.OpConst:
		l.constant(id)
	case n.Op.Info().Elementwise:
		if n.Shape == graph.Scalar {
			l.form[id], l.ref[id] = scalar, int32(l.scalarOp(id))
			return nil
		}
		return l.elementwise(id)
	case n.Op == graph.OpSum || n.Op == graph.OpDot || n.Op == graph.OpMatMul:
		return l.reduction(id)
	default:
		l.move(id)
	}
	return nil
}

// newVal makes a value that block k defines.
func (l *lowerer) newVal(c lir.Class, k int32) lir.Val {
	l.level = append(l.level, k)
	return l.f.NewVal(c)
}

// homed makes a value that lies at a place from block k on.
func (l *lowerer) homed(c lir.Class, at lir.Addr, k int32) lir.Val {
	l.level = append(l.level, k)
	return l.f.NewHomed(c, at)
}

// word is a constant word.
func (l *lowerer) word(bits uint32, c lir.Class) lir.Val {
	v, ok := l.words[bits]
	if !ok || l.f.Values[v].Class != c {
		v = l.homed(c, l.f.Data.Word(bits), 0)
		l.words[bits] = v
	}
	return v
}

// emit appends to block k.
func (l *lowerer) emit(k int32, i lir.Ins) {
	l.grow(k)
	l.blocks[k] = append(l.blocks[k], i)
	l.ops++
}

func (l *lowerer) grow(k int32) {
	for int(k) >= len(l.blocks) {
		l.blocks = append(l.blocks, nil)
		l.loops = append(l.loops, nil)
	}
}

// settle gives v a home, for readers outside its block.
func (l *lowerer) settle(v lir.Val) lir.Addr {
	info := &l.f.Values[v]
	if info.Home == lir.NoAddr {
		info.Home = l.f.Data.Slot()
		l.store(v, info.Home)
	}
	return info.Home
}

// store writes v to a place in the block that defines it.
func (l *lowerer) store(v lir.Val, to lir.Addr) {
	t := graph.I32
	if l.f.Values[v].Class == lir.Float {
		t = graph.F32
	}
	l.emit(l.level[v], lir.Ins{Op: lir.Of(lir.Store, t), A: v, Imm: uint32(to)})
}

// output is the place of an output of the program: contiguous words.
func (l *lowerer) output(id graph.ID) lir.Addr {
	if l.form[id] == scalar {
		return l.f.Values[l.apart(lir.Val(l.ref[id]))].Home
	}
	v := l.view(id)
	if shape := l.g.ShapeOf(id); !v.contiguous(shape) || l.inStates(v.bounds(shape)) {
		v = l.copyView(v, shape, l.g.Node(id).DType)
	}
	return v.at
}
