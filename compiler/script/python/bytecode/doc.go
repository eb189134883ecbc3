// Package bytecode compiles the tree of a script into code for a stack
// machine: it resolves every name to a local slot, a cell shared by closures,
// a global or a class attribute, and flattens control flow into jumps and a
// table of exception handlers. It imports only package syntax.
package bytecode
