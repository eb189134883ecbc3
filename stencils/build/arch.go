package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// arch is a file of stencils/arch: all that the builder knows of an architecture.
type arch struct {
	Name     string `json:"name"`
	Compiler string `json:"compiler"`
	Objdump  string `json:"objdump"`
	Linker   string `json:"linker"`
	// LinkerFlags say which of its formats the linker is to take.
	LinkerFlags []string `json:"linkerFlags"`
	// Flags and KernelFlags go to the compiler, each with its reason.
	Flags       []reasonedFlag `json:"flags"`
	KernelFlags []reasonedFlag `json:"kernelFlags"`
	// TwoAddress: arithmetic overwrites its first source.
	TwoAddress bool `json:"twoAddress"`
	// MemOperands: arithmetic takes its last source from memory.
	MemOperands bool `json:"memOperands"`
	// WideImmediates: every constant fits the shortest code. Otherwise Immediates says
	// which do.
	WideImmediates bool       `json:"wideImmediates"`
	Immediates     immediates `json:"immediates"`
	// Vectors: float registers hold four lanes too.
	Vectors bool `json:"vectors"`
	// BaseFeatures are those that every processor of the architecture has.
	BaseFeatures []string `json:"baseFeatures"`
	// Extensions are what processors of the architecture may offer beyond the base, best last.
	Extensions []extension `json:"extensions"`
	// IntegerKernels: no hardware double, so kernels are those of kernels/f32int.
	IntegerKernels bool `json:"integerKernels"`
	// SoftFloat: no float registers. Floats are bits in the integer registers, which Float
	// names again; their arithmetic is services of the runner.
	SoftFloat bool `json:"softFloat"`
	// SoftDivision: integer division is a service too.
	SoftDivision bool `json:"softDivision"`
	// OneResult: C functions give no two floats in registers, so kernels with two results
	// have entries of their own.
	OneResult bool `json:"oneResult"`
	// Naked: GCC would save some of the registers even where they are pinned, so it must
	// make neither prologue nor epilogue. That a stencil has no stack is checked anyway.
	Naked bool `json:"naked"`
	// NearLoops: a loop within the reach of a short branch takes shorter code.
	NearLoops bool `json:"nearLoops"`
	// FarLoops: a loop beyond the reach of the branch at its end takes longer code.
	FarLoops bool `json:"farLoops"`
	// Base is the register that points to the data block, BASE_BIAS bytes (stencil.h) behind its start.
	Base  string    `json:"base"`
	Float registers `json:"float"`
	// Doubles: there are doubles in hardware. They have the registers of Double,
	// or share those of Float where there are none.
	Doubles bool      `json:"doubles"`
	Double  registers `json:"double"`
	// FloatsBesideDoubles: where Double registers lie over Float ones, programs with doubles
	// have so many of the latter, the first ones.
	FloatsBesideDoubles int       `json:"floatsBesideDoubles"`
	Int                 registers `json:"int"`
	// LongCalls: GCC calls functions for conversions of 64-bit integers.
	LongCalls bool `json:"longCalls"`
	// HighBit is the bit of a register number that changes code lengths. Where it means
	// nothing for float registers it is bit 5, set in the numbers of the integer registers
	// concerned: the code has only the five bits below.
	HighBit uint8 `json:"highBit"`
	// EntryNeeds is the feature of a runner that calls its entries; "": every one does.
	EntryNeeds string `json:"entryNeeds"`
	Frame      int    `json:"frame"`     // stack bytes of enter and both saves, return address included
	CallBytes  int    `json:"callBytes"` // stack bytes of a call
	// InOrder: boards have cores that start instructions in the order of the code.
	InOrder bool `json:"inOrder"`
	// Services are bounds on the instructions of the runner's services, by their names in protocol/messages.cddl.
	Services map[string]int `json:"services"`
	// Program and ABI are for tests: see package stencils/arch.
	Program     any        `json:"program"`
	ABI         any        `json:"abi"`
	Offset      offsetHole `json:"offset"`
	IndexOffset offsetHole `json:"indexOffset"`
	// Relocations that may occur, by ELF name, followed by the addend where one is
	// needed ("R_RISCV_HI20-2048"). Any other fails the build.
	Relocations map[string]relocation `json:"relocations"`
	Forbidden   []forbidden           `json:"forbidden"`
}

// extension is a feature of some processors, named as in messages.cddl, and what the
// compiler is told for the rows that need it. One may rely on those before it.
type extension struct {
	Feature string         `json:"feature"`
	Flags   []reasonedFlag `json:"flags"`
	// KernelFlags are those of kernels, behind the architecture's and Flags.
	KernelFlags []reasonedFlag `json:"kernelFlags"`
}

// extension is the number among the extensions, from 1, of what a row needs: one of the
// features, separated by spaces. It is 0 where the base will do, and ok is false where
// the architecture has none of them.
func (a *arch) extension(features string) (number int, ok bool) {
	for _, feature := range strings.Fields(features) {
		if slices.Contains(a.BaseFeatures, feature) {
			return 0, true
		}
		if i := slices.IndexFunc(a.Extensions, func(e extension) bool { return e.Feature == feature }); i >= 0 {
			return 1 + i, true
		}
	}
	return 0, features == ""
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

// immediates are the largest constants of short code: of an addition, of setting a
// register, and of the step of a loop.
type immediates struct {
	Add  int32 `json:"add"`
	Set  int32 `json:"set"`
	Step int32 `json:"step"`
	// Number and Compared are those of one instruction, an addition or a comparison, and Least
	// the smallest one: 0 or negative.
	Number   int32 `json:"number"`
	Compared int32 `json:"compared"`
	Least    int32 `json:"least"`
	// Near is that of the near forms of rows, of which some registers have shorter code; 0: there are none.
	Near int32 `json:"near"`
}

// offsetHole says how data offsets appear in code: through a relocation, or as
// a number whose place is found by sampling.
type offsetHole struct {
	Symbolic  bool  `json:"symbolic"`
	MaxDirect int32 `json:"maxDirect"`
	MaxFloat  int32 `json:"maxFloat"` // MaxDirect for float registers; 0: the same
	MaxPair   int32 `json:"maxPair"`  // MaxDirect for two words at once; four times that for two of four lanes
	MaxNear   int32 `json:"maxNear"`  // reach of the near forms of rows, of which some registers have shorter code; 0: there are none
	MaxMid    int32 `json:"maxMid"`   // reach of a form between the direct and the far one; 0: there is none
	Max       int32 `json:"max"`
}

// relocation says where the bits of a symbol's value, or of the distance to a
// branch target, go: as (source bit, length, bit from the place of the relocation).
type relocation struct {
	Branch bool     `json:"branch"`
	Fields [][3]int `json:"fields"`
	// Origin is where a branch distance counts from, behind the place.
	Origin int `json:"origin"`
	// Flip lists bits of the code, from the place, that are to be inverted: what adding
	// the addend or the origin comes to.
	Flip []int  `json:"flip"`
	Why  string `json:"why"`
}

// forbidden is a pattern over instructions ("mnemonic\toperands") that must not occur.
type forbidden struct {
	Pattern  string `json:"pattern"`
	Why      string `json:"why"`
	Kernels  bool   `json:"kernels"`  // applies to kernels
	Stencils *bool  `json:"stencils"` // applies to stencils; yes where left out
	// Below: applies to stencils below that extension. From: to those from it on.
	Below string `json:"below"`
	From  string `json:"from"`
	Jumps bool   `json:"jumps"` // not to rows with the trait jumps

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
		for _, feature := range []string{f.Below, f.From} {
			if _, ok := a.extension(feature); !ok {
				return nil, nil, fmt.Errorf("arch/%s.json: %q is none of the extensions", name, feature)
			}
		}
	}
	for _, r := range []registers{a.Float, a.Int, a.Double} {
		if len(r.Registers) != len(r.Numbers) || len(r.Registers) > 32 {
			return nil, nil, fmt.Errorf("arch/%s.json: %d registers, %d numbers", name, len(r.Registers), len(r.Numbers))
		}
	}
	if beside := a.FloatsBesideDoubles; (beside > 0) != a.doubleBank() || beside > len(a.Float.Registers) {
		return nil, nil, fmt.Errorf("arch/%s.json: %d float registers beside those for doubles", name, beside)
	}
	return a, text, nil
}

// services are the bounds on the instructions of services, by index: all of them or none.
func (a *arch) services() ([]int, error) {
	if len(a.Services) == 0 {
		return nil, nil
	}
	var bounds []int
	var names []string
	for _, s := range packet.Services() {
		name := s.String()
		if a.Services[name] <= 0 {
			return nil, fmt.Errorf("arch/%s.json: no bound on the instructions of service %s", a.Name, name)
		}
		names, bounds = append(names, name), append(bounds, a.Services[name])
	}
	if len(a.Services) > len(bounds) {
		return nil, fmt.Errorf("arch/%s.json: %d services: there are %s", a.Name, len(a.Services), strings.Join(names, ", "))
	}
	return bounds, nil
}

// concerns reports whether the pattern applies to stencils of an extension, by its number.
func (f *forbidden) concerns(a *arch, extension int) bool {
	return (f.Stencils == nil || *f.Stencils) && f.at(a, extension)
}

// at reports whether the pattern applies to code of an extension, by its number.
func (f *forbidden) at(a *arch, extension int) bool {
	below, _ := a.extension(f.Below) // known: checked by loadArch
	from, _ := a.extension(f.From)
	return (f.Below == "" || extension < below) && extension >= from
}

// class is the registers of a class.
func (a *arch) class(c stencils.Class) *registers {
	switch c {
	case stencils.Float, stencils.Vector:
		return &a.Float
	case stencils.Double:
		if a.Doubles && !a.doubleBank() {
			return &a.Float
		}
		return &a.Double
	case stencils.Int:
		return &a.Int
	}
	return &registers{}
}

// floats are the registers for floats, beside those for doubles or alone.
func (a *arch) floats(besideDoubles bool) []string {
	if besideDoubles && a.doubleBank() {
		return a.Float.Registers[:a.FloatsBesideDoubles]
	}
	return a.Float.Registers
}

// doubleBank reports whether doubles have registers of their own.
func (a *arch) doubleBank() bool { return len(a.Double.Registers) > 0 }

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
