package compiler

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
)

// Archs lists the names of the architectures that programs can be compiled for.
func Archs() []string { return stencils.Archs() }

// HasDoubles reports whether an architecture has f64: doubles in hardware, and
// stencils for them.
func HasDoubles(name string) bool {
	t, err := targetFor(name, 0)
	return err == nil && t.Machine.Doubles
}

// Features lists what processors of an architecture may have beyond its base that
// programs can use, best last.
func Features(arch string) []string {
	lib, err := library(arch)
	if err != nil {
		return nil
	}
	return lib.Features()
}

// ParseFeatures is the bits, for Options, of features of an architecture by name. A
// processor that has one of them has those that Features lists before it.
func ParseFeatures(arch string, names []string) (packet.Features, error) {
	known := Features(arch)
	last := -1
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return 0, fmt.Errorf("programs for %s cannot use feature %q", arch, name)
		}
		last = max(last, i)
	}
	var bits packet.Features
	for _, name := range known[:last+1] {
		bit, err := packet.ParseFeature(name)
		if err != nil {
			return 0, err
		}
		bits |= bit
	}
	return bits, nil
}

// CheckArch reports why programs cannot be compiled for an architecture: its
// name is unknown, or there is no stencil library for it.
func CheckArch(name string) error {
	if _, err := packet.ParseArch(name); err != nil {
		return err
	}
	if !slices.Contains(Archs(), name) {
		return fmt.Errorf("architecture %q has no stencil library yet", name)
	}
	return nil
}
