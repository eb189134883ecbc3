package copapy

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// mirrors are the modes of cp.pad that go on with rows of the array: which of n rows stands
// at place i, which may be below 0 or beyond the last.
var mirrors = map[string]func(i, n int) int{
	"wrap":      modulo,
	"symmetric": func(i, n int) int { return folded(i, n, 2*n) },
	"reflect":   func(i, n int) int { return folded(i, n, max(2*n-2, 1)) },
}

func modulo(i, n int) int { return (i%n + n) % n }

// folded goes forwards and backwards through n rows, in a period of 2*n, which repeats the
// ends, or of 2*n - 2, which does not.
func folded(i, n, period int) int {
	if i = modulo(i, period); i >= n {
		return n - 1 - (i - n) - (2*n-period)/2
	}
	return i
}

// padMirrored is pad with one of these modes.
func (x *Tensor) padMirrored(t *vm.Thread, width vm.Value, mode string) (vm.Value, error) {
	widths, err := x.padWidths(width)
	if err != nil {
		return nil, err
	}
	for axis, w := range widths {
		n := x.shape()[axis]
		if n == 0 && w[0]+w[1] > 0 {
			return nil, vm.ValueErrorf("pad: shape %v has no rows to go on with", x.shape())
		}
		if int64(n)+int64(w[0])+int64(w[1]) > graph.MaxElements {
			return nil, vm.ValueErrorf("pad: at most %d elements are supported", graph.MaxElements)
		}
		rows := make([]int, n+w[0]+w[1])
		for i := range rows {
			rows[i] = mirrors[mode](i-w[0], n)
		}
		if err := t.Charge(16 * int64(len(rows))); err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			if x, err = x.along(t, axis, pick{list: rows, count: len(rows)}); err != nil {
				return nil, err
			}
		}
	}
	return x, nil
}
