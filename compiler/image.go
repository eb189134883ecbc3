package compiler

import (
	"strconv"
	"strings"

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
			op := b.Ins[i].Op
			if op.DType() == lir.F32x4 {
				count[lir.Of(op.Code(), graph.F32)] += lir.Width * turns
			} else {
				count[op] += turns
			}
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
	p.Image.Symbols = make([]image.Symbol, 0, len(c.low.Inputs)+len(c.outs))

	ins := newNames("input", len(c.low.Inputs), func(i int) string {
		return c.g.InputInfo(c.low.Inputs[i].Node).Name
	})
	symbolOf := make([]int32, c.g.NumNodes()) // 1 + index, by node of g
	for i, s := range c.low.Inputs {
		symbolOf[s.Node] = 1 + c.addSymbol(image.Input, ins[i], s)
	}
	p.inputs = make([]int32, len(c.moved))
	for id, to := range c.moved {
		if to != graph.None && c.source.Node(graph.ID(id)).Op == graph.OpInput {
			p.inputs[id] = symbolOf[to]
		}
	}
	outs := newNames("output", len(c.low.Outputs), func(i int) string { return c.named[i].Name })
	for i, s := range c.low.Outputs {
		p.outputs = append(p.outputs, c.addSymbol(image.Output, outs[i], s))
	}
}

func (c *compilation) addSymbol(kind image.Kind, name string, s lir.Symbol) int32 {
	m := c.program.Image
	m.Symbols = append(m.Symbols, image.Symbol{
		Name: name, Kind: kind, DType: symbolTypes[c.g.Node(s.Node).DType],
		Shape: shapeOf(c.g, s.Node), Offset: c.linked.Offset(s.Addr),
	})
	return int32(len(m.Symbols) - 1)
}

// newNames gives n symbols of a kind unique names: the wanted one where it is
// not empty and the first of its kind, otherwise the stem with a number. A
// program may have as many inputs as a vector elements, so the made-up names
// share one string.
func newNames(stem string, n int, wanted func(i int) string) []string {
	names := make([]string, n)
	taken := map[string]bool{}
	for i := range names {
		if w := wanted(i); w != "" && !taken[w] {
			names[i], taken[w] = w, true
		}
	}
	for clash := true; clash; {
		clash = false
		for w := range taken {
			clash = clash || strings.HasPrefix(w, stem)
		}
		if clash {
			stem += "_"
		}
	}
	var text []byte
	ends := make([]int, n)
	for i, name := range names {
		if name == "" {
			text = strconv.AppendInt(append(text, stem...), int64(i), 10)
		}
		ends[i] = len(text)
	}
	all, from := string(text), 0
	for i, name := range names {
		if name == "" {
			names[i] = all[from:ends[i]]
		}
		from = ends[i]
	}
	return names
}

func shapeOf(g *graph.Graph, id graph.ID) []int32 {
	var shape []int32
	for _, d := range g.ShapeOf(id) {
		shape = append(shape, int32(d))
	}
	return shape
}
