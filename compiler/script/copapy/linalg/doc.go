// Package linalg solves equations and takes matrices apart: functions of matrices of fixed
// size, and of stacks of them. They are unrolled into scalar operations in a fixed order, so
// that the time depends on the size alone, and the bits are the same on every target.
package linalg
