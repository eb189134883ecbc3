package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// builtKernel is a kernel with what the listing shows of it.
type builtKernel struct {
	libfile.Kernel
	blob  libfile.Blob
	insns []string
	table int // bytes of constants in the blob
}

// Addresses at which a kernel is linked; as the bytes are equal, they hold no
// address. Both are multiples of the largest alignment, 64.
var linkBases = [2]uint64{0x10000, 0x2fedcbc0}

const linkerScript = `SECTIONS {
  . = %#x;
  .text : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  /DISCARD/ : { *(.comment) *(.note.*) *(.eh_frame*) }
}
`

// buildKernel compiles one source into a blob that needs no relocation.
func (w *workshop) buildKernel(a *arch, row kernelRow) (*builtKernel, error) {
	base := filepath.Join(w.tmp, "kernel_"+row.op)
	args := append(flagList(a.KernelFlags), "-Wall", "-Wextra", "-Werror", "-Wconversion", "-fstack-usage",
		"-c", filepath.Join(w.src, row.file), "-o", base+".o")
	if err := run(nil, a.Compiler, args...); err != nil {
		return nil, err
	}
	k := &builtKernel{Kernel: libfile.Kernel{Op: row.op, DType: "f32", Args: row.args, Results: row.results}}
	for i, address := range linkBases {
		script := fmt.Sprintf("%s_%d.ld", base, i)
		if err := os.WriteFile(script, fmt.Appendf(nil, linkerScript, address), 0o666); err != nil {
			return nil, err
		}
		program := fmt.Sprintf("%s_%d", base, i)
		if err := run(nil, a.Linker, "-z", "noexecstack", "--no-undefined", "-e", row.symbol, "-T", script, base+".o", "-o", program); err != nil {
			return nil, err
		}
		image, err := readProgram(program, row.symbol, address)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			k.blob = libfile.Blob{Name: row.op, Code: image.bytes, Align: image.align}
			k.Entry, k.table = image.entry, image.tables
		} else if !bytes.Equal(image.bytes, k.blob.Code) {
			return nil, fmt.Errorf("the code depends on its address")
		}
	}
	if err := k.inspect(a, base+"_0", row.symbol); err != nil {
		return nil, err
	}
	return k, k.readStack(a, base+".su")
}

// inspect disassembles the kernel and checks its instructions.
func (k *builtKernel) inspect(a *arch, program, symbol string) error {
	functions, err := disassemble(a, program)
	if err != nil {
		return err
	}
	if len(functions) != 1 {
		return fmt.Errorf("%d functions instead of one: everything is to be inlined", len(functions))
	}
	k.insns = functions[symbol]
	for _, insn := range k.insns {
		for i := range a.Forbidden {
			if f := &a.Forbidden[i]; f.Kernels && f.re.MatchString(insn) {
				return fmt.Errorf("%s: %q", f.Why, insn)
			}
		}
	}
	// padding after the last return is not executed
	k.Insns = len(k.insns)
	for k.Insns > 0 && strings.HasPrefix(k.insns[k.Insns-1], "nop") {
		k.Insns--
	}
	return nil
}

// readStack takes the stack use from GCC's report, "file:line:column:function\tbytes\tkind".
func (k *builtKernel) readStack(a *arch, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fields := strings.Split(strings.TrimSpace(string(text)), "\t")
	if len(fields) != 3 || fields[2] != "static" {
		return fmt.Errorf("stack use is not static: %q", text)
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return err
	}
	k.Stack = max(n, a.CallBytes)
	return nil
}

// programImage is the memory of a linked kernel from its first byte on.
type programImage struct {
	bytes  []byte
	entry  int
	align  int
	tables int
}

func readProgram(file, symbol string, base uint64) (*programImage, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image := &programImage{align: 4}
	for _, s := range f.Sections {
		switch {
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
	image.entry = int(symbols[i].Value - base)
	return image, nil
}
