package lower

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// chooser makes selects of a block cheaper.
type chooser struct {
	*lowerer
	b       *lir.Block
	uses    map[lir.Val]int
	decides map[lir.Val]int // how many selects have it as their condition
	made    map[lir.Val]int // by result: index of the instruction
}

// choose replaces selects by shorter code with the same results: one operation on selected operands
// instead of a choice of two results, where the operation takes longer than a select; and
// conditions and comparisons whose result nothing but selects read, which need not be 0 or 1.
func (l *lowerer) choose(loop *lir.Loop, b *lir.Block) {
	c := &chooser{lowerer: l, b: b}
	c.count(loop)
	c.operands()
	if c.branches(graph.I32) {
		c.count(loop)
		c.conditions()
	}
	if l.m.Ops[lir.Of(lir.Test, graph.I32)].Valid {
		c.count(loop)
		c.joined()
	}
	if l.m.Ops[lir.Of(lir.FlagLT, graph.F32)].Valid {
		c.count(loop)
		c.flags()
		c.counts(loop)
	}
}

// isSelect reports whether an instruction is a select of single values.
func isSelect(in *lir.Ins) bool {
	return in.Op.Code() == graph.OpSelect && lir.Lanes(in.Op.DType()) == 1
}

func (c *chooser) selects() bool {
	for i := range c.b.Ins {
		if isSelect(&c.b.Ins[i]) {
			return true
		}
	}
	return false
}

// count finds out where values are made and how often they are used. One that has a home is read
// from elsewhere, too.
func (c *chooser) count(loop *lir.Loop) {
	c.uses, c.made = map[lir.Val]int{}, map[lir.Val]int{}
	for _, list := range [2][]lir.Ins{c.b.Ins, c.b.Updates} {
		for i := range list {
			for _, v := range list[i].Args() {
				c.uses[v]++
			}
		}
	}
	for i := range c.b.Ins {
		for _, v := range [2]lir.Val{c.b.Ins[i].D, c.b.Ins[i].E} {
			if c.made[v] = i; c.f.Values[v].Home != lir.NoAddr {
				c.uses[v]++
			}
		}
	}
	if loop != nil {
		for _, p := range loop.Phis {
			c.uses[p.Next]++
		}
	}
}

// once is the instruction that makes a value which nothing else uses, or nil.
func (c *chooser) once(v lir.Val) *lir.Ins {
	if i, ok := c.made[v]; ok && v != 0 && c.uses[v] == 1 {
		return &c.b.Ins[i]
	}
	return nil
}

func (c *chooser) cost(op lir.Op) int { return int(c.m.Ops[op].Insns) }

// limits makes a minimum or maximum of a select of one of the two that it compares: of integers, of floats where there
// is Lesser, and of a float and a constant that is neither zero nor NaN.
func (l *lowerer) limits(loop *lir.Loop, b *lir.Block) {
	c := &chooser{lowerer: l, b: b}
	c.count(loop)
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		k, ok := c.made[in.A]
		if !ok || in.A == 0 || in.Op.Code() != graph.OpSelect {
			continue
		}
		cmp := &c.b.Ins[k]
		greater, t := cmp.Op.Code() == graph.OpGt || cmp.Op.Code() == graph.OpGe, cmp.Op.DType()
		if !greater && cmp.Op.Code() != graph.OpLt && cmp.Op.Code() != graph.OpLe || t != in.Op.DType() || lir.Element(t) == graph.Bool {
			continue
		}
		op := graph.OpMin
		switch {
		case in.B == cmp.A && in.C == cmp.B:
			if greater {
				op = graph.OpMax
			}
		case in.B == cmp.B && in.C == cmp.A:
			if !greater {
				op = graph.OpMax
			}
		default:
			continue
		}
		long := c.cost(in.Op)
		if c.uses[in.A] == 1 {
			long += c.cost(cmp.Op)
		}
		if lir.Element(t) == graph.I32 {
			if whole := lir.Of(op, t); c.cost(whole) < long {
				c.uses[in.A]--
				*in = lir.Ins{Op: whole, A: cmp.A, B: cmp.B, D: in.D}
			}
			continue
		}
		if of := lir.Of(lesserOf[op], t); (cmp.Op.Code() == graph.OpLt || cmp.Op.Code() == graph.OpGt) && c.m.Ops[of].Valid {
			c.uses[in.A]--
			*in = lir.Ins{Op: of, A: in.B, B: in.C, D: in.D}
			continue
		}
		// With the float behind the select: a NaN is neither greater nor less, and stays.
		limit, ok := lir.Of(op, t).Limit()
		if ok = ok && c.m.Ops[limit].Valid && c.cost(limit) < long && c.limiting(in.B, t); ok {
			c.uses[in.A]--
			*in = lir.Ins{Op: limit, A: in.B, B: in.C, D: in.D}
		}
	}
	c.unused()
}

// lesserOf are the machine ops that choose as a minimum and a maximum.
var lesserOf = map[graph.Op]graph.Op{graph.OpMin: lir.Lesser, graph.OpMax: lir.Greater}

// limiting reports whether a value is a constant that is neither zero nor NaN.
func (c *chooser) limiting(v lir.Val, t graph.DType) bool {
	if !c.isFixed(v) {
		return false
	}
	magnitude := c.bits(v, t) &^ signBit(t)
	return magnitude != 0 && magnitude <= infinity(t)
}

// unused leaves out comparisons that nothing reads any more.
func (c *chooser) unused() {
	kept := c.b.Ins[:0]
	for _, in := range c.b.Ins {
		if _, ok := flagOf[in.Op.Code()]; !ok || c.uses[in.D] > 0 {
			kept = append(kept, in)
		}
	}
	c.b.Ins = kept
	for i := range kept {
		for _, v := range [2]lir.Val{kept[i].D, kept[i].E} {
			c.made[v] = i
		}
	}
}

// operands moves operations behind selects of their results.
func (c *chooser) operands() {
	gone := map[lir.Val]bool{}
	var out []lir.Ins
	for i := range c.b.Ins {
		in := c.b.Ins[i]
		var with []lir.Ins
		if isSelect(&in) {
			if x, y := c.once(in.B), c.once(in.C); x != nil && y != nil && x != y && !gone[x.D] && !gone[y.D] {
				if with = c.operation(&in, *x, *y); with != nil {
					gone[x.D], gone[y.D] = true, true
				}
			}
		}
		if with == nil {
			with = []lir.Ins{in}
		}
		out = append(out, with...)
	}
	if len(gone) == 0 {
		return
	}
	c.b.Ins = out[:0]
	for _, in := range out {
		if in.D == 0 || !gone[in.D] {
			c.b.Ins = append(c.b.Ins, in)
		}
	}
}

var (
	addFloats, mulFloats = lir.Of(graph.OpAdd, graph.F32), lir.Of(graph.OpMul, graph.F32)
	two                  = uint64(0x40000000)
)

// doubled is a sum of equal terms as a product, which has the same bits.
func (c *chooser) doubled(in lir.Ins) lir.Ins {
	if in.Op == addFloats && in.A == in.B {
		in.Op, in.B = mulFloats, c.word(two, lir.Float)
	}
	return in
}

// operation is an operation on selected operands instead of a select of the results of x and y; nil if that
// is not shorter. Operations on floats raise no flags.
func (c *chooser) operation(in *lir.Ins, x, y lir.Ins) []lir.Ins {
	if x.Op != y.Op {
		x, y = c.doubled(x), c.doubled(y)
	}
	if x.Op != y.Op || x.Op.Code() >= graph.NumOps || x.Op.DType() != graph.F32 || lir.ResultClass(x.Op) != lir.Float ||
		x.E != 0 || y.E != 0 || x.Op.Code() == graph.OpSelect {
		return nil
	}
	a, b := x.Args(), y.Args()
	if c.m.Ops[x.Op].Commutes && (a[0] == b[1] || a[1] == b[0]) {
		b[0], b[1] = b[1], b[0]
	}
	choices := 0
	for k := range a {
		if a[k] != b[k] {
			choices++
		}
	}
	pick := lir.Of(graph.OpSelect, graph.F32)
	if c.cost(x.Op) <= (choices-1)*c.cost(pick) {
		return nil
	}
	var out []lir.Ins
	for k := range a {
		if a[k] == b[k] {
			continue
		}
		d := c.newVal(lir.Float, local)
		out = append(out, lir.Ins{Op: pick, A: in.A, B: a[k], C: b[k], D: d})
		a[k] = d
	}
	return append(out, lir.Ins{Op: x.Op, A: a[0], B: a[1], C: a[2], D: in.D})
}

// flagOf is the machine op for a comparison, whether it has the operands the other way round, and whether
// it holds where the comparison does not.
var flagOf = map[graph.Op]struct {
	op              graph.Op
	turned, negated bool
}{
	graph.OpLt: {op: lir.FlagLT},
	graph.OpGt: {op: lir.FlagLT, turned: true},
	graph.OpLe: {op: lir.FlagLE},
	graph.OpGe: {op: lir.FlagLE, turned: true},
	graph.OpEq: {op: lir.FlagEQ},
	graph.OpNe: {op: lir.FlagEQ, negated: true},
}

// flags has comparisons of floats whose results only selects read give flags.
func (c *chooser) flags() {
	read := map[lir.Val][]int{} // by result of a comparison: the selects
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if k, ok := c.made[in.A]; ok && in.A != 0 && isSelect(in) && in.B != in.A && in.C != in.A && c.b.Ins[k].Op.DType() == graph.F32 {
			if _, ok := flagOf[c.b.Ins[k].Op.Code()]; ok {
				read[in.A] = append(read[in.A], i)
			}
		}
	}
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		list := read[in.D]
		if in.D == 0 || len(list) == 0 || len(list) != c.uses[in.D] {
			continue
		}
		f := flagOf[in.Op.Code()]
		flag := lir.Of(f.op, graph.F32)
		long, short := c.cost(in.Op), c.cost(flag)
		for _, k := range list {
			t := c.b.Ins[k].Op.DType()
			if t == graph.F64 {
				short = long + 1<<16 // there is no such op
			}
			long += c.cost(lir.Of(graph.OpSelect, t))
			short += c.cost(lir.Of(lir.IfFlag, t))
		}
		// Tests, which scheduling makes, take no register; where there are branches, selects share one.
		tests := c.cost(lir.Of(lir.Test, graph.F32))
		if !c.m.Ops[lir.Of(lir.SkipGT, graph.I32)].Valid {
			tests *= len(list)
		}
		for _, k := range list {
			tests += c.cost(lir.Of(lir.PickGT, c.b.Ins[k].Op.DType()))
		}
		if short >= long || c.m.Ops[lir.Of(lir.Test, graph.F32)].Valid && tests <= short {
			continue
		}
		if in.Op = flag; f.turned {
			in.A, in.B = in.B, in.A
		}
		for _, k := range list {
			s := &c.b.Ins[k]
			if s.Op = lir.Of(lir.IfFlag, s.Op.DType()); f.negated {
				s.B, s.C = s.C, s.B
			}
		}
	}
}

// counts makes sums of a flag's sign of integers that a flag chooses and that differ by one: what a program counts.
func (c *chooser) counts(loop *lir.Loop) {
	c.count(loop)
	counted := false
	for i := range c.b.Ins {
		in := &c.b.Ins[i]
		if in.Op != lir.Of(lir.IfFlag, graph.I32) {
			continue
		}
		op := lir.Of(lir.SubShr, graph.I32)
		switch {
		case c.isNext(in.B, in.C):
		case c.isNext(in.C, in.B):
			op = lir.Of(lir.AddShr, graph.I32)
		default:
			continue
		}
		if c.m.Ops[op].Valid && c.cost(op) <= c.cost(in.Op) {
			*in = lir.Ins{Op: op, A: in.C, B: in.A, D: in.D, Imm: 31}
			counted = true
		}
	}
	if counted {
		c.dropUnused(loop, c.b)
	}
}

// isNext reports whether one value is made as another and one.
func (c *chooser) isNext(v, of lir.Val) bool {
	k, ok := c.made[v]
	if !ok || v == 0 || c.b.Ins[k].Op != lir.Of(graph.OpAdd, graph.I32) {
		return false
	}
	a, b := c.b.Ins[k].A, c.b.Ins[k].B
	if b == of {
		a, b = b, a
	}
	n, known := c.constantOf(b)
	return a == of && known && n == 1
}
