// Package regalloc puts the values of scheduled blocks into machine registers.
//
// It goes through a block once, in order, and keeps values in registers until
// registers run out; then the value whose next use is farthest away gives
// up its register (Belady's rule); a value with a home in memory is evicted before
// one that has to be stored first. A backward pass finds the next uses.
//
//   - A two-address instruction takes its first operand's register if that
//     value ends there, otherwise a copy is made first.
//   - Where an instruction can take its last operand from memory, a value whose
//     next use is far away is not loaded for it.
//   - Values live across a kernel call move to registers that kernels
//     preserve, as long as there are any, and otherwise to memory.
//   - Wide values share the float registers; their slots have a word for each lane.
//     They are never live across a call. After a loop on eight lanes the registers
//     are narrowed for the code on fewer lanes that follows.
//   - An index that a block uses for nothing but accesses is a pointer in its register, where
//     the architecture has those; in memory it stays an offset. Phis that just grow do so
//     in place at the end of an iteration, and a counter that nothing reads counts down.
//   - An inner loop carries its phis in registers, and the words that its body
//     reads most, as far as some remain for the body.
//
// Where the architecture has loads and stores of two neighbouring values, at a fixed place or by
// a pointer, two that stand near each other in a block become one. Where that takes two certain
// registers, values get these if they are free.
//
// For cores that start instructions in order, registers are given out in turn and
// loads are moved up, away from the instructions that need them.
//
// What a register still holds of memory where a block or an inner loop ends is not loaded by the next one. Where
// some registers have shorter code, phis have them first, and so has a block with nothing to move up.
//
// The result is machine code except for encoding and the final offsets of data.
// [Check] proves it: it replays the code on symbolic registers and memory.
package regalloc
