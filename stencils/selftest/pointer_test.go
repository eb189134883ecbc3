package selftest

import (
	"github.com/copaflash/copaflash/stencils"
)

// checkPointers moves words by pointers, which are made and moved on in every register, at
// offsets of the short code and beyond, finds rows of tables, and counts loops down in every register.
func (b *bench) checkPointers() {
	if b.lib.Find("pointer", "i32", stencils.Reg) == nil {
		return
	}
	for _, s := range b.lib.Stencils() {
		if s.Op != "ldp" && s.Op != "stp" && s.Op != "splatp" {
			continue
		}
		regs := b.lib.Regs(stencils.Int)
		for p := range uint8(regs) {
			values := b.lib.Regs(max(s.Dst, s.Src[0]))
			for v := range uint8(values) {
				if b.shares(s) && v == p && s.Op == "stp" {
					continue // what is stored would be the pointer
				}
				offset, step := b.somePlace(s)
				b.checkPointer(s, p, v, offset, step)
			}
		}
	}
	b.checkSteps()
	b.checkRows()
	b.checkScaled()
	for r := range b.lib.Regs(stencils.Int) {
		b.checkCount(uint8(r))
	}
	b.checkUntil()
}

// shares reports whether pointer and value of a stencil are registers of one file.
func (b *bench) shares(s *stencils.Stencil) bool {
	return s.DType == "i32" || s.DType == "bool" || b.m.soft() && lanesOf(s) == 1
}

// checkSteps moves a pointer in every register on and back, by as little and as much as one instruction does.
func (b *bench) checkSteps() {
	load := b.lib.Find("ldp", "i32", stencils.Reg)
	steps := []int32{4, -4}
	if back := b.lib.Find("subp", "i32", stencils.Reg); back != nil {
		steps = append(steps, -(back.MaxImm &^ 3))
	}
	n := uint8(b.lib.Regs(stencils.Int))
	for p := range n {
		for _, step := range steps {
			b.checkPointer(load, p, (p+1)%n, 0, step)
		}
	}
}

// somePlace is an offset that ldp or stp may have and what its pointer is moved by before, in bytes.
func (b *bench) somePlace(s *stencils.Stencil) (offset, step int32) {
	near := min(s.MaxDirect, dataBytes/2) &^ 3
	const twelve = 1<<12 - 4 // where the direct form behind a near one may end
	offset = []int32{0, near, min(near+4, dataBytes/2), twelve, twelve + 4, int32(b.rng.Intn(dataBytes/8)) * 4}[b.rng.Intn(6)]
	step = []int32{4, 4096, -8, -1000, int32(b.rng.Intn(1000)) * 4}[b.rng.Intn(5)]
	return offset, step
}

// checkPointer runs one that loads into register v or stores from it by a pointer in register p, which is moved
// by step bytes before.
func (b *bench) checkPointer(s *stencils.Stencil, p, v uint8, offset, step int32) {
	const source, to = 64, 128 // places of the words to be moved and of what comes of them
	lanes := lanesOf(s)
	place := func(word int32) (index int32) { return word - offset - step }
	load, store := "ld", "st"
	move := func(prog *program, op, dtype string, d, a uint8, at int32) { prog.emit(op, dtype, d, a, 0, 0, at) }
	prog := &program{b: b}
	// The words lie high enough for the index to be positive.
	base := int32(dataBytes-256) &^ 15
	if place(base) < 0 {
		step, offset = 4, 0
	}
	index := place(base)
	prog.enter()
	if s.Op == "stp" {
		move(prog, load, s.DType, v, 0, source)
	}
	if b.rng.Intn(2) == 0 {
		prog.emit("imm", "i32", p, 0, 0, 0, index)
		prog.emit("pointer", "i32", p, p, 0, 0, 0)
	} else {
		prog.emit("lea", "i32", p, 0, 0, 0, index)
	}
	if back := b.lib.Find("subp", "i32", stencils.Reg); back != nil && step < 0 && -step <= back.MaxImm {
		b.note(back)
		prog.emit("subp", "i32", p, p, 0, 0, -step)
	} else {
		prog.emit("addp", "i32", p, p, 0, 0, step)
	}
	b.note(s)
	var pokes, stores []word
	if s.Dst != stencils.None {
		prog.code = b.emit(prog.code, s, [4]uint8{v, p, 0, 0}, offset)
		move(prog, store, s.DType, 0, v, to)
	} else {
		prog.code = b.emit(prog.code, s, [4]uint8{0, v, p, 0}, offset)
	}
	prog.leave()
	x := b.rng.Uint32()
	for lane := range lanes {
		if s.Op != "splatp" {
			x = b.rng.Uint32()
		}
		if s.DType == "bool" {
			x &= 1
		}
		from, at := uint32(base), uint32(to)
		if s.Op == "stp" {
			from, at = source, uint32(base)
		}
		pokes = append(pokes, word{from + uint32(4*lane), x})
		stores = append(stores, word{at + uint32(4*lane), x})
	}
	after := prog.run(pokes)
	if err := memoryChanges(&after, stores, pokes); err != nil {
		b.t.Errorf("%s.%s by register %d, value in %d, step %d, offset %d: %v", s.Op, s.DType, p, v, step, offset, err)
	}
}

// checkCount adds a word up as often as register r counts.
func (b *bench) checkCount(r uint8) {
	const times = 7
	count := b.lib.Find("count", "i32", stencils.Reg)
	b.note(count)
	n := uint8(b.lib.Regs(stencils.Int))
	sum, term := (r+1)%n, (r+2)%n
	p := &program{b: b}
	p.enter()
	p.emit("imm", "i32", r, 0, 0, 0, times)
	p.emit("ld", "i32", sum, 0, 0, 0, 64)
	p.emit("ld", "i32", term, 0, 0, 0, 68)
	head := len(p.code)
	p.emit("add", "i32", sum, sum, term, 0, 0)
	var err error
	if p.code, err = count.EmitLoop(p.code, r, r, 0, 0, head); err != nil {
		b.t.Fatal(err)
	}
	p.emit("st", "i32", 0, sum, 0, 0, 128)
	p.emit("st", "i32", 0, r, 0, 0, 132)
	p.leave()
	pokes := []word{{64, 1000}, {68, 11}, {132, 5}}
	after := p.run(pokes)
	if err := memoryChanges(&after, []word{{128, 1000 + 11*times}, {132, 0}}, pokes); err != nil {
		b.t.Errorf("count in register %d: %v", r, err)
	}
}

// checkScaled loads words by pointers that every register makes of an index in every other, which is shifted.
func (b *bench) checkScaled() {
	by := b.lib.Find("shlp", "i32", stencils.Reg)
	if by == nil {
		return
	}
	regs := uint8(b.lib.Regs(stencils.Int))
	for d := range regs {
		for a := range regs {
			for shift := int32(1); shift <= by.MaxImm; shift++ {
				b.note(by)
				b.checkShifted(by, d, a, shift)
			}
		}
	}
}

func (b *bench) checkShifted(by *stencils.Stencil, d, a uint8, shift int32) {
	const from, at, behind, value = 64, 128, 256, 1234
	index := 4 * uint32(b.rng.Intn(1000))
	prog := &program{b: b}
	prog.enter()
	prog.emit("ld", "i32", a, 0, 0, 0, from)
	prog.emit("shlp", "i32", d, a, 0, 0, shift)
	prog.emit("ldp", "i32", d, d, 0, 0, behind)
	prog.emit("st", "i32", 0, d, 0, 0, at)
	prog.leave()
	pokes := []word{{from, index}, {behind + index<<shift, value}}
	after := prog.run(pokes)
	if err := memoryChanges(&after, []word{{at, value}}, pokes); err != nil {
		b.t.Errorf("index %d shifted by %d in register %d, pointer in %d: %v", index, shift, a, d, err)
	}
}

// checkUntil adds a word up until a pointer in every register has become what every other one holds.
func (b *bench) checkUntil() {
	const times = 5
	until := b.lib.Find("until", "i32", stencils.Reg)
	if until == nil {
		return
	}
	b.note(until)
	n := uint8(b.lib.Regs(stencils.Int))
	for k := range n * n {
		r, by := k/n, k%n
		if r == by {
			continue
		}
		var others []uint8
		for other := range n {
			if other != r && other != by {
				others = append(others, other)
			}
		}
		sum, term := others[0], others[len(others)-1]
		p := &program{b: b}
		p.enter()
		p.emit("lea", "i32", by, 0, 0, 0, 64)
		p.emit("addp", "i32", r, by, 0, 0, 8*times)
		p.emit("ld", "i32", sum, 0, 0, 0, 64)
		p.emit("ld", "i32", term, 0, 0, 0, 68)
		head := len(p.code)
		p.emit("add", "i32", sum, sum, term, 0, 0)
		p.emit("addp", "i32", by, by, 0, 0, 8)
		var err error
		if p.code, err = until.EmitLoop(p.code, r, by, 0, 0, head); err != nil {
			b.t.Fatal(err)
		}
		p.emit("st", "i32", 0, sum, 0, 0, 128)
		p.leave()
		pokes := []word{{64, 1000}, {68, 11}}
		after := p.run(pokes)
		if err := memoryChanges(&after, []word{{128, 1000 + 11*times}}, pokes); err != nil {
			b.t.Errorf("until register %d is register %d: %v", by, r, err)
		}
	}
}
