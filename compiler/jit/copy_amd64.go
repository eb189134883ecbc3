package jit

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// wide is how many bytes copy32 and copy64 take at a time; 0: the processor does not have what they need.
var wide = func() int {
	if cpu.X86.HasAVX2 {
		return 32
	}
	return 0
}()

// copy32 copies n bytes, a multiple of wide, and tells whether there is a NaN among the floats.
//
//go:noescape
func copy32(to, from unsafe.Pointer, n int) (nan bool)

// copy64 is copy32 for doubles.
//
//go:noescape
func copy64(to, from unsafe.Pointer, n int) (nan bool)
