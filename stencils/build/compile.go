package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// sample is the code that the compiler made of a variant.
type sample struct {
	variant
	code   []byte
	relocs []reloc
	insns  []string // disassembly, "mnemonic\toperands"
	most   int      // instructions carried out, at most
}

// workshop is a directory for intermediate files next to the sources.
type workshop struct {
	src, tmp string
	cache    string // of object files, see object; "" for none
	few      bool   // compile the determining samples only
	compiler string // version, for the cache
	used     used
	parts    sync.Map // of kernels by source, see kernelPart
}

// A part is what a job has of a source.
type part struct {
	*job
	variants []variant
}

// source is the C text in which every variant is a function, behind the preamble for
// the parts' pins, which are the same for all.
func source(preamble string, parts ...part) string {
	var text strings.Builder
	text.WriteString(preamble)
	attributes := "noreturn"
	if parts[0].arch.Naked {
		attributes = "noreturn, naked"
	}
	i := 0
	for _, p := range parts {
		for _, v := range p.variants {
			fmt.Fprintf(&text, "__attribute__((%s)) void v%d(void) { PIN_IN { %s; } PIN_OUT(v%d_end) }\n", attributes, i, p.statement(v), i)
			i++
		}
	}
	return text.String()
}

// flags are what the compiler is told for the job.
func (j *job) flags() []string {
	args := append(flagList(j.arch.Flags), j.arch.fixed()...)
	for _, e := range j.arch.Extensions[:j.out.Feature] {
		args = append(args, flagList(e.Flags)...)
	}
	return append(args, "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wno-unused-variable", "-Wno-unused-function", "-I", ".")
}

// compile turns the variants of parts, whose jobs have the same pins and flags, into samples in the same order.
func (w *workshop) compile(parts []part, name string) ([][]sample, error) {
	first := parts[0].job
	text, object := filepath.Join(w.tmp, name+".c"), filepath.Join(w.tmp, name+".o")
	if err := os.WriteFile(text, []byte(source(first.arch.preamble(first.pins()), parts...)), 0o666); err != nil {
		return nil, err
	}
	if err := w.object(first.arch.Compiler, first.flags(), text, object); err != nil {
		return nil, err
	}
	var variants []variant
	for _, p := range parts {
		variants = append(variants, p.variants...)
	}
	samples, err := readSamples(object, variants)
	if err != nil {
		return nil, err
	}
	listing, err := disassemble(first.arch, object)
	if err != nil {
		return nil, err
	}
	for i := range samples {
		name := fmt.Sprintf("v%d", i)
		samples[i].insns, samples[i].most = texts(listing[name]), longestWay(name, listing[name])
	}
	var out [][]sample
	for _, p := range parts {
		mine := samples[:len(p.variants):len(p.variants)]
		samples = samples[len(p.variants):]
		for i := range mine {
			if err := p.checkInsns(mine[i].insns); err != nil {
				return nil, fmt.Errorf("%q: %w", p.statement(p.variants[i]), err)
			}
		}
		out = append(out, mine)
	}
	return out, nil
}

// pins say what registers a job pins.
type pins struct {
	floats  string // C type of the float registers
	doubles bool   // the job has doubles
}

func (j *job) pins() pins {
	p := pins{"f32", j.row.double()}
	switch {
	case j.vector():
		p.floats += j.row.dtypes[strings.LastIndex(j.row.dtypes, "x"):]
	case p.doubles && !j.arch.doubleBank():
		p.floats = "f64"
	}
	return p
}

// preamble declares the pinned registers. Float registers are locals defined by one asm
// statement and used by another, as are double registers of their own; integer registers
// and the base are global register variables, since GCC may not otherwise leave them alone.
func (a *arch) preamble(p pins) string {
	text := new(strings.Builder)
	fmt.Fprintf(text, "#include \"stencil.h\"\nregister base_ptr base __asm__(\"%s\");\n", a.Base)
	for i, r := range a.Int.Registers {
		fmt.Fprintf(text, "register u32 i%d __asm__(\"%s\");\n", i, r)
	}
	var declare, in, useF, useI []string
	for i, r := range a.floats(p.doubles) {
		if a.SoftFloat {
			break // the same ones
		}
		declare = append(declare, fmt.Sprintf("register %s x%d __asm__(\"%s\");", p.floats, i, r))
		in = append(in, fmt.Sprintf("\"=%s\"(x%d)", a.Float.Constraint, i))
		useF = append(useF, fmt.Sprintf("\"%s\"(x%d)", a.Float.Constraint, i))
	}
	for i := range a.Int.Registers {
		useI = append(useI, fmt.Sprintf("\"%s\"(i%d)", a.Int.Constraint, i))
	}
	doublesIn, doublesOut := "", ""
	if p.doubles && a.doubleBank() {
		var in, use []string
		for i, r := range a.Double.Registers {
			declare = append(declare, fmt.Sprintf("register f64 y%d __asm__(\"%s\");", i, r))
			in = append(in, fmt.Sprintf("\"=%s\"(y%d)", a.Double.Constraint, i))
			use = append(use, fmt.Sprintf("\"%s\"(y%d)", a.Double.Constraint, i))
		}
		doublesIn = fmt.Sprintf("__asm__ volatile(\"\" : %s : : \"memory\");", strings.Join(in, ", "))
		doublesOut = fmt.Sprintf("__asm__ volatile(\"\" : : %s : \"memory\"); ", strings.Join(use, ", "))
	}
	fmt.Fprintf(text, "#define PIN_IN %s __asm__ volatile(\"\" : %s : : \"memory\"); %s\n",
		strings.Join(declare, " "), strings.Join(in, ", "), doublesIn)
	textFiles := textFiles
	if a.SoftFloat {
		textFiles = softFiles
	}
	// two statements: an asm statement takes at most 30 operands
	fmt.Fprintf(text, "#define PIN_OUT(end) %s__asm__ volatile(\"\" : : %s : \"memory\"); "+
		"__asm__ volatile(\".globl \" #end \"\\n\" #end \":\" : : %s : \"memory\"); __builtin_unreachable();\n",
		doublesOut, strings.Join(useF, ", "), strings.Join(useI, ", "))
	for _, f := range textFiles {
		if f != vectorFile && f != wideVectorFile || a.Vectors {
			fmt.Fprintf(text, "#include \"%s\"\n", f)
		}
	}
	if p.doubles {
		fmt.Fprintf(text, "#include \"%s\"\n", doubleFile)
	}
	return text.String()
}

// run runs a tool; its messages become the error.
func run(stdout *bytes.Buffer, tool string, args ...string) error {
	return runIn("", stdout, tool, args...)
}

// runIn runs a tool in a directory.
func runIn(dir string, stdout *bytes.Buffer, tool string, args ...string) error {
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if stdout != nil {
		cmd.Stdout = stdout
	}
	cmd.Env = append(os.Environ(), "LC_ALL=C", "SOURCE_DATE_EPOCH=0")
	if err := cmd.Run(); err != nil {
		message := strings.TrimSpace(stderr.String())
		if len(message) > 800 {
			message = message[:800] + " ..."
		}
		return fmt.Errorf("%s: %w\n%s", tool, err, message)
	}
	return nil
}

// readSamples cuts the functions v0, v1 ... out of an object file.
func readSamples(object string, variants []variant) ([]sample, error) {
	f, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	text := f.Section(".text")
	code, err := text.Data()
	if err != nil {
		return nil, err
	}
	starts, ends := map[string]elf.Symbol{}, map[string]uint64{}
	for _, s := range symbols {
		s.Value &^= thumbBit(f)
		if name, ok := strings.CutSuffix(s.Name, "_end"); ok {
			ends[name] = s.Value
		} else if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			starts[s.Name] = s
		}
	}
	relocs, err := readRelocs(f, text, symbols)
	if err != nil {
		return nil, err
	}
	var out []sample
	for i, v := range variants {
		name := fmt.Sprintf("v%d", i)
		start, ok1 := starts[name]
		end, ok2 := ends[name]
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("%s: no such function or no end label", name)
		}
		// Code after the end label would be a branch out of line, lost when the template is cut.
		if end != start.Value+start.Size {
			return nil, fmt.Errorf("%s: the end label is not at the end: %d of %d bytes", name, end-start.Value, start.Size)
		}
		s := sample{variant: v, code: code[start.Value:end]}
		for len(relocs) > 0 && uint64(relocs[0].at) < end {
			r := relocs[0]
			relocs = relocs[1:]
			r.at -= int(start.Value)
			s.relocs = append(s.relocs, r)
		}
		out = append(out, s)
	}
	return out, nil
}

// checkInsns fails on an instruction that no stencil may have.
func (j *job) checkInsns(insns []string) error {
	if j.row.traits&(frame|steps|ahead) != 0 { // one asm statement, meant as it is
		return nil
	}
	for _, insn := range insns {
		for i := range j.arch.Forbidden {
			f := &j.arch.Forbidden[i]
			if f.Jumps && j.row.traits&jumps != 0 {
				continue
			}
			if f.concerns(j.arch, j.out.Feature) && f.re.MatchString(insn) {
				return fmt.Errorf("%s: %q", f.Why, insn)
			}
		}
	}
	return nil
}
