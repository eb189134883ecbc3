package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/copaflash/copaflash/firmware/build/runner"
)

// A size says what an image takes, in bytes.
type size struct {
	code      uint64 // of the runner, vectors included
	constants uint64
	store     uint64 // code for stored programs, where that has a section of its own
	pins      uint64 // code for lists for the pins, likewise
	usb       uint64 // code and constants of the line over USB, likewise
	programs  uint64 // what programs may execute of the image: gate and services, as large as their region
	boot      uint64 // what a boot ROM wants in front
	variables uint64 // with buffers and tables of the MMU, unless these have sections of their own
	buffers   uint64
	tables    uint64
	stacks    uint64 // with guards; behind an MMU also those of programs
	// Memory of programs, where the linker script sets it aside: 0 for boards
	// whose board.c names it.
	programStack, programData, programCode uint64
}

// flash is what the runner itself has to store.
func (s *size) flash() uint64 { return s.code + s.constants }

// sections says what the sections of the linker scripts count as.
var sections = map[string]func(*size) *uint64{
	".text":      func(s *size) *uint64 { return &s.code },
	".rodata":    func(s *size) *uint64 { return &s.constants },
	".ARM.exidx": func(s *size) *uint64 { return &s.constants },
	".store":     func(s *size) *uint64 { return &s.store },
	".pins":      func(s *size) *uint64 { return &s.pins },
	".usb":       func(s *size) *uint64 { return &s.usb },
	".gate":      func(s *size) *uint64 { return &s.programs },
	".services":  func(s *size) *uint64 { return &s.programs },
	".constants": func(s *size) *uint64 { return &s.programs },
	".prefix":    func(s *size) *uint64 { return &s.boot },
	".data":      func(s *size) *uint64 { return &s.variables },
	".bss":       func(s *size) *uint64 { return &s.variables },
	".noinit":    func(s *size) *uint64 { return &s.variables },
	".buffers":   func(s *size) *uint64 { return &s.buffers },
	".tables":    func(s *size) *uint64 { return &s.tables },
	".stack":     func(s *size) *uint64 { return &s.stacks },
	".stacks":    func(s *size) *uint64 { return &s.stacks },
}

// memorySection is not loaded: three words, the program's stack, data and code memory.
const memorySection = ".memory"

// measure adds up the sections of an image. One that it does not know is an
// error: nothing is left out of a budget by its name.
func measure(image []byte) (size, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return size{}, err
	}
	var s size
	for _, section := range f.Sections {
		if section.Name == memorySection {
			words, err := section.Data()
			if err != nil {
				return size{}, fmt.Errorf("section %s: %w", memorySection, err)
			}
			if len(words) != 12 {
				return size{}, fmt.Errorf("section %s has %d bytes, want 12", memorySection, len(words))
			}
			s.programStack = uint64(f.ByteOrder.Uint32(words))
			s.programData = uint64(f.ByteOrder.Uint32(words[4:]))
			s.programCode = uint64(f.ByteOrder.Uint32(words[8:]))
			continue
		}
		if section.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		field, ok := sections[section.Name]
		if !ok {
			return size{}, fmt.Errorf("section %s: say in firmware/build/sizes.go what it counts as", section.Name)
		}
		*field(&s) += section.Size
	}
	return s, nil
}

// goal is that on microcontrollers: code, and variables beside buffers and stack where
// RAM is scarce.
var goal = struct{ code, ram uint64 }{10240, 2048}

// check compares a size with a budget.
func (s *size) check(b *runner.Budget) error {
	switch {
	case b.Code != 0 && s.code > b.Code:
		return fmt.Errorf("%d bytes of code, %d are budgeted", s.code, b.Code)
	case s.flash() > b.Flash:
		return fmt.Errorf("%d bytes of code and constants, %d are budgeted", s.flash(), b.Flash)
	case s.store > b.Store:
		return fmt.Errorf("%d bytes of code for stored programs, %d are budgeted", s.store, b.Store)
	case s.pins > b.Pins:
		return fmt.Errorf("%d bytes of code for lists for the pins, %d are budgeted", s.pins, b.Pins)
	case s.usb > b.USB:
		return fmt.Errorf("%d bytes for the line over USB, %d are budgeted", s.usb, b.USB)
	case s.variables > b.Variables:
		return fmt.Errorf("%d bytes of variables, %d are budgeted", s.variables, b.Variables)
	}
	return nil
}

// report writes a table of the committed images of boards, and fails if one is
// over its budget.
func report(w io.Writer, root string, all []runner.Target) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "board\tarchitecture\tcode\tconstants\tsum\tbudget\tstore\tbudget\tpins\tbudget\tUSB\tbudget\tservices\tvariables\tbudget\tbuffers\tstacks\tprogram stack\tdata\tcode\t")
	var over error
	for _, target := range all {
		b := target.Budget
		if b == nil {
			continue // a program of Linux, not of a board
		}
		image, err := os.ReadFile(imagePath(root, target.Image))
		if err != nil {
			return err
		}
		s, err := measure(image)
		if err == nil {
			err = s.check(b)
		}
		if err != nil && over == nil {
			over = fmt.Errorf("%s: %w", target.Name, err)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t\n", target.Name, target.Arch,
			s.code, s.constants, s.flash(), b.Flash, known(s.store), known(b.Store), known(s.pins), known(b.Pins), known(s.usb), known(b.USB), s.programs, s.variables, b.Variables, known(s.buffers), s.stacks,
			known(s.programStack), known(s.programData), known(s.programCode))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nBytes, of the committed images. Code includes the vectors; on Cortex-M it is at most %d. "+
		"What loads stored programs, what carries out lists for the pins, both on Cortex-M, the line over USB of the chips that have one, and services, which programs may call, are apart. Variables include the buffers where "+
		"these have no column, and stacks those of programs.\n", goal.code)
	if err != nil {
		return err
	}
	return over
}

// known leaves out what an image does not tell.
func known(bytes uint64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprint(bytes)
}
