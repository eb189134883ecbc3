package compiler

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/stencils"
)

// Archs lists the names of the architectures that programs can be compiled for.
func Archs() []string { return stencils.Archs() }

// HasDoubles reports whether an architecture has f64: doubles in hardware, and
// stencils for them.
func HasDoubles(name string) bool {
	t, err := targetFor(name)
	return err == nil && t.Machine.Doubles
}

// CheckArch reports why programs cannot be compiled for an architecture: its
// name is unknown, or there is no stencil library for it.
func CheckArch(name string) error {
	if _, err := image.ParseArch(name); err != nil {
		return err
	}
	if !slices.Contains(Archs(), name) {
		return fmt.Errorf("architecture %q has no stencil library yet", name)
	}
	return nil
}
