package selftest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/stencils"
)

// sorts reports whether a kernel sorts in the data block.
func sorts(k *stencils.Kernel) bool {
	return strings.HasPrefix(k.Op, "sort") || strings.HasPrefix(k.Op, "insert") || strings.HasPrefix(k.Op, "order")
}

// checkSort has a program sort lines that hold few words, which is all that a harness reports of
// memory, in one run and in several that are merged. A register that survives is kept.
func (b *bench) checkSort(k *stencils.Kernel) {
	const from, to, how = 64, 256, 512
	floats := strings.HasSuffix(k.Op, "floats")
	nan, minus := math.Float32bits(float32(math.NaN())), uint32(1)<<31
	for _, c := range []struct {
		run, passes uint32
		line        []uint32
	}{
		{1, 0, []uint32{7}},
		{3, 0, []uint32{nan | minus, minus, 0}},
		{3, 0, []uint32{5, minus | 5, 5}},
		{1, 1, []uint32{0, minus}},
		{1, 1, []uint32{nan | minus, 0xff800000}},
		{2, 1, []uint32{minus | 3, 2, minus | 7}},
		{1, 2, []uint32{0x7fffffff, minus, 0}},
	} {
		if strings.HasPrefix(k.Op, "insert") && c.passes > 0 {
			continue
		}
		n := uint32(len(c.line))
		whole := c.run << c.passes
		pokes := []word{{how, from}, {how + 4, n}, {how + 8, c.run}, {how + 12, c.passes}, {80, 4711}}
		for i, x := range c.line {
			pokes = append(pokes, word{from + 4*uint32(i), x})
		}
		p := &program{b: b}
		p.enter()
		survivor := uint8(0)
		for b.lib.Preserved(stencils.Int)>>survivor&1 == 0 || survivor < 2 {
			survivor++
		}
		p.emit("ld", "i32", survivor, 0, 0, 0, 80)
		p.emit("imm", "i32", 0, 0, 0, 0, to)
		p.emit("imm", "i32", 1, 0, 0, 0, how)
		call := p.emit("call", "i32", 0, 0, 0, 0, 0)
		p.emit("st", "i32", 0, survivor, 0, 0, to+4*8)
		p.leave()
		p.aim("call", "i32", call, p.place(k.Blob)+k.Entry)
		after := p.run(pokes)
		want := sorted(c.line, floats, strings.HasPrefix(k.Op, "order"))
		want = append(want, 4711)
		for i, w := range want {
			at := to + 4*uint32(i)
			if i == len(c.line) {
				at = to + 4*8
			}
			if got := left(&after, at); got != w {
				b.t.Errorf("kernel %s of %#x in runs of %d: word %d is %#x, want %#x", k.Op, c.line, c.run, i, got, w)
			}
		}
		for _, change := range after.Change[:min(after.Changes, maxChanges)] {
			buffers := uint32(2) // what it works in: as many words as the line filled up, or twice as many
			line := change.Offset >= to && change.Offset < to+4*whole
			buffer := change.Offset >= how+16 && change.Offset < how+16+4*whole*buffers
			if !line && !buffer && change.Offset != to+4*8 {
				b.t.Errorf("kernel %s of %d words: the word at %d has changed", k.Op, n, change.Offset)
			}
		}
	}
}

// left is what a program has left in a word that no poke was for.
func left(s *state, offset uint32) uint32 {
	for _, c := range s.Change[:min(s.Changes, maxChanges)] {
		if c.Offset == offset {
			return c.Word
		}
	}
	return pattern(offset)
}

// sorted is a line in order, or the places of its elements.
func sorted(line []uint32, floats, places bool) []uint32 {
	float := func(i uint32) float32 { return math.Float32frombits(line[i]) }
	nan := func(i uint32) bool { return float(i) != float(i) }
	order := make([]uint32, len(line))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int {
		switch {
		case !floats:
			return cmp.Compare(int32(line[i]), int32(line[j]))
		case nan(i) || nan(j):
			return map[bool]int{true: 1}[nan(i)] - map[bool]int{true: 1}[nan(j)]
		case float(i) == float(j):
			return 0
		}
		return cmp.Compare(float(i), float(j))
	})
	if places {
		return order
	}
	for k, i := range order {
		if order[k] = line[i]; floats && nan(i) { // one for all
			order[k] = math.Float32bits(float32(math.NaN()))
		}
	}
	return order
}
