package compiler

import (
	"cmp"
	"strconv"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
)

// File is the graph file of the program: compiled again it gives the same results.
func (p *Program) File() (*graphfile.File, error) {
	f := &graphfile.File{Graph: p.Graph, Source: p.Image.Source, Tasks: p.Tasks}
	taken := map[string]bool{}
	for i, o := range p.Outputs {
		stem := cmp.Or(o.Name, p.Output(i).Name)
		name := stem
		for n := 2; taken[name]; n++ {
			name = stem + "#" + strconv.Itoa(n)
		}
		taken[name] = true
		f.Outputs = append(f.Outputs, graphfile.Output{Name: name, Node: o.Value.ID(), Task: o.Task, Meta: o.Meta})
	}
	return f.Trim()
}

// BindFile is the graph file of a program that was bound; rate is how often it is meant to run, ticks per second,
// where no task says it, 0 if nothing does.
func BindFile(f *graphfile.File, b Binder, rate float64) (*graphfile.File, error) {
	ids := make([]graph.ID, len(f.Outputs))
	for i, o := range f.Outputs {
		ids[i] = o.Node
	}
	if err := f.Graph.CheckRoots(ids); err != nil {
		return nil, err
	}
	w := newWiring(f.Graph, outputsOf(f), &Options{Tasks: f.Tasks, Rate: rate})
	if err := w.run(b); err != nil {
		return nil, err
	}
	to := &graphfile.File{Graph: w.Graph, Source: f.Source, Tasks: w.tasks}
	for _, o := range w.outs {
		to.Outputs = append(to.Outputs, graphfile.Output{Name: o.Name, Node: o.Value.ID(), Task: o.Task, Meta: o.Meta})
	}
	return to.Trim()
}

// outputsOf are the outputs of a graph file.
func outputsOf(f *graphfile.File) []Output {
	outs := make([]Output, len(f.Outputs))
	for i, o := range f.Outputs {
		outs[i] = Output{Name: o.Name, Value: f.Graph.Value(o.Node), Task: o.Task, Meta: o.Meta}
	}
	return outs
}

// CompileFile compiles the graph of a file. Its source and tasks are those of the file unless the options have some.
func CompileFile(f *graphfile.File, opt Options) (*Program, error) {
	opt.Source = cmp.Or(opt.Source, f.Source)
	if opt.Tasks == nil {
		opt.Tasks = f.Tasks
	}
	return Compile(f.Graph, outputsOf(f), opt)
}
