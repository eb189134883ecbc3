// Package branch puts what only one side of a choice needs behind a branch, in code that has its registers.
//
// Up to here both sides of a choice are computed, and one is picked. Where an architecture has branches around a few
// instructions (the ops Skip of package lir), the last instructions of a block before a pick that compute one of its operands,
// and nothing else, move behind a branch by the condition; the other operand is in the register of the result before. Picks by
// the same condition beside each other share the branch, and what moves is looked through again. A move is all that a pick itself
// leaves there.
//
//	sub   r7, r5, r0               mov  r7, r5
//	test  r5, r0                   test r5, r0
//	pick  r7 = ge ? r7 : r5        skip lt, 2
//	addby r6, r6, 1                sub  r7, r7, r0
//	pick  r6 = ge ? r6 : r8        addby r6, r6, 1
//
// Where both sides have instructions of their own, those of the one are behind the branch, and end with a skip over those of the other:
//
//	sub   r7, r6, r1               test r5, r0
//	add   r8, r6, r2               skip le, 2
//	test  r5, r0                   sub  r7, r6, r1
//	pick  r7 = gt ? r7 : r8        skip 1
//	                               add  r7, r6, r2
//
// Package sched has put what a side needs alone right before its picks, so that other code does not take its registers.
//
// That pays where it saves instructions even if the branch costs two and every other time one goes on behind it. The
// bound on a program's time holds: it counts the branch and the longer of both ways.
//
// No case is argued: each is built as it seems right, and then the code before and after is replayed on symbolic values, as a
// whole; where a register or word that is needed later would hold something else, the code stays.
package branch
