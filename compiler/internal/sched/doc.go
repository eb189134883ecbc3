// Package sched puts the instructions of a block in the order in which they
// will run.
//
// The order decides two things that pull against each other. Independent
// chains should be interleaved, so that the latency of one is filled with work
// of the others: that alone makes unrolled dot products almost twice as fast as
// in the order in which they were written. And few values should be alive at a
// time, or they do not fit the registers.
//
// So there are two ways to pick the next instruction. While registers are left,
// it is the one with the longest path of latencies to the end of the block
// (critical path first), and then those that read the same words of memory,
// which can be loaded once for all of them. When the registers are full, it is
// one that ends the life of a value; where there is none, the operands of an
// instruction that has an operand alive already are computed depth first.
//
// Every step is a heap operation or constant, so a block of 100 000
// instructions takes about 100 ns for each.
package sched
