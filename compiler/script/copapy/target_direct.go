package copapy

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/array"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// Where the program runs in this process, values are read and written where they lie. What is
// known of that is found once for each value, and dropped with the program.

// places are those of values of one program.
type places struct {
	reads, writes map[graph.ID]*place
	words         []uint32 // of a value that is being written
}

// place is where the numbers of a value lie, row by row, in pieces.
type place struct {
	dtype  graph.DType
	shape  graph.Shape
	pieces []piece
}

// piece is numbers one behind the other.
type piece struct {
	offset int      // in the data block; -1: the program has no such variable
	words  int      // so many
	known  []uint32 // what the script has written there, of a variable
}

// readPlace finds a value in memory, nil where some of it is not there.
func (x *target) readPlace(v graph.Value) *place {
	p, known := x.places.reads[v.ID()]
	if known {
		return p
	}
	d := v.DType()
	if sym := x.symbol(v.ID()); sym != nil {
		p = &place{d, v.Shape(), []piece{{offset: int(sym.Offset), words: sym.Len() * d.Words()}}}
	} else if elems, ok := x.m.locateAll(v, func(id graph.ID) bool { return x.symbol(id) != nil }); ok {
		p = &place{dtype: d, shape: v.Shape()}
		eachRun(elems, func(from, n int) {
			first := elems[from]
			p.pieces = append(p.pieces, piece{offset: int(x.symbol(first.node).Offset) + first.at*d.Size(), words: n * d.Words()})
		})
	}
	if x.places.reads == nil {
		x.places.reads = map[graph.ID]*place{}
	}
	x.places.reads[v.ID()] = p
	return p
}

// writePlace finds the variables that a value consists of, nil where it is not made of variables alone.
func (x *target) writePlace(v graph.Value) *place {
	p, known := x.places.writes[v.ID()]
	if known {
		return p
	}
	limited := func(e element) bool { return x.m.limitsOf(e.node) != nil || x.isBound(e.node) } // writeNode checks them
	if elems, ok := x.m.locateAll(v, x.m.isVariable); ok && !slices.ContainsFunc(elems, limited) {
		d := v.DType()
		p = &place{dtype: d, shape: v.Shape()}
		eachRun(elems, func(from, n int) {
			first := elems[from]
			at, words := first.at*d.Words(), n*d.Words()
			part := piece{offset: -1, words: words, known: x.writtenTo(first.node)[at : at+words]}
			if sym, ok := x.prog.Variable(first.node); ok {
				part.offset = int(sym.Offset) + first.at*d.Size()
			}
			p.pieces = append(p.pieces, part)
		})
	}
	if x.places.writes == nil {
		x.places.writes = map[graph.ID]*place{}
	}
	x.places.writes[v.ID()] = p
	return p
}

// numbers are the numbers of a value in memory.
func (p *place) numbers(memory []byte) []vm.Value {
	out := make([]vm.Value, 0, p.shape.Elements())
	size := p.dtype.Size()
	for _, part := range p.pieces {
		for raw := memory[part.offset:][:part.words*graph.WordSize]; len(raw) > 0; raw = raw[size:] {
			out = append(out, p.number(raw))
		}
	}
	return out
}

// number is the first one of raw.
func (p *place) number(raw []byte) vm.Value { return number(p.dtype, p.dtype.Load(raw)) }

// store writes all words of a value.
func (p *place) store(memory []byte, words []uint32) {
	for _, part := range p.pieces {
		n := copy(part.known, words[:part.words])
		if part.offset >= 0 {
			raw := memory[part.offset:][:n*graph.WordSize]
			for i, w := range words[:n] {
				binary.LittleEndian.PutUint32(raw[i*graph.WordSize:], w)
			}
		}
		words = words[n:]
	}
}

// listDepth is how deep lists of values may be that are read at once.
const listDepth = 4

// readNow reads a value, or a list of values, all of which a run has left in memory of this
// process. It reports whether they are.
func (x *target) readNow(t *vm.Thread, v vm.Value) (vm.Value, bool) {
	if !x.ran || x.loaded.direct == nil {
		return nil, false
	}
	return x.readIn(t, x.loaded.direct.Memory(), v, listDepth)
}

func (x *target) readIn(t *vm.Thread, memory []byte, v vm.Value, depth int) (vm.Value, bool) {
	switch v := v.(type) {
	case *named:
		return v.numbers(v.s.In(memory)), true
	case *array.Value:
		if p := x.readPlace(v.Node); p != nil {
			return p.number(memory[p.pieces[0].offset:]), true
		}
		return nil, false
	case *array.Tensor:
		if !v.Traced() {
			return v.Copied(), true
		}
		if p := x.readPlace(v.Node); p != nil {
			return x.m.PlainTensor(p.shape, p.numbers(memory)), true
		}
		return nil, false
	}
	if array.IsNumber(v) {
		return v, true
	}
	elems, like, ok := array.Sequence(v)
	if !ok || depth == 0 || t.Tick(len(elems)) != nil {
		return nil, false
	}
	out := make([]vm.Value, len(elems))
	for i, e := range elems {
		if out[i], ok = x.readIn(t, memory, e, depth-1); !ok {
			return nil, false
		}
	}
	return array.Rebuild(out, like), true
}

// writeNow writes numbers to a value in memory of this process. Where that is not all that is to
// be done, it does nothing and reports false.
func (x *target) writeNow(v, data vm.Value) (done bool, err error) {
	var p *place
	switch v := v.(type) {
	case *array.Value:
		if p = x.writePlace(v.Node); p == nil || !array.IsNumber(data) {
			return false, nil
		}
		w, err := x.variableWord(p.dtype, data)
		if err != nil {
			return true, err
		}
		x.places.words = appendWord(x.places.words[:0], p.dtype, w)
	case *array.Tensor:
		if !v.Traced() {
			return false, nil
		}
		if p = x.writePlace(v.Node); p == nil {
			return false, nil
		}
		if done, err := x.wordsOf(p, data); !done || err != nil {
			return done, err
		}
	default:
		return false, nil
	}
	p.store(x.loaded.direct.Memory(), x.places.words)
	return true, nil
}

// wordsOf makes words of an array, or of nested lists of numbers of the place's own type, for a place
// of the same shape. It reports false for anything else.
func (x *target) wordsOf(p *place, data vm.Value) (done bool, err error) {
	words := x.places.words[:0]
	if d, ok := data.(*array.Tensor); ok {
		if d.Traced() || !d.Shape().Equal(p.shape) {
			return false, nil
		}
		for _, e := range d.Plain {
			if f, ok := e.(float64); ok && p.dtype == graph.F32 { // most
				words = append(words, math.Float32bits(float32(f)))
				continue
			}
			w, err := x.variableWord(p.dtype, e)
			if err != nil {
				return true, err
			}
			words = appendWord(words, p.dtype, w)
		}
	} else if words, ok = appendNested(words, p.dtype, p.shape, data); !ok {
		return false, nil
	}
	x.places.words = words
	return true, nil
}

// appendNested appends the words of nested lists of the shape s, whose numbers are all of type d.
func appendNested(words []uint32, d graph.DType, s graph.Shape, v vm.Value) ([]uint32, bool) {
	var elems []vm.Value
	switch v := v.(type) {
	case *vm.List:
		elems = v.Elems
	case *vm.Tuple:
		elems = v.Elems
	default:
		return words, false
	}
	if len(s) == 0 || len(elems) != s[0] {
		return words, false
	}
	for _, e := range elems {
		ok := false
		if len(s) > 1 {
			words, ok = appendNested(words, d, s[1:], e)
		} else if ok = isOf(d, e); ok {
			w, err := array.Word(d, e)
			if err != nil {
				return words, false
			}
			words = appendWord(words, d, w)
		}
		if !ok {
			return words, false
		}
	}
	return words, true
}

// isOf tells numbers that a variable of type d takes as they are.
func isOf(d graph.DType, v vm.Value) bool {
	switch v.(type) {
	case float64:
		return d.IsFloat()
	case int64:
		return d == graph.I32
	case bool:
		return d == graph.Bool
	}
	return false
}

func appendWord(words []uint32, d graph.DType, w uint64) []uint32 {
	if d.Words() == 2 {
		return append(words, uint32(w), uint32(w>>32))
	}
	return append(words, uint32(w))
}
