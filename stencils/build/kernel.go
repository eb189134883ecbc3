package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// builtKernel is a kernel with what the listing shows of it.
type builtKernel struct {
	libfile.Kernel
	blob  libfile.Blob
	insns []string
	table int                 // bytes of constants in the blob
	marks map[uint64][]string // names of the loops that an address is in, see longestWays
}

// Addresses at which a kernel is linked; as the bytes are equal, they hold no
// address. Both are multiples of the largest alignment, 64.
var linkBases = [2]uint64{0x10000, 0x2fedcbc0}

const linkerScript = `SECTIONS {
  . = %#x;
  .text : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .got.plt : { *(.got.plt) }
  /DISCARD/ : { *(.comment) *(.note.*) *(.eh_frame*) }
}
`

// buildKernel compiles one source into a blob that needs no relocation.
func (w *workshop) buildKernel(a *arch, row kernelRow) (*builtKernel, error) {
	base := filepath.Join(w.tmp, "kernel_"+row.op+row.dtype)
	var objects []string
	stack := map[string]int{}
	for _, file := range a.kernelFiles(row) {
		part, err := w.kernelPart(a, row, file)
		if err != nil {
			return nil, err
		}
		if err := readStack(part+".su", stack); err != nil {
			return nil, err
		}
		objects = append(objects, part+".o")
	}
	feature, _ := a.extension(row.needs) // known: see kernelRows
	k := &builtKernel{Kernel: libfile.Kernel{Op: row.op, DType: row.dtype, Args: row.args, Results: row.results, Feature: feature}}
	for i, address := range linkBases {
		script := fmt.Sprintf("%s_%d.ld", base, i)
		if err := os.WriteFile(script, fmt.Appendf(nil, linkerScript, address), 0o666); err != nil {
			return nil, err
		}
		program := fmt.Sprintf("%s_%d", base, i)
		link := slices.Concat(a.linkFlags(row), []string{"-T", script, "-o", program}, objects)
		if err := run(nil, a.Linker, link...); err != nil {
			return nil, err
		}
		image, err := readProgram(program, row.symbol, address)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			k.blob = libfile.Blob{Name: row.op + "." + row.dtype, Code: image.bytes, Align: image.align}
			k.Entry, k.table, k.marks = image.entry, image.tables, image.marks
		} else if !bytes.Equal(image.bytes, k.blob.Code) {
			return nil, fmt.Errorf("the code depends on its address")
		}
	}
	return k, k.inspect(a, base+"_0", row.symbol, stack)
}

// kernelPart compiles a source of a kernel, once if several kernels have it. It returns
// the name of the object and of the compiler's reports without their endings.
func (w *workshop) kernelPart(a *arch, row kernelRow, file string) (string, error) {
	part := filepath.Join(w.tmp, "kernel_"+strings.NewReplacer("/", "_", ".", "_").Replace(file))
	source, made := kernelFolder+file, ""
	if strings.HasSuffix(file, ".h") { // compiled by an entry of its own for each kernel
		part += "_" + row.op + row.dtype
		made = part + ".c"
		if err := os.WriteFile(made, []byte(row.entry(file)), 0o666); err != nil {
			return "", err
		}
		source = made
	}
	compile, _ := w.parts.LoadOrStore(part, sync.OnceValue(func() error {
		args := slices.Concat(a.kernelFlags(row), []string{"-c", source, "-o", part + ".o"}, dependsFlags(part+".d"))
		if err := runIn(w.src, nil, a.Compiler, args...); err != nil {
			return err
		}
		return w.used.read(part+".d", made)
	}))
	return part, compile.(func() error)()
}

// kernelFlags are what the compiler is told for the sources of a kernel.
func (a *arch) kernelFlags(row kernelRow) []string {
	flags := flagList(a.KernelFlags)
	feature, _ := a.extension(row.needs)
	for i, e := range a.Extensions[:feature] {
		flags = append(flags, flagList(e.Flags)...)
		if i == feature-1 {
			flags = append(flags, flagList(e.KernelFlags)...)
		}
	}
	return append(flags, "-Wall", "-Wextra", "-Werror", "-Wconversion", "-ffunction-sections", "-fstack-usage", "-I", ".")
}

// linkFlags are what the linker is told for a kernel.
func (a *arch) linkFlags(row kernelRow) []string {
	return slices.Concat(a.LinkerFlags, []string{"-z", "noexecstack", "--no-undefined", "--gc-sections", "-e", row.symbol})
}

// kernelFiles lists the sources of a kernel under kernels/, its own first, and of what GCC
// calls in it. Without hardware double a kernel is its integer form if there is
// one, and otherwise the double form with the functions for double arithmetic that GCC will
// call; without float registers, also those for single arithmetic.
func (a *arch) kernelFiles(row kernelRow) []string {
	files := []string{row.file}
	switch {
	case a.IntegerKernels && row.integer != "" && !(a.SoftFloat && row.results > 1):
		files[0] = row.integer
	case a.SoftFloat:
		files = append(files, "f32int/softdouble.c", "f32int/softsingle.c")
	case a.IntegerKernels && strings.HasPrefix(row.file, "f32/"):
		files = append(files, "f32int/softdouble.c")
	}
	if a.SoftDivision { // the core has no long multiplication either
		files = append(files, "f32int/multiply.c")
	}
	if a.LongCalls {
		files = append(files, "exact/long.c")
	}
	return files
}

// inspect disassembles the kernel, checks its instructions, and adds up
// instructions and stack along its calls, which stay within the blob.
func (k *builtKernel) inspect(a *arch, program, symbol string, stack map[string]int) error {
	functions, err := disassemble(a, program)
	if err != nil {
		return err
	}
	for name, insns := range functions {
		for _, insn := range insns {
			for i := range a.Forbidden {
				if f := &a.Forbidden[i]; f.Kernels && f.at(a, k.Feature) && f.re.MatchString(insn.text) {
					return fmt.Errorf("%s: %s: %q", name, f.Why, insn.text)
				}
			}
		}
		if name == symbol && len(k.marks) > 0 {
			continue
		}
		if err := checkLoops(name, insns); err != nil {
			return err
		}
	}
	g := &callGraph{functions: functions, stack: stack, callBytes: a.CallBytes}
	k.Insns, k.Stack, err = g.cost(symbol, nil)
	if err == nil && len(k.marks) > 0 {
		err = k.loops(functions, symbol)
	}
	k.insns = texts(functions[symbol])
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if name != symbol {
			k.insns = append(append(k.insns, name+":"), texts(functions[name])...)
		}
	}
	return err
}

// loops bounds the instructions of a kernel that loops: it is one function.
func (k *builtKernel) loops(functions map[string][]instruction, symbol string) error {
	if len(functions) > 1 {
		return fmt.Errorf("%s loops and calls: %v", symbol, slices.Sorted(maps.Keys(functions)))
	}
	first, loops, err := longestWays(symbol, functions[symbol], k.marks)
	if err != nil {
		return err
	}
	k.Insns = first
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		k.Loops = append(k.Loops, libfile.Loop{Name: name, Insns: loops[name]})
	}
	return nil
}

// callGraph is the functions of a blob.
type callGraph struct {
	functions map[string][]instruction
	stack     map[string]int // bytes, by C name
	callBytes int
}

// callee finds the function that an instruction calls or goes to: the name that the
// disassembler gives the address of its first instruction.
var callee = regexp.MustCompile(`^[a-z.]+[\t ]+(?:.*[,#] )?[0-9a-f]+ <([^+>]+)>`)

// pcFunction begins the names of the functions that GCC makes to find out the instruction
// pointer: a load from the stack and a return.
const pcFunction = "__x86.get_pc_thunk."

// cost bounds the instructions that a function carries out and the stack that it
// uses, calls included. No function of a kernel loops: see checkLoops.
func (g *callGraph) cost(name string, callers []string) (insns, stack int, err error) {
	if slices.Contains(callers, name) {
		return 0, 0, fmt.Errorf("recursion in %s", name)
	}
	own, known := g.stack[cName(name)]
	if !known && !strings.HasPrefix(name, pcFunction) {
		return 0, 0, fmt.Errorf("no report of the stack that %s uses", name)
	}
	deepest := 0
	for _, insn := range withoutPadding(g.functions[name]) {
		insns++
		own += realigned(insn.text)
		m := callee.FindStringSubmatch(insn.text)
		if m == nil || g.functions[m[1]] == nil {
			continue
		}
		n, depth, err := g.cost(m[1], append(callers, name))
		if err != nil {
			return 0, 0, err
		}
		insns += n
		deepest = max(deepest, depth)
	}
	return insns, max(own, g.callBytes) + deepest, nil
}

// realigns matches an instruction that rounds the stack pointer down: to the next 32 bytes.
var realigns = regexp.MustCompile(`^and[\t ]+\$0xffffffffffffffe0,%rsp$`)

// realigned is how many bytes an instruction takes beside what the compiler reports.
func realigned(insn string) int {
	if realigns.MatchString(insn) {
		return 32
	}
	return 0
}

// withoutPadding leaves out what is not executed: constants, and padding after the
// last return.
func withoutPadding(insns []instruction) []instruction {
	var out []instruction
	for _, insn := range insns {
		if !insn.isData() {
			out = append(out, insn)
		}
	}
	for len(out) > 0 && strings.HasPrefix(out[len(out)-1].text, "nop") {
		out = out[:len(out)-1]
	}
	return out
}

// cName is the name by which GCC reports a function: entries have
// other names there (kernelRow.entry), and copies of a function have a suffix.
func cName(symbol string) string {
	name, _, _ := strings.Cut(symbol, ".")
	return name
}

// readStack takes the stack use from GCC's report, "file:line:column:function\tbytes\tkind".
func readStack(file string, stack map[string]int) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || fields[2] != "static" {
			return fmt.Errorf("stack use is not static: %q", line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return err
		}
		name := cName(fields[0][strings.LastIndexByte(fields[0], ':')+1:])
		if prefix, entry, ok := strings.Cut(name, "_entry_"); ok {
			name = prefix + "_" + entry
		} else if soft, ok := strings.CutPrefix(name, "cf_soft_"); ok {
			name = soft
		}
		stack[name] = max(stack[name], n)
	}
	return nil
}

// programImage is the memory of a linked kernel from its first byte on.
type programImage struct {
	bytes  []byte
	entry  int
	align  int
	tables int
	marks  map[uint64][]string
}

// gotSection is the linker's table of addresses, in which nothing is. On 32-bit x86 it is
// the place that distances to tables count from.
const gotSection = ".got.plt"

func readProgram(file, symbol string, base uint64) (*programImage, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image := &programImage{align: 4}
	for _, s := range f.Sections {
		switch {
		case s.Name == gotSection:
			continue
		case s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0:
			if s.Type == elf.SHT_RELA || s.Type == elf.SHT_REL {
				return nil, fmt.Errorf("relocations are left in %s", s.Name)
			}
			continue
		case s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE != 0:
			return nil, fmt.Errorf("section %s: kernels have code and constants only", s.Name)
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		at := int(s.Addr - base)
		image.bytes = append(image.bytes, make([]byte, max(0, at+len(data)-len(image.bytes)))...)
		copy(image.bytes[at:], data)
		image.align = max(image.align, int(s.Addralign))
		if s.Name == ".rodata" {
			image.tables += len(data)
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == symbol })
	if i < 0 {
		return nil, fmt.Errorf("no symbol %s", symbol)
	}
	image.entry = int(symbols[i].Value&^thumbBit(f) - base)
	image.marks = map[uint64][]string{}
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, markPrefix) {
			at := s.Value &^ thumbBit(f)
			image.marks[at] = append(image.marks[at], markName(s.Name))
		}
	}
	return image, nil
}
