// Package regalloc puts the values of scheduled blocks into machine registers.
//
// It goes through a block once, in order, and keeps values in registers until
// they are needed by others; then the one whose next use is farthest away gives
// up its register (Belady's rule), where one with a home in memory goes more
// easily than one that has to be stored first. The next uses are known from a
// pass from behind.
//
//   - A two-address instruction takes its first operand's register if that
//     value ends there, otherwise a copy is made first.
//   - Where an instruction can take its last operand from memory, a value whose
//     next use is far away is not loaded for it.
//   - What is alive across a kernel call moves to registers that kernels leave
//     alone, as long as there are any, and to memory then.
//   - Wide values share the float registers; their slots have a word for each lane.
//     They are never alive across a call. Behind a loop on eight lanes the registers
//     are narrowed, for the code of fewer lanes that follows.
//   - An inner loop carries its phis in registers, and the words that its body
//     reads most, as far as some remain for the body.
//
// For cores that start instructions in order, registers are given out in turn and
// loads are moved up, away from the instructions that need them.
//
// The result is machine code but for encoding and the final places of data.
// [Check] proves it: it replays the code on symbolic registers and memory.
package regalloc
