package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCurrent: the committed files are what the table gives.
func TestCurrent(t *testing.T) { require.NoError(t, run("..", true)) }

// TestRow: a row alone gives the constant, the method and its test, and the rule of autodiff.
func TestRow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "graph")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "../internal/autodiff"), 0o777))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("package graph\n\n"+text), 0o666))
	}
	write("optable.go", `var Ops = [NumOps]Info{
	OpConst:    {Name: "const"},
	OpNeg:      {Name: "neg", Arity: 1, Elementwise: true},
	OpMul:      {Name: "mul", Arity: 2, Elementwise: true},
	OpFloorDiv: {Name: "floordiv", Arity: 2, Elementwise: true},
	OpEq:       {Name: "eq", Arity: 2, Elementwise: true},
	OpHalve: {Name: "halve", Arity: 1, Elementwise: true, Doc: "half of x", Adjoint: "0 if x == 0 else -(adj * 0.5) // halve(y)"},
	OpMean2: {Name: "mean2", Arity: 2, Elementwise: true, Doc: "the mean of a and b"},
	OpPow:   {Name: "pow", Arity: 2, Elementwise: true},
	OpStack: {Name: "stack", Arity: Variadic},
}`)
	write("pow.go", "func (v Value) Pow(w Value) Value { return v }\n")
	files, err := generate(dir)
	require.NoError(t, err)
	code := string(files["ops_gen.go"])
	require.Contains(t, code, "\tOpConst Op = iota\n\tOpNeg\n\tOpMul\n\tOpFloorDiv\n\tOpEq\n\tOpHalve\n\tOpMean2\n\tOpPow\n\tOpStack\n\n\tNumOps")
	require.Contains(t, code, "// Halve is the op halve: half of x.\nfunc (x Value) Halve() Value { return x.apply1(OpHalve) }\n")
	require.Contains(t, code, "func (a Value) Mean2(b Value) Value { return a.apply2(OpMean2, b) }\n")
	require.NotContains(t, code, "Pow(", "that is written by hand")
	require.Contains(t, string(files["ops_gen_test.go"]), "OpHalve: Value.Halve,")

	rules := string(files["../internal/autodiff/rules_gen.go"])
	require.Contains(t, rules, "graph.OpHalve: parts(\n\t\tfunc(s *step) graph.Value {\n"+
		"\t\t\treturn s.arg(0).Eq(s.number(0)).Select(s.number(0), s.adj.Mul(s.number(0.5)).Neg().FloorDiv(s.y.Halve()))")
	require.NotContains(t, rules, "OpMean2", "its row has no rule")

	require.ErrorContains(t, run(dir, true), "run go run ./compiler/graph/gen")
	require.NoError(t, run(dir, false))
	require.NoError(t, run(dir, true))

	write("optable.go", `var Ops = [NumOps]Info{Halve: {Name: "halve"}}`)
	_, err = generate(dir)
	require.ErrorContains(t, err, "begins with Op")
	for adjoint, message := range map[string]string{
		"adj":           "one expression for each operand",
		"adj; adj; adj": "one expression for each operand",
		"adj; x":        "x is none of the operands",
		"adj; sinus(a)": "sinus is no elementwise op on 1 operands",
		"adj; mean(a)":  "mean is no elementwise op on 1 operands",
		"adj; adj @ b":  "illegal character",
		"adj; adj * ":   "expected operand",
		"adj; adj % b":  "% is no elementwise op on 2 operands",
		"adj; 'n' if b": "expected operand",
		"adj; b[0]":     "only operands, numbers",
	} {
		write("optable.go", `var Ops = [NumOps]Info{OpMean: {Name: "mean", Arity: 2, Elementwise: true, Adjoint: "`+adjoint+`"}}`)
		_, err = generate(dir)
		require.ErrorContains(t, err, "op mean: Adjoint", adjoint)
		require.ErrorContains(t, err, message, adjoint)
	}
	write("optable.go", "")
	_, err = generate(dir)
	require.ErrorContains(t, err, "no table Ops")
}
