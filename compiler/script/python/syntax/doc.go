// Package syntax turns the source text of a script in Python syntax into a
// tree with positions. It imports nothing else of the project, runs nothing,
// and does not resolve names.
//
// Source text is checked first (UTF-8, no NUL bytes), and every fault is an
// *Error with line and column. Nesting is bounded, so that neither the parser
// nor what walks the tree later can exhaust the stack.
package syntax
