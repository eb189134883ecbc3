package jit

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
)

const maxArguments = 4

// pointers are those to the arguments of a call, or to the first elements of slices of them. Nothing
// keeps them, so that the arguments stay where they are.
type pointers [maxArguments]unsafe.Pointer

// function is a traced function of any number of arguments and results.
type function struct {
	dev     *Device
	in, out []param
	strides [maxArguments]uintptr // sizes of the arguments
	stride  uintptr               // size of what holds the results
	trace   func(args []graph.Value) []graph.Value

	latest atomic.Pointer[program] // the one called last

	mu       sync.Mutex          // for what follows
	programs map[string]*program // by the shapes of the arguments
	calls    int                 // with another program than the one before
}

// maxPrograms bounds the programs of one function: where they run elsewhere, each takes a process.
// A further one replaces the least recently called one.
const maxPrograms = 128

// param is an argument or a result, or a field of one.
type param struct {
	name string
	*layout
	argument int
	offset   uintptr
}

func newParam(name string, t reflect.Type, argument int, offset uintptr) (param, error) {
	l, err := layoutOf(t)
	if err != nil {
		return param{}, fmt.Errorf("jit: %s: %w", name, err)
	}
	return param{name, l, argument, offset}, nil
}

// of is where the parameter is among arguments.
func (q *param) of(args *pointers) unsafe.Pointer { return unsafe.Add(args[q.argument], q.offset) }

// call runs the function and stores its results.
func (f *function) call(ctx context.Context, args *pointers, to unsafe.Pointer) (err error) {
	p := f.latest.Load()
	for {
		if p != nil {
			if err = p.call(ctx, args, to); err == nil {
				return nil
			} else if err != errShape && err != errGone {
				return fmt.Errorf("jit: %w", err)
			}
		}
		if p, err = f.specialised(ctx, args); err != nil {
			return fmt.Errorf("jit: %w", err)
		}
	}
}

// specialised is the program for the shapes of the arguments.
func (f *function) specialised(ctx context.Context, args *pointers) (*program, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dev.ctx.Err() != nil {
		return nil, errClosed
	}
	var space [64]byte
	key := space[:0]
	shapes := make([]graph.Shape, len(f.in))
	for i := range f.in {
		s, err := f.in[i].shape(f.in[i].of(args))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.in[i].name, err)
		}
		for _, n := range s {
			key = binary.AppendUvarint(key, uint64(n))
		}
		shapes[i] = s
	}
	if before := f.latest.Load(); before != nil {
		before.called = f.calls // until now
	}
	f.calls++
	p := f.programs[string(key)]
	if p == nil {
		if err := f.makeRoom(); err != nil {
			return nil, err
		}
		var err error
		if p, err = f.specialise(ctx, shapes); err != nil {
			return nil, err
		}
		if f.programs == nil {
			f.programs = map[string]*program{}
		}
		f.programs[string(key)] = p
	}
	p.called = f.calls
	f.latest.Store(p)
	return p, nil
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
	if oldest.end() {
		oldest.release()
	}
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
	for i, r := range results {
		if !r.Valid() || r.Graph() != g {
			return nil, fmt.Errorf("%s is not computed from the arguments: take constants from their graph, x.Graph().F32(2)", f.out[i].name)
		}
		if err := f.out[i].accepts(r); err != nil {
			return nil, fmt.Errorf("%s: %w", f.out[i].name, err)
		}
		outs[i] = compiler.Output{Name: f.out[i].name, Value: r}
	}
	at := single{f.dev.place}
	prog, err := compiler.Compile(g, outs, compiler.Options{Arch: at.Arch(), Features: at.Features()})
	if err != nil {
		return nil, err
	}
	loaded, err := at.Load(ctx, prog)
	if err != nil {
		return nil, err
	}
	p := newProgram(f, prog, loaded, args)
	if err := f.dev.note(p); err != nil {
		loaded.Release()
		return nil, err
	}
	return p, nil
}

// newProgram finds where arguments and results lie in a program.
func newProgram(f *function, prog *compiler.Program, loaded device.Program, args []graph.Value) *program {
	p := &program{f: f, prog: prog, loaded: loaded, states: prog.HasStates()}
	if here, ok := loaded.(singleDirect); ok {
		p.direct = here.Direct
		p.memory = p.direct.Memory()
	} else {
		p.memory = make([]byte, prog.Image.DataSize())
	}
	for i, arg := range args {
		v := newVariable(&f.in[i], arg.Shape())
		// One that the program does not need has no symbol.
		if s, ok := prog.Variable(arg.ID()); ok {
			v.span = device.SpanOf(s)
			p.writes = append(p.writes, device.Piece{Offset: s.Offset, Bytes: s.In(p.memory)})
		}
		p.in = append(p.in, v)
	}
	slices.SortFunc(p.writes, func(a, b device.Piece) int { return cmp.Compare(a.Offset, b.Offset) })
	p.there = make([][]byte, len(p.writes))
	for i := range prog.Outputs {
		s := prog.Output(i)
		v := newVariable(&f.out[i], s.Shape)
		v.span = device.SpanOf(s)
		p.out, p.reads = append(p.out, v), append(p.reads, v.span)
	}
	return p
}

// Close gives the function's place on the device to others; a call takes one again.
func (f *function) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.programs {
		if p.end() {
			p.release()
		}
	}
	clear(f.programs)
	f.latest.Store(nil)
}
