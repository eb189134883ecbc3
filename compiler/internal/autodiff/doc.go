// Package autodiff adds to a graph the nodes that compute gradients, in reverse
// mode.
//
// It looks only at the nodes made between the oldest argument and the result,
// and walks back once over those that lie on a path between them: work and
// nodes added are linear in that part of the graph. The derivative of each op is an
// expression in its row of the op table, from which rules_gen.go is made, or a rule by hand.
//
// Conventions where there is no derivative: 0 through integers, comparisons,
// sign, floor, trunc and floordiv; abs'(0) = 0; a tie of min or max gives half
// to each side. a % b counts as a - b*floor(a/b) with the floor held fixed.
//
// A static loop gets a loop back, from its last iteration to its first: see scanBack.
//
// What flows back through a select is guarded by its condition: within the
// part of the graph that only one side reaches nothing is multiplied by 0, and
// where that part ends a select puts an exact 0 if the side was not taken. So a
// NaN or infinity on the side not taken never shows in a gradient, and a
// program without selects pays nothing. min and max are guarded the same way.
package autodiff
