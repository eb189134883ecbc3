package selftest

import (
	"math/bits"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/stencils"
)

// A rowOp is an op that finds the row of a table that an index takes.
type rowOp struct {
	negative bool // indices may be
	power    bool // there is a power of two of rows
	pointer  string
}

// rowOps are these, with the op that gives a pointer. Those for pointers are covered by TestPrograms.
var rowOps = map[string]rowOp{
	"row":    {negative: true, pointer: "rowp"},
	"rowup":  {pointer: "rowupp"},
	"row2":   {negative: true, power: true, pointer: "row2p"},
	"rowup2": {power: true, pointer: "rowup2p"},
}

// rows is a table for a row op: its rows, and that of them as Imm.
func (b *bench) rows(s *stencils.Stencil) (n, shift int, imm int32) {
	op := rowOps[s.Op]
	shift = b.rng.Intn(4)
	most := int(s.MaxImm>>2) + 1
	n = 1 + b.rng.Intn(most)
	switch pick := b.rng.Intn(4); {
	case op.power:
		k := 1 + b.rng.Intn(12)
		n, shift = 1<<k, b.rng.Intn(32-k)
	case pick == 0:
		n = 1 + b.rng.Intn(12)
	case pick == 1:
		n = most
	}
	return n, shift, op.imm(n, shift)
}

// imm is the immediate of a table.
func (op rowOp) imm(n, shift int) int32 {
	if op.power {
		k := bits.TrailingZeros(uint(n))
		return int32((-shift&31)<<20 | shift<<15 | (32-k-shift)<<10 | (k-1)<<5 | k)
	}
	return int32((n-1)<<2 | shift)
}

// rowsOf are the rows and their size of an Imm.
func rowsOf(op rowOp, imm int32) (n, shift int) {
	if op.power {
		return 1 << (imm & 31), int(imm >> 15 & 31)
	}
	return int(imm>>2) + 1, int(imm & 3)
}

// offset is that of the row, as arrays have it.
func (op rowOp) offset(index, imm int32) uint32 {
	n, shift := rowsOf(op, imm)
	row := int(index)
	if row < 0 {
		row += n
	}
	return uint32(max(0, min(row, n-1)) << shift)
}

// index is one for a table: near its ends, or any, as far as the op has it.
func (b *bench) index(op rowOp, imm int32) uint32 {
	n, _ := rowsOf(op, imm)
	x := int32(b.rng.Intn(4*n)) - int32(2*n)
	if b.rng.Intn(4) == 0 {
		x = int32(draw(b.rng, graph.I32.String()))
	}
	if x < 0 && !op.negative {
		x = ^x
	}
	return uint32(x)
}

// checkRows loads the rows of tables by pointers that every register makes of every other.
func (b *bench) checkRows() {
	for _, name := range []string{"row", "rowup", "row2", "rowup2"} {
		op := rowOps[name]
		by := b.lib.Find(op.pointer, "i32", stencils.Reg)
		if by == nil {
			continue
		}
		regs := uint8(b.lib.Regs(stencils.Int))
		for d := range regs {
			for a := range regs {
				b.note(by)
				b.checkRow(op, by, d, a)
			}
		}
	}
}

func (b *bench) checkRow(op rowOp, by *stencils.Stencil, d, a uint8) {
	const from, at, table = 64, 128, 256
	n, shift := 8, 2
	if !op.power {
		n = 1 + b.rng.Intn(10)
	}
	imm := op.imm(n, shift)
	index := b.index(op, imm)
	prog := &program{b: b}
	prog.enter()
	prog.emit("ld", "i32", a, 0, 0, 0, from)
	prog.code = b.emit(prog.code, by, [4]uint8{d, a, 0, 0}, imm)
	prog.emit("ldp", "i32", d, d, 0, 0, table)
	prog.emit("st", "i32", 0, d, 0, 0, at)
	prog.leave()
	pokes := []word{{from, index}}
	for k := range uint32(n) {
		pokes = append(pokes, word{table + 4*k, 1000 + k})
	}
	after := prog.run(pokes)
	want := word{at, 1000 + op.offset(int32(index), imm)>>shift}
	if err := memoryChanges(&after, []word{want}, pokes); err != nil {
		b.t.Errorf("%s of %d rows, index %d in register %d, pointer in %d: %v", by.Op, n, int32(index), a, d, err)
	}
}
