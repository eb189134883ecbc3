package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/graph/jsonvalue"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/internal/autodiff"
)

// program is a graph that a client has loaded. It is compiled and sent to the
// target when it is first run, read or written.
type program struct {
	file      *graphfile.File
	fast      bool                  // all of it
	variables map[string]graph.ID   // inputs and states that have a name
	outputs   map[string]int        // index in file.Outputs
	idle      map[graph.ID][]uint32 // values of variables that the compiled program has no need of

	compiled *compiler.Program
	loaded   device.Program // nil: not on the target yet
	flags    device.Flags   // of the last runs
	ran      uint32         // ticks without a loop, of a program of several tasks
	loop     *loop          // nil: none was started
	ticking  bool           // the loop runs, as far as is known
	tick     uint32         // of the last call, in the loop
}

func newProgram(f *graphfile.File) (*program, error) {
	p := &program{file: f, variables: map[string]graph.ID{}, outputs: map[string]int{}, idle: map[graph.ID][]uint32{}}
	ids := make([]graph.ID, len(f.Outputs))
	for i, o := range f.Outputs {
		p.outputs[o.Name], ids[i] = i, o.Node
	}
	if err := f.Graph.CheckRoots(ids); err != nil {
		return nil, refuse("give every state a next value", "%v", err)
	}
	for i := range f.Graph.NumNodes() {
		if name, _, ok := p.variable(graph.ID(i)); ok && name != "" {
			p.variables[name] = graph.ID(i)
		}
	}
	return p, nil
}

// variable returns the name and the initial words of an input or state.
func (p *program) variable(id graph.ID) (name string, words []uint32, ok bool) {
	switch g := p.file.Graph; g.Node(id).Op {
	case graph.OpInput:
		info := g.InputInfo(id)
		return info.Name, info.Init, true
	case graph.OpState:
		info := g.StateInfo(id)
		return info.Name, info.Init, true
	}
	return "", nil, false
}

// signature describes a program to the client.
type signature struct {
	Program int         `json:"program"`
	Inputs  []parameter `json:"inputs"`
	States  []parameter `json:"states"`
	Outputs []parameter `json:"outputs"`
	Nodes   int         `json:"nodes"`
}

type parameter struct {
	Name  string      `json:"name"`
	Type  string      `json:"type"`
	Shape graph.Shape `json:"shape"`

	Role  string    `json:"role,omitempty"`
	Unit  string    `json:"unit,omitempty"`
	Low   *float64  `json:"low,omitempty"`
	High  *float64  `json:"high,omitempty"`
	Safe  []float64 `json:"safe,omitempty"`
	Every uint32    `json:"every,omitempty"`
}

func (p *program) signature() *signature {
	g := p.file.Graph
	s := &signature{Inputs: []parameter{}, States: []parameter{}, Nodes: g.NumNodes()}
	describe := func(name string, id graph.ID, m *graph.Meta) parameter {
		p := parameter{Name: name, Type: g.Node(id).DType.String(), Shape: g.ShapeOf(id)}
		if m != nil {
			p.Role, p.Unit, p.Low, p.High, p.Safe, p.Every = m.Role.String(), m.Unit, m.Low, m.High, m.Safe, m.Every
		}
		return p
	}
	for i := range g.NumNodes() {
		id := graph.ID(i)
		name, _, ok := p.variable(id)
		switch {
		case !ok || name == "":
		case g.Node(id).Op == graph.OpState:
			s.States = append(s.States, describe(name, id, nil))
		default:
			s.Inputs = append(s.Inputs, describe(name, id, g.InputInfo(id).Meta))
		}
	}
	for i := range p.file.Outputs {
		o := &p.file.Outputs[i]
		s.Outputs = append(s.Outputs, describe(o.Name, o.Node, &o.Meta))
	}
	return s
}

func (p *program) outputNames() []string {
	names := make([]string, len(p.file.Outputs))
	for i, o := range p.file.Outputs {
		names[i] = o.Name
	}
	return names
}

func (p *program) compile(opt compiler.Options) (*compiler.Program, error) {
	opt.Fast = p.fast
	return compiler.CompileFile(p.file, opt)
}

func (p *program) load(ctx context.Context, dev device.Device) error {
	prog, err := p.compile(compiler.Options{Arch: dev.Arch(), Features: dev.Features()})
	if err != nil {
		return err
	}
	loaded, err := dev.Load(ctx, prog)
	if err != nil {
		return err
	}
	p.compiled, p.loaded = prog, loaded
	return nil
}

// release ends a loop, and gives the place on the target to other programs.
func (p *program) release(ctx context.Context) {
	if p.ticking {
		_, _ = p.loop.Stop(ctx) // it is over with the program in any case
		p.ticking = false
	}
	if p.loaded != nil {
		p.loaded.Release()
	}
}

// checkNames refuses names of which there is neither an output nor a variable.
func (p *program) checkNames(names []string) error {
	for _, n := range names {
		_, isOutput := p.outputs[n]
		_, isVariable := p.variables[n]
		if !isOutput && !isVariable {
			return p.unknown(n, p.outputNames())
		}
	}
	return nil
}

func (p *program) unknown(name string, have []string) error {
	const shown = 20
	if len(have) > shown {
		have = append(slices.Clone(have[:shown]), "...")
	}
	return refuse("it has "+strings.Join(have, ", "), "the program has no %.60q", name)
}

// parse returns what variables are set to, all of it checked.
func (p *program) parse(set map[string]json.RawMessage) (map[graph.ID][]uint32, error) {
	words := map[graph.ID][]uint32{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		id, ok := p.variables[name]
		if _, computed := p.outputs[name]; !ok && computed {
			return nil, refuse("inputs and states can be set", "%.60q is computed by the program", name)
		}
		if !ok {
			return nil, p.unknown(name, slices.Sorted(maps.Keys(p.variables)))
		}
		g := p.file.Graph
		v, err := jsonvalue.Parse(set[name], g.Node(id).DType, g.ShapeOf(id))
		if err != nil {
			return nil, refuse("", "%s: %v", name, err)
		}
		if g.Node(id).Op == graph.OpInput && g.InputInfo(id).Meta != nil {
			if err := g.InputInfo(id).Meta.CheckValue(v.DType, v.Bits); err != nil {
				return nil, refuse("", "%s: %v", name, err)
			}
		}
		words[id] = v.Bits
	}
	return words, nil
}

// use writes variables, runs the program and reads outputs and variables, whose
// names are checked.
func (p *program) use(ctx context.Context, words map[graph.ID][]uint32, runs int, names []string) (values, runTimes, error) {
	var times runTimes
	c := device.Call{Runs: runs, Timed: times.add}
	for _, id := range slices.Sorted(maps.Keys(words)) {
		sym, ok := p.compiled.Variable(id)
		if !ok {
			p.idle[id] = words[id]
			continue
		}
		c.Writes = append(c.Writes, device.Piece{Offset: sym.Offset, Bytes: sym.Encode(words[id])})
	}
	slices.SortFunc(c.Writes, func(a, b device.Piece) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, n := range names {
		if _, sym := p.find(n); sym != nil {
			c.Reads = append(c.Reads, device.SpanOf(sym))
		}
	}
	done, err := p.call(ctx, c)
	if err != nil {
		return values{}, times, err
	}
	p.ran += uint32(runs)
	p.flags = done.Flags
	got := values{make(map[string]json.RawMessage, len(names))}
	for _, n := range names {
		id, sym := p.find(n)
		v := p.unused(id)
		if sym != nil {
			v, done.Data = sym.Decode(done.Data[0]), done.Data[1:]
		}
		got.Values[n] = jsonvalue.Append(nil, v)
	}
	return got, times, nil
}

// reset gives the states their initial values, and what is held between tasks.
func (p *program) reset(ctx context.Context) error {
	var c device.Call
	for i := range p.compiled.Image.Symbols {
		if s := &p.compiled.Image.Symbols[i]; s.Kind == image.State {
			c.Writes = append(c.Writes, device.Piece{Offset: s.Offset, Bytes: device.InitialOf(p.compiled.Image, s)})
		}
	}
	for id := range p.idle {
		if p.file.Graph.Node(id).Op == graph.OpState {
			delete(p.idle, id)
		}
	}
	p.ran = 0
	_, err := p.call(ctx, c)
	return err
}

// find returns the node of an output or variable and where its value lies, nil where the
// program has no need of it.
func (p *program) find(name string) (graph.ID, *image.Symbol) {
	if i, isOutput := p.outputs[name]; isOutput {
		return p.file.Outputs[i].Node, p.compiled.Output(i)
	}
	id := p.variables[name]
	if sym, ok := p.compiled.Variable(id); ok {
		return id, sym
	}
	return id, nil
}

// unused is the value of a variable that the program has no need of.
func (p *program) unused(id graph.ID) graph.Tensor {
	g := p.file.Graph
	_, words, _ := p.variable(id)
	if set, ok := p.idle[id]; ok {
		words = set
	}
	return graph.Tensor{DType: g.Node(id).DType, Shape: g.ShapeOf(id), Bits: words}
}

// grad returns a copy of the program with the gradient of an output by some
// variables as further outputs, and their names by variable.
func (p *program) grad(of string, by []string) (*graphfile.File, map[string]string, error) {
	at, ok := p.outputs[of]
	if !ok {
		return nil, nil, p.unknown(of, p.outputNames())
	}
	if len(by) == 0 {
		return nil, nil, refuse(`for example "by":["x"]`, "grad needs the names of the variables to differentiate by")
	}
	data, err := p.file.CBOR()
	if err != nil {
		return nil, nil, err
	}
	f, err := graphfile.Decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("copy of a graph: %w", err)
	}
	xs := make([]graph.Value, len(by))
	for i, name := range by {
		id, ok := p.variables[name]
		if !ok {
			return nil, nil, p.unknown(name, slices.Sorted(maps.Keys(p.variables)))
		}
		xs[i] = f.Graph.Value(id)
	}
	grads, err := autodiff.Grad(f.Graph.Value(f.Outputs[at].Node), xs)
	if err != nil {
		return nil, nil, refuse("", "%v", err)
	}
	taken := map[string]bool{}
	for _, o := range f.Outputs {
		taken[o.Name] = true
	}
	names := map[string]string{}
	for i, name := range by {
		if names[name] != "" {
			return nil, nil, refuse("", "%.60q appears twice", name)
		}
		out := "d(" + of + ")/d(" + name + ")"
		for n := 2; taken[out]; n++ {
			out = "d(" + of + ")/d(" + name + ")#" + strconv.Itoa(n)
		}
		if len(out) > graphfile.MaxName {
			return nil, nil, refuse("give them shorter names", "the names of the gradients would be too long")
		}
		names[name], taken[out] = out, true
		f.Outputs = append(f.Outputs, graphfile.Output{Name: out, Node: grads[i].ID()})
	}
	return f, names, nil
}
