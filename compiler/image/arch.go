package image

import "fmt"

// Arch is the architecture code of an image. The numbers go over the wire and
// into digests: they are never reused.
type Arch uint8

// Architectures.
const (
	X8664     Arch = 1
	AArch64   Arch = 2
	X8632     Arch = 3
	ARMv6     Arch = 4
	ARMv7A    Arch = 5
	ThumbM4F  Arch = 6
	ThumbM7   Arch = 7
	ThumbM3   Arch = 8
	ThumbM0   Arch = 9
	RV64GC    Arch = 10
	RV32IMAFC Arch = 11
	RV32IMAC  Arch = 12
)

var archNames = [...]string{
	X8664: "x86_64", AArch64: "aarch64", X8632: "x86_32",
	ARMv6: "armv6", ARMv7A: "armv7a",
	ThumbM4F: "thumb-m4f", ThumbM7: "thumb-m7", ThumbM3: "thumb-m3", ThumbM0: "thumb-m0",
	RV64GC: "rv64gc", RV32IMAFC: "rv32imafc", RV32IMAC: "rv32imac",
}

// Valid reports whether a is a known architecture.
func (a Arch) Valid() bool { return a != 0 && int(a) < len(archNames) }

func (a Arch) String() string {
	if !a.Valid() {
		return fmt.Sprintf("arch(%d)", uint8(a))
	}
	return archNames[a]
}

// ParseArch finds an architecture by name.
func ParseArch(name string) (Arch, error) {
	for a, n := range archNames {
		if n == name && n != "" {
			return Arch(a), nil
		}
	}
	return 0, fmt.Errorf("unknown architecture %q", name)
}

// Archs lists every architecture that has a code, in order of the codes.
func Archs() []Arch {
	var all []Arch
	for a := range archNames {
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
)
