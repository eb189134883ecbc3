package autodiff

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Jacobian returns for each x the derivatives of every element of y by every
// element of x: an array with the axes of y and then those of x. It takes one
// reverse pass for each element of y.
func Jacobian(y graph.Value, xs []graph.Value) ([]graph.Value, error) {
	if err := oneGraph("jacobian", []graph.Value{y}, xs); err != nil {
		return nil, err
	}
	g, n := y.Graph(), y.Shape().Elements()
	flat, err := g.Reshape(y, graph.Shape{n})
	if err != nil {
		return nil, err
	}
	rows := make([][]graph.Value, len(xs))
	for i := range n {
		element, err := g.Index(flat, i)
		if err != nil {
			return nil, err
		}
		grads, err := Grad(element, xs)
		if err != nil {
			return nil, err
		}
		for k, d := range grads {
			line, err := g.Reshape(d, append(graph.Shape{1}, d.Shape()...))
			if err != nil {
				return nil, err
			}
			rows[k] = append(rows[k], line)
		}
	}
	out := make([]graph.Value, len(xs))
	for k, x := range xs {
		shape := append(append(graph.Shape{}, y.Shape()...), x.Shape()...)
		if n == 0 {
			out[k], err = g.Fill(gradientType(x), shape, 0)
		} else if out[k], err = g.Concat(rows[k]...); err == nil {
			out[k], err = g.Reshape(out[k], shape)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// VJP returns for each x the derivative of the sum of all elements of ys, each
// times that of vs: the vectors vs times the Jacobian. One reverse pass. vs are taken as they
// are, also where they depend on xs.
func VJP(ys, vs, xs []graph.Value) ([]graph.Value, error) {
	if err := oneGraph("vjp", ys, vs, xs); err != nil {
		return nil, err
	}
	held := make([]graph.Value, len(vs))
	for i, v := range vs {
		if held[i] = v; v.DType().IsFloat() {
			held[i] = v.Stop()
		}
	}
	return weighed(ys, held, xs)
}

// weighed is VJP with vs that do not depend on xs.
func weighed(ys, vs, xs []graph.Value) ([]graph.Value, error) {
	sum, err := inner("vjp", ys, vs)
	if err != nil {
		return nil, err
	}
	return Grad(sum, xs)
}

// JVP returns for each y its derivative along the direction ts of xs: the
// Jacobian times ts. Two reverse passes: the first gives u times the Jacobian for
// unknown u, which is linear in u; the second differentiates it by u.
func JVP(ys, xs, ts []graph.Value) ([]graph.Value, error) {
	if err := oneGraph("jvp", ys, xs, ts); err != nil {
		return nil, err
	}
	us := make([]graph.Value, len(ys))
	for i, y := range ys {
		var err error
		if us[i], err = y.Graph().Input("", gradientType(y), y.Shape(), nil); err != nil {
			return nil, err
		}
	}
	rows, err := weighed(ys, us, xs)
	if err != nil {
		return nil, err
	}
	along, err := inner("jvp", rows, ts)
	if err != nil {
		return nil, err
	}
	return Grad(along, us)
}

// oneGraph checks that there is something to differentiate and that all values
// belong to its graph.
func oneGraph(what string, ys []graph.Value, others ...[]graph.Value) error {
	if len(ys) == 0 {
		return fmt.Errorf("%s: no function to differentiate", what)
	}
	for _, list := range append(others, ys) {
		for i, v := range list {
			if !v.Valid() || v.Graph() != ys[0].Graph() {
				return fmt.Errorf("%s: argument %d is not a value of the function's graph", what, i)
			}
		}
	}
	return nil
}

// inner is the sum of the products of all elements.
func inner(what string, as, bs []graph.Value) (graph.Value, error) {
	if len(as) != len(bs) {
		return graph.Value{}, fmt.Errorf("%s: %d values for %d", what, len(bs), len(as))
	}
	var sum graph.Value
	for i, a := range as {
		if !a.Shape().Equal(bs[i].Shape()) {
			return sum, fmt.Errorf("%s: value %d has shape %v instead of %v", what, i, bs[i].Shape(), a.Shape())
		}
		g := a.Graph()
		p, err := g.Apply(graph.OpMul, a, bs[i])
		if err == nil && !p.DType().IsFloat() {
			p, err = g.Apply(graph.OpToF32, p)
		}
		if err == nil && len(p.Shape()) > 0 {
			p, err = g.Sum(p, graph.AllAxes)
		}
		if err == nil && i > 0 {
			p, err = addFloats(sum, p)
		}
		if err != nil {
			return sum, err
		}
		sum = p
	}
	return sum, nil
}

// addFloats adds two floats, in f64 where one of them is.
func addFloats(a, b graph.Value) (graph.Value, error) {
	g := a.Graph()
	var err error
	switch {
	case a.DType() == b.DType():
	case a.DType() == graph.F64:
		b, err = g.Apply(graph.OpToF64, b)
	default:
		a, err = g.Apply(graph.OpToF64, a)
	}
	if err != nil {
		return a, err
	}
	return g.Apply(graph.OpAdd, a, b)
}
