package copapy

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/vm"
)

// masked is x[mask] where only the program knows the mask, and so how many elements there
// are: it can be computed with, element by element, and assigned back by the same mask.
type masked struct {
	m     *module
	whole vm.Value    // the elements that are taken and those that are not
	mask  graph.Value // which of them are taken
}

// PyClass names it in errors.
func (p *masked) PyClass() *vm.Class { return p.m.maskedClass }

// Binary computes with a number, or with what the same mask takes.
func (p *masked) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	if q, ok := other.(*masked); ok && q.mask == p.mask {
		other = q.whole
	} else if _, isScalar := other.(*Value); !isScalar && !isNumber(other) {
		return nil, p.refused()
	}
	a, b := p.whole, other
	if reflected {
		a, b = b, a
	}
	r, err := t.Binary(op, a, b)
	return &masked{p.m, r, p.mask}, err
}

// Unary computes by element.
func (p *masked) Unary(t *vm.Thread, op vm.UnaryOp) (vm.Value, error) {
	r, err := t.Unary(op, p.whole)
	return &masked{p.m, r, p.mask}, err
}

// Attr refuses.
func (p *masked) Attr(*vm.Thread, string) (vm.Value, error) { return nil, p.refused() }

// Len refuses.
func (p *masked) Len(*vm.Thread) (int, error) { return 0, p.refused() }

// Iter refuses.
func (p *masked) Iter(*vm.Thread) (vm.Iterator, error) { return nil, p.refused() }

// Index refuses.
func (p *masked) Index(*vm.Thread, vm.Value) (vm.Value, error) { return nil, p.refused() }

func (p *masked) refused() error {
	return vm.WithHint(vm.TypeErrorf("how many elements a traced mask takes is known on the target only"),
		"choose by element: cp.where(mask, x, 0.0), or assign them back by the same mask, x[mask] = 2 * x[mask]")
}

// tracedMask is a key that is an array of traced bools.
func tracedMask(key vm.Value) *Tensor {
	if tuple, ok := key.(*vm.Tuple); ok && len(tuple.Elems) == 1 {
		key = tuple.Elems[0]
	}
	if k, ok := key.(*Tensor); ok && k.traced() && k.array.DType() == graph.Bool {
		return k
	}
	return nil
}

// spreadMask is a mask in the shape of x: it names elements, or rows of x.
func (x *Tensor) spreadMask(mask *Tensor) (graph.Value, error) {
	s, own := x.shape(), mask.shape()
	if len(own) > len(s) || !own.Equal(s[:len(own)]) {
		return graph.Value{}, vm.Raise(vm.IndexError, "a mask of shape %v does not fit an array of shape %v", own, s)
	}
	v, err := x.m.g.Reshape(mask.array, slices.Concat(own, slices.Repeat(graph.Shape{1}, len(s)-len(own))))
	if err == nil {
		v, err = x.m.g.Broadcast(v, s)
	}
	return v, x.m.traceError(err)
}

// chosen is x with a value where the mask is true.
func (x *Tensor) chosen(t *vm.Thread, mask *Tensor, v vm.Value) (*Tensor, error) {
	here, err := x.spreadMask(mask)
	if err != nil {
		return nil, err
	}
	if y, ok := v.(*Tensor); ok {
		own := y.shape()
		rest := x.shape()[len(mask.shape()):]
		for len(own) > len(rest) && own[0] == 1 {
			own = own[1:]
		}
		if both, err := graph.BroadcastShapes(own, rest); err != nil || !both.Equal(rest) {
			return nil, vm.WithHint(vm.ValueErrorf("how many elements a traced mask takes is known on the target only, so an array of shape %v cannot be given to them one by one", y.shape()),
				"give one value for all, or choose by element: x = cp.where(mask, v, x), with v in the shape of x")
		}
		if v, err = y.reshaped(slices.Clone(own)); err != nil {
			return nil, err
		}
	}
	return x.where(t, here, v)
}

// where is v where here is true, otherwise x.
func (x *Tensor) where(t *vm.Thread, here graph.Value, v vm.Value) (*Tensor, error) {
	c := x.m.calc(t)
	whole, err := x.lift(t, floatType(x.typeNow()))
	if err != nil {
		return nil, err
	}
	is, err := x.m.wrap(here, nil)
	if err != nil {
		return nil, err
	}
	old, err := x.m.wrap(whole, nil)
	r, err := c.done(c.iif(is, v, c.keep(old, err)))
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
	mask := tracedMask(key)
	if mask == nil {
		return p.refused()
	}
	here, err := x.spreadMask(mask)
	if err != nil {
		return err
	}
	whole, ok := p.whole.(*Tensor)
	if here != p.mask || !ok || !whole.shape().Equal(x.shape()) {
		return p.refused()
	}
	v, err := root.converted(t, whole)
	if err != nil {
		return err
	}
	r, err := x.where(t, here, v)
	if err != nil {
		return err
	}
	return x.become(t, root, r)
}

// Repr refuses too: there is nothing to show.
func (p *masked) Repr(*vm.Thread) (string, error) { return "", p.refused() }
