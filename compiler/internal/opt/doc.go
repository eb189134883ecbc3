// Package opt rewrites a graph into a smaller one that computes the same bits
// and raises the same sticky flags.
//
// Nodes are visited once, operands first. Each is folded if its operands are
// constants, in the target's own arithmetic, which is eval's; otherwise the
// rules of its op may replace it by something simpler; otherwise it is interned
// in the new graph, which joins equal nodes. What the outputs do not need is
// left out.
//
// Bodies of static loops are rewritten the same way. Carries and rows that nothing
// needs are left out; carries that no iteration changes become values from outside, or
// part of the body if they are constants.
//
// Every rule is exact for every input, NaN, infinities, both zeros and wrapping
// included, except those of the fast mode. An operand that could raise
// a sticky flag is never dropped, and an op that raises one is not folded.
package opt
