package compiler

import (
	"cmp"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/patch"
)

// makeImage puts the linked program, its symbols and its budget together.
func (c *compilation) makeImage() error {
	p, l := c.program, c.linked
	p.linked = l
	p.Image = &image.Image{
		Version: image.Plain, Arch: c.arch,
		Code: l.Code, Data: l.Data, BSS: l.BSS,
		Budget: image.Budget{Ops: c.countOps(), StackBytes: l.Stack, Instructions: l.Insns},
		Source: c.opt.Source,
		Fast:   c.fast(),
	}
	for _, name := range l.Features {
		bit, err := packet.ParseFeature(name)
		if err != nil {
			return err
		}
		p.Image.Features |= bit
	}
	if err := c.addServices(); err != nil {
		return err
	}
	c.addSymbols()
	m := p.Image
	for i, e := range l.Entries {
		t := c.parts[i].task
		at := image.Entry{Name: t.Name, Offset: e.Offset}
		if len(c.opt.Tasks) > 0 {
			at.Divisor, at.Rate, at.Instructions = uint32(t.Divisor), t.Rate, e.Insns
		}
		m.Entries = append(m.Entries, at)
	}
	m.Version = m.LeastFormat()
	r := &p.Report
	r.Ops, r.Instructions = m.Budget.TotalOps(), l.Insns
	r.CodeBytes, r.DataBytes, r.BSSBytes = len(m.Code), len(m.Data), int(m.BSS)
	r.Fast = m.Fast
	r.StackBytes, r.PatchBytes, r.WireBytes = int(l.Stack), len(m.Patches), m.WireBytes()
	return nil
}

// fast says how much of the program was subject to the fast rules.
func (c *compilation) fast() image.Fast {
	switch {
	case c.opt.Fast:
		return image.FastWhole
	case c.marked:
		return image.FastParts
	}
	return image.Strict
}

// hasMarks reports whether the graph has marked nodes that the outputs need.
func (c *compilation) hasMarks() bool {
	if !c.source.Marked() && !c.source.Has(graph.OpScan) {
		return false
	}
	var uses []int32
	for i := range c.source.NumNodes() {
		id := graph.ID(i)
		fast := c.source.Node(id).Fast
		if c.source.Node(id).Op == graph.OpScan {
			s, _ := c.source.ScanInfo(id)
			fast = s.Fast()
		}
		if !fast {
			continue
		}
		if uses == nil {
			uses = c.source.Users(c.source.Roots(c.outs))
		}
		if uses[i] > 0 {
			return true
		}
	}
	return false
}

// addServices makes patches of the addresses of the runner's services that the program
// calls, and lets no runner take the program that has none.
func (c *compilation) addServices() error {
	services := c.linked.Services
	if len(services) == 0 {
		return nil
	}
	kind := patch.Kind{
		Relation: packet.RelAbsolute, Unit: 4, Bits: 32, Place: packet.RegionData, Target: packet.TargetService,
		Fields: []patch.Field{{Src: 0, Len: 32, Dst: 0}},
	}
	for i, s := range services {
		kind.Patches = append(kind.Patches, patch.Patch{Place: c.linked.ServiceWord(i), Target: uint32(s.Of())})
	}
	var err error
	c.program.Image.Features |= packet.FeatSoftFloat
	c.program.Image.Patches, err = patch.Encode([]patch.Kind{kind})
	return err
}

// countOps counts the operations of one run by kind, loops included. Loads,
// stores and address steps do not count as operations.
func (c *compilation) countOps() []image.OpCount {
	var count [lir.NumOps]uint64
	for _, low := range c.lows {
		low.Blocks(func(b *lir.Block, _ *lir.Loop, turns uint64) {
			for i := range b.Ins {
				op := b.Ins[i].Op
				if op.Tests() {
					pick := slices.IndexFunc(b.Ins[i:], func(in lir.Ins) bool { return in.Op.Picks() })
					op = b.Ins[i+pick].Op.Tested(op.DType())
				} else if op.Picks() {
					op = lir.Of(graph.OpSelect, op.DType())
				}
				n := uint64(lir.Lanes(op.DType())) * turns
				count[op.Counted()] += n
				if code := op.Code(); code == lir.MulAdd || code == lir.MulSub {
					count[lir.Of(graph.OpMul, graph.I32)] += n
				}
			}
		})
	}
	var ops []image.OpCount
	for o, n := range count {
		if op := lir.Op(o); n > 0 && (op.Code() < graph.NumOps || op.Code() == lir.SinCos) {
			ops = append(ops, image.OpCount{Name: op.String(), Count: n})
		}
	}
	return ops
}

// addSymbols names the inputs that the program reads, its states and its outputs.
// An input or state without a name has that of the output that it is. Names that
// are missing are made up, those that are taken get a number.
func (c *compilation) addSymbols() {
	p := c.program
	inputs := c.variables(func(f *lir.Func) []lir.Symbol { return f.Inputs })
	states := c.variables(func(f *lir.Func) []lir.Symbol { return f.States })
	p.Image.Symbols = make([]image.Symbol, 0, len(inputs)+len(states)+len(c.outs))
	c.symbols = variables{inputs: make([]int32, c.g.NumInputs()), states: make([]int32, c.g.NumStates())}

	asOutput := map[graph.ID]string{}
	for i, o := range c.named {
		if op := o.Value.Op(); (op == graph.OpInput || op == graph.OpState) && !o.Written() {
			asOutput[c.outs[i]] = o.Name
		}
	}
	add := func(kind image.Kind, vars []lir.Symbol, of []int32, about func(graph.ID) (string, *graph.Meta)) {
		from := len(p.Image.Symbols)
		for _, s := range vars {
			name, meta := about(s.Node)
			if name == "" && len(asOutput) > 0 {
				name = asOutput[s.Node]
			}
			at := c.addSymbol(kind, name, s)
			at.Meta = said(meta)
			of[c.g.Node(s.Node).Attr] = int32(len(p.Image.Symbols))
		}
		nameAll(p.Image.Symbols[from:], kind.String())
	}
	add(image.Input, inputs, c.symbols.inputs, func(id graph.ID) (string, *graph.Meta) {
		info := c.g.InputInfo(id)
		return info.Name, info.Meta
	})
	add(image.State, states, c.symbols.states, func(id graph.ID) (string, *graph.Meta) { return c.g.StateInfo(id).Name, nil })
	c.vars = c.symbols.byNode(c.source)
	p.vars = c.vars
	from := len(p.Image.Symbols)
	places := map[graph.ID]lir.Symbol{} // of the states
	for _, s := range states {
		places[s.Node] = s
	}
	results := make([]lir.Symbol, len(c.outs)) // of the outputs that are no states
	for i := range c.parts {
		for k, out := range c.parts[i].results {
			results[out] = c.lows[i].Outputs[k]
		}
	}
	for i, id := range c.outs {
		s := results[i]
		if c.isState(i) {
			s = places[id]
		}
		c.addSymbol(image.Output, c.named[i].Name, s).Meta = said(&c.named[i].Meta)
		p.outputs = append(p.outputs, int32(from+i))
	}
	nameAll(p.Image.Symbols[from:], image.Output.String())
}

// said is a copy of what is known of a variable, nil for nothing.
func said(m *graph.Meta) *graph.Meta {
	if m.IsZero() {
		return nil
	}
	copied := *m
	return &copied
}

// variables are the places of inputs or states in all entries, in the order of the nodes.
func (c *compilation) variables(of func(*lir.Func) []lir.Symbol) []lir.Symbol {
	if len(c.lows) == 1 {
		return of(c.lows[0])
	}
	var list []lir.Symbol
	for _, low := range c.lows {
		list = append(list, of(low)...)
	}
	slices.SortFunc(list, func(a, b lir.Symbol) int { return cmp.Compare(a.Node, b.Node) })
	return slices.Compact(list)
}

// addSymbol appends a symbol; there is room for it.
func (c *compilation) addSymbol(kind image.Kind, name string, s lir.Symbol) *image.Symbol {
	m, n := c.program.Image, c.g.Node(s.Node)
	m.Symbols = m.Symbols[:len(m.Symbols)+1]
	at := &m.Symbols[len(m.Symbols)-1]
	at.Name, at.Kind, at.DType, at.Offset = name, kind, n.DType, c.linked.Offset(s.Addr)
	if n.Shape != graph.Scalar {
		at.Shape = slices.Clone(c.g.Shape(n.Shape))
	}
	return at
}
