// Package image holds what the compiler produces and a runner executes: code,
// initialised data, patches, entry points and symbols for one architecture,
// and the .copa file that stores them.
//
// An image is relocatable. Programs address their data relative to one base
// register and call inside their own code block, so a board of the
// architecture takes the image wherever its code and data memory lie; what
// remains absolute is described by the patch section, as data, so that a
// runner needs no code that knows the architecture.
//
// Architectures, features, patches and the digest are the protocol's, types and
// shapes of variables the graph's. The package knows no pass and no stencil, so that
// tools that only read or send images do not pull in the compiler.
package image
