package pylib

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// csvReader is csv.reader: rows of an iterable of lines.
type csvReader struct {
	lines           vm.Iterator
	comma, quote    rune // quote -1: none
	escape          rune // -1: none
	double, skip    bool // quotes are doubled; spaces after commas are skipped
	strict, numbers bool // numbers: what is not quoted is a float
	line            int64
	fail            vm.Value // raises csv.Error
}

func (r *csvReader) error(t *vm.Thread, format string, args ...any) error {
	_, err := t.Call(r.fail, fmt.Sprintf(format, args...))
	return err
}

var csvClass = vm.NewClass("reader", nil, nil)

var csvTable = []vm.Row{
	vm.Def("__iter__", csvIter),
	vm.Def("__next__", csvNext),
}

func (r *csvReader) PyClass() *vm.Class { return csvClass }

// Attr has the number of lines read.
func (r *csvReader) Attr(_ *vm.Thread, name string) (vm.Value, error) {
	if name == "line_num" {
		return r.line, nil
	}
	return nil, nil
}

// maxField is CPython's default limit on a field, in characters.
const maxField = 131072

func (r *csvReader) next(t *vm.Thread) (string, bool, error) {
	v, err := r.lines.Next(t)
	if v == nil || err != nil {
		return "", false, err
	}
	r.line++
	s, ok := vm.Unwrap(v).(string)
	if !ok {
		return "", false, r.error(t, "iterator should return strings, not %s (the file should be opened in text mode)", vm.TypeName(v))
	}
	return s, true, t.Tick(len(s)/16 + 1)
}

// Next returns a row as a list.
func (r *csvReader) Next(t *vm.Thread) (vm.Value, error) {
	line, ok, err := r.next(t)
	if !ok || err != nil {
		return nil, err
	}
	row := []vm.Value{}
	var field strings.Builder
	quoted, inQuotes, start := false, false, true
	end := func() error {
		var v vm.Value = field.String()
		if r.numbers && !quoted {
			var err error
			if v, err = t.Call(vm.FloatClass, v); err != nil {
				return err
			}
		}
		row = append(row, v)
		field.Reset()
		quoted, start = false, true
		return t.Charge(64)
	}
	if strings.Trim(line, "\r\n") == "" {
		return vm.NewList(row), nil
	}
	for {
		for i := 0; i < len(line); {
			c, n := utf8.DecodeRuneInString(line[i:])
			i += n
			if field.Len() > maxField {
				return nil, r.error(t, "field larger than field limit (%d)", maxField)
			}
			switch {
			case c == r.escape && i < len(line):
				c, n = utf8.DecodeRuneInString(line[i:])
				i += n
				field.WriteRune(c)
				start = false
			case inQuotes && c == r.quote:
				if r.double && strings.HasPrefix(line[i:], string(r.quote)) {
					i += n
					field.WriteRune(c)
				} else {
					inQuotes = false
				}
			case inQuotes:
				field.WriteRune(c)
			case c == r.quote && start:
				inQuotes, quoted, start = true, true, false
			case c == r.comma:
				if err := end(); err != nil {
					return nil, err
				}
			case c == '\n' || c == '\r':
				if strings.Trim(line[i:], "\r\n") != "" {
					return nil, r.error(t, "new-line character seen in unquoted field - do you need to open the file with newline=''?")
				}
				i = len(line)
			case c == ' ' && start && r.skip:
			default:
				field.WriteRune(c)
				start = false
			}
		}
		if !inQuotes {
			break
		}
		if line, ok, err = r.next(t); err != nil {
			return nil, err
		}
		if !ok {
			if r.strict {
				return nil, r.error(t, "unexpected end of data")
			}
			break
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	return vm.NewList(row), nil
}

func csvIter(_ *vm.Thread, r *csvReader, _ []vm.Value) (vm.Value, error) { return r, nil }

func csvNext(t *vm.Thread, r *csvReader, _ []vm.Value) (vm.Value, error) { return next(t, r) }

// next is what __next__ of a host iterator is: its end raises StopIteration.
func next(t *vm.Thread, it vm.Iterator) (vm.Value, error) {
	v, err := it.Next(t)
	if v == nil && err == nil {
		err = vm.Raise(vm.StopIteration, "")
	}
	return v, err
}

func (h *host) csv(*vm.Thread) (*vm.Module, error) {
	m := vm.NewModule("_csv")
	m.Define(vm.DefFunc("reader", newCSVReader,
		"lines", "delimiter", "quotechar", "escapechar", "doublequote", "skipinitialspace", "strict", "numbers", "fail"))
	return m, nil
}

func newCSVReader(t *vm.Thread, vs []vm.Value) (vm.Value, error) {
	lines, err := t.Iter(vs[0])
	if err != nil {
		return nil, err
	}
	r := &csvReader{lines: lines, fail: vs[8]}
	for i, to := range []*rune{&r.comma, &r.quote, &r.escape} {
		*to = -1
		if s, ok := vs[1+i].(string); ok {
			if *to, _ = utf8.DecodeRuneInString(s); utf8.RuneCountInString(s) != 1 {
				return nil, vm.TypeErrorf("\"%s\" must be a 1-character string", []string{"delimiter", "quotechar", "escapechar"}[i])
			}
		}
	}
	if r.comma < 0 {
		return nil, vm.TypeErrorf("\"delimiter\" must be a 1-character string")
	}
	for i, to := range []*bool{&r.double, &r.skip, &r.strict, &r.numbers} {
		if *to, err = t.Truth(vs[4+i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}
