package replay

import (
	"bytes"
	"context"
	"fmt"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/record"
)

// loaded is a program on the device of a replay.
type loaded struct {
	program   device.Program
	image     *image.Image
	tasks     []device.Task
	pending   []device.Piece    // to be written with the next run
	inputsNow map[string][]byte // values of inputs

	variables []image.Symbol // of records
	places    []device.Span  // of those that this program has
	have      []int          // which these are
}

// load compiles a program of a recording and loads it.
func load(ctx context.Context, dev device.Device, from *record.Program, tasks []device.Task, h *record.Header) (*loaded, error) {
	file, err := graphfile.Decode(from.Graph)
	if err != nil {
		return nil, err
	}
	prog, err := compiler.CompileFile(file, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Fast: from.Fast})
	if err != nil {
		return nil, err
	}
	if err := device.CheckTasks(tasks, len(prog.Image.Entries)); err != nil {
		return nil, err
	}
	if tasks == nil {
		tasks = []device.Task{{Divisor: 1}}
	}
	l := &loaded{image: prog.Image, tasks: tasks, variables: h.Variables, inputsNow: map[string][]byte{}}
	for i := range h.Variables {
		v := &h.Variables[i]
		if s, ok := l.image.Symbol(v.Kind, v.Name); ok {
			if s.DType != v.DType || !s.Shape.Equal(v.Shape) {
				return nil, fmt.Errorf("%s %q has another type or shape in the program than in records", v.Kind, v.Name)
			}
			l.have, l.places = append(l.have, i), append(l.places, device.SpanOf(s))
		}
	}
	if l.program, err = dev.Load(ctx, prog); err != nil {
		return nil, err
	}
	values, err := l.keep(ctx)
	if err != nil {
		l.program.Release()
		return nil, err
	}
	return l, l.write(values)
}

// keep reads inputs and states.
func (l *loaded) keep(ctx context.Context) ([]record.Value, error) {
	var values []record.Value
	var reads []device.Span
	for i := range l.image.Symbols {
		if s := &l.image.Symbols[i]; s.Kind != image.Output && s.Size() > 0 {
			values = append(values, record.Value{Kind: s.Kind, Name: s.Name})
			reads = append(reads, device.SpanOf(s))
		}
	}
	data, err := l.call(ctx, device.Call{Reads: reads})
	for i := range data {
		values[i].Bytes = data[i]
	}
	return values, err
}

// write has values written before the next run.
func (l *loaded) write(values []record.Value) error {
	for _, v := range values {
		s, ok := l.image.Symbol(v.Kind, v.Name)
		if !ok || v.At < 0 || v.At+len(v.Bytes) > s.Size() {
			return fmt.Errorf("the program has no %s %q of %d bytes", v.Kind, v.Name, v.At+len(v.Bytes))
		}
		l.pending = append(l.pending, device.Piece{Offset: s.Offset + uint32(v.At), Bytes: v.Bytes})
		if v.Kind == image.Input {
			now := bytes.Clone(l.inputsNow[v.Name])
			if now == nil {
				now = make([]byte, s.Size())
			}
			copy(now[v.At:], v.Bytes)
			l.inputsNow[v.Name] = now
		}
	}
	return nil
}

// read reads a variable.
func (l *loaded) read(ctx context.Context, kind image.Kind, name string) ([]byte, error) {
	s, ok := l.image.Symbol(kind, name)
	if !ok {
		return nil, fmt.Errorf("the program has no %s %q", kind, name)
	}
	data, err := l.call(ctx, device.Call{Reads: []device.Span{device.SpanOf(s)}})
	if err != nil {
		return nil, err
	}
	return data[0], nil
}

// call carries out a call, after what is to be written.
func (l *loaded) call(ctx context.Context, c device.Call) ([][]byte, error) {
	c.Writes = l.pending
	r, err := l.program.Call(ctx, c)
	l.pending = nil
	return r.Data, err
}

// step runs a tick.
func (l *loaded) step(ctx context.Context, tick uint32) error {
	for _, t := range l.tasks {
		if tick%uint32(t.Divisor) != 0 {
			continue
		}
		if _, err := l.call(ctx, device.Call{Entry: t.Entry, Runs: 1}); err != nil {
			return err
		}
	}
	return nil
}

// judged is how the values computed compare with those of a record.
type judged struct {
	first   *Difference
	values  int // compared
	differs int // variables that do
}

// judge compares with a record.
func (l *loaded) judge(ctx context.Context, r *device.Record) (j judged, err error) {
	data, err := l.call(ctx, device.Call{Reads: l.places})
	if err != nil {
		return j, err
	}
	from, next := r.Data, 0
	for i := range l.variables {
		s := &l.variables[i]
		recorded := from[:s.Size()]
		from = from[s.Size():]
		if next == len(l.have) || l.have[next] != i {
			continue
		}
		computed := data[next]
		next++
		j.values += s.Len()
		e, a, b, ok := Unequal(s, recorded, computed)
		if !ok {
			continue
		}
		j.differs++
		if j.first == nil {
			j.first = &Difference{Tick: r.Tick, Variable: *s, Element: e, Recorded: a, Computed: b}
		}
	}
	return j, nil
}

// Unequal finds the first element of a variable whose bits differ between two values. Every NaN is the
// same one.
func Unequal(s *image.Symbol, a, b []byte) (element int, bitsA, bitsB uint64, ok bool) {
	if bytes.Equal(a, b) {
		return 0, 0, 0, false
	}
	x, y := s.Decode(a), s.Decode(b)
	for e := range s.Len() {
		if i, k := s.DType.At(x.Bits, e), s.DType.At(y.Bits, e); i != k {
			return e, i, k, true
		}
	}
	return 0, 0, 0, false
}
