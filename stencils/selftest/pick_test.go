package selftest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/copaflash/copaflash/stencils"
)

// pickOps are the ops that choose by the test before them, and when they take the first operand, or the number that they put: where the operands of the test,
// the first compared with the second, are greater (1), equal (0) or less (-1).
var pickOps = map[string]func(order int) bool{
	"pickgt": func(order int) bool { return order == 1 },
	"pickge": func(order int) bool { return order == 0 || order == 1 },
	"pickeq": func(order int) bool { return order == 0 },
	"putgt":  func(order int) bool { return order == 1 },
	"putge":  func(order int) bool { return order == 0 || order == 1 },
	"puteq":  func(order int) bool { return order == 0 },
	"putle":  func(order int) bool { return order != 1 },
	"putlt":  func(order int) bool { return order == -1 || order == unordered },
	"putne":  func(order int) bool { return order != 0 },
}

// testOps are the tests, and flagOps keep the flags where what lies between a test and its picks changes them.
var (
	testOps = map[string]bool{"test": true, "testby": true}
	flagOps = map[string]bool{"keepflags": true, "backflags": true}
)

// between are stencils that register allocation may put between a test and its picks.
var between = []string{"mov", "put", "ld", "st", "pointer"}

// unordered is the order of operands of which one is a NaN.
const unordered = 2

func orderOf(dtype string, x, y uint64) int {
	a, b := float64(int32(x)), float64(int32(y))
	switch dtype {
	case "f32":
		a, b = float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y)))
	case doubleType:
		a, b = math.Float64frombits(x), math.Float64frombits(y)
	}
	switch {
	case a > b:
		return 1
	case a == b:
		return 0
	case a < b:
		return -1
	}
	return unordered
}

// TestPicks runs every test with every pick, in registers of all kinds, with whatever may lie between them.
func TestPicks(t *testing.T) {
	onEveryLibrary(t, func(t *testing.T, b *bench) {
		count := 0
		for _, test := range b.stencils() {
			for _, pick := range b.stencils() {
				if !testOps[test.Op] || pickOps[pick.Op] == nil {
					continue
				}
				if b.m.Paired && onDoubles(test) != onDoubles(pick) && test.DType != "i32" && pick.Dst != stencils.Int {
					continue // no program has such registers of both
				}
				count++
				b.checkPick(test, pick)
				if t.Failed() {
					return
				}
			}
		}
		t.Logf("%d tests with picks", count)
	})
}

func (b *bench) checkPick(test, pick *stencils.Stencil) {
	pairs := b.specialWords(test)
	tests := b.choices(test)
	for _, regs := range b.choices(pick) {
		tr := tests[b.rng.Intn(len(tests))]
		by := b.numberOf(test)
		code := b.emit(nil, test, tr, by)
		filled := ""
		code, filled = b.fill(code, pick, regs)
		number := int32(0)
		if pick.Imm == stencils.Constant {
			number = b.immediates(pick)
		}
		code = append(b.emit(code, pick, regs, number), b.m.Return...)
		r := &request{code: code}
		var want []effect
		for range 40 {
			pair := pairs[b.rng.Intn(len(pairs))]
			if b.rng.Intn(4) == 0 {
				pair[1] = pair[0]
			}
			st := b.randomState()
			for i, c := range pick.Src[:2] {
				if c != stencils.None {
					b.set(&st, c, regs[1+i], draw(b.rng, pick.DType))
				}
			}
			pokes := b.setTested(&st, test, tr, by, pair)
			x, y := uint64(uint32(number)), b.get(&st, pick.Src[0], regs[1])
			if pick.Src[1] != stencils.None {
				x, y = y, b.get(&st, pick.Src[1], regs[2])
			}
			e := effect{result: y}
			if pickOps[pick.Op](b.order(&st, test, tr, by, pair)) {
				e.result = x
			}
			want = append(want, e)
			r.states, r.pokes = append(r.states, st), append(r.pokes, pokes)
		}
		after, err := b.h.run(r)
		if err != nil {
			b.t.Fatalf("%s.%s, %s.%s registers %v %v: %v", test.Op, test.DType, pick.Op, pick.DType, tr, regs, err)
		}
		for i := range after {
			if err := b.compare(pick, regs[0], &r.states[i], &after[i], want[i], r.pokes[i]); err != nil {
				b.t.Errorf("%s.%s, %s, %s.%s registers %v %v: %v", test.Op, test.DType, filled, pick.Op, pick.DType, tr, regs, err)
				return
			}
		}
	}
}

// numberOf is an immediate for a test: what it compares with, or the place of that.
func (b *bench) numberOf(test *stencils.Stencil) int32 {
	if test.Op == "testby" || test.Form == stencils.Mem {
		return b.immediates(test)
	}
	return 0
}

// setTested puts the operands of a test into a state, or into the words that it gives.
func (b *bench) setTested(st *state, test *stencils.Stencil, regs [4]uint8, by int32, pair [3]uint64) []word {
	for i, c := range test.Src[:2] {
		if c != stencils.None {
			b.set(st, c, regs[1+i], pair[i])
		}
	}
	if test.Form == stencils.Mem {
		return []word{{0, 0}, {uint32(by), uint32(pair[1])}}
	}
	return []word{{0, 0}}
}

// order is that of the operands of a test in a state.
func (b *bench) order(st *state, test *stencils.Stencil, regs [4]uint8, by int32, pair [3]uint64) int {
	second := uint64(uint32(by))
	switch {
	case test.Form == stencils.Mem:
		second = pair[1]
	case test.Op == "test":
		second = b.get(st, test.Src[1], regs[2])
	}
	return orderOf(test.DType, b.get(st, test.Src[0], regs[1]), second)
}

// skipOps are the ops that go on further down, and when: for which order of the operands of the test before them, or of their own,
// the second of which is 0 where there is one.
var skipOps = map[string]func(order int) bool{
	"skipgt": func(order int) bool { return order == 1 },
	"skiple": func(order int) bool { return order != 1 },
	"skipge": pickOps["pickge"],
	"skiplt": func(order int) bool { return !pickOps["pickge"](order) },
	"skipeq": func(order int) bool { return order == 0 },
	"skipne": func(order int) bool { return order != 0 },

	"skipzero": func(order int) bool { return order == 0 }, "skipany": func(order int) bool { return order != 0 },
	"skipless": func(order int) bool { return order < 0 }, "skipnoless": func(order int) bool { return order >= 0 },
	"skipnegative": func(order int) bool { return order < 0 }, "skipnonegative": func(order int) bool { return order >= 0 },
	"skippositive": func(order int) bool { return order > 0 }, "skipnopositive": func(order int) bool { return order <= 0 },
	"skip":      func(int) bool { return true },
	"skipequal": func(order int) bool { return order == 0 }, "skipother": func(order int) bool { return order != 0 },
}

// TestSkips runs every branch around a few instructions, those by tests with every test.
func TestSkips(t *testing.T) {
	onEveryLibrary(t, func(t *testing.T, b *bench) {
		count := 0
		for _, skip := range b.stencils() {
			if skipOps[skip.Op] == nil {
				continue
			}
			for _, by := range b.stencils() {
				if skip.Src[0] == stencils.None && testOps[by.Op] || by == skip && (skip.Src[0] != stencils.None || skip.Op == "skip") {
					count++
					b.checkSkip(skip, by)
				}
			}
			if t.Failed() {
				return
			}
		}
		t.Logf("%d branches", count)
	})
}

// checkSkip has a branch go around a move, or around so many that it reaches far. The operands are those of a test or of the branch.
func (b *bench) checkSkip(skip, by *stencils.Stencil) {
	move := b.lib.Find("mov", "i32", stencils.Reg)
	pairs := b.specialWords(by)
	for _, br := range b.choices(by) {
		d, a := uint8(b.rng.Intn(b.lib.Regs(stencils.Int))), uint8(b.rng.Intn(b.lib.Regs(stencils.Int)))
		number := b.numberOf(by)
		var code []byte
		if by != skip {
			code = b.emit(nil, by, br, number)
		}
		at := len(code)
		code = b.emit(code, skip, br, 0)
		for n := 1 + b.rng.Intn(240/move.MaxSize); n > 0; n-- {
			code = b.emit(code, move, [4]uint8{d, a}, 0)
		}
		if err := skip.FixBranch(code, at, len(code)); err != nil {
			b.t.Fatal(err)
		}
		r := &request{code: append(code, b.m.Return...)}
		var want []effect
		for range 20 {
			pair := pairs[b.rng.Intn(len(pairs))]
			if b.rng.Intn(4) == 0 {
				pair[1] = pair[0]
			}
			st := b.randomState()
			pokes := b.setTested(&st, by, br, number, pair)
			order := 0
			switch {
			case skip.Op == "skip":
			case by != skip:
				order = b.order(&st, by, br, number, pair)
			case skip.Src[1] == stencils.None:
				order = orderOf("i32", b.get(&st, skip.Src[0], br[1]), 0)
			default:
				order = orderOf("i32", b.get(&st, skip.Src[0], br[1]), b.get(&st, skip.Src[1], br[2]))
			}
			e := effect{result: b.get(&st, stencils.Int, a)}
			if skipOps[skip.Op](order) {
				e.result = b.get(&st, stencils.Int, d)
			}
			want = append(want, e)
			r.states, r.pokes = append(r.states, st), append(r.pokes, pokes)
		}
		after, err := b.h.run(r)
		if err != nil {
			b.t.Fatalf("%s, %s.%s registers %v: %v", skip.Op, by.Op, by.DType, br, err)
		}
		for i := range after {
			if err := b.compare(move, d, &r.states[i], &after[i], want[i], r.pokes[i]); err != nil {
				b.t.Errorf("%s, %s.%s registers %v: %v", skip.Op, by.Op, by.DType, br, err)
				return
			}
		}
	}
}

// fill puts some stencils behind a test that only write the register of the pick's result, which is none of its operands, or a
// word that is as it was.
func (b *bench) fill(code []byte, pick *stencils.Stencil, regs [4]uint8) ([]byte, string) {
	if regs[0] == regs[1] || regs[0] == regs[2] || b.rng.Intn(4) == 0 {
		return code, "nothing between"
	}
	var fit []*stencils.Stencil
	for _, s := range b.lib.Stencils() {
		if slices.Contains(between, s.Op) && s.Form == stencils.Reg && s.Feature == "" && (s.Op != "st" && s.Dst == pick.Dst || s.Op == "st") &&
			lanesOf(s) == 1 && (s.Op == "st" || s.DType == pick.DType || s.Dst == stencils.Int) && onDoubles(s) == onDoubles(pick) {
			fit = append(fit, s)
		}
	}
	names := ""
	for range 1 + b.rng.Intn(3) {
		s := fit[b.rng.Intn(len(fit))]
		imm := b.immediates(s)
		keep, back := b.lib.Find("keepflags", "", stencils.Reg), b.lib.Find("backflags", "", stencils.Reg)
		kept := func(s *stencils.Stencil, regs [4]uint8, imm int32) {
			if far := keep != nil && imm > s.MaxDirect; far {
				code = b.emit(b.emit(b.emit(code, keep, [4]uint8{}, 0), s, regs, imm), back, [4]uint8{}, 0)
				return
			}
			code = b.emit(code, s, regs, imm)
		}
		switch s.Op {
		case "st":
			// The word as it is: loaded first, into the register of the result.
			load := b.lib.Find("ld", s.DType, stencils.Reg)
			if load == nil || load.Dst != pick.Dst {
				continue
			}
			imm = max(imm, 64)
			kept(load, [4]uint8{regs[0]}, imm)
			kept(s, [4]uint8{0, regs[0]}, imm)
		default:
			kept(s, [4]uint8{regs[0], regs[1]}, imm)
		}
		names += fmt.Sprintf("%s.%s %d ", s.Op, s.DType, imm)
	}
	return code, names
}
