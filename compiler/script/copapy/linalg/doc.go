// Package linalg solves equations and takes matrices apart: functions of matrices of fixed
// size, and of stacks of them. Small matrices are unrolled into scalar operations, larger ones and longer
// stacks are loops, in a fixed order, so that the time depends on the size alone, and the bits are the
// same on every target.
package linalg
