package lir

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// byPointer are the ops that do at a pointer what others do at an index, by the number of those.
var byPointer = [1 << opBits]graph.Op{LoadAt: LoadBy, StoreAt: StoreBy, SplatAt: SplatBy, LoadIn: LoadInBy, StoreIn: StoreInBy,
	LoadEvery2: LoadEvery2By, LoadEvery3: LoadEvery3By, LoadEvery4: LoadEvery4By}

// ByPointer is the op that does what o does at an index, at a pointer.
func (o Op) ByPointer() (Op, bool) {
	by := byPointer[o.Code()]
	if by == 0 {
		return o, false
	}
	return Of(by, o.DType()), true
}

// asPointer are the ops that give a pointer where others give an index, by the number of those.
var asPointer = [1 << opBits]graph.Op{Address: AddressBy, ShlBy: ShlPointer, Row: RowBy, RowUp: RowUpBy, Row2: Row2By, RowUp2: RowUp2By}

// AsPointer is the op that gives the result of o, an index, as a pointer.
func (o Op) AsPointer() (Op, bool) {
	as := asPointer[o.Code()]
	if as == 0 {
		return o, false
	}
	return Of(as, o.DType()), true
}

// fromMemory and limits are the machine ops that do what ops of the graph do, the first ones, by the number of those: with an operand from
// memory, and with a limit.
var fromMemory, limits = standIns(reads), standIns(0)

func standIns(memory access) (list [graph.NumOps]graph.Op) {
	for c := Store; c < endOps; c++ {
		if r := &machineOps[c]; r.of != 0 && r.memory == memory && list[r.of] == 0 {
			list[r.of] = c
		}
	}
	return list
}

// FromMemory is the op that takes its last operand from memory, as LoadIn would give it.
func (o Op) FromMemory() (Op, bool) { return o.standIn(&fromMemory) }

// Limit is the op for a first operand that is a limit: see AtMost.
func (o Op) Limit() (Op, bool) { return o.standIn(&limits) }

// standIn is the machine op in a list that stands for an op of the graph, if it exists for its type.
func (o Op) standIn(list *[graph.NumOps]graph.Op) (Op, bool) {
	if o.Code() >= graph.NumOps || list[o.Code()] == 0 {
		return 0, false
	}
	by, t := Of(list[o.Code()], o.DType()), o.DType()
	r := by.row()
	return by, slices.Contains(r.types, t) || slices.Contains(r.also, t)
}

// Counted is the op of the graph that o carries out on each of its lanes, or o itself.
func (o Op) Counted() Op {
	r, t := o.row(), Element(o.DType())
	switch {
	case r.as != 0:
		return r.as
	case r.of != 0:
		return Of(r.of, t)
	}
	return Of(o.Code(), t)
}
