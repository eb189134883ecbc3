// Package compiler turns a graph into a program for one architecture, in
// milliseconds and without any toolchain: graph -> unroll -> opt -> lower -> sched ->
// regalloc -> branch -> link -> image. [Compile] is the entry point; passes.go lists the passes,
// with the purpose of each and what is checked after it.
//
// Programs give the same bits on every architecture: those that package eval
// computes.
package compiler
