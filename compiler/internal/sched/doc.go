// Package sched puts the instructions of a block in the order in which they
// will run.
//
// The order decides two things that pull against each other. Independent
// chains should be interleaved, so that the latency of one is filled with work
// of the others: that alone makes unrolled dot products almost twice as fast as
// in the order in which they were written. And few values should be alive at a
// time, or they do not fit the registers.
//
// First, short side branches are tied to the instruction that needs them: in
// s = s + (x + c) * y the sum waits for the s before it, and x + c and the
// product are computed just when that is there. Such a cluster is scheduled as
// one. What remains are chains of clusters and the places where they join.
//
// Then clusters are picked one at a time. Those whose operands are computed wait
// in a queue, first come first served, so that the chains under way advance in
// step and share what they load; one with a much longer way to go than the head
// of the queue (critical path first) overtakes it. New chains are begun while
// registers are left, the longest first. When registers run out, a cluster is
// preferred that leaves no more values alive than before; where there is none,
// the operands of one that has an operand alive already are computed depth first.
//
// For cores that start instructions in order, a last step moves instructions that
// would wait for an operand a little behind others that would not.
//
// Every step is a heap operation or constant, so the time is linear but for a
// small logarithm.
package sched
