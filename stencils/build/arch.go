package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/copaflash/copaflash/stencils"
	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// arch is a file of stencils/arch: all that the builder knows of an architecture.
type arch struct {
	Name     string `json:"name"`
	Compiler string `json:"compiler"`
	Objdump  string `json:"objdump"`
	Linker   string `json:"linker"`
	// Flags and KernelFlags go to the compiler, each with its reason.
	Flags       []reasonedFlag `json:"flags"`
	KernelFlags []reasonedFlag `json:"kernelFlags"`
	// TwoAddress: arithmetic overwrites its first source.
	TwoAddress bool `json:"twoAddress"`
	// MemOperands: arithmetic takes its last source from memory.
	MemOperands bool `json:"memOperands"`
	// WideImmediates: every constant fits the shortest code.
	WideImmediates bool       `json:"wideImmediates"`
	Base           string     `json:"base"` // register that holds the start of the data block
	Float          registers  `json:"float"`
	Int            registers  `json:"int"`
	HighBit        uint8      `json:"highBit"`   // bit of a register number that changes code lengths
	Frame          int        `json:"frame"`     // stack bytes of enter, return address included
	CallBytes      int        `json:"callBytes"` // stack bytes of a call
	Offset         offsetHole `json:"offset"`
	IndexOffset    offsetHole `json:"indexOffset"`
	// Relocations that may occur, by ELF name. Any other fails the build.
	Relocations map[string]relocation `json:"relocations"`
	Forbidden   []forbidden           `json:"forbidden"`
}

type reasonedFlag struct {
	Flag string `json:"flag"`
	Why  string `json:"why"`
}

// registers lists a register class in the order of virtual registers.
type registers struct {
	Registers  []string `json:"registers"`
	Numbers    []int    `json:"numbers"`    // hardware numbers
	Preserved  []int    `json:"preserved"`  // virtual registers that survive kernel calls
	Constraint string   `json:"constraint"` // asm operand constraint
}

// offsetHole says how data offsets appear in code: through a relocation, or as
// a number whose place is found by sampling.
type offsetHole struct {
	Symbolic  bool  `json:"symbolic"`
	MaxDirect int32 `json:"maxDirect"`
	Max       int32 `json:"max"`
}

// relocation says where the bits of a symbol's value go, as (source bit,
// length, bit from the place of the relocation).
type relocation struct {
	Branch bool     `json:"branch"`
	Fields [][3]int `json:"fields"`
}

// forbidden is a pattern over instructions ("mnemonic\toperands") that must not occur.
type forbidden struct {
	Pattern  string `json:"pattern"`
	Why      string `json:"why"`
	Kernels  bool   `json:"kernels"`  // applies to kernels
	Stencils *bool  `json:"stencils"` // applies to stencils; yes where left out

	re *regexp.Regexp
}

// loadArch reads stencils/arch/<name>.json.
func loadArch(dir, name string) (*arch, []byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, "arch", name+".json"))
	if err != nil {
		return nil, nil, err
	}
	a := new(arch)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(a); err != nil {
		return nil, nil, fmt.Errorf("arch/%s.json: %w", name, err)
	}
	for i := range a.Forbidden {
		f := &a.Forbidden[i]
		if f.re, err = regexp.Compile(f.Pattern); err != nil {
			return nil, nil, fmt.Errorf("arch/%s.json: %w", name, err)
		}
	}
	for _, r := range []registers{a.Float, a.Int} {
		if len(r.Registers) != len(r.Numbers) || len(r.Registers) > 32 {
			return nil, nil, fmt.Errorf("arch/%s.json: %d registers, %d numbers", name, len(r.Registers), len(r.Numbers))
		}
	}
	return a, text, nil
}

// class is the registers of a class.
func (a *arch) class(c stencils.Class) *registers {
	switch c {
	case stencils.Float, stencils.Vector:
		return &a.Float
	case stencils.Int:
		return &a.Int
	}
	return &registers{}
}

// file is the class as it is written to the library.
func (r *registers) file() libfile.RegisterFile {
	f := libfile.RegisterFile{Names: r.Registers}
	for _, n := range r.Numbers {
		f.Numbers = append(f.Numbers, byte(n))
	}
	for _, v := range r.Preserved {
		f.Preserved |= 1 << v
	}
	return f
}

// fixed takes the integer registers and the base from the compiler: it refuses
// call-clobbered registers as global register variables otherwise.
func (a *arch) fixed() []string {
	var out []string
	for _, r := range append([]string{a.Base}, a.Int.Registers...) {
		out = append(out, "-ffixed-"+r)
	}
	return out
}

func flagList(flags []reasonedFlag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Flag)
	}
	return out
}
