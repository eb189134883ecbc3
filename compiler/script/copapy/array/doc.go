// Package array has the values that scripts compute with: traced scalars (Value), arrays
// of plain or traced elements (Tensor), and what is computed with them by operators,
// functions and methods, under NumPy's names and by its rules.
//
// A Tracer is where the values of one script are traced; a Calc computes with values in Go as
// the script would with operators. What scripts can call is a table of Rows: a function or
// method is one row, with its parameters and its handler, and an entry in the manual. The
// packages beside this one have rows of their own, and package copapy makes the module of all.
//
// The package knows nothing of programs, targets and derivatives.
package array
