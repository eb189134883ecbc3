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

// program is what the lowerers of a graph and of the bodies of its loops share.
type program struct {
	m      *lir.Machine
	f      *lir.Func
	mode   Unroll
	words  map[constant]lir.Val // constants that are no nodes
	splats map[splatKey]lir.Val // wide copies of words
	rests  map[[2]int]lir.Addr  // see restMasks
	// By Val: the first block that may read it; local: only the block at hand. Blocks
	// count in the lowerer that made the value; another one never sees it.
	level []int32
	ops   int
	// leftOver: sums that became addresses may be used no more
	leftOver bool
}

// lowerer lowers a graph, or the body of a loop.
type lowerer struct {
	*program
	g    *graph.Graph
	uses []int32 // by node; 0 = not needed
	outs []graph.ID

	form      []form  // by node
	ref       []int32 // by node, see form
	pool      []lir.Val
	views     []view
	inMemory  map[graph.ID]int32     // views made of nodes of other forms
	asElems   map[graph.ID][]lir.Val // elements of nodes in memory
	written   map[lir.Addr]lir.Val   // values stored as elements of arrays, by place
	wholes    map[graph.ID]view      // concatenations of which a part has been written
	states    []span                 // places of the states or, in a body, of the carries, in order
	copied    map[lir.Val]lir.Val    // copies of values that lie in states, see apart
	plan      plan
	inBody    bool                   // of a loop
	offsets   map[madeOf]lir.Val     // of rows at an index
	sums      map[[2]lir.Val]lir.Val // of two of these
	through   map[graph.ID]bool      // rows of which nothing but rows and elements at an index are taken
	passed    map[graph.ID]bool      // those of them that are left where they lie
	intervals map[graph.ID]interval  // see bounds
	numbersOf map[graph.ID]span64    // see numbers
	scans     map[graph.ID]*graph.ScanGroup
	changes   map[graph.ID]*changes    // by the next values of carries that perhaps change in place
	waits     map[graph.ID]bool        // the nodes of these changes
	isPut     map[graph.ID]bool        // those that put rows
	looped    map[graph.ID]bool        // what these changes are made of
	inPlace   map[graph.ID]bool        // params of few elements that change by puts in memory
	before    map[graph.ID][2]graph.ID // see findBelow
	belows    map[lir.Val]lir.Val      // by value: the largest float below it
	divisions map[division]parts       // by constants

	blocks [][]lir.Ins
	loops  [][]lir.Item      // loops[k] run just before blocks[k]
	folds  map[int32][]*fold // sums that end before the block with this number
	// How many sums of floats have so many terms and are behind so many reductions, and behind how many each node is; nil:
	// not counted yet.
	sumsAlike  map[[2]int]int
	reductions []int
	// waiting is the mapping that is to be placed next, nil for none.
	waiting *mapping

	updates []lir.Ins // of the block with this index
	updated int
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
	part := Part{Outs: outs, States: g.States(slices.Concat(outs, keep))}
	return part.Lower(g, NewMemory(m), m, mode)
}

// A Part is what one entry of a program computes: outputs, and the next values of states.
type Part struct {
	Outs, States []graph.ID
	Apart        []bool // by output, or nil: it has a place of its own, which others may write to
}

// Memory is what the parts of a program share.
type Memory struct {
	data   *lir.Data
	places []lir.Addr // of inputs and states, by node: 1 + address, 0 while it has none
}

// NewMemory returns an empty memory.
func NewMemory(m *lir.Machine) *Memory {
	return &Memory{data: &lir.Data{Lanes: m.Lanes}}
}

// Lower lowers a part. Inputs and states of g that have places in memory keep them.
func (p Part) Lower(g *graph.Graph, memory *Memory, m *lir.Machine, mode Unroll) (*lir.Func, error) {
	roots := slices.Concat(p.Outs, p.States)
	for _, s := range p.States {
		if next := g.StateInfo(s).Next; next != graph.None {
			roots = append(roots, next)
		}
	}
	n := g.NumNodes() + g.NumNodes()/4 + 16
	l := newLowerer(&program{
		m: m, mode: mode, f: &lir.Func{Values: make([]lir.Value, 1, n), Data: memory.data},
		words: map[constant]lir.Val{}, splats: map[splatKey]lir.Val{}, level: make([]int32, 1, n),
	}, g, roots)
	l.outs = p.Outs
	l.planStates(p.States)
	l.findBelow()
	l.planAll(roots)
	l.keepLoops()
	l.leaveConditions()
	l.placeSources(memory)
	if err := l.nodes(); err != nil {
		return nil, fmt.Errorf("lower: %w", err)
	}
	for i, id := range p.Outs {
		place := l.output
		if p.Apart != nil && p.Apart[i] {
			place = l.outputApart
		}
		l.f.Outputs = append(l.f.Outputs, lir.Symbol{Node: id, Addr: place(id)})
	}
	if err := l.updateStates(p.States); err != nil {
		return nil, fmt.Errorf("lower: %w", err)
	}
	l.f.Items = l.items()
	l.straight(l.f.Items)
	l.f.Blocks(func(b *lir.Block, loop *lir.Loop, _ uint64) {
		if loop != nil && loop.Inner() {
			l.fromMemory(loop, b)
		}
		has, ints := codesOf(b)
		if has[graph.OpSelect] {
			l.addChosen(loop, b)
		}
		l.shorten(loop, b)
		l.spreadBits(loop, b)
		if has[graph.OpToI32] && (has[graph.OpFloor] || has[graph.OpCeil] || has[graph.OpRound]) {
			l.castRounded(loop, b)
		}
		if has[graph.OpAbs] && has[graph.OpSub] {
			l.differences(loop, b)
		}
		if has[graph.OpSelect] {
			l.limits(loop, b)
		}
		l.compareBits(b)
		if has[graph.OpSelect] || has[graph.OpAnd] || has[graph.OpOr] {
			l.choose(loop, b)
		}
		if ints[graph.OpMin] || ints[graph.OpMax] {
			l.saturations(loop, b)
		}
		if l.m.Ops[lir.Of(lir.SelMask, lir.F32x4)].Valid {
			l.masks(loop, b)
		}
		if ints[graph.OpMul] {
			l.sumsOfShifts(b)
			l.products(loop, b)
		}
		if ints[graph.OpShl] || ints[graph.OpShr] {
			l.secondShifts(loop, b)
		}
		l.immediates(b)
		if has[graph.OpSelect] {
			l.shortTruths(loop, b)
		}
		if l.leftOver {
			l.dropUnused(loop, b)
		}
		l.zeros(b)
	})
	return l.f, nil
}

// newLowerer makes the lowerer of a graph, or body, of which the nodes roots are needed.
func newLowerer(p *program, g *graph.Graph, roots []graph.ID) *lowerer {
	n := g.NumNodes()
	l := &lowerer{
		program: p, g: g, uses: g.Users(roots),
		form:      make([]form, n),
		ref:       make([]int32, n),
		inMemory:  map[graph.ID]int32{},
		asElems:   map[graph.ID][]lir.Val{},
		written:   map[lir.Addr]lir.Val{},
		wholes:    map[graph.ID]view{},
		copied:    map[lir.Val]lir.Val{},
		offsets:   map[madeOf]lir.Val{},
		intervals: map[graph.ID]interval{},
		divisions: map[division]parts{},
		blocks:    make([][]lir.Ins, 1),
		loops:     make([][]lir.Item, 1),
	}
	l.blocks[0] = make([]lir.Ins, 0, max(n-g.NumInputs(), 0)+len(roots)) // an input is no instruction, a result is stored
	l.scans = g.ScanGroups(func(id graph.ID) bool { return l.uses[id] > 0 })
	l.planThrough()
	return l
}

// nodes lowers all nodes that are needed.
func (l *lowerer) nodes() error {
	for id := range graph.ID(l.g.NumNodes()) {
		if l.uses[id] == 0 || l.form[id] != absent || l.waits[id] {
			continue
		}
		if err := l.node(id); err != nil {
			return fmt.Errorf("node %%%d (%s): %w", id, l.g.Node(id).Op, err)
		}
	}
	return nil
}

// items are the blocks and loops in the order in which they run.
func (l *lowerer) items() []lir.Item {
	l.placeWaiting()
	var items []lir.Item
	for k := range l.blocks {
		items = append(items, l.loops[k]...)
		items = append(items, l.foldLoops(int32(k))...)
		b := &lir.Block{Ins: l.blocks[k]}
		if k == l.updated {
			b.Updates = l.updates
		}
		if len(b.Ins)+len(b.Updates) > 0 {
			items = append(items, lir.Item{Block: b})
		}
	}
	return items
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
	case n.Op == graph.OpTake:
		return l.take(id)
	case sorts(n.Op):
		l.sort(id)
	case n.Op == graph.OpScan:
		return l.scan(l.scans[id])
	case n.Op.Info().Sig == graph.SigReduce:
		return l.reduction(id)
	default:
		l.move(id)
	}
	return nil
}

// reserve makes room for so many more values and, where there are no loops yet, for the instructions that make them.
func (l *lowerer) reserve(values, instructions int) {
	l.f.Values, l.level = slices.Grow(l.f.Values, values), slices.Grow(l.level, values)
	if len(l.blocks) == 1 {
		l.blocks[0] = slices.Grow(l.blocks[0], instructions)
	}
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

// constant is the bits of a value of a class.
type constant struct {
	bits uint64
	c    lir.Class
}

// word is a constant without a node.
func (l *lowerer) word(bits uint64, c lir.Class) lir.Val {
	v, ok := l.words[constant{bits, c}]
	if !ok {
		v = l.homed(c, l.f.Data.Element(c, bits), 0)
		l.fix(v)
		l.words[constant{bits, c}] = v
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
		info.Home = l.f.Data.SlotFor(info.Class)
		l.store(v, info.Home)
	}
	return info.Home
}

// store writes v to a place in the block that defines it.
func (l *lowerer) store(v lir.Val, to lir.Addr) {
	l.emit(l.level[v], l.storeTo(v, to))
}

// storeTo is the store of v to a place.
func (l *lowerer) storeTo(v lir.Val, to lir.Addr) lir.Ins {
	return lir.Ins{Op: lir.Of(lir.Store, l.f.Values[v].Class.Type()), A: v, Imm: uint32(to)}
}

// outputApart copies an output to a place that nothing else uses.
func (l *lowerer) outputApart(id graph.ID) lir.Addr {
	if l.form[id] == scalar {
		v := lir.Val(l.ref[id])
		slot := l.f.Data.SlotFor(l.f.Values[v].Class)
		l.store(v, slot)
		return slot
	}
	return l.copyView(l.view(id), l.g.ShapeOf(id), l.g.Node(id).DType).at
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
