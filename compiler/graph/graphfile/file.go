package graphfile

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Magic is what a graph file begins with, and Version the format written here
// and the only one read.
const (
	Magic   = "copaflash-graph"
	Version = 1
)

// Bounds of a file, beside those of the graph itself.
const (
	MaxBytes = 1 << 28 // length of a file in either form
	MaxName  = 256     // bytes of the name of an input or output, or of the source
)

// File is a graph with the outputs asked of it. Inputs and states carry their
// names in the graph.
type File struct {
	Graph   *graph.Graph
	Outputs []Output
	Source  string       // what the graph was made from; may be empty
	Tasks   []graph.Task // to which nodes, states and outputs belong; none: all of it runs as one
}

// Output is a node under a name.
type Output struct {
	Name string
	Node graph.ID
	Task int        // that computes it; 0: that of the node
	Meta graph.Meta // unit, limits and the like
}

// Decode reads a graph file in either form.
func Decode(data []byte) (*File, error) {
	f, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	return f, nil
}

func decode(data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%d bytes: at most %d are supported", len(data), MaxBytes)
	}
	b := builder{g: graph.New(), names: map[string]bool{}}
	h, err := b.read(data)
	if err != nil {
		return nil, err
	}
	if h.magic != Magic {
		return nil, fmt.Errorf("the format is %.60q, not %q", h.magic, Magic)
	}
	if err := h.checkVersion(); err != nil {
		return nil, err
	}
	if err := b.finish(); err != nil {
		return nil, err
	}
	f := &File{Graph: b.g, Source: h.source, Tasks: h.tasks}
	for i, o := range h.outputs {
		switch {
		case o.node == nil:
			return nil, fmt.Errorf("output %d (%.60s): no node", i, o.name)
		case *o.node >= uint64(len(b.ids)):
			return nil, fmt.Errorf("output %d (%.60s): there is no node %d", i, o.name, *o.node)
		}
		f.Outputs = append(f.Outputs, Output{o.name, b.ids[*o.node], int(o.task), o.meta})
	}
	return f, f.check()
}

// header is a file but for its nodes, as either form has it.
type header struct {
	magic   string
	version uint64
	source  string
	outputs []outputRecord
	tasks   []graph.Task
}

func (h *header) checkVersion() error {
	if h.version != Version {
		return fmt.Errorf("version %d, this program reads version %d", h.version, Version)
	}
	return nil
}

type outputRecord struct {
	name string
	node *uint64 // nil: missing
	task uint8
	meta graph.Meta
}

// read finds out which form the data has: a JSON object begins with a brace, and
// a CBOR map never does.
func (b *builder) read(data []byte) (header, error) {
	for _, c := range data {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{':
			return b.readJSON(data)
		}
		break
	}
	if len(data) > 0 && data[0]>>5 == cborMap {
		return b.readCBOR(data)
	}
	return header{}, errors.New("neither a JSON object nor a CBOR map")
}

// check verifies names and outputs; the nodes were checked when they were made.
func (f *File) check() error {
	if err := checkName(f.Source); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if len(f.Outputs) == 0 {
		return errors.New("no outputs")
	}
	if err := f.checkTasks(); err != nil {
		return err
	}
	seen := make(map[string]bool, len(f.Outputs))
	for i, o := range f.Outputs {
		err := checkName(o.Name)
		switch {
		case err != nil:
		case o.Name == "":
			err = errors.New("no name")
		case seen[o.Name]:
			err = fmt.Errorf("the name %.60q is taken by another output", o.Name)
		case o.Node < 0 || int(o.Node) >= f.Graph.NumNodes():
			err = fmt.Errorf("there is no node %d", o.Node)
		case o.Task < 0 || o.Task > len(f.Tasks):
			err = fmt.Errorf("task %d, of %d tasks", o.Task, len(f.Tasks))
		case o.Meta.Role.OfInput():
			err = fmt.Errorf("the role %v is for inputs", o.Meta.Role)
		default:
			err = o.Meta.Check(f.Graph.Node(o.Node).DType, f.Graph.Elements(o.Node))
		}
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		seen[o.Name] = true
	}
	return nil
}

// checkTasks verifies the list of tasks, and that there are no others.
func (f *File) checkTasks() error {
	if len(f.Tasks) >= graph.MaxTasks {
		return fmt.Errorf("%d tasks: at most %d are supported", len(f.Tasks), graph.MaxTasks-1)
	}
	for i, t := range f.Tasks {
		err := checkName(t.Name)
		switch {
		case err != nil:
		case t.Name == "":
			err = errors.New("no name")
		case t.Divisor < 0 || t.Divisor > maxDivisor:
			err = fmt.Errorf("one of %d ticks: want 1 to %d", t.Divisor, maxDivisor)
		case !(t.Rate >= 0 && t.Rate <= maxRate):
			err = fmt.Errorf("%v runs per second: at most %v", t.Rate, float64(maxRate))
		}
		if err != nil {
			return fmt.Errorf("task %d: %w", i, err)
		}
	}
	for i := range f.Graph.NumNodes() {
		id := graph.ID(i)
		if t := f.Graph.TaskOf(id); t > len(f.Tasks) && len(f.Tasks) > 0 {
			return fmt.Errorf("node %d (%v): task %d, of %d tasks", i, f.Graph.Node(id).Op, t, len(f.Tasks))
		}
	}
	return nil
}

// Bounds of a task.
const (
	maxDivisor = 1 << 24
	maxRate    = 1e6 // per second
)

func checkName(s string) error {
	if len(s) > MaxName {
		return fmt.Errorf("a name of %d bytes: at most %d are supported", len(s), MaxName)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("the name %.60q is not UTF-8", s)
	}
	return nil
}

// Trim returns the part of f that its outputs need, now and in later runs. An
// input or state that has no name gets that of an output which is that node
// itself, where no other one has it.
func (f *File) Trim() (*File, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	ids := make([]graph.ID, len(f.Outputs))
	for i, o := range f.Outputs {
		ids[i] = o.Node
	}
	b := builder{g: graph.New(), names: map[string]bool{}, ids: make([]graph.ID, f.Graph.NumNodes())}
	names := f.variableNames()
	loops, places := loopsOf(f.Graph)
	b.loops = loops
	for i, uses := range f.Graph.Users(f.Graph.Roots(ids)) {
		if uses == 0 {
			continue
		}
		if f.Graph.Node(graph.ID(i)).Op == graph.OpParam {
			return nil, f.Graph.CheckRoots(ids)
		}
		r := recordOf(f.Graph, graph.ID(i), places)
		if name, ok := names[graph.ID(i)]; ok {
			r.name = name
		}
		id, err := b.make(&r)
		if err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i, r.op, err)
		}
		b.ids[i] = id
	}
	if err := b.finish(); err != nil {
		return nil, err
	}
	out := &File{Graph: b.g, Source: f.Source, Tasks: f.Tasks, Outputs: make([]Output, len(f.Outputs))}
	for i, o := range f.Outputs {
		out.Outputs[i] = Output{o.Name, b.ids[o.Node], o.Task, o.Meta}
	}
	return out, nil
}

// variableNames finds names for inputs and states without one.
func (f *File) variableNames() map[graph.ID]string {
	taken := map[string]bool{"": true}
	for i := range f.Graph.NumNodes() {
		if name, ok := variable(f.Graph, graph.ID(i)); ok {
			taken[name] = true
		}
	}
	names := map[graph.ID]string{}
	for _, o := range f.Outputs {
		name, ok := variable(f.Graph, o.Node)
		if !ok || name != "" || taken[o.Name] || names[o.Node] != "" {
			continue
		}
		names[o.Node], taken[o.Name] = o.Name, true
	}
	return names
}

// variable returns the name of a node if it is an input or a state.
func variable(g *graph.Graph, id graph.ID) (name string, ok bool) {
	switch g.Node(id).Op {
	case graph.OpInput:
		return g.InputInfo(id).Name, true
	case graph.OpState:
		return g.StateInfo(id).Name, true
	}
	return "", false
}
