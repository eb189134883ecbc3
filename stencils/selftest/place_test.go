package selftest

import (
	"math"
	"strings"

	"github.com/copaflash/copaflash/stencils"
)

// findsPlace reports whether a kernel finds the largest or smallest element of a line in the data
// block.
func findsPlace(k *stencils.Kernel) bool {
	return strings.HasPrefix(k.Op, "largest") || strings.HasPrefix(k.Op, "smallest")
}

// checkPlace has a program look for places in lines that end in every element of a block.
func (b *bench) checkPlace(k *stencils.Kernel) {
	const from, how = 64, 512
	floats, least := strings.HasSuffix(k.Op, "float"), strings.HasPrefix(k.Op, "smallest")
	nan, minus, inf := math.Float32bits(float32(math.NaN())), uint32(1)<<31, math.Float32bits(float32(math.Inf(1)))
	lines := [][]uint32{
		{0, minus, 0, minus, 0, minus, 0, 0},
		{minus, minus, 0, 0, minus, minus, minus, 0, 0, 0},
		{minus, minus, minus, minus, minus, minus, minus, minus, 0, 0},
		{inf, inf, 1, inf | minus, inf | minus, 3, 4, 5, 6, 7, 8},
		{inf | minus, inf | minus, inf | minus, inf | minus, inf | minus, inf | minus, inf | minus, inf | minus},
		{5, inf, nan | minus | 7, 3, nan, 3, 3, 3, 3, 3},
		{5, inf, 3, 3, 3, 3, 3, 3, 3, inf, 3, 5, nan + 1, nan, nan, nan, nan},
		{0x7fffffff, minus, 0, 1, 2, 3, 4, 5},
	}
	for n := 8; n <= 25; n++ {
		line := make([]uint32, n)
		for i := range line {
			line[i] = uint32(draw(b.rng, map[bool]string{true: "f32", false: "i32"}[floats]))
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		n := uint32(len(line))
		pokes := []word{{how + 4, n}, {how, 4711}}
		for i, x := range line {
			pokes = append(pokes, word{from + 4*uint32(i), x})
		}
		p := &program{b: b}
		p.enter()
		p.emit("imm", "i32", 0, 0, 0, 0, from)
		p.emit("imm", "i32", 1, 0, 0, 0, how)
		call := p.emit("call", "i32", 0, 0, 0, 0, 0)
		p.leave()
		p.aim("call", "i32", call, p.place(k.Blob)+k.Entry)
		after := p.run(pokes)
		got := uint32(4711)
		for _, change := range after.Change[:min(after.Changes, maxChanges)] {
			if got = change.Word; change.Offset != how {
				b.t.Errorf("kernel %s of %d words: the word at %d has changed", k.Op, n, change.Offset)
			}
		}
		if want := firstOf(line, floats, least); got != want {
			b.t.Errorf("kernel %s of %#x gives %d, want %d", k.Op, line, got, want)
		}
	}
}

// firstOf is the place of the first of the largest or smallest elements; a NaN is both.
func firstOf(line []uint32, floats, least bool) (place uint32) {
	better := func(x, y uint32) bool {
		if !floats {
			return int32(x) > int32(y) != least && x != y
		}
		a, b := math.Float32frombits(x), math.Float32frombits(y)
		return b == b && (a != a || a != b && a > b != least)
	}
	for i, x := range line {
		if better(x, line[place]) {
			place = uint32(i)
		}
	}
	return place
}
