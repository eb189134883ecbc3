package array

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// masked is x[mask] where only the program knows the mask, and so how many elements there
// are: it can be computed with, element by element, and assigned back by the same mask.
type masked struct {
	m     *Tracer
	whole vm.Value    // the elements that are taken and those that are not
	mask  graph.Value // which of them are taken
}

// PyClass names it in errors.
func (p *masked) PyClass() *vm.Class { return p.m.maskedClass }

// Binary computes with a number, or with what the same mask takes.
func (p *masked) Binary(t *vm.Thread, op vm.BinaryOp, other vm.Value, reflected bool) (vm.Value, error) {
	if q, ok := other.(*masked); ok && q.mask == p.mask {
		other = q.whole
	} else if _, isScalar := other.(*Value); !isScalar && !IsNumber(other) {
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
	return vm.WithHint(vm.TypeErrorf("the number of elements that a traced mask selects is known only on the target"),
		"choose by element: cp.where(mask, x, 0.0), or assign them back by the same mask, x[mask] = 2 * x[mask]")
}

// Repr refuses too: there is nothing to show.
func (p *masked) Repr(*vm.Thread) (string, error) { return "", p.refused() }
