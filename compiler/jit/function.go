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
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// function is a traced function of any number of arguments and results.
type function struct {
	dev     *Device
	in, out []param
	trace   func(args []graph.Value) []graph.Value

	programs map[string]*program // by the shapes of the arguments
	key      []byte
	calls    int
}

// maxPrograms bounds the programs of one function: on this machine each takes a process.
// A further one replaces the least recently called one.
const maxPrograms = 128

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
	loaded  device.Program
	args    []device.Piece // in the order of their offsets; their bytes are parts of buf
	last    [][]byte       // what was written to each of them; nil: unknown
	buf     []byte         // the arguments, in the order of the parameters
	results []device.Span
	symbols []*image.Symbol // of the results
	states  bool            // it remembers something between calls
	called  int             // when it was last called: a count of the function's calls
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
	to := p.buf[:0]
	for i, v := range args {
		to = f.in[i].encode(v, to)
	}
	raw, err := p.run(ctx)
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	for i, s := range p.symbols {
		f.out[i].decode(results[i], s.Shape, s.Decode(raw[i]).Bits)
	}
	return nil
}

// run writes the arguments that changed, runs the program once and reads the
// results, all in one call.
func (p *program) run(ctx context.Context) ([][]byte, error) {
	c := device.Call{Runs: 1, Reads: p.results}
	for i, a := range p.args {
		if !bytes.Equal(p.last[i], a.Bytes) {
			c.Writes = append(c.Writes, a)
			p.last[i] = append(p.last[i][:0], a.Bytes...)
		}
	}
	r, err := p.loaded.Call(ctx, c)
	if err != nil {
		clear(p.last) // nobody knows what was written
	}
	return r.Data, err
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
	f.calls++
	if p := f.programs[string(f.key)]; p != nil {
		p.called = f.calls
		return p, nil
	}
	if err := f.makeRoom(); err != nil {
		return nil, err
	}
	p, err := f.specialise(ctx, shapes)
	if err == nil {
		p.called = f.calls
		f.programs[string(f.key)] = p
	}
	return p, err
}

// makeRoom keeps the number of programs within its bound. Those with states stay.
func (f *function) makeRoom() error {
	if len(f.programs) < maxPrograms {
		return nil
	}
	var oldest *program
	var at string
	for key, p := range f.programs {
		if !p.states && (oldest == nil || p.called < oldest.called) {
			oldest, at = p, key
		}
	}
	if oldest == nil {
		return fmt.Errorf("the function was compiled for %d combinations of shapes, and each program holds states: "+
			"close it, or give it arguments of fewer shapes", maxPrograms)
	}
	oldest.loaded.Release()
	delete(f.programs, at)
	return nil
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
	p.states = prog.HasStates()
	p.placeArguments(prog, args)
	p.placeResults(prog)
	p.loaded, err = f.dev.t.Load(ctx, prog)
	return p, err
}

// placeArguments finds where arguments lie.
func (p *program) placeArguments(prog *compiler.Program, args []graph.Value) {
	size := 0
	for _, v := range args {
		size += v.Shape().Elements() * v.DType().Size()
	}
	p.buf = make([]byte, size)
	rest := p.buf
	for _, v := range args {
		n := v.Shape().Elements() * v.DType().Size()
		// One that the program does not need has no symbol.
		if s, ok := prog.Variable(v.ID()); ok {
			p.args = append(p.args, device.Piece{Offset: s.Offset, Bytes: rest[:n]})
		}
		rest = rest[n:]
	}
	slices.SortFunc(p.args, func(a, b device.Piece) int { return cmp.Compare(a.Offset, b.Offset) })
	p.last = make([][]byte, len(p.args))
}

// placeResults finds where results lie.
func (p *program) placeResults(prog *compiler.Program) {
	for i := range prog.Outputs {
		s := prog.Output(i)
		p.results = append(p.results, device.SpanOf(s))
		p.symbols = append(p.symbols, s)
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
