package opt

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// draft is a static loop on its way to the new graph. Params of the body go by
// their number; those that the body does not use may be missing in it.
type draft struct {
	graph.Scan
	args []graph.ID // operands, in the new graph
	outs []int      // the number of each result of the old loop; -1: not needed, or known
}

// maxRounds bounds how often a loop is simplified: each round finds what the one
// before it made constant or the same in all iterations.
const maxRounds = 4

// scan rewrites the results of a loop, the first of which is at hand with its
// operands, and returns the first.
func (o *pass) scan(group *graph.ScanGroup) graph.ID {
	s := o.from.Scans()[group.Loop]
	d := draft{Scan: *s, args: slices.Clone(o.args), outs: make([]int, s.NumOutputs())}
	used := o.from.Used(group)
	for out := range d.outs {
		if d.outs[out] = out; !used[out] {
			d.outs[out] = -1
		}
	}
	known := make([]graph.ID, len(d.outs)) // results that need no loop
	for i := range known {
		known[i] = graph.None
	}
	for range maxRounds {
		o.findKnown(&d, known)
		before := len(d.args)
		o.prune(&d)
		body, results := o.simplify(d.Scan)
		again := len(d.args) < before || len(results) > 0 && computed(body) < computed(d.Body)
		d.Body, d.Results = body, results
		if !again {
			break
		}
	}
	o.findKnown(&d, known)
	o.prune(&d)
	if o.sliceRows(&d) {
		o.prune(&d)
	}
	loop := -1
	for _, id := range group.Nodes {
		n := o.from.Node(id)
		_, out := o.from.ScanInfo(id)
		if known[out] == graph.None {
			if loop < 0 {
				var err error
				if loop, err = o.to.InternScan(&d.Scan); err != nil {
					panic(err) // rewriting keeps types and shapes
				}
			}
			known[out] = o.to.Intern(n.Op, n.DType, n.Shape, graph.ScanAttr(loop, d.outs[out]), d.args...)
		}
		o.loops[id] = known[out]
	}
	return o.loops[group.Nodes[0]]
}

// bodies are those that were simplified before. A loop within loops is met again in every
// round of each of them, and in each copy that became of an iteration.
type bodies struct {
	seen *graph.Graph // has them as its loops
	done []simplified // by loop of seen
}

// simplified is a body after simplification, and its results.
type simplified struct {
	body    *graph.Graph
	results []graph.ID
}

// simplify rewrites a body by itself.
func (o *pass) simplify(s graph.Scan) (*graph.Graph, []graph.ID) {
	b := o.bodies
	at, err := b.seen.InternScan(&s)
	if err != nil {
		panic(err) // rewriting keeps types and shapes
	}
	if at == len(b.done) {
		b.done = append(b.done, simplified{})
		body, results, _ := run(s.Body, slices.Clone(s.Results), o.all, b)
		b.done[at] = simplified{body, results}
	}
	return b.done[at].body, b.done[at].results
}

// computed is the number of nodes of a body that are not params.
func computed(body *graph.Graph) int {
	n := 0
	for i := range body.NumNodes() {
		if body.Node(graph.ID(i)).Op != graph.OpParam {
			n++
		}
	}
	return n
}

// params finds the params of a body by number.
func (d *draft) params() []graph.ID {
	params := make([]graph.ID, 1+len(d.args))
	for i := range params {
		params[i] = graph.None
	}
	for i := range d.Body.NumNodes() {
		if n := d.Body.Node(graph.ID(i)); n.Op == graph.OpParam {
			params[n.Attr] = graph.ID(i)
		}
	}
	return params
}

// used marks the results of the draft that are needed.
func (d *draft) used() []bool {
	used := make([]bool, d.NumOutputs())
	for _, out := range d.outs {
		if out >= 0 {
			used[out] = true
		}
	}
	return used
}

// findKnown finds results that are plain without the loop: carries that no iteration
// changes, and rows that are the same in every iteration or those of an operand.
func (o *pass) findKnown(d *draft, known []graph.ID) {
	if slices.ContainsFunc(d.args, o.mayRaise) {
		return // the operands are computed for the loop, needed or not
	}
	params := d.params()
	for old, out := range d.outs {
		if out < 0 {
			continue
		}
		id := d.args[0:0]
		switch {
		case out < d.Carries && d.unchanged(params, out):
			id = d.args[out : out+1]
		case out >= len(d.Results) && d.unchanged(params, out-len(d.Results)):
			id = []graph.ID{o.repeat(d.args[out-len(d.Results)], d.Iterations)}
		case out >= d.Carries && out < len(d.Results):
			if n := d.Body.Node(d.Results[out]); n.Op == graph.OpParam && n.Attr > 0 {
				switch i := int(n.Attr) - 1; {
				case i >= d.Carries+d.Slices || i < d.Carries && d.unchanged(params, i):
					id = []graph.ID{o.repeat(d.args[i], d.Iterations)}
				case i >= d.Carries:
					id = d.args[i : i+1]
				}
			}
		}
		if len(id) > 0 {
			known[old], d.outs[old] = id[0], -1
		}
	}
}

// unchanged reports whether a carry is the same in every iteration.
func (d *draft) unchanged(params []graph.ID, carry int) bool {
	return params[1+carry] != graph.None && d.Results[carry] == params[1+carry]
}

// repeat is an array of n rows that are all the same.
func (o *pass) repeat(row graph.ID, n int) graph.ID {
	t := o.to.Node(row).DType
	s, err := o.to.InternShape(append(graph.Shape{n}, o.to.ShapeOf(row)...))
	if err != nil {
		panic(err) // the shape of the result that it stands for
	}
	return o.build(node{op: graph.OpBroadcast, t: t, shape: s, args: []graph.ID{row}})
}

// prune makes a body of what the needed results need. Carries that no iteration changes
// become values from outside, and those that are known constants of the body;
// equal ones become one.
func (o *pass) prune(d *draft) {
	params := d.params()
	carries, rows := d.needs(params)
	fixed := d.fixed(params)
	var roots []graph.ID
	for k, id := range d.Results {
		if k < d.Carries && carries[k] || k >= d.Carries && rows[k-d.Carries] {
			roots = append(roots, id)
		}
	}
	uses := d.Body.Users(roots)
	next := draft{Scan: graph.Scan{Iterations: d.Iterations, Body: graph.New()}, outs: make([]int, len(d.outs))}
	moved := make([]graph.ID, d.Body.NumNodes())
	next.param(graph.I32, graph.Shape{})
	if params[0] != graph.None {
		moved[params[0]] = 0
	}
	operand := func(i int) {
		p := params[1+i]
		t, s := o.to.Node(d.args[i]).DType, o.to.ShapeOf(d.args[i])
		if i >= d.Carries && i < d.Carries+d.Slices && p != graph.None && uses[p] > 0 {
			s = s[1:]
		}
		if id := next.param(t, s); p != graph.None {
			moved[p] = id
		}
		next.args = append(next.args, d.args[i])
	}
	outside := map[graph.ID]graph.ID{}
	number := make([]int, d.Carries)
	for k := range d.Carries {
		if carries[k] && !fixed[k] {
			number[k] = next.Carries
			operand(k)
			next.Carries++
		}
	}
	for i := d.Carries; i < d.Carries+d.Slices; i++ {
		if p := params[1+i]; p != graph.None && uses[p] > 0 {
			operand(i)
			next.Slices++
		}
	}
	var constants []int
	for i, arg := range d.args {
		p := params[1+i]
		if o.mayRaise(arg) && !slices.Contains(next.args, arg) && (p == graph.None || uses[p] == 0) {
			operand(i) // not dropped
			continue
		}
		switch {
		case i < d.Carries && !fixed[i] || i >= d.Carries && i < d.Carries+d.Slices || p == graph.None || uses[p] == 0:
		case o.isConstant(arg):
			constants = append(constants, i)
		default:
			if id, ok := outside[arg]; ok {
				moved[p] = id
				continue
			}
			operand(i)
			outside[arg] = moved[p]
		}
	}
	for _, i := range constants {
		moved[params[1+i]] = next.constant(o.to, d.args[i])
	}
	next.copy(d.Body, uses, moved)
	d.number(&next, carries, rows, fixed, number, moved)
	*d = next
}

// fixed marks the carries that no iteration changes and that are not results.
func (d *draft) fixed(params []graph.ID) []bool {
	fixed, used := make([]bool, d.Carries), d.used()
	for k := range fixed {
		fixed[k] = d.unchanged(params, k) && !used[k] && !used[len(d.Results)+k]
	}
	return fixed
}

// needs is Scan.Needs for a body whose params may be missing.
func (d *draft) needs(params []graph.ID) (carries, rows []bool) {
	carries, rows = make([]bool, d.Carries), make([]bool, len(d.Results)-d.Carries)
	for out, u := range d.used() {
		switch {
		case !u:
		case out < d.Carries:
			carries[out] = true
		case out < len(d.Results):
			rows[out-d.Carries] = true
		default:
			carries[out-len(d.Results)] = true
		}
	}
	for {
		var roots []graph.ID
		for k, id := range d.Results {
			if k < d.Carries && carries[k] || k >= d.Carries && rows[k-d.Carries] {
				roots = append(roots, id)
			}
		}
		uses, more := d.Body.Users(roots), false
		for k := range carries {
			if p := params[1+k]; !carries[k] && p != graph.None && uses[p] > 0 {
				carries[k], more = true, true
			}
		}
		if !more {
			return carries, rows
		}
	}
}

// param makes the next param of the body.
func (d *draft) param(t graph.DType, s graph.Shape) graph.ID {
	id, err := d.Body.DefineParam(d.Body.NumNodes(), t, s)
	if err != nil {
		panic(err) // the shape is interned in the graph around
	}
	return id
}

// constant copies a constant of a graph, or a repeated one, to the body.
func (d *draft) constant(g *graph.Graph, id graph.ID) graph.ID {
	n := g.Node(id)
	shape, err := d.Body.InternShape(g.ShapeOf(id))
	if err != nil {
		panic(err) // interned in g
	}
	switch {
	case n.Op == graph.OpBroadcast:
		return d.Body.Intern(n.Op, n.DType, shape, 0, d.constant(g, g.Args(id)[0]))
	case n.Shape == graph.Scalar:
		return d.Body.ConstWord(n.DType, n.Word()).ID()
	}
	return d.Body.ConstArray(n.DType, shape, g.ConstBits(id))
}

// copy copies the used nodes of a body that are not params.
func (d *draft) copy(from *graph.Graph, uses []int32, moved []graph.ID) {
	var args []graph.ID
	for i := range moved {
		id := graph.ID(i)
		n := from.Node(id)
		if uses[id] == 0 || n.Op == graph.OpParam {
			continue
		}
		d.Body.SetPos(n.Pos)
		d.Body.SetFast(n.Fast)
		if n.Op == graph.OpConst {
			moved[id] = d.constant(from, id)
			continue
		}
		shape, err := d.Body.InternShape(from.ShapeOf(id))
		if err != nil {
			panic(err) // interned in from
		}
		attr := n.Attr
		if n.Op == graph.OpScan {
			s, out := from.ScanInfo(id)
			loop, err := d.Body.InternScan(s)
			if err != nil {
				panic(err) // checked when it was made
			}
			attr = graph.ScanAttr(loop, out)
		}
		args = args[:0]
		for _, a := range from.Args(id) {
			args = append(args, moved[a])
		}
		moved[id] = d.Body.Intern(n.Op, n.DType, shape, attr, args...)
	}
	d.Body.SetFast(false)
}

// number lists the results of next and says which of them the results of the old
// loop are; carry is the new number of each carry.
func (d *draft) number(next *draft, carries, rows, fixed []bool, carry []int, moved []graph.ID) {
	for k := range d.Carries {
		if carries[k] && !fixed[k] {
			next.Results = append(next.Results, moved[d.Results[k]])
		}
	}
	row := make([]int, len(rows))
	for k, needed := range rows {
		if needed {
			row[k] = len(next.Results)
			next.Results = append(next.Results, moved[d.Results[d.Carries+k]])
		}
	}
	for old, out := range d.outs {
		switch {
		case out < 0:
			next.outs[old] = -1
		case out < d.Carries:
			next.outs[old] = carry[out]
		case out < len(d.Results):
			next.outs[old] = row[out-d.Carries]
		default:
			next.outs[old] = len(next.Results) + carry[out-len(d.Results)]
		}
	}
}
