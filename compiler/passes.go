package compiler

import (
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler/graph"
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

	g      *graph.Graph // after opt
	outs   []graph.ID   // in g
	moved  []graph.ID   // from nodes of source to nodes of g
	low    *lir.Func
	code   *regalloc.Code
	linked *link.Result

	program *Program
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
var unrollLimits = [...]int{UnrollAuto: 40, UnrollAlways: 1 << 16, UnrollNever: 0}

func (c *compilation) unroll() (err error) {
	c.marked = c.hasMarks()
	c.g, c.outs, c.moved, err = unroll.Run(c.source, c.outs, unrollLimits[c.opt.Unroll])
	return err
}

func (c *compilation) optimise() error {
	before := c.moved
	c.g, c.outs, c.moved = opt.Run(c.g, c.outs, c.opt.Fast)
	if before != nil {
		for i, id := range before {
			if id != graph.None {
				before[i] = c.moved[id]
			}
		}
		c.moved = before
	}
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

func (c *compilation) lower() (err error) {
	if err := c.checkDoubles(); err != nil {
		return err
	}
	var results, states []graph.ID
	for i, id := range c.outs {
		if c.isState(i) {
			states = append(states, id)
		} else {
			results = append(results, id)
		}
	}
	c.low, err = lower.Run(c.g, results, states, &c.target.Machine, c.opt.Unroll)
	return err
}

// isState reports whether output i is a state itself, not computed from one.
func (c *compilation) isState(i int) bool { return c.named[i].Value.Op() == graph.OpState }

func (c *compilation) checkLow() error { return c.low.Check(&c.target.Machine) }

// machine is the target's as the lowered program may use it.
func (c *compilation) machine() *lir.Machine { return c.target.Machine.For(c.low) }

func (c *compilation) schedule() error {
	sched.Run(c.low, c.machine())
	return nil
}

func (c *compilation) allocate() error {
	c.code = regalloc.Run(c.low, c.machine())
	return c.low.Data.Check()
}

func (c *compilation) checkCode() error { return regalloc.Check(c.low, c.machine(), c.code) }

func (c *compilation) link() (err error) {
	c.linked, err = c.target.Link(c.low, c.code)
	return err
}

func (c *compilation) checkImage() error { return c.program.Image.Validate() }
