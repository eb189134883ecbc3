package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCurrent: the committed files are what the table gives.
func TestCurrent(t *testing.T) { require.NoError(t, run("..", true)) }

// TestRow: a row alone gives the constant, the method and its test.
func TestRow(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("package graph\n\n"+text), 0o666))
	}
	write("optable.go", `var Ops = [NumOps]Info{
	OpConst: {Name: "const"},
	OpHalve: {Name: "halve", Arity: 1, Elementwise: true, Doc: "half of x"},
	OpMean2: {Name: "mean2", Arity: 2, Elementwise: true, Doc: "the mean of a and b"},
	OpPow:   {Name: "pow", Arity: 2, Elementwise: true},
	OpStack: {Name: "stack", Arity: Variadic},
}`)
	write("pow.go", "func (v Value) Pow(w Value) Value { return v }\n")
	files, err := generate(dir)
	require.NoError(t, err)
	code := string(files["ops_gen.go"])
	require.Contains(t, code, "\tOpConst Op = iota\n\tOpHalve\n\tOpMean2\n\tOpPow\n\tOpStack\n\n\tNumOps")
	require.Contains(t, code, "// Halve is the op halve: half of x.\nfunc (x Value) Halve() Value { return x.apply1(OpHalve) }\n")
	require.Contains(t, code, "func (a Value) Mean2(b Value) Value { return a.apply2(OpMean2, b) }\n")
	require.NotContains(t, code, "Pow(", "that is written by hand")
	require.Contains(t, string(files["ops_gen_test.go"]), "OpHalve: Value.Halve,")

	require.ErrorContains(t, run(dir, true), "run go run ./compiler/graph/gen")
	require.NoError(t, run(dir, false))
	require.NoError(t, run(dir, true))

	write("optable.go", `var Ops = [NumOps]Info{Halve: {Name: "halve"}}`)
	_, err = generate(dir)
	require.ErrorContains(t, err, "begins with Op")
	write("optable.go", "")
	_, err = generate(dir)
	require.ErrorContains(t, err, "no table Ops")
}
