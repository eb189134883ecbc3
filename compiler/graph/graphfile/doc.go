// Package graphfile reads and writes graphs with named inputs and outputs: the
// way into the compiler for any other front end, and out of it for any other
// tool. One structure has two forms: CBOR with integer keys, compact, and a JSON
// view of the same for people and for languages without CBOR. graph.cddl
// describes both; docs/graph-file.md explains them with an example.
//
// A file states the type and shape of every node. Reading converts and simplifies
// nothing: each node is checked by the rules of package graph as it is added, so
// a mistake is found at the node that makes it, and what was read is a valid
// graph. Files are not trusted: sizes and counts are bounded, unknown and
// repeated keys are refused, and operands come before their users.
package graphfile
