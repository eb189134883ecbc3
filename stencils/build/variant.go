package main

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/stencils"
	"github.com/copaflash/copaflash/stencils/internal/libfile"
)

// job is one stencil to be built: a row in one form for one architecture.
type job struct {
	arch *arch
	row  *row
	text string
	out  libfile.Stencil // operands and ranges; the templates are still missing
	// sampled: the offset is a number in the text, whose field is to be found.
	sampled bool
}

// Forms as stored; far is private to package stencils.
const (
	formReg = uint8(stencils.Reg)
	formMem = uint8(stencils.Mem)
	formFar = 2
)

// The largest immediates of the traits added and rows, where the architecture takes them, shifted, scaled, and rows2.
const (
	mostAdded   = 1<<12 - 1
	mostShifted = 31
	mostScaled  = 4
	mostLane    = 3
	mostRows    = 1<<11 - 1 // the number of the last row
	mostRows2   = 1<<25 - 1
)

// numbered are the traits whose immediates are numbers like any others.
const numbered = added | number | compared | shifted | scaled | lane | bit | rows | rows2

// step is what immediates are multiples of.
func (j *job) step() int32 {
	if j.row.traits&(numbered|literal) != 0 {
		return 1
	}
	if j.row.double() {
		return 8
	}
	if j.row.traits&two != 0 && strings.Contains(j.row.pattern, "V") {
		return 16
	}
	return 4
}

// jobs lists what an architecture gets of a row: near, far and memory forms.
func (r *row) jobs(a *arch) []job {
	if strings.Contains(r.pattern, "V") && !a.Vectors || r.double() && !a.Doubles || r.moved() && !a.doubleBank() {
		return nil
	}
	feature, ok := a.extension(r.needs)
	if !ok {
		return nil
	}
	soft, service, ok := r.soften(a)
	if !ok {
		return nil
	}
	r = &soft
	result, sources, _ := strings.Cut(r.pattern, "=")
	out := libfile.Stencil{Op: r.op, DTypes: strings.Fields(r.dtypes), Dst: classOf(result), Feature: feature}
	if r.dtypes == "" {
		out.DTypes = []string{""}
	}
	for i := range sources {
		out.Src[i] = classOf(sources[i : i+1])
	}
	out.Tied = r.traits&tied != 0 && a.TwoAddress
	out.Service = int(service)
	j := job{arch: a, row: r, text: r.text, out: out}
	j.setImm()
	if service != stencils.NoService {
		j.out.MaxImm = j.out.MaxDirect // the addresses are the first words of the data block
	}
	var all []job
	if reach := j.nearReach(); r.near != "" && reach != 0 {
		n := j
		n.text, n.out.MaxDirect, n.sampled = r.near, reach, true
		j.out.Form = formFar
		all = append(all, n)
	}
	all = append(all, j)
	if reach := j.midReach(); r.mid != "" && reach != 0 {
		m := j
		m.text, m.out.Form, m.out.MaxDirect = r.mid, formFar, reach
		m.sampled = j.sampled && r.traits&added == 0
		all = append(all, m)
	}
	if r.far != "" && j.out.MaxDirect < j.out.MaxImm {
		f := j
		f.text, f.out.Form, f.out.MaxDirect, f.sampled = r.far, formFar, f.out.MaxImm, r.traits&number != 0
		all = append(all, f)
	}
	if r.traits&memory != 0 && a.MemOperands && service == stencils.NoService {
		all = append(all, j.fromMemory(len(sources)-1)...)
	}
	return all
}

// offsetHole is the reach of the job's offsets.
func (j *job) offsetHole() *offsetHole {
	if j.row.traits&index != 0 {
		return &j.arch.IndexOffset
	}
	return &j.arch.Offset
}

// nearReach is the largest immediate of the form in front of the direct one, 0 where there is none.
func (j *job) nearReach() int32 {
	if j.row.traits&(offset|index) != 0 {
		return j.offsetHole().MaxNear
	}
	return j.arch.Immediates.Near
}

// midReach is how far the middle form reaches, if there is one: that of float registers
// goes by way of integer registers, whose loads and stores reach farther. An addition takes what fits a move,
// and the end of a loop a longer branch.
func (j *job) midReach() int32 {
	switch t := j.row.traits; {
	case t&added != 0 && j.arch.Immediates.Set > j.out.MaxDirect:
		return j.arch.Immediates.Set
	case t&steps != 0 && j.arch.NearLoops:
		return j.out.MaxDirect
	case t&(added|steps) != 0:
		return 0
	}
	h := j.offsetHole()
	if h.MaxFloat != 0 && strings.ContainsAny(j.row.pattern, "FD") {
		return h.MaxDirect
	}
	return h.MaxMid
}

func (j *job) setImm() {
	const largest = 1<<31 - 1
	switch t := j.row.traits; {
	case t&(offset|index) != 0:
		j.setOffset(j.offsetHole())
	case t&two != 0:
		j.setOffset(&j.arch.Offset)
		j.out.MaxDirect = j.arch.Offset.MaxPair / 4 * j.step()
		j.out.MaxImm = j.out.MaxDirect
	case t&literal != 0:
		j.out.Imm, j.out.MaxImm, j.out.MaxDirect = uint8(stencils.Constant), largest, largest
		if !j.arch.WideImmediates {
			j.out.MaxDirect = map[trait]int32{small: j.arch.Immediates.Add, short: j.arch.Immediates.Set}[t&(small|short)]
		}
	case t&added != 0:
		j.out.Imm, j.out.MaxImm, j.out.MaxDirect = uint8(stencils.Constant), largest, min(mostAdded, j.arch.Immediates.Add)
		j.sampled = true
	case t&(number|compared) != 0:
		most := map[trait]int32{number: j.arch.Immediates.Number, compared: j.arch.Immediates.Compared}
		j.out.Imm, j.out.MinImm, j.out.MaxImm = uint8(stencils.Constant), j.arch.Immediates.Least, most[t&numbered]
		j.out.MaxDirect, j.sampled = j.out.MaxImm, true
		if j.row.far != "" {
			j.out.MaxDirect, j.sampled = 0, false
		}
	case t&(shifted|scaled|lane|bit|rows|rows2) != 0:
		most := map[trait]int32{shifted: mostShifted, scaled: mostScaled, lane: mostLane, bit: mostShifted, rows: min(mostRows, j.arch.Immediates.Set)<<2 | 3, rows2: mostRows2}
		j.out.Imm, j.out.MaxImm = uint8(stencils.Constant), most[t&numbered]
		j.out.MaxDirect, j.sampled = j.out.MaxImm, !j.arch.Offset.Symbolic
	case t&steps != 0:
		j.out.Imm, j.out.MaxImm, j.out.MaxDirect = uint8(stencils.Steps), largest, largest
		if !j.arch.WideImmediates {
			j.out.MaxDirect = j.arch.Immediates.Step
		}
		if !j.arch.FarLoops {
			j.out.MaxImm = j.out.MaxDirect
		}
	}
}

func (j *job) setOffset(h *offsetHole) {
	j.out.Imm, j.out.MaxDirect, j.out.MaxImm = uint8(stencils.Offset), h.MaxDirect, h.Max
	if h.MaxFloat != 0 && strings.ContainsAny(j.row.pattern, "FD") {
		j.out.MaxDirect = h.MaxFloat
	}
	j.out.MaxDirect &^= j.step() - 1
	j.out.MaxImm &^= j.step() - 1
	j.sampled = !h.Symbolic
	if j.sampled && j.row.traits&byteWise != 0 {
		j.out.MaxDirect = 1<<8 - j.step()
	}
}

func classOf(letter string) uint8 {
	return uint8(map[string]stencils.Class{"": stencils.None, "F": stencils.Float, "I": stencils.Int, "V": stencils.Vector, "D": stencils.Double}[letter])
}

// operandNames in the text, by operand number.
var operandNames = [4]string{"D", "A", "B", "C"}

var operandName = regexp.MustCompile(`\b(D|A|B|C|OFF)\b`)

// class of operand i: 0 is the result.
func (j *job) class(i int) stencils.Class {
	if i == 0 {
		return stencils.Class(j.out.Dst)
	}
	return stencils.Class(j.out.Src[i-1])
}

// free says whether operand i is chosen independently of the others.
func (j *job) free(i int) bool {
	return j.class(i) != stencils.None && !(i == 1 && j.out.Tied)
}

// vector reports whether the job's float registers hold several lanes.
func (j *job) vector() bool { return strings.Contains(j.row.pattern, "V") }

func (j *job) regs(i int) int {
	if j.class(i) == stencils.Float {
		return len(j.arch.floats(j.row.double()))
	}
	return len(j.arch.class(j.class(i)).Registers)
}

// variant is one combination of operands.
type variant struct {
	reg [4]int
	imm int32
}

// statement is the C text of a variant.
func (j *job) statement(v variant) string {
	return operandName.ReplaceAllStringFunc(j.text, func(name string) string {
		if name == "OFF" {
			if j.sampled {
				return fmt.Sprint(v.imm)
			}
			return "(uintptr_t)cf_hole"
		}
		i := strings.Index("DABC", name)
		prefix := map[stencils.Class]string{stencils.Float: "x", stencils.Vector: "x", stencils.Int: "i", stencils.Double: "x"}[j.class(i)]
		if j.class(i) == stencils.Double && j.arch.doubleBank() {
			prefix = "y"
		}
		return fmt.Sprintf("%s%d", prefix, v.reg[i])
	})
}

// Numbers of samples. All combinations are compiled where they are few;
// otherwise all that differ from a reference in one operand, combinations at
// random, and some of every pattern of equal operands and high registers.
const (
	exhaustive  = 250
	randomCases = 150
	perKey      = 24
	offsetCases = 40
)

// variants chooses what to compile, always the same for the same job.
func (j *job) variants() []variant {
	rng := rand.New(rand.NewSource(1))
	least := j.out.MinImm
	if j.row.traits&(shifted|scaled) != 0 {
		least = 1
	}
	seen := map[variant]bool{}
	var out []variant
	add := func(v variant) {
		if j.out.Tied {
			v.reg[1] = v.reg[0]
		}
		v.imm = max(v.imm, least)
		if !seen[v] && j.fits(v) {
			seen[v] = true
			out = append(out, v)
		}
	}
	all := j.combinations()
	if len(all) <= exhaustive {
		for _, v := range all {
			add(v)
		}
	} else {
		reference := variant{reg: [4]int{0, 1, 2, 3}}
		for i := range reference.reg {
			for r := 0; j.free(i) && r < j.regs(i); r++ {
				v := reference
				v.reg[i] = r
				add(v)
			}
		}
		for range randomCases {
			add(all[rng.Intn(len(all))])
		}
		byKey := map[uint32][]variant{}
		for _, v := range all {
			k := j.key(v)
			byKey[k] = append(byKey[k], v)
		}
		for k := range uint32(1 << keyBits) {
			cases := byKey[k]
			rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
			for _, v := range cases[:min(perKey, len(cases))] {
				add(v)
			}
		}
	}
	if j.sampled {
		regs := out
		at := func(imm int32, v variant) { v.imm = imm; add(v) }
		for _, v := range j.patterns(regs) {
			for o := j.step(); o <= j.out.MaxDirect; o *= 2 {
				at(o, v)
			}
		}
		for range offsetCases {
			at(rng.Int31n(j.out.MaxDirect/j.step()+1)*j.step(), regs[rng.Intn(len(regs))])
		}
		for o := int32(-1); o >= j.out.MinImm && j.out.MinImm < 0; o *= 2 { // whose higher bits are all alike
			at(o, regs[0])
			at(-1-rng.Int31n(-j.out.MinImm), regs[rng.Intn(len(regs))])
		}
		at(j.out.MaxDirect, regs[len(regs)-1])
	}
	return out
}

// fewPatterns bounds those of which each is compiled with offsets of its own.
const fewPatterns = 8

// patterns are the variants whose code is to be compiled for all bits of an offset: the first one, and one of each operand key where
// the code of each has an offset, or short code comes with some registers.
func (j *job) patterns(regs []variant) []variant {
	if j.out.Form != formMem && j.arch.Immediates.Near == 0 {
		return regs[:1]
	}
	list := j.ofEveryKey(regs)
	if j.out.Form != formMem && len(list) > fewPatterns {
		return regs[:1]
	}
	return list
}

// combinations lists every choice of registers.
func (j *job) combinations() []variant {
	all := []variant{{}}
	for i := range operandNames {
		if !j.free(i) {
			continue
		}
		var next []variant
		for _, v := range all {
			for r := range j.regs(i) {
				v.reg[i] = r
				if i == 0 && j.out.Tied {
					v.reg[1] = r
				}
				next = append(next, v)
			}
		}
		all = next
	}
	return slices.DeleteFunc(all, func(v variant) bool { return !j.fits(v) })
}

// inARow is how many registers the result takes.
func (r *row) inARow() int {
	for n, t := range map[int]trait{2: by2, 3: by3, 4: by4} {
		if r.traits&t != 0 {
			return n
		}
	}
	return 1
}

// fits reports whether there is code for the registers of a variant.
func (j *job) fits(v variant) bool {
	if v.reg[0]+j.row.inARow() > j.regs(0) && j.class(0) != stencils.None {
		return false
	}
	if j.row.traits&two == 0 {
		return true
	}
	last := 1
	for last < 3 && j.class(last+1) != stencils.None {
		last++
	}
	if last == 1 || j.class(last) != j.class(last-1) {
		return v.reg[last]%2 == 0
	}
	pointer := last == 3 && j.class(1) == j.class(2) && (v.reg[1] == v.reg[2] || v.reg[1] == v.reg[3])
	return v.reg[last-1] != v.reg[last] && !pointer
}

// keyBits is the size of an operand key: high bits of d, a, b, c, then the
// pairs of equal operands (see package stencils, which computes the same key).
const keyBits = 10

var operandPairs = [6][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}

func (j *job) key(v variant) uint32 {
	var k uint32
	for i := range v.reg {
		if j.class(i) != stencils.None {
			k |= uint32(j.arch.class(j.class(i)).Numbers[v.reg[i]]>>j.arch.HighBit&1) << i
		}
	}
	for i, p := range operandPairs {
		x, y := p[0], p[1]
		if v.reg[x] == v.reg[y] && j.class(x) != stencils.None && j.class(x) == j.class(y) {
			k |= 1 << (4 + i)
		}
	}
	return k
}
