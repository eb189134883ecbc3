package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/stencils"
)

// marked are the lines of the table in a source; stencils/README.md says how they read. They are
// summed up with what is made of them rather than with the source.
var marked = regexp.MustCompile(`(?m)^//@.*\n`)

var (
	typeName    = regexp.MustCompile(`^(?:(?:f32|i32|bool)(?:x4|x8)?|f64)$`)
	patternText = regexp.MustCompile(`^[FVDI]{0,2}=[FVDI]{0,3}$`)
	traitNames  = map[string]trait{
		"tied": tied, "memory": memory, "offset": offset, "index": index, "literal": literal,
		"small": small, "bytewise": byteWise, "short": short, "steps": steps, "frame": frame, "ahead": ahead,
		"added": added, "number": number, "compared": compared, "shifted": shifted, "scaled": scaled, "lane": lane,
		"bit": bit, "rows": rows, "rows2": rows2, "jumps": jumps, "two": two,
		"by2": by2, "by3": by3, "by4": by4,
	}
)

// reader gathers the rows of all sources.
type reader struct {
	table
	integer []kernelRow // below f32int
	seen    map[string]bool
}

// readTable gathers what sources, by name, say of themselves.
func readTable(texts map[string]string) (*table, error) {
	names := slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
		return cmp.Or(slices.Index(rowFiles, a)-slices.Index(rowFiles, b), cmp.Compare(a, b))
	})
	r := reader{seen: map[string]bool{}}
	for _, name := range names {
		for i, text := range strings.Split(texts[name], "\n") {
			if line, ok := strings.CutPrefix(text, "//@"); ok {
				if err := r.add(name, strings.TrimSpace(line)); err != nil {
					return nil, fmt.Errorf("src/%s:%d: %w: %q", name, i+1, err, text)
				}
			}
		}
	}
	for _, list := range [][]kernelRow{r.kernels, r.softKernels} {
		slices.SortStableFunc(list, func(a, b kernelRow) int {
			return cmp.Or(cmp.Compare(a.dtype, b.dtype), place(a)-place(b), cmp.Compare(a.op, b.op))
		})
		for i := range list {
			twin := slices.IndexFunc(r.integer, func(k kernelRow) bool { return k.op == list[i].op && k.args == list[i].args })
			if twin >= 0 {
				list[i].integer = r.integer[twin].file
				r.integer = slices.Delete(r.integer, twin, twin+1)
			}
		}
	}
	for _, k := range r.integer {
		return nil, fmt.Errorf("src/%s%s: kernel %s has no twin with as many operands in double arithmetic", kernelFolder, k.file, k.op)
	}
	return &r.table, nil
}

// add takes in a line, which may be the rows of several ops.
func (r *reader) add(file, line string) error {
	line, kernel := strings.CutPrefix(line, "kernel ")
	words := strings.Fields(line)
	ops := slices.IndexFunc(words, func(word string) bool {
		return typeName.MatchString(word) || patternText.MatchString(strings.TrimSuffix(word, ":"))
	})
	if ops < 1 {
		return errors.New("want OPS TYPES PATTERN, the pattern for example F=FF or =I")
	}
	for _, op := range words[:ops] {
		names, err := r.addOp(file, op, strings.ReplaceAll(strings.Join(words[ops:], " "), "{op}", op), kernel)
		if err != nil {
			return err
		}
		for _, name := range names {
			if r.seen[name] {
				return fmt.Errorf("a second row for %s", name)
			}
			r.seen[name] = true
		}
	}
	return nil
}

// addOp takes in the row of an op. No other row may have its names.
func (r *reader) addOp(file, op, rest string, kernel bool) (names []string, err error) {
	if !kernel {
		row, err := readRow(file, op, rest)
		r.rows = append(r.rows, row)
		for _, dtype := range strings.Split(row.dtypes, " ") {
			names = append(names, strings.TrimSpace(op+" "+dtype+" "+row.needs))
		}
		return names, err
	}
	k, softFloat, err := readKernel(file, op, rest)
	switch name := "kernel " + op + " " + k.dtype; {
	case strings.HasPrefix(k.file, integerFolder):
		r.integer = append(r.integer, k)
		return []string{name + " of integers"}, err
	case softFloat:
		r.softKernels = append(r.softKernels, k)
		return []string{name}, err
	default:
		r.kernels = append(r.kernels, k)
		return []string{name}, err
	}
}

// place is that of a kernel among those of its type.
func place(k kernelRow) int {
	order := kernelOrder[k.dtype]
	if i := slices.Index(order, k.op); i >= 0 {
		return i
	}
	return len(order)
}

// readRow reads TYPE... PATTERN [TRAIT...] [needs FEATURE...][: TEXT], behind which
// follow " // " and KEY[: TEXT] for other forms of it.
func readRow(file, op, line string) (r row, err error) {
	if !slices.Contains(rowFiles, file) {
		return r, errors.New("no library has the stencils of this file: rowFiles of stencils/build lists those that are read")
	}
	first, more, _ := strings.Cut(line, " // ")
	head, text, _ := strings.Cut(first, ": ")
	words := strings.Fields(head)
	at := slices.IndexFunc(words, patternText.MatchString)
	if at < 0 {
		return r, errors.New("no pattern, for example F=FF or =I")
	}
	r = row{op: op, dtypes: strings.Join(words[:at], " "), pattern: words[at], text: text}
	for _, dtype := range words[:at] {
		if !typeName.MatchString(dtype) {
			return r, fmt.Errorf("%s is no type", dtype)
		}
	}
	for i, word := range words[at+1:] {
		if word == "needs" {
			r.needs = strings.Join(words[at+2+i:], " ")
			break
		}
		if traitNames[word] == 0 {
			return r, fmt.Errorf("%s is none of the traits %s", word, strings.Join(slices.Sorted(maps.Keys(traitNames)), ", "))
		}
		r.traits |= traitNames[word]
	}
	result, sources, _ := strings.Cut(r.pattern, "=")
	if r.text == "" {
		if result == "" || at == 0 {
			return r, errors.New("no text: only a row with a type and a result has one by itself")
		}
		r.text = fmt.Sprintf("D = %s_%s(%s)", op, words[0], strings.Join(operandNames[1:1+len(sources)], ", "))
	}
	for _, form := range strings.Split(more, " // ") {
		key, text, _ := strings.Cut(form, ": ")
		key, service, _ := strings.Cut(key, " ")
		switch key {
		case "":
		case "far":
			r.far = text
		case "mid":
			r.mid = text
		case "near":
			r.near = text
		case "softfloat":
			r.softFloat, err = readSoft(service, text)
		case "softdivision":
			r.softDivision, err = readSoft(service, text)
		default:
			err = fmt.Errorf("%q is none of near, mid, far, softfloat, softdivision", key)
		}
		if err != nil {
			return r, err
		}
	}
	if strings.Contains(r.pattern, "F") && !r.double() && r.softFloat == nil && r.needs == "" {
		return r, errors.New(`what is it on cores without float registers? " // softfloat: TEXT", or " // softfloat kernel" beside a kernel`)
	}
	return r, nil
}

// readSoft reads what a row is where it calls a service, or is a kernel, or has another text.
func readSoft(name, text string) (*softRow, error) {
	if text == "" {
		if name == "kernel" || name == "none" {
			return &softRow{}, nil
		}
		return nil, errors.New("no text")
	}
	if name == "" {
		return &softRow{text: text}, nil
	}
	services := packet.Services()
	i := slices.IndexFunc(services, func(s packet.Service) bool { return s.String() == name })
	if i < 0 {
		return nil, fmt.Errorf("%s is none of the services %v", name, services)
	}
	return &softRow{text, stencils.Calls(services[i])}, nil
}

// readKernel reads TYPE PATTERN [SYMBOL] [softfloat] [needs FEATURE...][: TEXT].
func readKernel(file, op, line string) (k kernelRow, softFloat bool, err error) {
	file, ok := strings.CutPrefix(file, kernelFolder)
	head, text, _ := strings.Cut(line, ": ")
	head, needs, _ := strings.Cut(head, " needs ")
	words := strings.Fields(head)
	if softFloat = words[len(words)-1] == "softfloat"; softFloat {
		words = words[:len(words)-1]
	}
	prefix := kernelTypes[words[0]].prefix
	if !ok || len(words) < 2 || len(words) > 3 || prefix == "" || !patternText.MatchString(words[1]) {
		return k, false, errors.New("want, below kernels, kernel OPS TYPE PATTERN, the type f32, f64, i32 or f32x8, the pattern for example F=FF")
	}
	results, args, _ := strings.Cut(words[1], "=")
	k = kernelRow{op: op, dtype: words[0], symbol: prefix + op, file: file, text: text, args: len(args), results: len(results), needs: needs}
	if len(words) == 3 {
		k.symbol = words[2]
	}
	return k, softFloat, nil
}
