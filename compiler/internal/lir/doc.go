// Package lir is the low-level form between the graph and machine code: blocks
// of operations on scalar values, loops around them, and the data block that
// they work on.
//
// A value ([Val]) is written once. It lives in a register while the register
// allocator keeps it there, or in its home, a word of the data block; constants,
// inputs and whatever an earlier block leaves behind for a later one have a
// home from the start. So there are no load operations here: an operand is
// loaded where the allocator finds that cheapest.
//
// Control flow is static. A function is a list of items, each a straight block
// or a counted loop; the only code that branches is the end of a loop.
//
// The package imports graph, whose op numbers it uses, and nothing of what
// comes after it.
package lir
