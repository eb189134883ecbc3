package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// view makes an array a part of another, as NumPy's slices are: what is assigned to
// one of the two is in both. The part itself is taken when it is asked for.
type view struct {
	part
	of   *Tensor
	take func(of *Tensor) (vm.Value, error) // this part, of any array with the shape of of
	seen int                                // writes of the root that are in the view
}

// part is how a function's result and its first argument share their elements, as NumPy has it:
// a column of the function's row, without which the result has elements of its own.
type part struct {
	itself bool    // the result may be the argument, and is no view of it otherwise
	maybe  sharing // whether NumPy has a view here
	axes   int     // how many the array must have; 0: any number
	locked string  // why nothing can be assigned to the view, with what to do
}

// anyPart is a view for every array and argument.
var anyPart = &part{}

// sharing tells when NumPy gives a view of an array and not a copy.
type sharing uint8

const (
	always     sharing = iota
	strided            // where equal steps lead from element to element (reshape)
	contiguous         // where the elements follow each other (ravel)
)

// root is the array that x is a part of, x itself if it is none.
func (x *Tensor) root() *Tensor {
	for x.view != nil {
		x = x.view.of
	}
	return x
}

// Former are nodes that the array was before its elements were assigned to, the latest of them.
func (x *Tensor) Former() []graph.ID { return x.root().former }

// partOf makes what a function gave of x a view of x.
func (x *Tensor) partOf(r vm.Value, v view) vm.Value {
	if y, ok := r.(*Tensor); ok && y != x && y.view == nil {
		v.of, v.seen = x, x.root().writes
		y.view = &v
	}
	return r
}

// Settle brings an array up to date before its elements are read: with what was assigned
// to it, or to the array that it is a part of.
func (x *Tensor) Settle() {
	if x.view != nil {
		x.follow()
	}
	if x.loose {
		x.join()
	}
}

// follow takes a part again that something was assigned to.
func (x *Tensor) follow() {
	v, writes := x.view, x.root().writes
	if v.seen == writes || !x.shares() {
		return
	}
	v.seen = writes
	r, err := v.take(v.of)
	y, ok := r.(*Tensor)
	if err != nil || !ok {
		x.m.keepError(err)
		return
	}
	y.Settle()
	x.Node, x.Plain, x.own = y.Node, y.Plain, false
	y.own = false
}

// shares tells whether the array is a view in NumPy too. What is a copy there has its
// elements already, and is an array of its own from now on.
func (x *Tensor) shares() bool {
	v := x.view
	if v.maybe == always {
		return true
	}
	at, err := x.places()
	if err == nil && len(at) > 0 && (v.maybe == strided && !evenly(at, x.Shape(), 0) || v.maybe == contiguous && !evenly(at, graph.Shape{1, len(at)}, 1)) {
		x.view = nil
		return false
	}
	x.m.keepError(err)
	v.maybe = always
	return true
}

// evenly tells whether the places of elements, row by row, have one distance along each
// axis, which along the last one is step where that is not 0.
func evenly(at []int, s graph.Shape, step int) bool {
	steps, stride := make([]int, len(s)), len(at)
	for axis, n := range s {
		if stride /= n; n > 1 {
			steps[axis] = at[stride] - at[0]
		}
	}
	if last := len(s) - 1; step != 0 && s[last] > 1 && steps[last] != step {
		return false
	}
	for i, place := range at {
		want, rest := at[0], i
		for axis := len(s) - 1; axis >= 0; axis-- {
			want += rest % s[axis] * steps[axis]
			rest /= s[axis]
		}
		if place != want {
			return false
		}
	}
	return true
}

// places are where the elements of a view lie in its root, row by row.
func (x *Tensor) places() ([]int, error) {
	if x.view == nil {
		at := make([]int, x.Shape().Elements())
		for i := range at {
			at[i] = i
		}
		return at, nil
	}
	of := x.view.of
	r, err := x.view.take(x.m.PlainTensor(slices.Clone(of.Shape()), Counted(of.Shape().Elements())).(*Tensor))
	if err != nil {
		return nil, err
	}
	y, ok := r.(*Tensor)
	if !ok {
		return nil, vm.TypeErrorf("a number is not part of an array")
	}
	outer, err := of.places()
	if err != nil {
		return nil, err
	}
	at := make([]int, len(y.Plain))
	for i, e := range y.Plain {
		at[i] = outer[e.(int64)]
	}
	return at, nil
}

// Copied is an array of its own with the same elements.
func (x *Tensor) Copied() *Tensor {
	x.Settle()
	x.own = false
	y := &Tensor{m: x.m, dims: x.Shape(), Plain: x.Plain, Node: x.Node, none: x.none, scope: x.m.Scope()}
	if y.Node.Valid() {
		y.Node = x.m.copied(y.Node)
	}
	return y
}

func isArgument(x *Tensor, a vm.Args) bool {
	same := func(v vm.Value) bool { y, ok := v.(*Tensor); return ok && x == y }
	return slices.ContainsFunc(a.Pos, same) || slices.ContainsFunc(a.Kw, func(k vm.Keyword) bool { return same(k.Value) })
}

// partOf calls a row whose result is part of its first argument.
func (m *Tracer) partOf(r *Row, t *vm.Thread, a vm.Args) (vm.Value, error) {
	if r.part.itself {
		return r.handle(t, a)
	}
	first, rest, err := firstArgument(r.Name, a)
	if err != nil {
		return nil, err
	}
	again := func(of vm.Value, args []vm.Value) (vm.Value, error) {
		return r.handle(t, vm.Args{Pos: slices.Concat([]vm.Value{of}, args), Kw: rest.Kw})
	}
	if IsNumber(first) || IsScalar(first) {
		result, err := again(first, rest.Pos)
		if err == nil && r.part.locked != "" {
			Lock(result, r.part.locked)
		}
		return result, err
	}
	x, err := m.NestedTensor(t, r.Name, first)
	if err != nil {
		return nil, err
	}
	result, err := again(x, rest.Pos)
	if err != nil {
		return nil, err
	}
	return r.part.viewOf(x, rest.Pos, result, func(of *Tensor, args []vm.Value) (vm.Value, error) { return again(of, args) }), nil
}

// viewOf makes what a function gave of an array x, and of args, a view of x: again calls the
// function with another array.
func (p *part) viewOf(x *Tensor, args []vm.Value, r vm.Value, again func(of *Tensor, args []vm.Value) (vm.Value, error)) vm.Value {
	if p.itself || p.axes > 0 && len(x.Shape()) != p.axes {
		return r
	}
	args = frozen(args)
	v := view{part: *p}
	if list, ok := r.(*vm.List); ok {
		for i, e := range list.Elems {
			v.take = func(of *Tensor) (vm.Value, error) {
				r, err := again(of, args)
				if err != nil {
					return nil, err
				}
				return r.(*vm.List).Elems[i], nil
			}
			x.partOf(e, v)
		}
		return r
	}
	v.take = func(of *Tensor) (vm.Value, error) { return again(of, args) }
	return x.partOf(r, v)
}

// frozen are arguments in which a script can change nothing later.
func frozen(args []vm.Value) []vm.Value {
	out := slices.Clone(args)
	for i, a := range out {
		if list, ok := a.(*vm.List); ok {
			out[i] = vm.NewTuple(frozen(list.Elems)...)
		}
	}
	return out
}

// keepError keeps what went wrong where an array was brought up to date: the graph is
// full, which the next thing done with it reports too.
func (m *Tracer) keepError(err error) {
	if m.late == nil {
		m.late = err
	}
}

// Scope tells where an array is made: 0 outside of the bodies of loops, otherwise the
// number of the body that is being traced.
func (m *Tracer) Scope() int {
	if len(m.bodies) == 0 {
		return 0
	}
	return m.bodies[len(m.bodies)-1]
}

// EnterBody begins the trace of a loop's body; leave ends it.
func (m *Tracer) EnterBody() (leave func()) {
	m.scopes++
	m.bodies = append(m.bodies, m.scopes)
	return func() {
		m.bodies = m.bodies[:len(m.bodies)-1]
	}
}

// Lock makes the arrays that a function gives ones that cannot be assigned to.
func Lock(v vm.Value, why string) {
	if x, ok := v.(*Tensor); ok {
		x.locked = why
	}
	elems, _, _ := Sequence(v)
	for _, e := range elems {
		Lock(e, why)
	}
}

// assignable follows a view to its root, and refuses arrays that must not change.
func (x *Tensor) assignable() (root *Tensor, err error) {
	for root = x; ; root = root.view.of {
		if root.view != nil {
			root.shares() // or it is no view any more
		}
		why := root.locked
		if root.view != nil && root.view.locked != "" {
			why = root.view.locked
		}
		if why != "" {
			return nil, vm.WithHint(vm.ValueErrorf("assignment destination is read-only"), why)
		}
		if root.view == nil {
			break
		}
	}
	if root.scope != x.m.Scope() && (root.scope == 0 || slices.Contains(x.m.bodies, root.scope)) {
		return nil, vm.WithHint(vm.ValueErrorf("an array from outside is assigned to in the body of a loop"),
			"the body is traced once: give the array to the loop as a carry, assign to that, and return it")
	}
	return root, nil
}

// Inplace is x += y. A view changes the array that it is a part of where NumPy would;
// otherwise the name stands for a new array.
func (x *Tensor) Inplace(t *vm.Thread, op vm.BinaryOp, other vm.Value) (vm.Value, error) {
	if x.view == nil || !x.shares() || x.view.locked != "" || x.root().locked != "" {
		return vm.NotImplemented, nil
	}
	r, err := x.Binary(t, op, other, false)
	y, ok := r.(*Tensor)
	if err != nil || !ok || !y.Shape().Equal(x.Shape()) || y.elementType() != x.elementType() {
		return r, err
	}
	return x, x.SetIndex(t, vm.Ellipsis, y)
}
