package selftest

import (
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/stencils"
)

// maskType stands for words that are masks, all ones or zeros, as the first operand of choices is one.
const maskType = "mask"

const allOnes = 1<<32 - 1

// maskOps are the comparisons that give masks, and choices by the result of a comparison or by a mask.
var maskOps = map[string]func(s *stencils.Stencil, a arguments) uint64{
	"ltm":     maskOf(graph.OpLt, 0),
	"lem":     maskOf(graph.OpLe, 0),
	"eqm":     maskOf(graph.OpEq, 0),
	"nem":     maskOf(graph.OpNe, 0),
	"gtm":     maskOf(graph.OpGt, 0),
	"ngtm":    maskOf(graph.OpGt, allOnes),
	"keepm":   func(_ *stencils.Stencil, a arguments) uint64 { return a.src[0] & a.src[1] },
	"dropm":   func(_ *stencils.Stencil, a arguments) uint64 { return ^a.src[0] & a.src[1] },
	"selm":    func(_ *stencils.Stencil, a arguments) uint64 { return a.src[0]&a.src[1] | ^a.src[0]&a.src[2] },
	"lesser":  chosenBy(graph.OpLt),
	"greater": chosenBy(graph.OpGt),
}

// takesMask are those whose first operand is a mask.
var takesMask = map[string]bool{"keepm": true, "dropm": true, "selm": true}

// holds is the result of a comparison of the first two operands.
func holds(op graph.Op, s *stencils.Stencil, a arguments) bool {
	dtype, err := graph.ParseDType(elementOf(s, 1))
	if err != nil {
		panic(err)
	}
	result, _ := eval.Scalar(op, dtype, a.src[0], a.src[1])
	return result != 0
}

// maskOf means a comparison, whose bits are turned by others.
func maskOf(op graph.Op, turned uint64) func(*stencils.Stencil, arguments) uint64 {
	return func(s *stencils.Stencil, a arguments) uint64 {
		if holds(op, s, a) {
			return allOnes ^ turned
		}
		return turned
	}
}

func chosenBy(op graph.Op) func(*stencils.Stencil, arguments) uint64 {
	return func(s *stencils.Stencil, a arguments) uint64 {
		if holds(op, s, a) {
			return a.src[0]
		}
		return a.src[1]
	}
}
