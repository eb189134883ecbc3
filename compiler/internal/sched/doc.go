// Package sched puts the instructions of a block in the order in which they
// will run.
//
// The order has two conflicting goals. Independent
// chains should be interleaved, so that the latency of one is filled with work
// of the others: that alone makes unrolled dot products almost twice as fast as
// in source order. And few values should be live at a
// time, or they do not fit the registers.
//
// First, short side branches are tied to the instruction that needs them: in
// s = s + (x + c) * y the sum waits for the previous s, and x + c and the
// product are computed just in time for it. Such a cluster is scheduled as
// one. What remains are chains of clusters and the places where they join.
//
// Then clusters are picked one at a time. Those whose operands are computed wait
// in a queue, first come first served, so that the chains under way advance in
// step and share what they load; one with a much longer critical path than the head
// of the queue overtakes it. New chains are started while
// registers are left, the longest first. When registers run out, a cluster is
// preferred that leaves no more values live than before; if there is none,
// the operands of one that already has a live operand are computed depth first.
//
// For cores that start instructions in order, a last step moves instructions that
// would wait for an operand a little behind others that would not.
//
// Every step is a heap operation or takes constant time, so the time is linear up to a
// logarithmic factor.
package sched
