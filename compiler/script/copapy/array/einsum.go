package array

import (
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// labelled is an array with a letter for each axis, none of them twice.
type labelled struct {
	x      *Tensor
	labels string
}

// einsumFunc is cp.einsum(subscripts, *operands): products of the elements at equal
// letters, added over those that the result has not. Operands are joined from left to
// right; letters that no later one and not the result has are added at once.
func (m *Tracer) einsumFunc(t *vm.Thread, a vm.Args) (vm.Value, error) {
	if len(a.Kw) > 0 || len(a.Pos) < 2 {
		return nil, vm.WithHint(vm.TypeErrorf("einsum() takes subscripts and one array or more"), "call it as cp.einsum('ij,jk->ik', a, b)")
	}
	text, ok := a.Pos[0].(string)
	if !ok {
		return nil, vm.WithHint(vm.TypeErrorf("einsum: the subscripts must be a text, not '%s'", vm.TypeName(a.Pos[0])), "call it as cp.einsum('ij,jk->ik', a, b)")
	}
	a.Pos = slices.Clone(a.Pos)
	text, err := m.withoutDots(t, text, a.Pos[1:])
	if err != nil {
		return nil, err
	}
	inputs, output, err := einsumLabels(text, len(a.Pos)-1)
	if err != nil {
		return nil, err
	}
	e := &einsum{Calc: m.Calc(t), lengths: map[rune]int{}}
	operands := make([]labelled, len(inputs))
	for i, labels := range inputs {
		if operands[i], err = e.operand(labels, a.Pos[i+1]); err != nil {
			return nil, err
		}
	}
	// Of one type before any two of them meet: products of ints alone would wrap around.
	arrays := make([]vm.Value, len(operands))
	for i, o := range operands {
		arrays[i] = o.x
	}
	e.alikeFloats(arrays...)
	for i, x := range arrays {
		if e.Err != nil {
			return nil, e.Err
		}
		operands[i].x = x.(*Tensor)
	}
	for _, l := range output {
		if _, known := e.lengths[l]; !known {
			return nil, vm.ValueErrorf("einsum: no operand has the letter '%c' of the result", l)
		}
	}
	acc := operands[0]
	for i, next := range operands[1:] {
		needed := output + strings.Join(inputs[i+2:], "")
		acc = e.join(e.add(acc, needed+next.labels), e.add(next, needed+acc.labels), needed)
		if e.Err != nil {
			return nil, e.Err
		}
	}
	return e.result(acc, output)
}

// einsumLabels takes subscripts apart. Without -> the result has the letters that
// occur once, in alphabetical order.
func einsumLabels(text string, operands int) (inputs []string, output string, err error) {
	const hint = "letters name axes, as in 'ij,jk->ik'"
	text = strings.ReplaceAll(text, " ", "")
	left, output, explicit := strings.Cut(text, "->")
	inputs = strings.Split(left, ",")
	if strings.Contains(text, ".") {
		return nil, "", vm.WithHint(vm.ValueErrorf("einsum: a single '.' has no meaning; '...' stands for axes without letters"), "write '...', once in each operand")
	}
	for _, l := range strings.Join(inputs, "") + output {
		if !('a' <= l && l <= 'z' || 'A' <= l && l <= 'Z') {
			return nil, "", vm.WithHint(vm.ValueErrorf("einsum: '%c' is not a letter", l), hint)
		}
	}
	if len(inputs) != operands {
		return nil, "", vm.WithHint(vm.ValueErrorf("einsum: the subscripts name %d operands, %d are given", len(inputs), operands), hint)
	}
	if !explicit {
		var once []rune
		for _, l := range left {
			if l != ',' && strings.Count(left, string(l)) == 1 {
				once = append(once, l)
			}
		}
		slices.Sort(once)
		output = string(once)
	}
	for i, l := range output {
		if strings.ContainsRune(output[:i], l) {
			return nil, "", vm.ValueErrorf("einsum: the letter '%c' is twice in the result", l)
		}
	}
	return inputs, output, nil
}

type einsum struct {
	*Calc
	lengths map[rune]int
}

// operand is an argument with its letters; where one is named twice it is the diagonal.
func (e *einsum) operand(labels string, v vm.Value) (labelled, error) {
	x, err := e.Tracer.arrayArg(e.Thread, "einsum", v)
	if err != nil {
		return labelled{}, err
	}
	if _, isArray := v.(*Tensor); labels == "" && !isArray {
		return labelled{x, ""}, nil // a number, kept as a vector of one element
	}
	if len(labels) != len(x.Shape()) {
		return labelled{}, vm.ValueErrorf("einsum: '%s' names %d axes of an array of shape %v", labels, len(labels), x.Shape())
	}
	for i, l := range labels {
		n, known := e.lengths[l]
		if known && n != x.Shape()[i] {
			return labelled{}, vm.ValueErrorf("einsum: the letter '%c' has the length %d and, in shape %v, %d", l, n, x.Shape(), x.Shape()[i])
		}
		e.lengths[l] = x.Shape()[i]
	}
	for i := 0; i < len(labels); i++ {
		if first := strings.IndexByte(labels, labels[i]); first < i {
			if x, err = e.diagonal(x, first, i); err != nil {
				return labelled{}, err
			}
			labels = labels[:i] + labels[i+1:]
			i--
		}
	}
	return labelled{x, labels}, nil
}

// diagonal joins axis b, of the length of axis a, to that axis before it.
func (e *einsum) diagonal(x *Tensor, a, b int) (*Tensor, error) {
	order := []int{a, b}
	for i := range x.Shape() {
		if i != a && i != b {
			order = append(order, i)
		}
	}
	moved, err := x.Permuted(e.Thread, order)
	if err != nil {
		return nil, err
	}
	n, rest := x.Shape()[a], slices.Clone(moved.(*Tensor).Shape()[2:])
	flat, err := moved.(*Tensor).Reshaped(slices.Concat(graph.Shape{n * n}, rest))
	if err != nil {
		return nil, err
	}
	d, err := flat.(*Tensor).along(e.Thread, 0, pick{start: 0, step: n + 1, count: n})
	if err != nil {
		return nil, err
	}
	// The diagonal is in front and belongs where a was.
	back := make([]int, len(rest)+1)
	for i := range back {
		switch {
		case i < a:
			back[i] = i + 1
		case i > a:
			back[i] = i
		}
	}
	r, err := d.Permuted(e.Thread, back)
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// add sums the axes whose letters are not needed any more.
func (e *einsum) add(o labelled, needed string) labelled {
	var axes []vm.Value
	kept := ""
	for i, l := range o.labels {
		if strings.ContainsRune(needed, l) {
			kept += string(l)
		} else {
			axes = append(axes, int64(i))
		}
	}
	if len(axes) == 0 || e.Err != nil {
		return o
	}
	return labelled{e.array(e.Reduce("sum", o.x, vm.NewTuple(axes...), false)), kept}
}

// array is a result as an array: a number is a vector of one element.
func (e *einsum) array(v vm.Value) *Tensor {
	x, err := e.Tracer.arrayArg(e.Thread, "einsum", v)
	if err != nil {
		e.Keep(nil, err)
		return e.Tracer.PlainVector([]vm.Value{int64(0)})
	}
	return x
}

// join multiplies two operands and adds what is not needed any more: as a product of
// matrices, or, where letters of both stay, element by element.
func (e *einsum) join(a, b labelled, needed string) labelled {
	var left, right, inner, shared []rune
	for _, l := range a.labels {
		switch inB := strings.ContainsRune(b.labels, l); {
		case !inB:
			left = append(left, l)
		case strings.ContainsRune(needed, l):
			shared = append(shared, l)
		default:
			inner = append(inner, l)
		}
	}
	for _, l := range b.labels {
		if !strings.ContainsRune(a.labels, l) {
			right = append(right, l)
		}
	}
	if len(shared) == 0 && len(inner) > 0 {
		x := e.ordered(a, slices.Concat(left, inner), e.size(left), e.size(inner))
		y := e.ordered(b, slices.Concat(inner, right), e.size(inner), e.size(right))
		labels := slices.Concat(left, right)
		return labelled{e.shaped(e.Matmul(x, y), labels), string(labels)}
	}
	labels := slices.Concat(shared, left, right, inner)
	product := e.array(e.Mul(e.spread(a, labels), e.spread(b, labels)))
	return e.add(labelled{product, string(labels)}, needed)
}

func (e *einsum) size(labels []rune) int {
	n := 1
	for _, l := range labels {
		n *= e.lengths[l]
	}
	return n
}

// ordered puts the axes into the order of labels and gives the result a shape.
func (e *einsum) ordered(o labelled, labels []rune, shape ...int) *Tensor {
	if e.Err != nil {
		return o.x
	}
	order := make([]int, len(labels))
	for i, l := range labels {
		order[i] = strings.IndexRune(o.labels, l)
	}
	r := vm.Value(o.x)
	if len(order) > 0 {
		r = e.Keep(o.x.Permuted(e.Thread, order))
	}
	if x, ok := r.(*Tensor); ok {
		r = e.Keep(x.Reshaped(graph.Shape(shape)))
	}
	return e.array(r)
}

// spread brings an operand to axes for all labels, with length 1 for those it has not.
func (e *einsum) spread(o labelled, labels []rune) *Tensor {
	var own []rune
	dims := make([]int, len(labels))
	for i, l := range labels {
		if dims[i] = 1; strings.ContainsRune(o.labels, l) {
			own, dims[i] = append(own, l), e.lengths[l]
		}
	}
	if len(dims) == 0 {
		dims = []int{1}
	}
	if len(dims) > graph.MaxRank {
		e.Keep(nil, vm.ValueErrorf("einsum: at most %d letters in one product are supported", graph.MaxRank))
	}
	return e.ordered(o, own, dims...)
}

// shaped gives an array the lengths of labels; without labels it has one element.
func (e *einsum) shaped(v vm.Value, labels []rune) *Tensor {
	dims := graph.Shape{}
	for _, l := range labels {
		dims = append(dims, e.lengths[l])
	}
	if len(dims) == 0 {
		dims = graph.Shape{1}
	}
	if x := e.array(v); e.Err == nil {
		return e.array(e.Keep(x.Reshaped(dims)))
	}
	return e.array(int64(0))
}

// result puts the axes into the order of the output.
func (e *einsum) result(o labelled, output string) (vm.Value, error) {
	o = e.add(o, output)
	if e.Err != nil {
		return nil, e.Err
	}
	if output == "" {
		return o.x.element(0)
	}
	order := make([]int, 0, len(output))
	for _, l := range output {
		order = append(order, strings.IndexRune(o.labels, l))
	}
	return o.x.Permuted(e.Thread, order)
}
