// Package graph holds the typed, acyclic dataflow graph between the front ends
// and the compiler.
//
// A Graph is an arena of nodes. A node has an op (a row of the table Ops), a
// dtype, a shape, operands that lie before it in the arena, a static attribute
// and the source position that made it. Equal nodes are one node: building is
// hash-consed. Nodes are never changed or removed, so IDs, and slices returned
// by accessors, stay valid for the life of the graph.
//
//	g := graph.New()
//	a := g.InputF32("a", 1.5)
//	c := a.Mul(g.F32(2)).Add(a.Sin())
//	if err := g.Err(); err != nil { ... }
//
// The methods of Value record the first error in the graph and return an
// invalid Value; Graph.Apply and the other methods of Graph return the error
// at once, for front ends that report it at the line at fault. A Graph is not
// safe for concurrent building; reading is.
//
// Numbers are kept as their 32-bit patterns: IEEE binary32 for f32, two's
// complement for i32, 0 or 1 for bool. NaN is always 0x7fc00000.
//
// A new op is a row of Ops, a case in package eval, a rule in package autodiff
// and a stencil; tests that derive from the table name what is missing.
//
// Static loops are described by Scan, which has a graph of its own as the body;
// Graph.Scan and Graph.Fori build them.
//
// The package imports nothing else of the project.
package graph
