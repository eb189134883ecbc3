package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// adjoints is the Go text of the rules that the column Adjoint gives.
func adjoints(rows []row) (string, error) {
	ops := map[string]row{}
	for _, r := range rows {
		ops[r.name] = r
	}
	var text strings.Builder
	text.WriteString("package autodiff\n\nimport (\n\"math\"\n\n\"github.com/copaflash/copaflash/compiler/graph\"\n)\n\n" +
		"// fromTable are the rules that the op table has in its column Adjoint.\nvar fromTable = [graph.NumOps]rule{\n")
	for _, r := range rows {
		if r.adjoint == "" {
			continue
		}
		parts := strings.Split(r.adjoint, ";")
		if !r.elementwise || len(parts) != r.arity {
			return "", fmt.Errorf("op %s: Adjoint %q: an elementwise op has one expression for each operand", r.name, r.adjoint)
		}
		fmt.Fprintf(&text, "graph.%s: parts(\n", r.constant)
		for _, part := range parts {
			code, err := r.part(strings.TrimSpace(part), ops)
			if err != nil {
				return "", fmt.Errorf("op %s: Adjoint %q: %w", r.name, part, err)
			}
			fmt.Fprintf(&text, "func(s *step) graph.Value { return %s },\n", code)
		}
		text.WriteString("),\n")
	}
	return text.String() + "}\n\nconst (\nln2 = math.Ln2\nlog2e = math.Log2E\nlog10e = math.Log10E\n)\n", nil
}

// part is the Go text of an expression, or of the choice A if C else B.
func (r row) part(text string, ops map[string]row) (string, error) {
	text = strings.ReplaceAll(text, "//", "&^") // an operator of Go's that binds as strongly
	yes, rest, choice := strings.Cut(text, " if ")
	if !choice {
		return r.parse(text, ops)
	}
	condition, no, _ := strings.Cut(rest, " else ")
	var codes [3]string
	for i, text := range []string{condition, yes, no} {
		var err error
		if codes[i], err = r.parse(text, ops); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s.Select(%s, %s)", codes[0], codes[1], codes[2]), nil
}

func (r row) parse(text string, ops map[string]row) (string, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", err
	}
	return r.code(e, ops)
}

var operators = map[token.Token]string{
	token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.QUO: "div", token.AND_NOT: "floordiv",
	token.EQL: "eq", token.NEQ: "ne", token.LSS: "lt", token.LEQ: "le", token.GTR: "gt", token.GEQ: "ge",
}

// code is the Go text that makes the nodes of an expression, from left to right.
func (r row) code(e ast.Expr, ops map[string]row) (string, error) {
	op, args := "", []ast.Expr(nil)
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.code(e.X, ops)
	case *ast.BasicLit:
		return "s.number(" + e.Value + ")", nil
	case *ast.Ident:
		names := "x"
		if r.arity > 1 {
			names = "abc"[:min(r.arity, 3)]
		}
		switch i := strings.Index(names, e.Name); {
		case len(e.Name) == 1 && i >= 0:
			return fmt.Sprintf("s.arg(%d)", i), nil
		case e.Name == "y" || e.Name == "adj":
			return "s." + e.Name, nil
		case e.Name == "ln2" || e.Name == "log2e" || e.Name == "log10e":
			return "s.number(" + e.Name + ")", nil
		}
		return "", fmt.Errorf("%s is none of the operands %q, y, adj, ln2, log2e, log10e", e.Name, strings.Split(names, ""))
	case *ast.UnaryExpr:
		if op, args = "neg", []ast.Expr{e.X}; e.Op != token.SUB {
			op = e.Op.String()
		}
	case *ast.BinaryExpr:
		if op, args = operators[e.Op], []ast.Expr{e.X, e.Y}; op == "" {
			op = e.Op.String()
		}
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok {
			op, args = name.Name, e.Args
		}
	default:
		return "", errors.New("only operands, numbers, operators and calls of ops have a meaning")
	}
	if called := ops[op]; !called.elementwise || called.arity != len(args) {
		return "", fmt.Errorf("%s is no elementwise op on %d operands", op, len(args))
	}
	var codes []string
	for _, arg := range args {
		code, err := r.code(arg, ops)
		if err != nil {
			return "", err
		}
		codes = append(codes, code)
	}
	return fmt.Sprintf("%s.%s(%s)", codes[0], ops[op].method, strings.Join(codes[1:], ", ")), nil
}
