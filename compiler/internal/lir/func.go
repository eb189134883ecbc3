package lir

import "github.com/copaflash/copaflash/compiler/graph"

// Val is a scalar value; 0 is none.
type Val int32

// Value says where a value may live.
type Value struct {
	// Home is the word, or the first of the two, that holds the value, or NoAddr. A value that no
	// instruction of the function defines has a home from the start.
	Home  Addr
	Class Class
	// Lanes: 4 or 8 for so many words, in a register of class Float whatever they are; 0
	// for one value. A home of several holds one word, of which they are copies, or if Row is set all of them.
	Lanes uint8
	Row   bool
	// Fixed: it is a constant, which its home holds from the start.
	Fixed bool
}

// Wide reports whether it is several words.
func (v *Value) Wide() bool { return v.Lanes > 0 }

// HomeBytes is how many bytes its home has.
func (v *Value) HomeBytes() int {
	if v.Row {
		return graph.WordSize * int(v.Lanes)
	}
	return v.Class.Bytes()
}

// Type is the type for moving it: bools move as integers.
func (v *Value) Type() graph.DType {
	if v.Wide() {
		return Vector(int(v.Lanes))
	}
	return v.Class.Type()
}

// Ins is one operation.
type Ins struct {
	Op      Op
	A, B, C Val    // operands; 0 where the op has fewer
	D, E    Val    // results; 0 where the op has fewer or nothing uses them
	Imm     uint32 // constant or, see Op.TakesAddr, an Addr
}

// Args are the operands, for loops over them; unused ones are 0.
func (i *Ins) Args() [3]Val { return [3]Val{i.A, i.B, i.C} }

// Block is straight-line code. Stores in a block never write a word that the
// same block reads, and never two to one word but of the same value, so that any order
// which puts definitions before uses is right.
type Block struct {
	Ins []Ins
	// Updates are stores behind all of Ins, in this order: to words that Ins and the
	// updates before them may read. Scheduling appends them to Ins, whose order counts
	// from then on. They stay behind, so that a run which is ended before it has computed
	// everything changes no state.
	Updates []Ins
}

// Phi is a value carried around a loop.
type Phi struct {
	Val  Val  // its value in the body
	Next Val  // its value in the next iteration: made in the body, another phi, or in memory; 0 for the counter
	Init Val  // the value of the first iteration, with a home; 0: Start is used
	From Addr // offset of this place in the data block is the value of the first iteration
	// Out is the value behind the loop, with a home that the loop writes; 0: not
	// used. A wide value leaves as the single ones from Out on, whose homes lie
	// next to each other.
	Out Val
}

// Loop is a counted loop. An inner loop (one block) carries values in
// registers; an outer loop carries them in memory, written by its blocks, and
// has no phis.
type Loop struct {
	Phis []Phi // inner loop; the first is the counter
	Body []Item
	// The counter starts at From of the first phi, or at 0 in an outer loop,
	// grows by Step each iteration, and ends the loop when it has grown by Length.
	Step, Length int32
	Counter      Addr // word that holds the counter of an outer loop
}

// Inner reports whether the body is one block.
func (l *Loop) Inner() bool { return len(l.Body) == 1 && l.Body[0].Loop == nil }

// Iterations is how often the body runs.
func (l *Loop) Iterations() int { return int(l.Length / l.Step) }

// SteppedBy is the instruction of an inner loop's body that makes the next value of phi k, if
// that is the phi's value and a constant, and if neither the next value nor, for another phi,
// the value itself has another use. It can then wait for the end of the iteration.
func (l *Loop) SteppedBy(k int) *Ins {
	p, ins := &l.Phis[k], l.Body[0].Block.Ins
	if p.Next == 0 || p.Out != 0 {
		return nil
	}
	for i := range l.Phis {
		if n := l.Phis[i].Next; n == p.Val || i != k && n == p.Next {
			return nil
		}
	}
	var by *Ins
	for i := range ins {
		in := &ins[i]
		if in.D == p.Next && in.Op.Code() == AddConst && in.A == p.Val {
			by = in
		}
		for _, v := range in.Args() {
			if v == p.Next {
				return nil
			}
		}
	}
	return by
}

// Item is a block or a loop.
type Item struct {
	Block *Block
	Loop  *Loop
}

// Symbol is where an input, state or output of the program lies.
type Symbol struct {
	Node graph.ID
	Addr Addr
}

// Func is a whole program, or what one of its entries computes.
type Func struct {
	Values  []Value // by Val; entry 0 is not used
	Items   []Item
	Data    *Data    // of all entries of the program
	Inputs  []Symbol // the inputs that the outputs and states depend on
	States  []Symbol // the states that the program keeps
	Outputs []Symbol // in the order asked for
}

// NewVal makes a value without a home.
func (f *Func) NewVal(c Class) Val {
	f.Values = append(f.Values, Value{Home: NoAddr, Class: c})
	return Val(len(f.Values) - 1)
}

// NewHomed makes a value that lives in memory from the start.
func (f *Func) NewHomed(c Class, home Addr) Val {
	f.Values = append(f.Values, Value{Home: home, Class: c})
	return Val(len(f.Values) - 1)
}

// NewWide makes a value of several float32 without a home.
func (f *Func) NewWide(lanes int) Val { return f.NewSplat(lanes, NoAddr) }

// NewSplat makes a value of copies of the word at home.
func (f *Func) NewSplat(lanes int, home Addr) Val {
	f.Values = append(f.Values, Value{Home: home, Class: Float, Lanes: uint8(lanes)})
	return Val(len(f.Values) - 1)
}

// Outs calls do for the values that a phi leaves after the loop.
func (f *Func) Outs(p *Phi, do func(Val)) {
	switch {
	case p.Out == 0:
	case f.Values[p.Val].Wide():
		for k := range Val(f.Values[p.Val].Lanes) {
			do(p.Out + k)
		}
	default:
		do(p.Out)
	}
}

// NewRow makes a value of the words from home on.
func (f *Func) NewRow(lanes int, home Addr) Val {
	v := f.NewSplat(lanes, home)
	f.Values[v].Row = true
	return v
}

// Blocks calls do for every block, innermost last, with the loops around it and
// how often it runs.
func (f *Func) Blocks(do func(b *Block, loop *Loop, iterations uint64)) {
	eachBlock(f.Items, nil, 1, do)
}

func eachBlock(items []Item, loop *Loop, iterations uint64, do func(*Block, *Loop, uint64)) {
	for _, it := range items {
		if it.Loop != nil {
			eachBlock(it.Loop.Body, it.Loop, iterations*uint64(it.Loop.Iterations()), do)
		} else {
			do(it.Block, loop, iterations)
		}
	}
}
