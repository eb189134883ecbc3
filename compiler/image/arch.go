package image

import (
	"fmt"
	"slices"
)

// Arch is the architecture code of an image. The numbers go over the wire and
// into digests.
type Arch uint8

// Architectures, with the codes of protocol/messages.cddl.
const (
	X8664       Arch = 1
	AArch64     Arch = 2
	ARMv7A      Arch = 3
	ARMv6       Arch = 4
	Thumbv7emSP Arch = 5
	Thumbv7emDP Arch = 6
	Thumbv7m    Arch = 7
	Thumbv6m    Arch = 8
	RV64GC      Arch = 9
	RV32IMAFC   Arch = 10
	RV32IMAC    Arch = 11
	X8632       Arch = 12
)

// ArchInfo is a row of the table of architectures.
type ArchInfo struct {
	// Name is that of the stencil library, of --arch and of board files.
	Name string
	// PointerBytes is the size of an address.
	PointerBytes int
	// Features are those that a processor may have beyond the base, and an image
	// may require.
	Features uint64
}

// archs has a row for each architecture. An architecture is known from its row
// on; programs can be compiled for it once stencils/lib has its library.
var archs = [...]ArchInfo{
	X8664:       {"x86_64", 8, FeatureSSE41 | FeatureAVX2},
	AArch64:     {"aarch64", 8, FeatureNEON},
	ARMv7A:      {"armv7a", 4, 0},
	ARMv6:       {"armv6", 4, 0},
	Thumbv7emSP: {"thumbv7em-sp", 4, 0},
	Thumbv7emDP: {"thumbv7em-dp", 4, 0},
	Thumbv7m:    {"thumbv7m", 4, FeatureSoftFloat},
	Thumbv6m:    {"thumbv6m", 4, FeatureSoftFloat},
	RV64GC:      {"rv64gc", 8, 0},
	RV32IMAFC:   {"rv32imafc", 4, 0},
	RV32IMAC:    {"rv32imac", 4, FeatureSoftFloat},
	X8632:       {"x86_32", 4, 0},
}

// Valid reports whether a is a known architecture.
func (a Arch) Valid() bool { return a != 0 && int(a) < len(archs) }

// Info is the row of a known architecture.
func (a Arch) Info() *ArchInfo { return &archs[a] }

func (a Arch) String() string {
	if !a.Valid() {
		return fmt.Sprintf("arch(%d)", uint8(a))
	}
	return archs[a].Name
}

// ParseArch finds an architecture by name.
func ParseArch(name string) (Arch, error) {
	for _, a := range Archs() {
		if archs[a].Name == name {
			return a, nil
		}
	}
	return 0, fmt.Errorf("unknown architecture %q", name)
}

// Archs lists every architecture that has a code, in order of the codes.
func Archs() []Arch {
	var all []Arch
	for a := range archs {
		if Arch(a).Valid() {
			all = append(all, Arch(a))
		}
	}
	return all
}

// Processor features that an image may require beyond its architecture's base.
const (
	FeatureSSE41 uint64 = 1 << 0
	FeatureAVX2  uint64 = 1 << 1
	FeatureNEON  uint64 = 1 << 2
	// FeatureSoftFloat: the runner lends programs its routines for float arithmetic
	// and integer division.
	FeatureSoftFloat uint64 = 1 << 3
)

// featureNames has the names of protocol/messages.cddl, by bit. Stencil libraries and
// --features use them too.
var featureNames = [...]string{"sse41", "avx2", "neon", "soft-float"}

// FeatureNames lists the names of features in order of their bits. Unknown bits are
// left out.
func FeatureNames(features uint64) []string {
	var list []string
	for bit, name := range featureNames {
		if features>>bit&1 != 0 {
			list = append(list, name)
		}
	}
	return list
}

// ParseFeature finds a feature by name.
func ParseFeature(name string) (uint64, error) {
	if bit := slices.Index(featureNames[:], name); bit >= 0 {
		return 1 << bit, nil
	}
	return 0, fmt.Errorf("unknown feature %q", name)
}
