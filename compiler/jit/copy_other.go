//go:build !amd64

package jit

import "unsafe"

const wide = 0

func copy32(_, _ unsafe.Pointer, _ int) bool { panic("not here") }
func copy64(_, _ unsafe.Pointer, _ int) bool { panic("not here") }
