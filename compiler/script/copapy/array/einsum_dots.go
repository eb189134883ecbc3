package array

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// withoutDots gives the axes that '...' stands for letters of their own. They are aligned
// at the end, and one of length 1 beside a longer one loses its letter, so that it is
// repeated.
func (m *Tracer) withoutDots(t *vm.Thread, text string, operands []vm.Value) (string, error) {
	text = strings.ReplaceAll(text, " ", "")
	if !strings.Contains(text, "...") {
		return text, nil
	}
	left, output, explicit := strings.Cut(text, "->")
	inputs := strings.Split(left, ",")
	if len(inputs) != len(operands) {
		return text, nil // which einsumLabels refuses
	}
	var free []string
	for l := 'z'; l >= 'A'; l-- {
		if letter := string(l); (l >= 'a' || l <= 'Z') && !strings.Contains(text, letter) {
			free = append(free, letter)
		}
	}
	common := graph.Shape{}
	own := make([]graph.Shape, len(inputs))
	for i, labels := range inputs {
		before, behind, dots := strings.Cut(labels, "...")
		if !dots {
			continue
		}
		x, err := m.arrayArg(t, "einsum", operands[i])
		if err != nil {
			return "", err
		}
		s, rest := x.Shape(), len(before)+len(behind)
		if !HasElements(operands[i]) {
			s = nil
		}
		if len(s) < rest {
			return "", vm.ValueErrorf("einsum: '%s' names %d axes of an array of shape %v", labels, rest, s)
		}
		own[i] = s[len(before) : len(s)-len(behind)]
		if common, err = graph.BroadcastShapes(common, own[i]); err != nil {
			return "", vm.ValueErrorf("einsum: the axes of '...' do not match: %v", err)
		}
	}
	if len(common) > len(free) {
		return "", vm.ValueErrorf("einsum: at most %d axes are supported", graph.MaxRank)
	}
	letters := free[:len(common)]
	for i, labels := range inputs {
		before, behind, dots := strings.Cut(labels, "...")
		if !dots {
			continue
		}
		named := ""
		var dims graph.Shape
		shift := len(common) - len(own[i])
		for k, n := range own[i] {
			if n == common[shift+k] {
				named += letters[shift+k]
				dims = append(dims, n)
			}
		}
		if len(dims) < len(own[i]) {
			x, err := m.arrayArg(t, "einsum", operands[i])
			if err != nil {
				return "", err
			}
			s := x.Shape()
			whole := slices.Concat(s[:len(before)], dims, s[len(s)-len(behind):])
			if operands[i], err = x.Reshaped(whole); err != nil {
				return "", err
			}
		}
		inputs[i] = before + named + behind
	}
	all := strings.Join(letters, "")
	if explicit {
		return strings.Join(inputs, ",") + "->" + strings.Replace(output, "...", all, 1), nil
	}
	var once []rune
	for _, l := range left {
		if l != ',' && l != '.' && strings.Count(left, string(l)) == 1 {
			once = append(once, l)
		}
	}
	slices.Sort(once)
	return strings.Join(inputs, ",") + "->" + all + string(once), nil
}
