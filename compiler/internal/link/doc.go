// Package link turns allocated instructions into the code and data of an
// image: it picks the stencil of each instruction, fixes the places of the
// regions of the data block, fills in every hole, aims loops and calls, and
// puts one copy of each math kernel that is used behind the program.
//
// It is the only package of the compiler that knows the stencils. What the
// passes before it need to know about an architecture they get as a
// [lir.Machine], derived from the stencil library here.
package link
