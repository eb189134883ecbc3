package compiler

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/internal/link"
	"github.com/copaflash/copaflash/compiler/internal/lower"
	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
)

// Output is a value that the program computes for the host to read. One that is a
// state stands for the variable: what a run leaves in it for the next one. What is
// computed from a state belongs to the run that computes it.
type Output struct {
	Name  string // of its symbol; "" for a name made from its index
	Value graph.Value
	// Task is the number of the one that computes it, see Task; 0: that of the value.
	Task int
	Meta graph.Meta // of its symbol
}

// Written reports whether others than the program write to the output: its safe value, when a loop ends.
func (o *Output) Written() bool { return len(o.Meta.Safe) > 0 }

// IsState reports whether the output stands for a state.
func (o *Output) IsState() bool { return o.Value.Op() == graph.OpState && !o.Written() }

// UnrollMode says which arrays become scalar code instead of loops, and which
// static loops become their iterations. It changes speed and size, never results.
type UnrollMode = lower.Unroll

// The modes: small arrays and short loops, all arrays and all but very long loops,
// none.
const (
	UnrollAuto   = lower.Auto
	UnrollAlways = lower.Always
	UnrollNever  = lower.Never
)

// Options of Compile.
type Options struct {
	Arch string // a name that stencils.Archs lists
	// Features are those that the target reports. The code may use them; the
	// image says which ones it needs.
	Features packet.Features
	Unroll   UnrollMode
	// Fast treats all floats as if made under graph.SetFast: sums and constants are
	// regrouped, which changes rounding. Targets still agree on every bit.
	Fast   bool
	Source string // what the program was made from, for the image
	// Rate is how often the program is meant to run, ticks per second, where no task says it; 0: unknown.
	Rate float64
	// Bind connects variables of the program to something before it is compiled; nil: none.
	Bind Binder
	// Tasks are those of the program, in the order in which they run within a tick; none: it
	// has one entry, and marks of graph.SetTask do not matter.
	Tasks []Task
	// Verify checks the result of every pass. Errors that it finds are faults of
	// the compiler; it takes about as long as compiling.
	Verify bool
}

// Program is a compiled graph.
type Program struct {
	Image   *image.Image
	Report  Report
	Graph   *graph.Graph // what was compiled: as given or, with Options.Bind, what became of it
	Outputs []Output     // values of Graph: those asked for, then what binding has added
	Tasks   []Task       // of Graph
	// AboutPins tells what an entry of the lists for the pins is for, by the number that runners name it with: "mpu6050 at
	// 0x68 on I2C0", or nothing. nil: nobody knows. Files do not have it.
	AboutPins func(number uint32) string

	evaluated Evaluated
	sources   []int32 // by node of the evaluated graph, as vars
	linked    *link.Result
	outputs   []int32          // by output: index of its symbol
	vars      []int32          // by node of the graph as given, inputs and states: 1 + index of its symbol, 0 for none
	shown     map[graph.ID]int // by bound input of the graph as given: the output that shows it
}

// Report says what the program is and what compiling it cost.
type Report struct {
	Ops          uint64 // operations carried out by one run
	Instructions uint64 // bound on the machine instructions of one run
	CodeBytes    int
	DataBytes    int // initialised
	BSSBytes     int // zeroed
	StackBytes   int
	PatchBytes   int
	Fast         image.Fast // whether results may differ from those of the graph as given
	WireBytes    int        // payload for loading the program over a link
	Passes       []PassTime
}

// PassTime is how long a pass took.
type PassTime struct {
	Name string
	Time time.Duration
}

// Total is the time of all passes.
func (r *Report) Total() time.Duration {
	var t time.Duration
	for _, p := range r.Passes {
		t += p.Time
	}
	return t
}

// Compile makes a program that computes outs. The graph is not changed. Errors
// are those of building the graph, of values from another graph, of states without
// a next value, of an unknown architecture, and of programs beyond the limits of the address space.
func Compile(g *graph.Graph, outs []Output, opt Options) (*Program, error) {
	if err := g.Err(); err != nil {
		return nil, fmt.Errorf("compile: graph: %w", err)
	}
	if len(outs) == 0 {
		return nil, fmt.Errorf("compile: program without outputs")
	}
	c := &compilation{opt: opt, source: g, g: g, named: outs}
	for i, o := range outs {
		if !o.Value.Valid() || o.Value.Graph() != g {
			return nil, fmt.Errorf("compile: output %d (%s) is not a value of the graph", i, o.Name)
		}
		c.outs = append(c.outs, o.Value.ID())
	}
	if err := g.CheckRoots(c.outs); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	var err error
	if err := CheckArch(opt.Arch); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	if c.arch, err = packet.ParseArch(opt.Arch); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	if c.target, err = targetFor(opt.Arch, opt.Features); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	var w *Wiring
	if opt.Bind != nil {
		if w, err = c.bind(); err != nil {
			return nil, fmt.Errorf("compile: %w", err)
		}
	}
	if err := c.run(); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	c.program.Graph, c.program.Outputs, c.program.Tasks = c.source, c.named, c.opt.Tasks
	if w != nil {
		if err := w.finish(c.program); err != nil {
			return nil, fmt.Errorf("compile: %w", err)
		}
	}
	c.program.evaluated = c.evaluated()
	return c.program, nil
}

// libraries caches the stencil libraries, by architecture.
var libraries sync.Map // string -> func() (*stencils.Library, error)

func library(arch string) (*stencils.Library, error) {
	load, _ := libraries.LoadOrStore(arch, sync.OnceValues(func() (*stencils.Library, error) { return stencils.Load(arch) }))
	return load.(func() (*stencils.Library, error))()
}

// targets caches what is derived from the stencil libraries.
var targets sync.Map // targetKey -> func() (*link.Target, error)

type targetKey struct {
	arch     string
	features packet.Features
}

// targetFor is the target for an architecture and those of the given features that its
// library can use.
func targetFor(arch string, features packet.Features) (*link.Target, error) {
	if features != 0 {
		usable, err := ParseFeatures(arch, Features(arch))
		if err != nil {
			return nil, err
		}
		features &= usable
	}
	load, _ := targets.LoadOrStore(targetKey{arch, features}, sync.OnceValues(func() (*link.Target, error) {
		lib, err := library(arch)
		if err != nil {
			return nil, err
		}
		return link.New(lib, features.Names()...)
	}))
	return load.(func() (*link.Target, error))()
}

// Evaluated is the graph whose evaluation gives the bits that the program gives:
// the one that was compiled, or where fast rules may have changed it, what they
// made of it.
type Evaluated struct {
	Graph *graph.Graph
	Outs  []graph.ID // the outputs in it
	// Parts are what the entries of the image compute, in the order in which they run.
	Parts []Part
	moved []graph.ID // from nodes of the compiled graph; nil: they are the same
}

// A Part of a graph is what one entry computes: first its results, then the next values of its states,
// which these take together.
type Part struct {
	Divisor int        // it runs in ticks whose number is a multiple of this
	Results []int      // indices of outputs
	States  []graph.ID // of the evaluated graph
}

// At is where a node of the compiled graph is in the evaluated one; graph.None if nowhere.
func (r *Evaluated) At(id graph.ID) graph.ID {
	if r.moved == nil {
		return id
	}
	return r.moved[id]
}

// Evaluated is the graph that the program's results are checked against.
func (p *Program) Evaluated() *Evaluated { return &p.evaluated }

func (c *compilation) evaluated() Evaluated {
	e := Evaluated{Graph: c.g, Outs: c.outs, moved: c.moved}
	if c.fast() == image.Strict {
		e = Evaluated{Graph: c.whole.g, Outs: c.whole.outs, moved: c.whole.moved}
	}
	// A state keeps its number when a graph is rewritten.
	states := map[uint64]graph.ID{}
	for _, id := range e.Graph.States(e.Outs) {
		states[e.Graph.Node(id).Attr] = id
	}
	placed := map[uint64]bool{}
	for i := range c.parts {
		p := &c.parts[i]
		part := Part{Divisor: max(p.task.Divisor, 1), Results: p.results}
		for _, id := range p.states {
			attr := c.g.Node(id).Attr
			part.States = append(part.States, states[attr])
			placed[attr] = true
		}
		e.Parts = append(e.Parts, part)
	}
	// States that the optimiser has found to be needed for nothing still are part of what is evaluated.
	for _, id := range e.Graph.States(e.Outs) {
		if attr := e.Graph.Node(id).Attr; !placed[attr] {
			p := &e.Parts[c.partOf(c.owner[attr])]
			p.States = append(p.States, id)
		}
	}
	if c.program.sources = c.vars; e.Graph != c.source {
		c.program.sources = c.symbols.byNode(e.Graph)
	}
	return e
}

// variables holds something for each input and state, by the number that these keep in all graphs.
type variables struct{ inputs, states []int32 }

// byNode is what there is for the nodes of a graph, 0 for those that are neither.
func (v *variables) byNode(g *graph.Graph) []int32 {
	list := make([]int32, g.NumNodes())
	for id := range list {
		switch n := g.Node(graph.ID(id)); n.Op {
		case graph.OpInput:
			list[id] = v.inputs[n.Attr]
		case graph.OpState:
			list[id] = v.states[n.Attr]
		}
	}
	return list
}

// Output is the symbol of an output, by its index in the outputs asked for.
func (p *Program) Output(i int) *image.Symbol { return &p.Image.Symbols[p.outputs[i]] }

// Variable is the symbol of an input or state of the graph as given, by
// its node. Those that the program does not need have none, and those that are bound.
func (p *Program) Variable(id graph.ID) (*image.Symbol, bool) {
	if id < 0 || int(id) >= len(p.vars) || p.vars[id] == 0 {
		return nil, false
	}
	return &p.Image.Symbols[p.vars[id]-1], true
}

// EachSource calls f for each input and state of the evaluated graph that has a symbol, values that are held
// between tasks included.
func (p *Program) EachSource(f func(id graph.ID, s *image.Symbol)) {
	p.each(p.sources, f)
}

// HasStates reports whether it remembers something between runs.
func (p *Program) HasStates() bool {
	return slices.ContainsFunc(p.Image.Symbols, func(s image.Symbol) bool { return s.Kind == image.State })
}

// EachVariable calls f for each input and state of the graph as given that has a symbol.
func (p *Program) EachVariable(f func(id graph.ID, s *image.Symbol)) {
	p.each(p.vars, f)
}

func (p *Program) each(symbols []int32, f func(id graph.ID, s *image.Symbol)) {
	for id, i := range symbols {
		if i != 0 {
			f(graph.ID(id), &p.Image.Symbols[i-1])
		}
	}
}

// Listing prints the program one instruction a line: offset, bytes, operation,
// registers, places in the data block.
func (p *Program) Listing(w io.Writer) error { return p.linked.Listing(w) }
