// Package service lets a program in another language drive the compiler and a
// target: requests come in as JSON, one a line, and answers go out the same way.
// Graphs are loaded, run any number of times with other inputs, differentiated,
// compiled to images, all in one process. docs/serve.md describes the protocol.
//
// Nothing here knows what a target is or how errors are rated: the caller says.
package service
