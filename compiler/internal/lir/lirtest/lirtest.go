// Package lirtest makes machines and random functions for tests of the passes
// between lowering and linking.
package lirtest

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// Ops that the machines here have, with their number of operands.
var (
	Add     = lir.Of(graph.OpAdd, graph.F32)
	Sub     = lir.Of(graph.OpSub, graph.F32)
	Neg     = lir.Of(graph.OpNeg, graph.F32)
	Sin     = lir.Of(graph.OpSin, graph.F32)
	Pow     = lir.Of(graph.OpPow, graph.F32)
	SinCos  = lir.Of(lir.SinCos, graph.F32)
	Less    = lir.Of(graph.OpLt, graph.F32)
	And     = lir.Of(graph.OpAnd, graph.I32)
	Select  = lir.Of(graph.OpSelect, graph.F32)
	SelectI = lir.Of(graph.OpSelect, graph.I32)
	StoreF  = lir.Of(lir.Store, graph.F32)
	StoreI  = lir.Of(lir.Store, graph.I32)
	LoadAt  = lir.Of(lir.LoadAt, graph.F32)
	Step    = lir.Of(lir.AddConst, graph.I32)

	AddD    = lir.Of(graph.OpAdd, graph.F64)
	NegD    = lir.Of(graph.OpNeg, graph.F64)
	PowD    = lir.Of(graph.OpPow, graph.F64)
	LessD   = lir.Of(graph.OpLt, graph.F64)
	SelectD = lir.Of(graph.OpSelect, graph.F64)
	Widen   = lir.Of(graph.OpToF64, graph.F32)
	Narrow  = lir.Of(graph.OpToF32, graph.F64)
	StoreD  = lir.Of(lir.Store, graph.F64)
)

// Wide is a graph or machine op on some lanes.
func Wide(op graph.Op, lanes int) lir.Op { return lir.Of(op, lir.Vector(lanes)) }

// Machine is an architecture with few registers. With twoAddress results take
// the register of the first operand and the last operand may be in memory.
func Machine(floats, ints int, twoAddress bool) *lir.Machine {
	m := &lir.Machine{}
	m.Regs = [lir.NumClasses]int{lir.Float: floats, lir.Int: ints}
	m.Preserved = [lir.NumClasses]uint32{lir.Float: (1<<floats - 1) &^ 7, lir.Int: (1<<ints - 1) &^ 3}
	add := func(op lir.Op, operands, latency uint8) *lir.OpInfo {
		m.Ops[op] = lir.OpInfo{Valid: true, Operands: operands, Latency: latency, Insns: 1}
		return &m.Ops[op]
	}
	for _, op := range []lir.Op{Add, Sub, And, AddD} {
		i := add(op, 2, 4)
		i.Tied, i.Mem, i.Commutes = twoAddress, twoAddress, op != Sub
	}
	add(Neg, 1, 1)
	add(Less, 2, 3).Mem = twoAddress
	add(Select, 3, 2).InPlace = 1<<1 | 1<<2
	add(SelectI, 3, 2)
	add(NegD, 1, 1)
	add(LessD, 2, 3).Mem = twoAddress
	add(SelectD, 3, 2).InPlace = 1 << 2
	for _, t := range []graph.DType{graph.F32, graph.F64} { // comparisons are long beside tests
		m.Ops[lir.Of(graph.OpLt, t)].Insns = 3
		add(lir.Of(lir.Test, t), 2, 2)
	}
	add(lir.Of(lir.Test, graph.I32), 2, 1)
	add(lir.Of(lir.TestBy, graph.I32), 1, 1)
	for _, op := range []graph.Op{lir.PickGT, lir.PickGE, lir.PickEQ} {
		for _, t := range []graph.DType{graph.F32, graph.I32, graph.F64} {
			add(lir.Of(op, t), 2, 2)
		}
	}
	add(Widen, 1, 4)
	add(Narrow, 1, 4)
	add(PowD, 2, 60).Kernel = true
	for _, op := range []lir.Op{Sin, SinCos} {
		add(op, 1, 40).Kernel = true
	}
	add(Pow, 2, 60).Kernel = true
	lir.MachineOps(func(op lir.Op, must bool) {
		if must && op != SinCos {
			add(op, uint8(op.Operands()), op.Latency(1)).Tied = twoAddress && op.Code() == lir.AddConst
		}
	})
	m.Doubles = true
	for _, lanes := range lir.Widths {
		for _, op := range []graph.Op{graph.OpAdd, graph.OpSub} {
			i := add(Wide(op, lanes), 2, 4)
			i.Tied, i.Commutes = twoAddress && lanes == 4, op != graph.OpSub
		}
		add(Wide(graph.OpNeg, lanes), 1, 1)
		add(Wide(graph.OpSin, lanes), 1, 40).Kernel = true
	}
	m.Lanes = lir.MaxLanes
	return m
}

// AddPairs gives instructions that load or store two words: floats in an even register and the next, integers in
// any two.
func AddPairs(m *lir.Machine) {
	for _, op := range []graph.Op{lir.Load2, lir.Store2} {
		m.Ops[lir.Of(op, graph.F32)] = lir.OpInfo{Valid: true, Operands: 1, Latency: 2, Insns: 1}
		m.Ops[lir.Of(op, graph.I32)] = lir.OpInfo{Valid: true, Operands: 2, Latency: 2, Insns: 1}
	}
}

// AddPointers gives what moves values by pointers, one or two at once.
func AddPointers(m *lir.Machine) {
	m.Pointers = true
	for _, op := range []graph.Op{lir.Pointer, lir.StepPointer} {
		m.Ops[lir.Of(op, graph.I32)] = lir.OpInfo{Valid: true, Operands: 1, Latency: 1, Insns: 1}
	}
	m.Ops[lir.Of(lir.CountEnd, graph.I32)] = lir.OpInfo{Valid: true, Latency: 1, Insns: 2}
	m.Ops[lir.Of(lir.UntilEnd, graph.I32)] = lir.OpInfo{Valid: true, Operands: 1, Latency: 1, Insns: 1}
	m.Ops[lir.Of(lir.AddressBy, graph.I32)] = lir.OpInfo{Valid: true, Latency: 1, Insns: 1}
	for _, t := range []graph.DType{graph.F32, graph.I32, lir.F32x4} {
		for _, op := range []graph.Op{lir.LoadBy, lir.LoadInBy, lir.StoreBy, lir.StoreInBy, lir.LoadBy2, lir.LoadInBy2, lir.StoreBy2, lir.StoreInBy2} {
			op := lir.Of(op, t)
			m.Ops[op] = lir.OpInfo{Valid: true, Operands: uint8(op.Operands()), Latency: op.Latency(1), Insns: 1}
		}
	}
	m.Reach = 4096
}

// SeparateDoubles gives values of class Double registers of their own.
func SeparateDoubles(m *lir.Machine, n int) *lir.Machine {
	m.DoubleBank = true
	m.Regs[lir.Double], m.Preserved[lir.Double] = n, (1<<n-1)&^7
	return m
}
