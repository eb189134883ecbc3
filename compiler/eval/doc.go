// Package eval computes a graph in Go. It is the oracle: every stencil on every
// architecture, and the folding of constants, must give the same bits and the
// same sticky flags.
//
// Each scalar op is one entry of a table, written for clarity from the text in
// graph.Ops. Every float operation is rounded by an explicit conversion, which
// also keeps Go from fusing a multiplication with an addition. The functions
// come from crmath and math64. Every NaN is graph.NaN from the start, since no op can
// distinguish one NaN from another.
//
// Of the project it imports graph, crmath and math64 only.
package eval
