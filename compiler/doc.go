// Package compiler turns a graph into a program for one architecture, in
// milliseconds and without any toolchain: graph -> unroll -> opt -> lower -> sched ->
// regalloc -> link -> image. [Compile] is the way in; the passes are listed, with
// what each is for and what is checked behind it, in passes.go.
//
// Programs give the same bits on every architecture: those that package eval
// computes.
package compiler
