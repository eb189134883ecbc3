package vm

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Signature is how a function is called: its name and parameters, read at the first call. There are
// hundreds of them at the start of every script, of which it calls few.
type Signature struct {
	fn     string
	params []string // as they were given
	read   atomic.Pointer[parameters]
}

// parameters of a signature.
type parameters struct {
	names    []string
	optional []bool
	posOnly  int // so many are given by position only
	numPos   int // so many may be
	need     int // with so many by position there are all that are needed
}

// NewSignature makes a signature. A parameter that ends in "?" is optional; those after
// "*" can only be given by keyword, those before "/" only by position.
func NewSignature(fn string, params ...string) *Signature { return &Signature{fn: fn, params: params} }

// parameters are those of s. Two goroutines may read them at once: it is the same that they find.
func (s *Signature) parameters() *parameters {
	p := s.read.Load()
	if p == nil {
		p = readParameters(s.params)
		s.read.Store(p)
	}
	return p
}

func readParameters(params []string) *parameters {
	n := len(params)
	s := &parameters{names: make([]string, 0, n), optional: make([]bool, 0, n), numPos: -1}
	for _, p := range params {
		switch p {
		case "/":
			s.posOnly = len(s.names)
		case "*":
			s.numPos = len(s.names)
		default:
			name, opt := strings.CutSuffix(p, "?")
			s.names, s.optional = append(s.names, name), append(s.optional, opt)
		}
	}
	if s.numPos < 0 {
		s.numPos = len(s.names)
	}
	for i, optional := range s.optional {
		if !optional {
			s.need = i + 1
		}
	}
	return s
}

// Bind spreads arguments over the parameters: there is a value for each, nil where an
// optional one is absent.
func (s *Signature) Bind(a Args) ([]Value, error) {
	vs := make([]Value, len(s.parameters().names))
	if err := s.fill(vs, a); err != nil {
		return nil, err
	}
	return vs, nil
}

// Bind spreads the arguments over parameters, as a Signature of them does; what is called often
// has one that is made once.
func (a Args) Bind(fn string, params ...string) ([]Value, error) {
	return NewSignature(fn, params...).Bind(a)
}

// BindMethod is Bind with the object of a method before the others, if it is not nil.
func (s *Signature) BindMethod(self Value, a Args) ([]Value, error) {
	if self == nil {
		return s.Bind(a)
	}
	vs := make([]Value, 1+len(s.parameters().names))
	vs[0] = self
	if err := s.fill(vs[1:], a); err != nil {
		return nil, err
	}
	return vs, nil
}

// Borrow is BindMethod for a function that keeps nothing of the slice, which GiveBack takes
// back: slices of calls within calls lie one behind the other.
func (t *Thread) Borrow(s *Signature, self Value, a *Args) ([]Value, error) {
	from := len(t.bound)
	first := from
	if self != nil {
		first++
	}
	p := s.parameters()
	end := first + len(p.names)
	if end > cap(t.bound) {
		t.bound = slices.Grow(t.bound, end-from)
	}
	t.bound = t.bound[:end]
	vs := t.bound[from:end:end]
	if self != nil {
		vs[0] = self
	}
	params := vs[first-from:]
	if len(a.Kw) == 0 && p.need <= len(a.Pos) && len(a.Pos) <= p.numPos {
		copy(params, a.Pos)
		return vs, nil
	}
	if err := s.fill(params, *a); err != nil {
		t.GiveBack(vs)
		return nil, err
	}
	return vs, nil
}

// GiveBack ends what Borrow began.
func (t *Thread) GiveBack(vs []Value) {
	n := len(t.bound) - len(vs)
	for i := n; i < len(t.bound); i++ { // few: clear takes longer
		t.bound[i] = nil
	}
	t.bound = t.bound[:n]
}

// fill sets the values of parameters, of which there is none yet.
func (s *Signature) fill(vs []Value, a Args) error {
	if err := s.parameters().spread(s.fn, vs, a); err != nil {
		return withSignature(err, s.fn, s.params)
	}
	return nil
}

func (s *parameters) spread(fn string, vs []Value, a Args) error {
	exactlyOne := len(s.names) == 1 && s.posOnly == 1
	if len(a.Pos) > s.numPos {
		need := 0
		for _, opt := range s.optional[:s.numPos] {
			if !opt {
				need++
			}
		}
		switch {
		case len(s.names) == 0:
			return TypeErrorf("%s() takes no arguments (%d given)", fn, len(a.Pos))
		case need == 1 && s.numPos == 1 && s.posOnly == 1:
			return TypeErrorf("%s() takes exactly one argument (%d given)", fn, len(a.Pos))
		}
		return tooManyArgs(fn, need, s.numPos, len(a.Pos))
	}
	copy(vs, a.Pos)
	for _, k := range a.Kw {
		i := s.posOnly
		for i < len(s.names) && s.names[i] != k.Name {
			i++
		}
		if i == len(s.names) {
			err := TypeErrorf("%s() got an unexpected keyword argument '%s'", fn, k.Name)
			if near := Similar(k.Name, s.names[s.posOnly:]); near != "" {
				err = WithHint(err, "did you mean '"+near+"'?")
			}
			return err
		}
		if vs[i] != nil {
			return TypeErrorf("%s() got multiple values for argument '%s'", fn, k.Name)
		}
		vs[i] = k.Value
	}
	var missing []string
	for i, v := range vs {
		if v == nil && !s.optional[i] {
			missing = append(missing, s.names[i])
		}
	}
	switch {
	case missing == nil:
		return nil
	case exactlyOne:
		return TypeErrorf("%s() takes exactly one argument (%d given)", fn, len(a.Pos))
	}
	return missingArgs(fn, "positional", missing)
}
