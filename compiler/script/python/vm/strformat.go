package vm

import (
	"strconv"
	"strings"
)

// formatter is the state of one str.format call.
type formatter struct {
	t    *Thread
	a    Args
	auto int // next automatic field number, -1 after an explicit one
}

// strFormat is str.format.
func (t *Thread) strFormat(format string, a Args) (Value, error) {
	f := &formatter{t: t, a: a}
	s, err := f.format(format, 2)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (f *formatter) format(s string, depth int) (string, error) {
	if depth < 0 {
		return "", ValueErrorf("Max string recursion exceeded")
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		j := strings.IndexAny(s[i:], "{}")
		if j < 0 {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+j])
		i += j
		if i+1 < len(s) && s[i+1] == s[i] {
			b.WriteByte(s[i])
			i += 2
			continue
		}
		if s[i] == '}' {
			return "", ValueErrorf("Single '}' encountered in format string")
		}
		end, err := fieldEnd(s, i+1)
		if err != nil {
			return "", err
		}
		text, err := f.field(s[i+1:end], depth)
		if err != nil {
			return "", err
		}
		if err := f.t.Charge(int64(len(text))); err != nil {
			return "", err
		}
		b.WriteString(text)
		i = end + 1
	}
	return b.String(), nil
}

// fieldEnd finds the } that closes the field beginning at i.
func fieldEnd(s string, i int) (int, error) {
	if i >= len(s) {
		return 0, ValueErrorf("Single '{' encountered in format string")
	}
	for depth := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i, nil
			}
			depth--
		}
	}
	return 0, ValueErrorf("expected '}' before end of string")
}

func (f *formatter) field(s string, depth int) (string, error) {
	name, conv, spec := s, byte(0), ""
	bracket := false
	for i := 0; i < len(s); i++ {
		if s[i] == '[' {
			bracket = true
		} else if s[i] == ']' {
			bracket = false
		}
		if bracket || s[i] != '!' && s[i] != ':' {
			continue
		}
		name = s[:i]
		if s[i] == '!' {
			if i+1 >= len(s) {
				return "", ValueErrorf("unmatched '{' in format spec")
			}
			if i+2 < len(s) && s[i+2] != ':' {
				return "", ValueErrorf("expected ':' after conversion specifier")
			}
			conv = s[i+1]
			if strings.IndexByte("rsa", conv) < 0 {
				return "", ValueErrorf("Unknown conversion specifier %c", conv)
			}
			i += 2
		}
		if i < len(s) {
			spec = s[i+1:]
		}
		break
	}
	v, err := f.lookup(name)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(spec, "{}") {
		if spec, err = f.format(spec, depth-1); err != nil {
			return "", err
		}
	}
	return f.t.formatConverted(v, conv, spec)
}

// lookup finds the value of a field name: an argument with .attr and [key].
func (f *formatter) lookup(name string) (Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.argument(name[:end])
	for rest := name[end:]; rest != "" && err == nil; {
		if rest[0] == '.' {
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			if end == 1 {
				return nil, ValueErrorf("Empty attribute in format string")
			}
			v, err = f.t.Attr(v, rest[1:end])
			rest = rest[end:]
			continue
		}
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' {
			return nil, ValueErrorf("Only '.' or '[' may follow ']' in format field specifier")
		}
		if end < 0 {
			return nil, ValueErrorf("Missing ']' in format string")
		}
		var key Value = rest[1:end]
		if i, e := strconv.ParseInt(rest[1:end], 10, 64); e == nil {
			key = box(i)
		}
		v, err = f.t.Index(v, key)
		rest = rest[end+1:]
	}
	return v, err
}

func (f *formatter) argument(name string) (Value, error) {
	i, err := strconv.Atoi(name)
	switch {
	case name == "":
		if f.auto < 0 {
			return nil, ValueErrorf("cannot switch from manual field specification to automatic field numbering")
		}
		i = f.auto
		f.auto++
	case err == nil && name[0] != '-' && name[0] != '+':
		if f.auto > 0 {
			return nil, ValueErrorf("cannot switch from automatic field numbering to manual field specification")
		}
		f.auto = -1
	default:
		for _, k := range f.a.Kw {
			if k.Name == name {
				return k.Value, nil
			}
		}
		return nil, &raised{newException(KeyError, name)}
	}
	if i >= len(f.a.Pos) {
		return nil, Raise(IndexError, "Replacement index %d out of range for positional args tuple", i)
	}
	return f.a.Pos[i], nil
}
