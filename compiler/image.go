package compiler

import (
	"strconv"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// makeImage puts the linked program, its symbols and its budget together.
func (c *compilation) makeImage() error {
	p, l := c.program, c.linked
	p.linked = l
	p.Image = &image.Image{
		Version: image.Version, Arch: c.arch,
		Code: l.Code, Data: l.Data, BSS: l.BSS,
		Entries: []image.Entry{{Name: "run", Offset: l.Entry}},
		Budget:  image.Budget{Ops: c.countOps(), StackBytes: l.Stack, Instructions: l.Insns},
		Source:  c.opt.Source,
	}
	c.addSymbols()
	m := p.Image
	r := &p.Report
	r.Ops, r.Instructions = m.Budget.TotalOps(), l.Insns
	r.CodeBytes, r.DataBytes, r.BSSBytes = len(m.Code), len(m.Data), int(m.BSS)
	r.StackBytes, r.PatchBytes, r.WireBytes = int(l.Stack), len(m.Patches), m.WireBytes()
	return nil
}

// countOps counts the operations of one run by kind, loops included. Loads,
// stores and address steps are no operations.
func (c *compilation) countOps() []image.OpCount {
	var count [lir.NumOps]uint64
	c.low.Blocks(func(b *lir.Block, _ *lir.Loop, turns uint64) {
		for i := range b.Ins {
			count[b.Ins[i].Op] += turns
		}
	})
	var ops []image.OpCount
	for o, n := range count {
		if op := lir.Op(o); n > 0 && (op.Code() < graph.NumOps || op.Code() == lir.SinCos) {
			ops = append(ops, image.OpCount{Name: op.String(), Count: n})
		}
	}
	return ops
}

var symbolTypes = [...]image.DType{graph.Bool: image.Bool, graph.I32: image.I32, graph.F32: image.F32}

// addSymbols names the inputs that the program reads and its outputs. Names that
// are missing or taken are replaced by made-up ones.
func (c *compilation) addSymbols() {
	p := c.program
	symbols := make([]image.Symbol, 0, len(c.low.Inputs)+len(c.outs))
	taken := make(map[string]bool, max(len(c.low.Inputs), len(c.outs)))
	add := func(kind image.Kind, name, stem string, number int, s lir.Symbol) int32 {
		for name == "" || taken[name] {
			name = stem + strconv.Itoa(number)
			stem += "_"
		}
		taken[name] = true
		symbols = append(symbols, image.Symbol{
			Name: name, Kind: kind, DType: symbolTypes[c.g.Node(s.Node).DType],
			Shape: shapeOf(c.g, s.Node), Offset: c.linked.Offset(s.Addr),
		})
		return int32(len(symbols) - 1)
	}

	byNode := make(map[graph.ID]int32, len(c.low.Inputs))
	for _, s := range c.low.Inputs {
		byNode[s.Node] = add(image.Input, c.g.InputInfo(s.Node).Name, "input", int(s.Node), s)
	}
	p.inputs = make(map[graph.ID]int32, len(byNode))
	for id, to := range c.moved {
		if to != graph.None && c.source.Node(graph.ID(id)).Op == graph.OpInput {
			if i, ok := byNode[to]; ok {
				p.inputs[graph.ID(id)] = i
			}
		}
	}
	clear(taken)
	for i, s := range c.low.Outputs {
		p.outputs = append(p.outputs, add(image.Output, c.named[i].Name, "output", i, s))
	}
	p.Image.Symbols = symbols
}

func shapeOf(g *graph.Graph, id graph.ID) []int32 {
	var shape []int32
	for _, d := range g.ShapeOf(id) {
		shape = append(shape, int32(d))
	}
	return shape
}
