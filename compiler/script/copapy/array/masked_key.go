package array

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// maskKey is a key with a traced mask, which may stand beside slices and single indices.
type maskKey struct {
	mask  *Tensor
	rest  vm.Value // the key with whole axes in place of the mask
	whole bool     // rest takes the whole array
	at    int      // the first axis of the mask among those that rest leaves
	place int      // which axis of the result the elements are that the mask takes
}

func isTracedMask(key vm.Value) bool {
	k, ok := key.(*Tensor)
	return ok && k.Traced() && k.isBool()
}

// maskKey is nil of a key without a traced mask.
func (x *Tensor) maskKey(key vm.Value) (*maskKey, error) {
	if tuple, ok := key.(*vm.Tuple); !isTracedMask(key) && !(ok && slices.ContainsFunc(tuple.Elems, isTracedMask)) {
		return nil, nil
	}
	keys, err := x.expanded(key)
	if err != nil {
		return nil, err
	}
	k := &maskKey{whole: true}
	var rest []vm.Value
	axis, axes := 0, 0               // of x, and of what rest leaves
	first, last, indexed := -1, 0, 0 // the keys that are neither slices nor new axes
	for i, e := range keys {
		switch e := e.(type) {
		case *vm.Slice:
			k.whole = k.whole && IsNone(e.Start) && IsNone(e.Stop) && IsNone(e.Step)
			rest, axis, axes = append(rest, e), axis+1, axes+1
			continue
		case *vm.NoneType:
			k.whole = false
			rest, axes = append(rest, e), axes+1
			continue
		case *vm.List:
			return nil, maskBeside()
		case *Tensor:
			if k.mask != nil || !isTracedMask(e) {
				return nil, maskBeside()
			}
			s := e.Shape()
			if !s.Equal(x.Shape()[axis : axis+len(s)]) {
				return nil, vm.Raise(vm.IndexError, "a mask of shape %v does not fit an array of shape %v", s, x.Shape())
			}
			k.mask, k.at = e, axes
			for range s {
				rest = append(rest, &vm.Slice{Start: vm.None, Stop: vm.None, Step: vm.None})
			}
			axis, axes = axis+len(s), axes+len(s)
		default:
			k.whole = false
			rest, axis = append(rest, e), axis+1
		}
		if first < 0 {
			first = i
		}
		last = i
		indexed++
	}
	if last-first+1 == indexed { // those that stand apart give the first axis, as arrays of indices do
		k.place = k.at
	}
	k.rest = vm.NewTuple(rest...)
	return k, nil
}

func maskBeside() error {
	return vm.WithHint(vm.TypeErrorf("a traced mask can be combined only with slices and single indices"),
		"the number of rows it selects is known only on the target: choose by element with cp.where(mask, a, b)")
}

// block is what the rest of a key takes, with the elements of it that the mask takes.
func (k *maskKey) block(t *vm.Thread, x *Tensor) (*Tensor, graph.Value, error) {
	if !k.whole {
		r, err := x.Index(t, k.rest)
		if err != nil {
			return nil, graph.Value{}, err
		}
		part := r.(*Tensor).Copied()
		part.kind, part.fixed = x.typeNow(), true
		x = part
	}
	s, own := x.Shape(), k.mask.Shape()
	if s.Elements() == 0 {
		return x, graph.Value{}, nil
	}
	dims := slices.Concat(slices.Repeat(graph.Shape{1}, k.at), own, slices.Repeat(graph.Shape{1}, len(s)-len(own)-k.at))
	here, err := x.m.Graph.Reshape(k.mask.Node, dims)
	if err == nil {
		here, err = x.m.Graph.Broadcast(here, s)
	}
	return x, here, x.m.TraceError(err)
}

// fit gives a value the axes of a block: it is repeated to what the key takes, of which
// one length is not known.
func (k *maskKey) fit(v vm.Value, block graph.Shape) (vm.Value, error) {
	y, ok := v.(*Tensor)
	if !ok {
		return v, nil
	}
	n := len(k.mask.Shape())
	shown := slices.Insert(slices.Concat(block[:k.at], block[k.at+n:]), k.place, 1)
	own := y.Shape()
	for len(own) > len(shown) && own[0] == 1 {
		own = own[1:]
	}
	if i := len(own) - len(shown) + k.place; i >= 0 && own[i] != 1 {
		return nil, vm.WithHint(vm.ValueErrorf("the number of elements that a traced mask selects is known only on the target, so an array of shape %v cannot be given to them one by one", y.Shape()),
			"give one value for all, or choose by element: x = cp.where(mask, v, x), with v in the shape of x")
	}
	if both, err := graph.BroadcastShapes(own, shown); err != nil || !both.Equal(shown) {
		return nil, noFit(y.Shape(), shown)
	}
	dims := slices.Concat(slices.Repeat(graph.Shape{1}, len(shown)-len(own)), own)
	dims = slices.Delete(dims, k.place, k.place+1)
	return y.Reshaped(slices.Insert(dims, k.at, slices.Repeat(graph.Shape{1}, n)...))
}

// setMasked assigns to what a key with a traced mask takes of x, which c is a copy of where
// x is not its own root.
func (x *Tensor) setMasked(t *vm.Thread, root, c *Tensor, k *maskKey, v vm.Value) error {
	part, here, err := k.block(t, c)
	if err != nil {
		return err
	}
	if v, err = k.fit(v, part.Shape()); err != nil || !here.Valid() {
		return err
	}
	return x.setChosen(t, root, k, part, here, v)
}

// setChosen assigns a value to the elements of a block where here is true.
func (x *Tensor) setChosen(t *vm.Thread, root *Tensor, k *maskKey, part *Tensor, here graph.Value, v vm.Value) error {
	r, err := part.where(t, here, v)
	if err != nil {
		return err
	}
	if k.whole {
		return x.become(t, root, r)
	}
	return x.set(t, root, k.rest, r)
}

// where is v where here is true, otherwise x.
func (x *Tensor) where(t *vm.Thread, here graph.Value, v vm.Value) (*Tensor, error) {
	c := x.m.Calc(t)
	whole, err := x.Lift(t, FloatType(x.typeNow()))
	if err != nil {
		return nil, err
	}
	is, err := x.m.Wrap(here, nil)
	if err != nil {
		return nil, err
	}
	old, err := x.m.Wrap(whole, nil)
	r, err := c.Done(c.Iif(is, v, c.Keep(old, err)))
	if err != nil {
		return nil, err
	}
	return r.(*Tensor), nil
}

// assignMasked is x[mask] = what the same mask takes of an array.
func (x *Tensor) assignMasked(t *vm.Thread, key vm.Value, p *masked) error {
	root, err := x.assignable()
	if err != nil {
		return err
	}
	k, err := x.maskKey(key)
	if err != nil {
		return err
	}
	if k == nil {
		return p.refused()
	}
	c := x
	if x != root {
		c = x.Copied()
	}
	part, here, err := k.block(t, c)
	if err != nil {
		return err
	}
	whole, ok := p.whole.(*Tensor)
	if here != p.mask || !ok || !whole.Shape().Equal(part.Shape()) {
		return p.refused()
	}
	v, err := root.converted(t, whole)
	if err != nil || !here.Valid() {
		return err
	}
	return x.setChosen(t, root, k, part, here, v)
}
