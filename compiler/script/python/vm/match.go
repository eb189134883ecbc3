package vm

import (
	"slices"

	bc "github.com/copaflash/copaflash/compiler/script/python/bytecode"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// Sequential is a host value that sequence patterns match.
type Sequential interface {
	Sizer
	Iterable
	Sequence()
}

// matchCase is the instruction Match.
func matchCase(t *Thread, f *frame, arg int) error {
	p := f.prog.Patterns[arg]
	m := matcher{t: t, values: f.stack[f.sp-p.NumValues : f.sp], captures: make([]Value, len(p.Names))}
	ok, err := m.match(p, f.stack[f.sp-p.NumValues-1])
	if err != nil {
		return err
	}
	f.truncate(f.sp - p.NumValues)
	f.push(NewTuple(m.captures...))
	f.push(ok)
	return nil
}

type matcher struct {
	t        *Thread
	values   []Value
	captures []Value
}

func (m *matcher) match(p *bc.Pattern, v Value) (bool, error) {
	if err := m.t.enter(); err != nil {
		return false, err
	}
	defer m.t.leave()
	ok, err := m.structure(p, v)
	if ok && err == nil && p.Capture >= 0 && p.Kind != syntax.StarPattern && p.Kind != syntax.MappingPattern {
		m.captures[p.Capture] = v
	}
	return ok, err
}

func (m *matcher) structure(p *bc.Pattern, v Value) (bool, error) {
	switch p.Kind {
	case syntax.ValuePattern:
		return m.equal(v, m.values[p.Value])
	case syntax.IdentityPattern:
		return identical(v, m.values[p.Value]), nil
	case syntax.SequencePattern:
		return m.sequence(p, v)
	case syntax.MappingPattern:
		return m.mapping(p, v)
	case syntax.ClassPattern:
		return m.class(p, v)
	case syntax.OrPattern:
		for _, s := range p.Subs {
			if ok, err := m.match(s, v); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case syntax.AsPattern:
		return m.match(p.Subs[0], v)
	}
	return true, nil
}

// equal compares with ==; what a traced value gives is not known yet.
func (m *matcher) equal(v, w Value) (bool, error) {
	r, err := m.t.Compare(OpEq, v, w)
	if err != nil {
		return false, err
	}
	truth, err := m.t.Truth(r)
	if _, traced := r.(Selector); traced && err != nil {
		return false, WithHint(TypeErrorf("a traced value is not known while the program is being traced, so match cannot choose by it"),
			"use cp.select([x == 0, x == 1], [a, b], default), or index a table by it")
	}
	return truth, err
}

func (m *matcher) sequence(p *bc.Pattern, v Value) (bool, error) {
	var elems []Value
	switch s := Unwrap(v).(type) {
	case *List:
		elems = slices.Clone(s.Elems)
	case *Tuple:
		elems = s.Elems
	case *Range, Sequential:
		var err error
		if elems, err = m.t.Collect(s); err != nil {
			return false, err
		}
	default:
		return false, nil
	}
	star := slices.IndexFunc(p.Subs, func(s *bc.Pattern) bool { return s.Kind == syntax.StarPattern })
	if star < 0 && len(elems) != len(p.Subs) || star >= 0 && len(elems) < len(p.Subs)-1 {
		return false, nil
	}
	for i, s := range p.Subs {
		at := i
		if star >= 0 && i > star {
			at = len(elems) - len(p.Subs) + i
		}
		if i == star {
			if s.Capture >= 0 {
				rest := slices.Clone(elems[star : len(elems)-len(p.Subs)+star+1])
				if err := m.t.Charge(int64(len(rest)) * valueBytes); err != nil {
					return false, err
				}
				m.captures[s.Capture] = NewList(rest)
			}
			continue
		}
		if ok, err := m.match(s, elems[at]); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (m *matcher) mapping(p *bc.Pattern, v Value) (bool, error) {
	d, ok := Unwrap(v).(*Dict)
	if !ok {
		return false, nil
	}
	for i, k := range p.Keys {
		x, err := d.Get(m.t, m.values[k])
		if x == nil || err != nil {
			return false, err
		}
		if ok, err := m.match(p.Subs[i], x); !ok || err != nil {
			return false, err
		}
	}
	if p.Capture < 0 {
		return true, nil
	}
	rest, err := m.t.copyDict(d)
	if err != nil {
		return false, err
	}
	for _, k := range p.Keys {
		if _, err := rest.Delete(m.t, m.values[k]); err != nil {
			return false, err
		}
	}
	m.captures[p.Capture] = rest
	return true, nil
}

// wholeClasses are those whose only positional sub-pattern matches the value itself.
var wholeClasses = []*Class{BoolClass, BytesClass, DictClass, FloatClass, FrozenSetClass, IntClass, ListClass, SetClass, StrClass, TupleClass}

func (m *matcher) class(p *bc.Pattern, v Value) (bool, error) {
	cls, ok := m.values[p.Value].(*Class)
	if !ok {
		return false, TypeErrorf("called match pattern must be a type")
	}
	if is, err := m.t.anyClass("isinstance", cls, v, false); is != true || err != nil {
		return false, err
	}
	numPos := len(p.Subs) - len(p.Attrs)
	subs := p.Subs
	names := p.Attrs
	if numPos > 0 {
		args, err := m.t.classAttr(cls, "__match_args__")
		if err != nil {
			return false, err
		}
		tuple, _ := args.(*Tuple)
		switch {
		case args == nil && slices.ContainsFunc(wholeClasses, cls.IsSubclass):
			if numPos > 1 {
				return false, tooManySubs(cls, 1, numPos)
			}
			if ok, err := m.match(subs[0], v); !ok || err != nil {
				return false, err
			}
			subs = subs[1:]
		case args != nil && tuple == nil:
			return false, TypeErrorf("%s.__match_args__ must be a tuple (got %s)", cls.Name, TypeName(args))
		default:
			var positional []string
			if tuple != nil {
				for _, e := range tuple.Elems {
					s, ok := e.(string)
					if !ok {
						return false, TypeErrorf("__match_args__ elements must be strings (got %s)", TypeName(e))
					}
					positional = append(positional, s)
				}
			}
			if numPos > len(positional) {
				return false, tooManySubs(cls, len(positional), numPos)
			}
			names = append(positional[:numPos:numPos], names...)
		}
	}
	for i, s := range subs {
		if i > 0 && slices.Contains(names[:i], names[i]) {
			return false, TypeErrorf("%s() got multiple sub-patterns for attribute '%s'", cls.Name, names[i])
		}
		x, err := m.t.lookupAttr(v, names[i])
		if isException(err, AttributeError) || x == nil && err == nil {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if ok, err := m.match(s, x); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func tooManySubs(cls *Class, most, given int) error {
	plural := "s"
	if most == 1 {
		plural = ""
	}
	return TypeErrorf("%s() accepts %d positional sub-pattern%s (%d given)", cls.Name, most, plural, given)
}
