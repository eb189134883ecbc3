package compiler

import (
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/internal/autodiff"
)

// Grad adds to the graph the derivatives of the scalar y by every element of
// each x, in the shapes of xs; 0 for what y does not depend on. The xs may be any
// float nodes, not only inputs.
//
// Conventions: abs has derivative 0 at 0, the side of a select not taken gives 0,
// a tie of min or max gives half to each side, ops on integers give 0, and no
// NaN of a side not taken leaks.
func Grad(y graph.Value, xs ...graph.Value) ([]graph.Value, error) { return autodiff.Grad(y, xs) }

// Jacobian adds the derivatives of every element of y by every element of each
// x: arrays with the axes of y and then those of x. It takes one reverse pass for
// each element of y.
func Jacobian(y graph.Value, xs ...graph.Value) ([]graph.Value, error) {
	return autodiff.Jacobian(y, xs)
}

// VJP adds, for each x, vs times the Jacobian of ys by x; vs have the shapes of
// ys. It takes one reverse pass.
func VJP(ys, vs, xs []graph.Value) ([]graph.Value, error) { return autodiff.VJP(ys, vs, xs) }

// JVP adds, for each y, the Jacobian by xs times ts, which is the derivative of y
// in the direction ts; ts have the shapes of xs. It takes two reverse passes.
func JVP(ys, xs, ts []graph.Value) ([]graph.Value, error) { return autodiff.JVP(ys, xs, ts) }
