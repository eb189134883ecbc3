// Package lower turns a graph into the low-level form: it decides which arrays
// become scalars and which become loops, gives inputs, constants, arrays and
// outputs their places in memory, and writes the operations down.
//
// # Forms of a value
//
// A scalar node is one [lir.Val]. An array has one of three forms: a value for
// each element (small arrays and whatever scalars are stacked), one value for
// all of them (a broadcast scalar), or a view of memory: a place and a stride
// for each axis, so that indexing, slicing, transposing and broadcasting move no
// data. Either of the first two is written to memory when a loop needs it. A row at an index of which only
// an element at another one is taken has no form: the offsets of both are added.
//
// # Loops
//
// An elementwise op on a large array, a sum, dot or matmul becomes a nest of
// loops over its elements. Elementwise ops whose every use is in one nest are
// computed there, without memory in between. Reductions keep the eight lanes of
// graph.LaneTree in registers.
//
// Where the machine has vectors, an inner loop that walks its arrays word by word
// works on four neighbouring elements at a time; the lanes of a sum are two
// vectors then, which go to memory behind the loop, where the terms that are left
// are added one by one; sums that are alike end side by side, in vectors, their lanes
// folded together. The order of all additions is the same as without.
// What comparisons of lanes give is a mask where nothing but selects, conditions and counts read it.
// Neighbouring sums of equal length share a loop as long as their lanes find
// registers; those of single floats do so if that saves loads. What neighbouring elements of a row have in common, where
// slices of an array overlap, is loaded and computed once in an iteration. Arrays that are stacked along the last axis are computed in one loop, which
// writes their elements in turn; what is concatenated is written where it will lie. A loop
// that would run once is straight code.
//
// Sums whose results lie next to each other, as those of a product of matrices, are computed
// in vectors of results, in blocks that share what they load; few terms are written out, more
// are a loop that keeps the eight lanes of a block in registers. A matrix whose columns are
// scattered is copied first if that pays; one of two to four columns may be loaded in columns. Where the terms lie next to each other instead, as
// those of a matrix times a vector, as many rows as a vector has lanes are added up together,
// and their lanes folded into a vector of results.
//
// The place of the first of the largest or smallest elements, which scripts write as the least index of
// those that equal the extreme, is a kernel's work where there are no vectors. A sum of neighbouring
// integers that moves on by one from element to element is kept: it loses a term and gains another.
//
// Integers are divided by constants with a product, of which the upper bits count; what is known of the
// dividend makes that shorter.
//
// Arrays that are walked alike and lie near each other share a pointer. Where there are
// pointers and no vectors, results of up to 32 terms are written out in the body of a loop,
// several rows of them if that is short: the loop keeps its pointers and what all rows share
// in registers. Elements that are computed one by one load a word once that several of them read.
// What is made of a product of matrices alone is computed where its sums are. Rows of three elements are
// vectors of four, of which the row behind writes the last lane once more.
//
// # Static loops
//
// The body of a static loop is lowered by a lowerer of its own; what it reads from
// outside lies in memory. If all of it is one block, the loop becomes an inner loop that
// carries its values in registers. Otherwise it is a loop around the blocks and loops of
// the body: carries have places in memory and change at the end of the iteration as
// states do. Rows of arrays are reached through pointers that move on every iteration.
// A body that works on arrays element by element is neither: as many elements as registers can hold, in vectors or one by
// one, go through all iterations together, then the next ones.
//
// # Order
//
// Scalar operations and loops alternate: block 0, loops 1, block 1, loops 2 and
// so on; everything goes to the earliest place where its operands exist. What a
// later stage reads gets a home in memory.
//
// # States
//
// A state is read in place, like an input. The loops and the block that write the
// next values come after everything else and read no state,
// so all states change at once.
package lower
