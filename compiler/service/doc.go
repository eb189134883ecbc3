// Package service lets a program in another language drive the compiler and a
// target: it reads requests in JSON, one per line, and writes one line for each.
// One process loads graphs, runs them any number of times with different inputs,
// differentiates them and compiles them to images. docs/serve.md describes the protocol.
//
// The package knows neither targets nor exit codes: the caller provides both.
package service
