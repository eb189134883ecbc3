package chips

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"strings"
)

// A field is some bits of a register.
type field struct{ shift, bits uint }

func (f field) mask() int64 { return (1<<f.bits - 1) << f.shift }

// A scope is what names stand for in an expression: numbers and words, and the
// fields of the register in question. FIELD is the field's mask, FIELD(x) is x in
// the place of the field.
type scope struct {
	values map[string]constant.Value
	fields map[string]field
}

const maxExpression = 200 // bytes

// eval evaluates a constant expression with Go's syntax and operators. Comparisons give 1 or 0. Numbers are
// exact; the division of whole numbers is Go's, and gives a whole number.
func (s *scope) eval(text string) (constant.Value, error) {
	if len(text) > maxExpression {
		return nil, errors.New("expression is too long")
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("expression %q: not understood", text)
	}
	v, err := s.value(e)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", text, err)
	}
	return v, nil
}

func (s *scope) value(e ast.Expr) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			if !exponent(e.Value) {
				return nil, fmt.Errorf("%s: too large a power", e.Value)
			}
			return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
		}
	case *ast.ParenExpr:
		return s.value(e.X)
	case *ast.Ident:
		return s.name(e.Name)
	case *ast.UnaryExpr:
		return s.unary(e)
	case *ast.BinaryExpr:
		return s.binary(e)
	case *ast.CallExpr:
		return s.call(e)
	}
	return nil, errors.New("want numbers, names, operators, and calls of fields, min, max and round")
}

// exponent tells whether that of a literal has two digits at most: numbers are exact, and those of a billion digits take for ever.
func exponent(literal string) bool {
	at := strings.IndexAny(literal, "pP")
	if !strings.HasPrefix(literal, "0x") && !strings.HasPrefix(literal, "0X") {
		at = strings.IndexAny(literal, "eE")
	}
	return at < 0 || len(strings.TrimLeft(literal[at+1:], "+-0")) <= 2
}

func (s *scope) name(name string) (constant.Value, error) {
	if v, ok := s.values[name]; ok {
		if v.Kind() == constant.String {
			return nil, fmt.Errorf("%s is the word %s, no number", name, v)
		}
		return v, nil
	}
	if f, ok := s.fields[name]; ok {
		return constant.MakeInt64(f.mask()), nil
	}
	if upperName().MatchString(name) {
		return nil, fmt.Errorf("no field %s in this register; there are: %s", name, strings.Join(names(s.fields), ", "))
	}
	return nil, fmt.Errorf("no value %s; there are: %s", name, strings.Join(names(s.values), ", "))
}

func (s *scope) unary(e *ast.UnaryExpr) (constant.Value, error) {
	x, err := s.value(e.X)
	switch {
	case err != nil:
		return nil, err
	case e.Op == token.SUB:
		return constant.UnaryOp(token.SUB, x, 0), nil
	case e.Op == token.XOR && x.Kind() == constant.Int && constant.Sign(x) >= 0 && constant.BitLen(x) <= 32:
		return constant.UnaryOp(token.XOR, x, 32), nil
	}
	return nil, fmt.Errorf("operator %v", e.Op)
}

func (s *scope) binary(e *ast.BinaryExpr) (constant.Value, error) {
	x, err := s.value(e.X)
	if err != nil {
		return nil, err
	}
	y, err := s.value(e.Y)
	if err != nil {
		return nil, err
	}
	whole := x.Kind() == constant.Int && y.Kind() == constant.Int
	switch op := e.Op; op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return truth(constant.Compare(x, op, y)), nil
	case token.LAND:
		return truth(constant.Sign(x) != 0 && constant.Sign(y) != 0), nil
	case token.LOR:
		return truth(constant.Sign(x) != 0 || constant.Sign(y) != 0), nil
	case token.ADD, token.SUB, token.MUL:
		return constant.BinaryOp(x, op, y), nil
	case token.QUO, token.REM:
		if constant.Sign(y) == 0 {
			return nil, errors.New("division by 0")
		}
		if op == token.QUO && whole {
			op = token.QUO_ASSIGN // whole numbers stay whole
		}
		if op != token.REM || whole {
			return constant.BinaryOp(x, op, y), nil
		}
	case token.AND, token.OR, token.XOR, token.AND_NOT:
		if whole {
			return constant.BinaryOp(x, op, y), nil
		}
	case token.SHL, token.SHR:
		if n, ok := constant.Uint64Val(y); ok && whole && n < 64 {
			return constant.Shift(x, op, uint(n)), nil
		}
	}
	return nil, fmt.Errorf("operator %v on these numbers", e.Op)
}

// truth is 1 or 0.
func truth(v bool) constant.Value {
	if v {
		return constant.MakeInt64(1)
	}
	return constant.MakeInt64(0)
}

func (s *scope) call(e *ast.CallExpr) (constant.Value, error) {
	name, ok := e.Fun.(*ast.Ident)
	if !ok {
		return nil, errors.New("call of something without a name")
	}
	args := make([]constant.Value, len(e.Args))
	for i, arg := range e.Args {
		v, err := s.value(arg)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	f, isField := s.fields[name.Name]
	switch {
	case isField && len(args) == 1:
		v, ok := constant.Uint64Val(args[0])
		if !ok || v >= 1<<f.bits {
			return nil, fmt.Errorf("%v does not fit the %d bits of %s", args[0], f.bits, name.Name)
		}
		return constant.MakeUint64(v << f.shift), nil
	case (name.Name == "min" || name.Name == "max") && len(args) == 2:
		if constant.Compare(args[0], token.LSS, args[1]) == (name.Name == "min") {
			return args[0], nil
		}
		return args[1], nil
	case name.Name == "round" && len(args) == 1:
		half := constant.BinaryOp(args[0], token.ADD, constant.MakeFloat64(0.5))
		num, den := constant.Num(half), constant.Denom(half)
		return constant.BinaryOp(num, token.QUO_ASSIGN, den), nil
	}
	return nil, fmt.Errorf("no call %s of %d numbers", name.Name, len(args))
}

// number is an expression that has to come to a whole number of at most so many bits.
func (s *scope) number(text string, bits uint) (uint32, error) {
	v, err := s.eval(text)
	if err != nil {
		return 0, err
	}
	n, ok := constant.Uint64Val(constant.ToInt(v))
	if !ok || v.Kind() != constant.Int || n>>bits != 0 {
		return 0, fmt.Errorf("expression %q: %v is not a whole number of %d bits", text, v, bits)
	}
	return uint32(n), nil
}

// float is an expression as the nearest float64.
func (s *scope) float(text string) (float64, error) {
	v, err := s.eval(text)
	if err != nil {
		return 0, err
	}
	f, _ := constant.Float64Val(v)
	return f, nil
}

// fill replaces {expression} in a text by its value.
func (s *scope) fill(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		inside, after, ok := strings.Cut(rest, "}")
		if !ok {
			return "", fmt.Errorf("%q: { without }", text)
		}
		if v, word := s.values[inside]; word && v.Kind() == constant.String {
			out.WriteString(constant.StringVal(v))
		} else {
			v, err := s.eval(inside)
			if err != nil {
				return "", err
			}
			out.WriteString(v.ExactString())
		}
		text = after
	}
}
