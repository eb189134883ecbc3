package lir

import (
	"math/bits"
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Machine is what scheduling and register allocation need to know about an
// architecture.
type Machine struct {
	Regs      [NumClasses]int    // registers that programs may use, at most 32
	Preserved [NumClasses]uint32 // registers that survive a kernel call, by bit
	Spared    [NumClasses]uint32 // registers that survive the call of a routine of the runner
	// Saved are the registers of which a program must save all for its caller where it
	// uses one.
	Saved [NumClasses]uint32
	Ops   [NumOps]OpInfo // by Op
	// Shared: values of class Int take the registers of class Float, for cores without
	// float registers. Regs of both are the same ones then.
	Shared bool
	// Lanes is the largest of Widths for which all machine ops are valid that must be, 0 for
	// none; so are those of smaller ones. No wide value survives a kernel call,
	// and no register for floats that of a kernel on several lanes.
	Lanes   int
	Doubles bool // all machine ops on F64 are valid that must be
	// DoubleBank: values of class Double have registers of their own. Otherwise
	// they share those of class Float.
	DoubleBank bool
	// FloatsBesideDoubles: those registers lie over some of class Float, and programs with
	// doubles have so many of the latter; 0: all.
	FloatsBesideDoubles int
	// FreeOffsets: LoadIn and StoreIn cost nothing more than LoadAt and StoreAt, however
	// far the place is.
	FreeOffsets bool
	// Pointers: there are LoadBy, StoreBy and what belongs to them, where LoadAt takes longer.
	Pointers bool
	// LowInts are the registers of class Int, by bit, by which memory is reached in the fewest instructions, where others
	// take more; 0: all are alike.
	LowInts uint32
	// ShortInts are the registers of class Int, by bit, whose code has the fewest bytes where all take as many
	// instructions; 0: all are alike.
	ShortInts uint32
	// Reach is how many bytes behind an index or pointer a float is reached at no more cost, and
	// WideReach the same for several lanes.
	Reach, WideReach int
	// MaxRows is the largest Imm of Row and RowUp.
	MaxRows uint32
	// InOrder says that typical cores start instructions in the order of the code
	// and wait for operands, so that it pays to keep uses away from definitions.
	InOrder bool
}

// Survivors are the registers of a class, by bit, that survive the kernel call op.
func (m *Machine) Survivors(op Op, c Class) uint32 {
	if Lanes(op.DType()) > 1 && c == m.Bank(Float) {
		return 0
	}
	return m.Preserved[c]
}

// Lost are the registers of a class, by bit, that op changes beside that of its result.
func (m *Machine) Lost(op Op, c Class) uint32 {
	if !m.Ops[op].Serves || m.Bank(c) != c {
		return 0
	}
	return (1<<m.Regs[c] - 1) &^ m.Spared[c]
}

// RegsBeside is how many registers of a class keep their values, where routines of the runner are called or not.
func (m *Machine) RegsBeside(serves bool, c Class) int {
	if !serves {
		return m.Regs[c]
	}
	return bits.OnesCount32((1<<m.Regs[c] - 1) & m.Spared[c])
}

// Bank is the class whose registers values of a class take.
func (m *Machine) Bank(c Class) Class {
	if m.Shared || c == Double && !m.DoubleBank {
		return Float
	}
	return c
}

// For is the machine as the program f may use it.
func (m *Machine) For(f *Func) *Machine {
	if m.FloatsBesideDoubles == 0 || !slices.ContainsFunc(f.Values, func(v Value) bool { return v.Class == Double }) {
		return m
	}
	beside := *m
	beside.Regs[Float] = m.FloatsBesideDoubles
	return &beside
}

// twos are the ops that do what two loads or stores do at neighbouring places, by the number of those.
var twos = [1 << opBits]graph.Op{
	Load: Load2, Store: Store2, LoadBy: LoadBy2, StoreBy: StoreBy2, LoadInBy: LoadInBy2, StoreInBy: StoreInBy2,
}

// Pairs is the op that does what two of op, a load or store, do at neighbouring places.
func (m *Machine) Pairs(op Op) (two Op, ok bool) {
	t := op.DType()
	if m.Shared && t == graph.F32 {
		t = graph.I32 // which has the same registers
	}
	two = Of(twos[op.Code()], t)
	return two, twos[op.Code()] != 0 && m.Ops[two].Valid
}

// AsPointer is the op that gives the result of op, an index, as a pointer, if the machine has it for such a number.
func (m *Machine) AsPointer(op Op, imm uint32) (Op, bool) {
	as, ok := op.AsPointer()
	if !ok || !m.Ops[as].Valid {
		return op, false
	}
	most := m.Ops[as].MaxImm
	return as, most == 0 || int64(imm) <= int64(most)
}

// halves are the ops of either half, by the number of those.
var halves = func() (list [1 << opBits]graph.Op) {
	for one, two := range twos {
		if two != 0 {
			list[two] = graph.Op(one)
		}
	}
	return list
}()

// MovesTwo reports whether an op moves two values; the registers of both count as its last operands.
func (o Op) MovesTwo() bool { return halves[o.Code()] != 0 }

// Half is the op of either half of what an op on two values does.
func (o Op) Half() Op { return Of(halves[o.Code()], o.DType()) }

// PairsEven reports whether the registers of op, one on two words, are an even one and the next.
// Otherwise they are any two.
func (m *Machine) PairsEven(op Op) bool { return int(m.Ops[op].Operands) < op.Operands() }

// Paired reports whether op takes registers a and b, in this order, for two words.
func (m *Machine) Paired(op Op, a, b uint8) bool {
	if m.PairsEven(op) {
		return a%2 == 0 && b == a+1
	}
	return a != b
}

// MinRegs is the number of registers of each class that programs need: three operands at
// once in the body of a loop, and the loop's counter.
const MinRegs = 4

// BodyRegs is the number of registers of a class that an inner loop leaves to its body:
// three operands and a result. Where there are few, and instructions take an operand from
// memory, or where there is the least, the result takes the place of an operand.
func (m *Machine) BodyRegs(c Class) int {
	const few = 8
	n := m.Regs[c]
	if n == MinRegs || n < few && m.Ops[Of(graph.OpAdd, graph.F32)].Mem {
		return min(n, MinRegs-1)
	}
	return min(n, MinRegs)
}

// OpInfo describes the code of one Op.
type OpInfo struct {
	Valid    bool
	Kernel   bool // a call: operands and results in the registers 0 and 1 for its type
	Serves   bool // calls a routine of the runner
	Tied     bool // the result takes the register of the first operand
	Mem      bool // the last operand may be a word of the data block
	Commutes bool // the first two operands may be exchanged
	// InPlace are the operands, by bit, in whose registers the result is shorter to
	// compute than in a third one.
	InPlace  uint8
	Operands uint8
	Latency  uint8  // rough time until the result can be used, in cycles
	Insns    uint16 // bound on the machine instructions carried out
	// MinImm and MaxImm are the least and the largest number that the code of the op has room for; 0 and 0 where
	// that is any, or none.
	MinImm, MaxImm int32
}
