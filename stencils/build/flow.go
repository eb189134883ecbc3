package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// instruction is a line of the disassembly, "mnemonic\toperands".
type instruction struct {
	at   uint64
	text string
}

// disassemble lists the instructions of every function of an object or program.
func disassemble(a *arch, object string) (map[string][]instruction, error) {
	var text bytes.Buffer
	if err := run(&text, a.Objdump, "-d", "--no-show-raw-insn", object); err != nil {
		return nil, err
	}
	return parseListing(text.String()), nil
}

// parseListing takes apart what objdump writes: "00010000 <name>:" before a function, and
// "   10000:\tmnemonic\toperands" for each instruction.
func parseListing(text string) map[string][]instruction {
	out := map[string][]instruction{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasSuffix(line, ">:") {
			if label := line[strings.Index(line, "<")+1 : len(line)-2]; !strings.HasPrefix(label, markPrefix) {
				name = label
			}
			continue
		}
		address, insn, ok := strings.Cut(line, ":\t")
		at, err := strconv.ParseUint(strings.TrimSpace(address), 16, 64)
		if ok && err == nil {
			out[name] = append(out[name], instruction{at, strings.TrimSpace(insn)})
		}
	}
	return out
}

// texts are the instructions without their addresses. A branch to the first one that is this one is still to be filled in: its address
// depends on what samples there are in front of it.
func texts(insns []instruction) []string {
	var out []string
	for i, insn := range insns {
		if m := named.FindStringSubmatch(insn.text); i == 0 && m != nil && m[1] == strconv.FormatUint(insn.at, 16) && inSample.MatchString(insn.text) {
			insn.text = strings.Replace(insn.text, m[0], "0", 1)
		}
		out = append(out, insn.text)
	}
	return out
}

// isData reports whether the disassembler took the place for a constant.
func (i *instruction) isData() bool {
	return strings.HasPrefix(i.text, ".word") || strings.HasPrefix(i.text, ".short")
}

// named finds the address that the disassembler names, and the name.
var named = regexp.MustCompile(`\b([0-9a-f]+) <([^>]+)>`)

// ends are instructions behind which nothing goes on: jumps and returns of all
// architectures, without a condition. What is missing here makes a check stricter.
var ends = regexp.MustCompile(`^(ret|jmp|j|jr|b|b\.n|b\.w|bx[\t ]+lr|mov[\t ]+pc, lr|ldr(\.w)?[\t ]+pc, \[sp\].*|(pop|pop\.w|ldmfd|ldmia|ldmia\.w)[\t ].*pc\})([\t ]|$)`)

// computed are jumps and calls whose target is in a register or in memory, unless the
// disassembler names it. Returns look like them, with or without a condition.
var (
	computed = regexp.MustCompile(`^((jmp|call)[\t ]+\*|(br|blr|blx|tbb|tbh|jalr|jr|bx[a-z]{0,2})[\t ]|(mov|add|ldr)[a-z.]*[\t ]+pc,)`)
	returns  = regexp.MustCompile(`^(bx[a-z]{0,2}[\t ]+lr|mov[a-z]{0,2}[\t ]+pc, lr|ldr[a-z]{0,2}(\.w)?[\t ]+pc, \[sp\])`)
)

// markPrefix begins the labels by which kernels mark their loops, MARK in the C text: behind it
// come a name and a number.
const markPrefix = "cf_mark_"

// markName is the name of a mark.
func markName(label string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(label, markPrefix), "_")
	return name
}

// checkLoops fails if code may come to the same instruction twice.
func checkLoops(name string, insns []instruction) error {
	_, _, err := longestWays(name, insns, nil)
	return err
}

// longestWay bounds the instructions of a stencil that are carried out: all, where it leaves for elsewhere.
func longestWay(name string, insns []instruction) int {
	if len(insns) == 0 { // of a move to the register itself
		return 0
	}
	n, _, err := longestWays(name, insns, nil)
	if err != nil {
		return len(insns)
	}
	return n
}

// longestWays bounds the instructions that are carried out from the first one to the next mark or
// the end, and from each mark, by address, likewise. It fails if code may come to the same
// instruction twice without a mark in between. An instruction that names an address of its own
// function is taken to go there.
func longestWays(name string, insns []instruction, marks map[uint64][]string) (first int, loops map[string]int, err error) {
	index := map[uint64]int{}
	var code []instruction
	for _, insn := range insns {
		if !insn.isData() {
			index[insn.at] = len(code)
			code = append(code, insn)
		}
	}
	const fresh, open, done = 0, 1, 2
	state, longest := make([]int, len(code)), make([]int, len(code))
	var visit func(i int) error
	visit = func(i int) error {
		switch {
		case state[i] == done:
			return nil
		case state[i] == open:
			return fmt.Errorf("%s: a loop through %x: %q: a kernel takes bounded time, so write its iterations one after the other, or mark them",
				name, code[i].at, code[i].text)
		}
		state[i] = open
		text := code[i].text
		var next []int
		m := named.FindStringSubmatch(text)
		if m == nil && computed.MatchString(text) && !returns.MatchString(text) {
			return fmt.Errorf("%s: %x: %q: nobody can tell where that goes: name the target, or compile with -fno-jump-tables", name, code[i].at, text)
		}
		if m != nil {
			at, err := strconv.ParseUint(m[1], 16, 64)
			if to, own := index[at]; err == nil && own {
				next = append(next, to)
			}
		}
		if !ends.MatchString(text) && i+1 < len(code) {
			next = append(next, i+1)
		}
		for _, to := range next {
			if marks[code[to].at] != nil {
				continue
			}
			if err := visit(to); err != nil {
				return err
			}
			longest[i] = max(longest[i], longest[to])
		}
		longest[i]++
		state[i] = done
		return nil
	}
	if err := visit(0); err != nil {
		return 0, nil, err
	}
	loops = map[string]int{}
	for at, names := range marks {
		i, ok := index[at]
		if !ok {
			return 0, nil, fmt.Errorf("%s: no instruction at the mark %s: it is in another function", name, names[0])
		}
		if err := visit(i); err != nil {
			return 0, nil, err
		}
		for _, mark := range names {
			loops[mark] = max(loops[mark], longest[i])
		}
	}
	return longest[0], loops, nil
}
