package compiler

import (
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/branch"
	"github.com/copaflash/copaflash/compiler/internal/link"
	"github.com/copaflash/copaflash/compiler/internal/lir"
	"github.com/copaflash/copaflash/compiler/internal/lower"
	"github.com/copaflash/copaflash/compiler/internal/opt"
	"github.com/copaflash/copaflash/compiler/internal/regalloc"
	"github.com/copaflash/copaflash/compiler/internal/sched"
	"github.com/copaflash/copaflash/compiler/internal/unroll"
	"github.com/copaflash/copaflash/protocol/packet"
)

// compilation is a program on its way through the passes.
type compilation struct {
	opt    Options
	arch   packet.Arch
	target *link.Target
	source *graph.Graph // as given
	named  []Output
	marked bool // there are nodes marked by graph.SetFast

	g        *graph.Graph   // after opt
	outs     []graph.ID     // in g
	moved    []graph.ID     // from nodes of source to nodes of g; nil: they are the same
	whole    whole          // before unroll
	owner    map[uint64]int // by number of a state: the task that it changes with; missing: none
	parts    []entry
	freeOuts []bool      // outputs that may be computed anywhere within a tick
	lows     []*lir.Func // by part
	codes    []*regalloc.Code
	linked   *link.Result
	// By input and state: 1 + index of its symbol.
	symbols variables
	vars    []int32 // the same by node of source

	program *Program
}

// whole is the graph of all tasks together, with the outputs and the places of the nodes of the source in it.
type whole struct {
	g           *graph.Graph
	outs, moved []graph.ID
}

// pass is a step of the compiler. check verifies what the next one relies on.
type pass struct {
	name  string
	doc   string
	run   func(*compilation) error
	check func(*compilation) error
}

// passes, in order. Each one reads what the one before it wrote.
var passes = [...]pass{
	{"split", "values that go from task to task to states",
		(*compilation).split, (*compilation).checkGraph},
	{"unroll", "short static loops to their iterations",
		(*compilation).unroll, (*compilation).checkGraph},
	{"opt", "fold constants, join equal nodes, apply exact identities, drop what no output needs",
		(*compilation).optimise, (*compilation).checkGraph},
	{"lower", "arrays to scalars or loops; inputs, states, constants and outputs to places in memory",
		(*compilation).lower, (*compilation).checkLow},
	{"sched", "order within blocks: interleave independent chains, keep few values alive",
		(*compilation).schedule, (*compilation).checkLow},
	{"regalloc", "values to registers; spills, kernel calls, two-address code",
		(*compilation).allocate, (*compilation).checkCode},
	{"branch", "what one side of a choice needs alone behind branches",
		(*compilation).branch, nil},
	{"link", "fill in stencils, lay out data, place kernels",
		(*compilation).link, nil},
	{"image", "symbols and budget",
		(*compilation).makeImage, (*compilation).checkImage},
}

func (c *compilation) run() error {
	c.program = &Program{}
	for i := range passes {
		p := &passes[i]
		start := time.Now()
		if err := p.run(c); err != nil {
			return err
		}
		c.program.Report.Passes = append(c.program.Report.Passes, PassTime{p.name, time.Since(start)})
		if c.opt.Verify && p.check != nil {
			if err := p.check(c); err != nil {
				return fmt.Errorf("check after %s: %w", p.name, err)
			}
		}
	}
	return nil
}

// unrollLimits are the nodes up to which a static loop becomes its iterations: with
// UnrollAuto what costs less code than the loop or little more.
var unrollLimits = [...]int{UnrollAuto: 80, UnrollAlways: 1 << 16, UnrollNever: 0}

func (c *compilation) unroll() error {
	c.marked = c.hasMarks()
	g, outs, moved, err := unroll.Run(c.g, c.outs, unrollLimits[c.opt.Unroll])
	if err != nil {
		return err
	}
	c.g, c.outs = g, outs
	if moved != nil {
		c.follow(moved)
	}
	return nil
}

// follow says that the nodes of the graph so far are others now.
func (c *compilation) follow(moved []graph.ID) {
	if c.moved == nil {
		c.moved = moved
		return
	}
	for i, id := range c.moved {
		if id != graph.None {
			c.moved[i] = moved[id]
		}
	}
}

func (c *compilation) optimise() error {
	g, outs, moved := opt.Run(c.g, c.outs, c.opt.Fast)
	c.g, c.outs = g, outs
	c.follow(moved)
	return nil
}

// NoDoubles is the error of a program with f64 for an architecture that has no
// doubles in hardware.
type NoDoubles struct {
	Arch string
	Op   graph.Op // the first operation, variable or constant that has them
	Name string   // of that variable, if it has one
	Pos  uint32   // its position, as given to Graph.SetPos
}

func (e *NoDoubles) Error() string {
	what := e.Op.String()
	if e.Name != "" {
		what += fmt.Sprintf(" %q", e.Name)
	}
	return fmt.Sprintf("float64 needs hardware double; programs for %s have none: %s is f64", e.Arch, what)
}

// checkDoubles refuses f64 where the target has none.
func (c *compilation) checkDoubles() error {
	if c.target.Machine.Doubles {
		return nil
	}
	for id, uses := range c.g.Users(c.g.Roots(c.outs)) {
		n := c.g.Node(graph.ID(id))
		if uses == 0 || n.DType != graph.F64 {
			continue
		}
		e := &NoDoubles{Arch: c.opt.Arch, Op: n.Op, Pos: n.Pos}
		switch n.Op {
		case graph.OpInput:
			e.Name = c.g.InputInfo(graph.ID(id)).Name
		case graph.OpState:
			e.Name = c.g.StateInfo(graph.ID(id)).Name
		}
		return e
	}
	return nil
}

func (c *compilation) checkGraph() error { return graph.Check(c.g) }

func (c *compilation) lower() error {
	if err := c.checkDoubles(); err != nil {
		return err
	}
	c.parts = c.entries()
	memory := lower.NewMemory(&c.target.Machine)
	for i := range c.parts {
		part := lower.Part{States: c.parts[i].states}
		for _, k := range c.parts[i].results {
			part.Outs = append(part.Outs, c.outs[k])
			part.Apart = append(part.Apart, c.named[k].Written())
		}
		low, err := part.Lower(c.g, memory, &c.target.Machine, c.opt.Unroll)
		if err != nil {
			return err
		}
		c.lows = append(c.lows, low)
	}
	return nil
}

// isState reports whether output i is a state itself, not computed from one.
func (c *compilation) isState(i int) bool { return c.named[i].IsState() }

func (c *compilation) checkLow() error {
	for _, low := range c.lows {
		if err := low.Check(&c.target.Machine); err != nil {
			return err
		}
	}
	return nil
}

// machine is the target's as a lowered entry may use it.
func (c *compilation) machine(low *lir.Func) *lir.Machine { return c.target.Machine.For(low) }

func (c *compilation) schedule() error {
	for _, low := range c.lows {
		sched.Run(low, c.machine(low))
	}
	return nil
}

func (c *compilation) allocate() error {
	for _, low := range c.lows {
		c.codes = append(c.codes, regalloc.Run(low, c.machine(low)))
	}
	return c.lows[0].Data.Check()
}

func (c *compilation) checkCode() error {
	for i, low := range c.lows {
		if err := regalloc.Check(low, c.machine(low), c.codes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *compilation) branch() error {
	for i, low := range c.lows {
		branch.Run(c.codes[i], c.machine(low), c.target.Size)
	}
	return nil
}

func (c *compilation) link() (err error) {
	c.linked, err = c.target.Link(c.lows[0].Data, c.codes...)
	return err
}

func (c *compilation) checkImage() error { return c.program.Image.Validate() }
