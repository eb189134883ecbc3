package compiler

import (
	"cmp"
	"strconv"

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

// CompileFile compiles the graph of a file. Its source and tasks are those of the file unless the options have some.
func CompileFile(f *graphfile.File, opt Options) (*Program, error) {
	opt.Source = cmp.Or(opt.Source, f.Source)
	outs := make([]Output, len(f.Outputs))
	for i, o := range f.Outputs {
		outs[i] = Output{Name: o.Name, Value: f.Graph.Value(o.Node), Task: o.Task, Meta: o.Meta}
	}
	if opt.Tasks == nil {
		opt.Tasks = f.Tasks
	}
	return Compile(f.Graph, outs, opt)
}
