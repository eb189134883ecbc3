package compiler_test

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
)

func ExampleGrad() {
	g := graph.New()
	a, b := g.InputF32("a", 3), g.InputF32("b", 4)
	length := a.Hypot(b)
	d, err := compiler.Grad(length, a, b)
	if err != nil {
		panic(err)
	}
	show(g, length, d[0], d[1])
	// Output: [5] [0.6] [0.8]
}

func ExampleJacobian() {
	g := graph.New()
	v := g.InputTensor("v", graph.F32s(graph.Shape{2}, 1, 2))
	j, err := compiler.Jacobian(v.Mul(v.Sum()), v)
	if err != nil {
		panic(err)
	}
	show(g, j[0])
	// Output: [4 1 2 5]
}

func ExampleVJP() {
	g := graph.New()
	v := g.InputTensor("v", graph.F32s(graph.Shape{2}, 1, 2))
	first := g.ConstF32(graph.Shape{2}, []float32{1, 0})
	row, err := compiler.VJP([]graph.Value{v.Mul(v.Sum())}, []graph.Value{first}, []graph.Value{v})
	if err != nil {
		panic(err)
	}
	show(g, row[0])
	// Output: [4 1]
}

func ExampleJVP() {
	g := graph.New()
	v := g.InputTensor("v", graph.F32s(graph.Shape{2}, 1, 2))
	first := g.ConstF32(graph.Shape{2}, []float32{1, 0})
	column, err := compiler.JVP([]graph.Value{v.Mul(v.Sum())}, []graph.Value{v}, []graph.Value{first})
	if err != nil {
		panic(err)
	}
	show(g, column[0])
	// Output: [4 2]
}

// show prints values as the oracle computes them.
func show(g *graph.Graph, values ...graph.Value) {
	ids := make([]graph.ID, len(values))
	for i, v := range values {
		ids[i] = v.ID()
	}
	results, _, err := eval.Eval(g, ids, nil)
	if err != nil {
		panic(err)
	}
	for i, r := range results {
		if i > 0 {
			fmt.Print(" ")
		}
		fmt.Print(r.F32())
	}
	fmt.Println()
}
