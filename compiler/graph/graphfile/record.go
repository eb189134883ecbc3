package graphfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/jsonvalue"
)

// record is one node as either form describes it.
type record struct {
	op    string
	dtype graph.DType
	shape graph.Shape
	args  []uint64         // by place in the file
	attr  []int64          // what the table attributes names, in that order
	named map[string]int64 // the same by name, instead of attr
	name  string           // of an input or state
	next  *uint64          // of a state: the place of its value in the next run; nil: not set
	pos   uint32
	fast  bool        // the mark of graph.SetFast
	task  uint8       // that of graph.SetTask; of a state, of its next value
	meta  *graph.Meta // of an input

	// The value of a constant or the initial one of an input or state: words, or JSON
	// that is read once type and shape are known. Neither: zeros.
	words []uint32
	json  []byte
}

// attribute says how the attribute word of a node appears in a file.
type attribute struct {
	keys     []string // in JSON
	optional bool     // all or none of the numbers are there
	numbers  func(n *graph.Node) []int64
	word     func(numbers []int64) uint64 // numbers are within int32
	signed   int                          // how many of the last numbers may be negative
}

var attributes = map[graph.AttrUse]attribute{
	graph.AttrNone:  {},
	graph.AttrConst: {},
	graph.AttrInput: {},
	graph.AttrState: {},
	graph.AttrParam: {
		keys:    []string{"param"},
		numbers: func(n *graph.Node) []int64 { return []int64{int64(n.Attr)} },
		word:    func(x []int64) uint64 { return uint64(x[0]) },
	},
	graph.AttrScan: {
		keys: []string{"loop", "result"},
		numbers: func(n *graph.Node) []int64 {
			loop, result := n.ScanRange()
			return []int64{int64(loop), int64(result)}
		},
		word: func(x []int64) uint64 { return graph.ScanAttr(int(x[0]), int(x[1])) },
	},
	graph.AttrIndex: {
		keys:    []string{"index"},
		numbers: func(n *graph.Node) []int64 { return []int64{int64(n.Attr)} },
		word:    func(x []int64) uint64 { return uint64(x[0]) },
	},
	graph.AttrSlice: {
		keys: []string{"start", "step"}, signed: 1,
		numbers: func(n *graph.Node) []int64 {
			start, step := n.SliceRange()
			return []int64{int64(start), int64(step)}
		},
		word: func(x []int64) uint64 { return graph.SliceAttr(int(x[0]), int(x[1])) },
	},
	graph.AttrAxis: {
		keys: []string{"axis"}, optional: true,
		numbers: func(n *graph.Node) []int64 {
			if n.Attr == 0 {
				return nil
			}
			return []int64{int64(n.Axis())}
		},
		word: func(x []int64) uint64 { return uint64(x[0]) + 1 },
	},
}

// recordOf describes a node of a graph; its operands are numbered as there, loops
// by their place in the file.
func recordOf(g *graph.Graph, id graph.ID, loops map[*graph.Scan]int) record {
	n := g.Node(id)
	r := record{op: n.Op.String(), dtype: n.DType, shape: g.ShapeOf(id), pos: n.Pos, fast: n.Fast, task: uint8(g.TaskOf(id))}
	for _, a := range g.Args(id) {
		r.args = append(r.args, uint64(a))
	}
	switch n.Op {
	case graph.OpConst:
		r.words = g.ConstBits(id)
	case graph.OpInput:
		info := g.InputInfo(id)
		r.name, r.words, r.meta = info.Name, info.Init, info.Meta
	case graph.OpState:
		info := g.StateInfo(id)
		r.name, r.words = info.Name, info.Init
		if info.Next != graph.None {
			next := uint64(info.Next)
			r.next = &next
		}
	default:
		if a := attributes[n.Op.Info().Attr]; a.numbers != nil {
			r.attr = a.numbers(n)
		}
		if n.Op == graph.OpScan {
			s, _ := g.ScanInfo(id)
			r.attr[0] = int64(loops[s])
		}
	}
	return r
}

// value is the tensor of a source, which has no JSON of it yet.
func (r *record) value() graph.Tensor {
	return graph.Tensor{DType: r.dtype, Shape: r.shape, Bits: r.words}
}

// zero reports whether the value need not be written: an array of nothing else.
func (r *record) zero() bool {
	if len(r.shape) == 0 {
		return false
	}
	for _, w := range r.words {
		if w != 0 {
			return false
		}
	}
	return true
}

// builder makes a graph of records.
type builder struct {
	g     *graph.Graph
	ids   []graph.ID      // by place in the file: where nodes are equal, one stands for both
	names map[string]bool // taken by inputs and states
	nexts []next
	loops []*graph.Scan // of the file, so far
	body  bool          // the graph is the body of a loop
}

// next is a next value to be set when all nodes are there.
type next struct {
	at    int // place of the state
	state graph.ID
	place uint64
	task  uint8
}

// add makes the next node of a file.
func (b *builder) add(r *record) error {
	id, err := b.make(r)
	if err != nil {
		name := r.op
		if r.name != "" {
			name += fmt.Sprintf(" %.60q", r.name)
		}
		return fmt.Errorf("node %d (%.100s): %w", len(b.ids), name, plain(err))
	}
	b.ids = append(b.ids, id)
	return nil
}

func (b *builder) make(r *record) (graph.ID, error) {
	if r.op == "" {
		return graph.None, errors.New("no op")
	}
	op, err := graph.ParseOp(r.op)
	if err != nil {
		return graph.None, err
	}
	if !r.dtype.Valid() {
		return graph.None, errors.New("no type")
	}
	if _, err := b.g.InternShape(r.shape); err != nil {
		return graph.None, err
	}
	b.g.SetPos(r.pos)
	b.g.SetFast(false)
	if r.task >= graph.MaxTasks {
		return graph.None, fmt.Errorf("task %d: at most %d are supported", r.task, graph.MaxTasks-1)
	}
	if r.meta != nil && op != graph.OpInput {
		return graph.None, errors.New("only inputs and outputs have metadata")
	}
	b.g.SetTask(0)
	if op == graph.OpParam {
		return b.param(op, r)
	}
	if op.Info().Sig == graph.SigSource {
		if r.task != 0 && r.next == nil {
			return graph.None, errors.New("only computations and next values belong to a task")
		}
		return b.source(op, r)
	}
	if r.task != 0 && b.body {
		return graph.None, errors.New("the body of a loop belongs to the task of the loop")
	}
	b.g.SetTask(int(r.task))
	defer b.g.SetTask(0)
	b.g.SetFast(r.fast)
	switch {
	case r.name != "":
		return graph.None, errNamed
	case r.next != nil:
		return graph.None, errNext
	case r.words != nil || r.json != nil:
		return graph.None, errors.New("only constants, inputs and states have a value")
	}
	word, err := r.attribute(op)
	if err != nil {
		return graph.None, err
	}
	args := make([]graph.ID, len(r.args))
	for i, a := range r.args {
		if a >= uint64(len(b.ids)) {
			return graph.None, fmt.Errorf("operand %d is node %d, which is not before it", i, a)
		}
		args[i] = b.ids[a]
	}
	if op == graph.OpScan {
		if word, err = b.loop(word); err != nil {
			return graph.None, err
		}
	}
	return b.g.Define(op, r.dtype, r.shape, word, args...)
}

// loop turns an attribute with the place of a loop in the file into that of the
// graph.
func (b *builder) loop(word uint64) (uint64, error) {
	place, result := (&graph.Node{Attr: word}).ScanRange()
	if place >= len(b.loops) {
		return 0, fmt.Errorf("loop %d is not before it: %d loops are known here", place, len(b.loops))
	}
	loop, err := b.g.InternScan(b.loops[place])
	return graph.ScanAttr(loop, result), err
}

// param makes a param of the body of a loop.
func (b *builder) param(op graph.Op, r *record) (graph.ID, error) {
	if !b.body {
		return graph.None, errors.New("only the body of a loop has params")
	}
	if len(r.args) > 0 || r.name != "" || r.next != nil || r.words != nil || r.json != nil {
		return graph.None, errors.New("a param has a number, a type and a shape")
	}
	index, err := r.attribute(op)
	if err != nil {
		return graph.None, err
	}
	return b.g.DefineParam(int(index), r.dtype, r.shape)
}

// attribute is the attribute word that the numbers of a record stand for.
func (r *record) attribute(op graph.Op) (uint64, error) {
	a := attributes[op.Info().Attr]
	for _, key := range a.keys {
		if x, ok := r.named[key]; ok {
			r.attr = append(r.attr, x)
			delete(r.named, key)
		}
	}
	for key := range r.named {
		return 0, fmt.Errorf("this op has no attribute %.60q", key)
	}
	switch {
	case len(r.attr) == 0 && (a.optional || len(a.keys) == 0):
		return 0, nil
	case len(a.keys) == 0:
		return 0, errors.New("this op has no attribute")
	case len(r.attr) != len(a.keys):
		return 0, fmt.Errorf("needs the attributes %q, %d given", a.keys, len(r.attr))
	}
	for i, x := range r.attr {
		if x < 0 && i < len(a.keys)-a.signed || x < math.MinInt32 || x > math.MaxInt32 {
			return 0, fmt.Errorf("%s is %d, out of range", a.keys[i], x)
		}
	}
	return a.word(r.attr), nil
}

// source makes a constant or an input.
func (b *builder) source(op graph.Op, r *record) (graph.ID, error) {
	if r.fast {
		return graph.None, fmt.Errorf("%v is not a computation that could be fast", op)
	}
	if len(r.args)+len(r.attr)+len(r.named) > 0 {
		return graph.None, fmt.Errorf("%v has neither operands nor attributes", op)
	}
	if len(r.shape) == 0 && r.words == nil && r.json == nil {
		return graph.None, errors.New("no value")
	}
	v := r.value()
	var err error
	switch {
	case r.json != nil:
		v, err = jsonvalue.Parse(r.json, r.dtype, r.shape)
	case v.Bits == nil:
		v.Bits = make([]uint32, v.Shape.Elements()*v.DType.Words())
	}
	if err != nil {
		return graph.None, fmt.Errorf("value: %w", err)
	}
	if op != graph.OpState && r.next != nil {
		return graph.None, errNext
	}
	if op == graph.OpConst {
		if r.name != "" {
			return graph.None, errNamed
		}
		made, err := b.g.Const(v)
		return made.ID(), err
	}
	if err := checkName(r.name); err != nil {
		return graph.None, err
	}
	if b.names[r.name] && r.name != "" {
		return graph.None, errors.New("the name is taken by another input or state")
	}
	b.names[r.name] = true
	if op == graph.OpInput {
		if r.meta != nil {
			if r.meta.Role.OfResult() {
				return graph.None, fmt.Errorf("the role %v is for outputs", r.meta.Role)
			}
			if err := r.meta.Check(v.DType, v.Len()); err != nil {
				return graph.None, err
			}
		}
		made, err := b.g.Input(r.name, v.DType, v.Shape, v.Bits)
		if err == nil {
			b.g.InputInfo(made.ID()).Meta = r.meta
		}
		return made.ID(), err
	}
	made, err := b.g.State(r.name, v.DType, v.Shape, v.Bits)
	if err == nil && r.next != nil {
		b.nexts = append(b.nexts, next{len(b.ids), made.ID(), *r.next, r.task})
	}
	return made.ID(), err
}

var (
	errNamed = errors.New("only inputs and states have a name")
	errNext  = errors.New("only states have a next value")
)

// finish sets the next values of the states.
func (b *builder) finish() error {
	b.g.SetFast(false)
	defer b.g.SetTask(0)
	for _, n := range b.nexts {
		err := fmt.Errorf("next is node %d, which does not exist", n.place)
		b.g.SetTask(int(n.task))
		if n.place < uint64(len(b.ids)) {
			err = b.g.SetNext(b.g.Value(n.state), b.g.Value(b.ids[n.place]))
		}
		if err != nil {
			return fmt.Errorf("node %d (state %.60q): %w", n.at, b.g.StateInfo(n.state).Name, plain(err))
		}
	}
	return nil
}

// plain takes the op's name off an error that names the node already.
func plain(err error) error {
	if refused := (*graph.Error)(nil); errors.As(err, &refused) {
		return errors.New(refused.Message)
	}
	return err
}
