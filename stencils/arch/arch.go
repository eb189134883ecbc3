// Package arch reads, for tests, how to compile C for an architecture and run the result on
// this machine. What programs need to know of an architecture is in its stencil library.
package arch

import (
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// File is the part of a file that tests read; stencils/build reads all of it.
type File struct {
	Name                    string
	Compiler                string
	KernelFlags             []struct{ Flag string }
	SoftFloat, SoftDivision bool
	Vectors                 bool
	Program                 Program
	ABI                     ABI
}

// Program says how programs of an operating system are compiled for the architecture and
// run here: natively, or under QEMU's user mode. That has no Cortex-M: Thumb code runs on an A-class core
// with the same instructions. Nor does it run programs for bare metal at their low
// address, where Linux lets nothing lie.
type Program struct {
	GOARCH   string // of hosts that run it natively, with gcc; "" for none
	Compiler string // for all other hosts
	Flags    []string
	Emulator []string
	Libc     bool // the compiler has a C library for it
	Alone    bool // it has not even a library of its own for it
}

// ABI is the calling convention of C, with registers by hardware number, and what code of
// the architecture leaves in registers.
type ABI struct {
	Base          int    // the data base register
	Bias          uint64 // what it points behind the start of the data
	Argument      int    // the first argument, or for bare entries the same
	Pops          uint64 // bytes that an entry takes off the stack
	Control, Mask uint64 // floating-point control of a normal environment, and the bits of it that must not change
	Return        Code   // the instruction
	Saved         []int  // callee-saved registers
	SavedVectors  []int  // vectors of which the low half is callee-saved
	ZeroTop       bool   // integer results have a zero upper half
	SignTop       bool   // integer results are sign-extended to 64 bits
	Boxed         bool   // floats have all ones above them, in registers of 64 bits
	Paired        bool   // double n is in the lower halves of vectors 2n and 2n + 1
	// Floats are the integer registers in which kernels take and give floats, where there
	// are no float registers.
	Floats []int
}

// Code is machine code, in the file as hexadecimal bytes.
type Code []byte

// UnmarshalText reads bytes with spaces between them.
func (c *Code) UnmarshalText(text []byte) (err error) {
	*c, err = hex.DecodeString(strings.ReplaceAll(string(text), " ", ""))
	return err
}

//go:embed *.json
var files embed.FS

// Load reads the file of an architecture.
func Load(name string) (*File, error) {
	text, err := files.ReadFile(name + ".json")
	if err != nil {
		return nil, fmt.Errorf("stencils/arch: no architecture %q", name)
	}
	f := new(File)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("stencils/arch/%s.json: %w", name, err)
	}
	return f, nil
}

// Native reports whether this machine runs such programs.
func (p *Program) Native() bool { return runtime.GOOS == "linux" && runtime.GOARCH == p.GOARCH }

// Emulated is how programs run under QEMU in any case, as a processor that has everything.
func (p Program) Emulated() Program {
	p.GOARCH = ""
	p.Emulator = append(slices.Clone(p.Emulator), "-cpu", "max")
	return p
}

// Tool is the compiler that is used here.
func (p *Program) Tool() string {
	if p.Native() {
		return "gcc"
	}
	return p.Compiler
}

// Missing names a tool that compiling and running programs takes and that is not installed.
func (p *Program) Missing() string {
	tools := []string{p.Tool()}
	if !p.Native() {
		tools = append(tools, p.Emulator[0])
	}
	for _, t := range tools {
		if _, err := exec.LookPath(t); err != nil {
			return t
		}
	}
	return ""
}
