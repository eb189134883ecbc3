package sweep

import (
	"fmt"
	"math"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// Sweep is a Spec bound to a program: its names are places in the data block.
type Sweep struct {
	Program *compiler.Program
	plan    *plan
	ticks   int
	params  []place // by axis
	results []place
	flags   bool // the program has operations that may raise one
	width   int  // bytes of a row
}

// maxColumns bounds the elements of the results of a run.
const maxColumns = 100_000

// Bind finds the names of a spec in a program. Errors are an *Error.
func Bind(p *compiler.Program, spec Spec) (*Sweep, error) {
	plan, err := newPlan(spec)
	if err != nil {
		return nil, err
	}
	s := &Sweep{Program: p, plan: plan, ticks: max(spec.Ticks, 1), flags: mayRaise(p)}
	img := p.Image
	taken := map[uint32]string{}
	for i := range plan.axes {
		a := &plan.axes[i]
		at, err := find(img, a.Name, image.Input, image.State)
		if err != nil {
			return nil, err
		}
		if len(at.shape) > 0 {
			return nil, &Error{fmt.Sprintf("--set %s: %s is an array of the shape %v", a.Name, a.Name, at.shape),
				"set its elements, as --set '" + example(&image.Symbol{Name: a.Name, Shape: at.shape}) + "=0:5:100'"}
		}
		if first, twice := taken[at.offset]; twice {
			return nil, &Error{fmt.Sprintf("--set %s: this is set already, as %s", a.Name, first), "give each parameter one --set"}
		}
		taken[at.offset] = a.Name
		if err := a.fits(at.dtype); err != nil {
			return nil, err
		}
		s.params = append(s.params, at)
	}
	if err := s.bindResults(spec.Gets); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Sweep) bindResults(names []string) error {
	img := s.Program.Image
	if len(names) == 0 {
		for i := range img.Symbols {
			if v := &img.Symbols[i]; v.Kind == image.Output {
				names = append(names, v.Name)
			}
		}
	}
	columns := 0
	for _, name := range names {
		at, err := find(img, name, image.Output, image.State, image.Input)
		if err != nil {
			return err
		}
		columns += at.count
		s.width += at.size()
		s.results = append(s.results, at)
	}
	if columns > maxColumns {
		return &Error{fmt.Sprintf("%d results in each run, more than the %d that a sweep keeps", columns, maxColumns), "say with --get which are wanted"}
	}
	if s.flags {
		s.width += graph.WordSize
	}
	return nil
}

// mayRaise reports whether a program has operations on integers that may raise a sticky flag.
func mayRaise(p *compiler.Program) bool {
	found := false
	look := func(g *graph.Graph) {
		for i := range g.NumNodes() {
			n := g.Node(graph.ID(i))
			found = found || n.DType == graph.I32 && n.Op.Info().Flags != 0
		}
	}
	look(p.Graph)
	for _, loop := range p.Graph.Scans() {
		look(loop.Body)
	}
	return found
}

// fits tells whether all values that a list or range names are of a type.
func (a *Axis) fits(t graph.DType) error {
	if t.IsFloat() {
		return nil
	}
	refuse := func(why string) error {
		return &Error{fmt.Sprintf("--set %s=%s: %s", a.Name, a.text, why), "give whole numbers, as " + a.Name + "=0:10:11 or " + a.Name + "=1,2,5"}
	}
	if a.distribution != nil {
		return refuse("a distribution gives floats, and the variable is of type " + t.String())
	}
	for k := range a.count {
		v := a.at(k)
		low, high := float64(math.MinInt32), float64(math.MaxInt32)
		if t == graph.Bool {
			low, high = 0, 1
		}
		if v != math.Trunc(v) || !(low <= v && v <= high) {
			return refuse(fmt.Sprintf("%v is no value of type %s", v, t))
		}
	}
	return nil
}

// encode is the bits of a value of a type; fits has seen to integers.
func encode(t graph.DType, v float64) uint64 {
	switch t {
	case graph.F32:
		return graph.Canonical(t, uint64(math.Float32bits(float32(v))))
	case graph.F64:
		return graph.Canonical(t, math.Float64bits(v))
	}
	return uint64(uint32(int32(v)))
}

// decode is the value of bits of a type.
func decode(t graph.DType, bits uint64) float64 {
	switch t {
	case graph.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case graph.F64:
		return math.Float64frombits(bits)
	}
	return float64(int32(uint32(bits)))
}

// Len is the number of runs.
func (s *Sweep) Len() int { return s.plan.len }

// Width is the number of bytes of a run's results.
func (s *Sweep) Width() int { return s.width }

// Random reports whether the parameters are drawn.
func (s *Sweep) Random() bool { return s.plan.draws > 0 }

// Grid is how many values each parameter takes, the outermost first; nil where they are drawn.
func (s *Sweep) Grid() []int {
	if s.Random() {
		return nil
	}
	counts := make([]int, len(s.plan.axes))
	for i := range counts {
		counts[i] = s.plan.axes[i].count
	}
	return counts
}

// Params is the number of parameters.
func (s *Sweep) Params() int { return len(s.params) }

// Finite reports whether a grid has no nan and no inf among its points.
func (s *Sweep) Finite() bool {
	for i := range s.plan.axes {
		for _, v := range s.plan.axes[i].values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// Flags reports whether the last column is that of the sticky flags.
func (s *Sweep) Flags() bool { return s.flags }
