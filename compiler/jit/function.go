package jit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil/target"
)

// function is a traced function of any number of arguments and results.
type function struct {
	dev     *Device
	in, out []param
	trace   func(args []graph.Value) []graph.Value

	programs map[string]*program // by the shapes of the arguments
	key      []byte
}

// param is an argument or a result.
type param struct {
	name string
	*layout
}

func params(names []string, types []reflect.Type) ([]param, error) {
	ps := make([]param, len(types))
	for i, t := range types {
		l, err := layoutOf(t)
		if err != nil {
			return nil, fmt.Errorf("jit: %s: %w", names[i], err)
		}
		ps[i] = param{names[i], l}
	}
	return ps, nil
}

// program is a function compiled for one combination of shapes and loaded.
type program struct {
	loaded  *target.Program
	args    []place  // where arguments are written, each with neighbours that are their neighbours in buf too
	last    [][]byte // what was written to each of them; nil: unknown
	buf     []byte   // the arguments, in the order of the parameters
	reads   []place  // where results are read; at is not used
	results []result
}

// place is a part of the data block, and where it lies in the buffer of the arguments.
type place struct {
	offset uint32
	at, n  int
}

// result lies in one of the parts that are read.
type result struct {
	shape    graph.Shape
	read, at int
}

// call runs the function. The arguments are values of the parameters' types, and
// results are filled in, which can be set.
func (f *function) call(ctx context.Context, args, results []reflect.Value) error {
	f.dev.mu.Lock()
	defer f.dev.mu.Unlock()
	p, err := f.specialised(ctx, args)
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	rest := p.buf
	for i, v := range args {
		rest = f.in[i].encode(v, rest)
	}
	if err := p.run(ctx); err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	raw := make([][]byte, len(p.reads))
	for i, r := range p.reads {
		if raw[i], err = p.loaded.Read(ctx, r.offset, uint32(r.n)); err != nil {
			return fmt.Errorf("jit: read result: %w", err)
		}
	}
	for i, r := range p.results {
		f.out[i].decode(results[i], r.shape, raw[r.read][r.at:])
	}
	return nil
}

// run writes the arguments that changed and runs the program once.
func (p *program) run(ctx context.Context) error {
	for i, a := range p.args {
		data := p.buf[a.at : a.at+a.n]
		if bytes.Equal(p.last[i], data) {
			continue
		}
		p.last[i] = nil
		if err := p.loaded.Write(ctx, a.offset, data); err != nil {
			return err
		}
		p.last[i] = bytes.Clone(data)
	}
	return p.loaded.Step(ctx)
}

// specialised is the program for the shapes of the arguments.
func (f *function) specialised(ctx context.Context, args []reflect.Value) (*program, error) {
	f.key = f.key[:0]
	shapes := make([]graph.Shape, len(args))
	for i, v := range args {
		s, err := f.in[i].shape(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.in[i].name, err)
		}
		for _, n := range s {
			f.key = binary.AppendUvarint(f.key, uint64(n))
		}
		shapes[i] = s
	}
	if p := f.programs[string(f.key)]; p != nil {
		return p, nil
	}
	p, err := f.specialise(ctx, shapes)
	if err == nil {
		f.programs[string(f.key)] = p
	}
	return p, err
}

// specialise traces, compiles and loads the function for shapes of arguments.
func (f *function) specialise(ctx context.Context, shapes []graph.Shape) (*program, error) {
	g := graph.New()
	args := make([]graph.Value, len(shapes))
	for i, s := range shapes {
		v, err := g.Input(f.in[i].name, f.in[i].dtype, s, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.in[i].name, err)
		}
		args[i] = v
	}
	results := f.trace(args)
	if err := g.Err(); err != nil {
		return nil, err
	}
	outs := make([]compiler.Output, len(results))
	p := &program{}
	for i, r := range results {
		if !r.Valid() || r.Graph() != g {
			return nil, fmt.Errorf("%s is not computed from the arguments: take constants from their graph, x.Graph().F32(2)", f.out[i].name)
		}
		if err := f.out[i].accepts(r); err != nil {
			return nil, fmt.Errorf("%s: %w", f.out[i].name, err)
		}
		outs[i] = compiler.Output{Name: f.out[i].name, Value: r}
	}
	prog, err := compiler.Compile(g, outs, compiler.Options{Arch: f.dev.t.Arch(), Features: f.dev.t.Features()})
	if err != nil {
		return nil, err
	}
	p.placeArguments(prog, args)
	p.placeResults(prog)
	p.loaded, err = f.dev.t.LoadImage(ctx, prog.Image)
	return p, err
}

// placeArguments finds where arguments lie. Neighbours are written at once.
func (p *program) placeArguments(prog *compiler.Program, args []graph.Value) {
	size := 0
	for _, v := range args {
		n := v.Shape().Elements() * wordSize
		// One that the program does not need has no symbol.
		if s, ok := prog.Variable(v.ID()); ok {
			last := len(p.args) - 1
			if last >= 0 && p.args[last].offset+uint32(p.args[last].n) == s.Offset && p.args[last].at+p.args[last].n == size {
				p.args[last].n += n
			} else {
				p.args = append(p.args, place{s.Offset, size, n})
			}
		}
		size += n
	}
	p.buf, p.last = make([]byte, size), make([][]byte, len(p.args))
}

// joinGap is how many bytes between two results are rather read along than asked
// about twice.
const joinGap = 64

// placeResults finds where results lie. Near ones are read at once.
func (p *program) placeResults(prog *compiler.Program) {
	p.results = make([]result, len(prog.Outputs))
	order := make([]int, len(prog.Outputs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(prog.Output(i).Offset, prog.Output(j).Offset) })
	for _, i := range order {
		s := prog.Output(i)
		last := len(p.reads) - 1
		if last < 0 || s.Offset > p.reads[last].offset+uint32(p.reads[last].n)+joinGap {
			p.reads = append(p.reads, place{offset: s.Offset})
			last++
		}
		r := &p.reads[last]
		r.n = max(r.n, int(s.Offset-r.offset)+s.Size())
		p.results[i] = result{prog.Outputs[i].Value.Shape(), last, int(s.Offset - r.offset)}
	}
}

// release gives the places of the programs on the device to others.
func (f *function) release() {
	f.dev.mu.Lock()
	defer f.dev.mu.Unlock()
	for _, p := range f.programs {
		p.loaded.Release()
	}
	clear(f.programs)
}
