package stencils

import (
	"embed"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Class is the register file that an operand lives in.
type Class uint8

const (
	None   Class = iota // no operand
	Float               // float32 registers
	Int                 // 32-bit integer and bool registers
	Vector              // the Float registers, each with four float32, or eight
	Double              // float64 registers, see FloatsBesideDoubles; none where there are no doubles
)

func (c Class) String() string { return [...]string{"-", "F", "I", "V", "D"}[c] }

// Form says where a stencil takes its last source operand from.
type Form uint8

const (
	Reg Form = iota // from a register
	Mem             // from the data word at offset imm (x86 only)
	far             // Reg, for an imm beyond the direct range; chosen by Emit
)

func (f Form) String() string { return [...]string{"reg", "mem", "far"}[f] }

// Imm is what the immediate argument of Emit means to a stencil.
type Imm uint8

const (
	NoImm    Imm = iota // ignored
	Offset              // byte offset in the data block, a multiple of 4 (of 8 for a double)
	Constant            // any 32-bit value
	Steps               // step and limit of a loop, see EmitLoop
)

// Stencil is the code of one operation for one form. It is read-only and may
// be used by many goroutines.
type Stencil struct {
	Op    string
	DType string
	Form  Form
	Dst   Class    // None: no result
	Src   [3]Class // a, b, c; None where absent. In Mem form the last source is left out.
	Tied  bool     // the result register must be register a (two-address code)
	Imm   Imm
	// MaxDirect is the largest imm that the shortest code takes. Emit switches
	// to longer code beyond it where there is such code (ld, st, ldx, stx, everyp2 and so on).
	MaxDirect int32
	// MinImm and MaxImm are the least and the largest imm that Emit takes at all.
	MinImm, MaxImm int32
	// Service is the routine of the runner that the code calls, through its address
	// in the data word at imm; NoService for none.
	Service Service
	// Feature is what a processor must have beyond the base of the architecture; "" for
	// nothing.
	Feature string
	// Branch is set when the code has a branch or call to be aimed by FixBranch.
	Branch bool
	// Insns is the number of machine instructions of the longest variant, far ones
	// included; as no stencil loops inside, it bounds the executed count.
	Insns int
	// MaxSize is the length of the longest variant, in bytes.
	MaxSize int

	code *code
	own  int // Insns without the far forms
	far  *Stencil
	// lesser is the next best one, for processors without the feature of this one.
	lesser *Stencil
}

// Blob is position-independent code with its tables, shared by the kernels
// that have an entry in it. It contains no relocations.
type Blob struct {
	Name  string
	Code  []byte
	Align int // required alignment of the first byte, a power of two
}

// Kernel is a function that is called rather than inlined, by the stencil "call", or that
// of the kernel's dtype if there is one: arguments in Float, Double or Vector
// registers 0, 1, by its type, results in registers 0, 1 of that class. It may change every register
// outside [Library.Preserved]; one on vectors keeps no Float register.
type Kernel struct {
	Op      string
	DType   string
	Blob    *Blob
	Entry   int // offset of the entry in the blob
	Args    int
	Results int
	Stack   int // bytes of stack used, return address included
	Insns   int // bound on the instructions carried out, but for those of loops
	Loops   []Loop
	// Feature is what a processor must have beyond the base of the architecture; "" for nothing.
	Feature string
}

// Loop is a loop of a kernel that works in the data block. How often it is passed depends on
// what the kernel is given.
type Loop struct {
	Name  string
	Insns int // bound on the instructions of an iteration, without those of other loops
}

// Library is all stencils and kernels of one architecture, read-only.
type Library struct {
	Arch string
	// Digest identifies the sources, flags and compiler of this library (hex SHA-256 of lib/<arch>.sum).
	Digest string
	// Compiler is the version line of the compiler that the library was made with.
	Compiler string
	// FloatsBesideDoubles: the Double registers lie over Float ones, and programs with
	// doubles may use so many of the latter, the first ones, which are apart from them. 0:
	// Double register n is Float register n.
	FloatsBesideDoubles int
	// Frame is the stack that entry code uses at most, return address included.
	Frame int
	// EntryNeeds is the feature of a runner that calls its entries (protocol/SPEC.md, section 9); "": every one does.
	EntryNeeds string
	// InOrder: boards have cores that start instructions in the order of the code and wait
	// for operands, such as the Cortex-A53 of the Raspberry Pi 3.
	InOrder bool

	features  []string
	services  []int           // bounds on their instructions, by index
	files     [5]registerFile // by Class
	stencils  []*Stencil
	kernels   []*Kernel
	blobs     []*Blob
	byName    map[key]*Stencil // the best ones, by the order of features
	kernelFor map[key]*Kernel
}

// registerFile describes the registers of one class.
type registerFile struct {
	names     []string
	number    []uint8 // hardware numbers
	preserved uint32
}

type key struct {
	op, dtype string
	form      Form
}

//go:embed lib/*.bin
var files embed.FS

// Archs lists the architectures that have a library, sorted.
func Archs() []string {
	entries, err := files.ReadDir("lib")
	if err != nil {
		panic(err) // the directory is embedded: its absence is a broken build
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".bin"); ok {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// Load reads the embedded library of an architecture, e.g. "x86_64", and checks all of it. The
// code of a stencil is expanded when it is first used.
func Load(arch string) (*Library, error) {
	data, err := files.ReadFile("lib/" + arch + ".bin")
	if err != nil {
		return nil, fmt.Errorf("stencils: no library for architecture %q (have %s)", arch, strings.Join(Archs(), ", "))
	}
	lib, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("stencils: library %s: %w", arch, err)
	}
	return lib, nil
}

// Regs is the number of allocatable registers of a class.
func (l *Library) Regs(c Class) int { return len(l.files[c].names) }

// RegName is the machine name of a register, for listings.
func (l *Library) RegName(c Class, r uint8) string { return l.files[c].names[r] }

// RegNumber is the hardware number of a register within its kind.
func (l *Library) RegNumber(c Class, r uint8) uint8 { return l.files[c].number[r] }

// Preserved is the set of registers (bit r for register r) of a class whose
// value survives a kernel call.
func (l *Library) Preserved(c Class) uint32 { return l.files[c].preserved }

// Spared is the set of registers of a class whose value survives a call of a service but for its result: beside those that
// survive kernels the first two, where a kernel leaves its results.
func (l *Library) Spared(c Class) uint32 { return l.Preserved(c) | 3 }

// Saved is the set of registers of a class that a program which uses one of them has
// to save for its caller, by the stencils "save" and "restore" for the class's type.
func (l *Library) Saved(c Class) uint32 {
	dtype := "f32"
	switch {
	case c == Int:
		dtype = "i32"
	case c == Vector || c == Double && l.FloatsBesideDoubles == 0:
		c = Float // another view of these
	}
	if s := l.Find("save", dtype, Reg); s == nil || s.MaxSize == 0 {
		return 0
	}
	if l.RegName(Float, 0) == l.RegName(Int, 0) {
		return 1<<l.Regs(c) - 1 // all of them, also those that pass operands to kernels
	}
	return l.Preserved(c)
}

// Features lists what processors may have beyond the base and stencils may need.
func (l *Library) Features() []string { return l.features }

// Find returns the best stencil for a processor with the given features, or nil
// where the architecture has none.
func (l *Library) Find(op, dtype string, form Form, features ...string) *Stencil {
	s := l.byName[key{op, dtype, form}]
	for s != nil && s.Feature != "" && !slices.Contains(features, s.Feature) {
		s = s.lesser
	}
	return s
}

// Kernel returns a kernel for a processor with the given features, or nil where there is none.
func (l *Library) Kernel(op, dtype string, features ...string) *Kernel {
	k := l.kernelFor[key{op: op, dtype: dtype}]
	if k != nil && k.Feature != "" && !slices.Contains(features, k.Feature) {
		return nil
	}
	return k
}

// Stencils lists every stencil, those that need features included, in the order of
// the library file. Stencils that serve several dtypes are listed once for each.
func (l *Library) Stencils() []*Stencil { return l.stencils }

// Kernels lists every kernel in the order of the library file.
func (l *Library) Kernels() []*Kernel { return l.kernels }
