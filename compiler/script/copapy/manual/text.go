package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
)

// overview is the doc string of the module itself.
const overview = `The module that scripts import to compute on a target: import copapy as cp.

help(cp.clamp) shows the entry of a name, dir(cp) lists the names. The whole
reference is docs/reference; copaflash doc prints it on the command line.`

// DocString is the doc string of a name of the module, and of the module itself for
// an empty name. It is empty where there is no entry.
func DocString(name string) string {
	if name == "" {
		return overview
	}
	if e := Find(name); e != nil {
		return e.DocString()
	}
	return ""
}

// DocString is the entry as plain text: call, what it does, parts and examples.
func (e *Entry) DocString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", e.Call, e.Text)
	e.eachPart(func(label, text string) { fmt.Fprintf(&b, "\n%s: %s", label, text) })
	b.WriteByte('\n')
	if len(e.Examples) > 0 {
		b.WriteString("\n" + e.Session())
	}
	return b.String()
}

// Session is the examples as an interactive session shows them.
func (e *Entry) Session() string {
	var b strings.Builder
	for _, x := range e.Examples {
		b.WriteString(">>> " + strings.ReplaceAll(x.Source, "\n", "\n... ") + "\n" + x.Output)
	}
	return b.String()
}

// eachPart goes through the parts, with what the op table says of a single op.
func (e *Entry) eachPart(f func(label, text string)) {
	for _, label := range allLabels {
		if text := e.Parts[label]; text != "" && label != Ops {
			f(label, text)
		}
		if label == Edges && len(e.Ops) == 1 && e.Parts[meaning] == "" {
			f("On the target", e.Ops[0].Info().Meaning)
		}
		if label == Derivative && e.Parts[Derivative] == "" && len(e.Ops) == 1 {
			f(Derivative, e.Ops[0].Info().Derivative)
		}
	}
}

// The labels of the parts of an op, which come before those of Labels.
const (
	operandCount = "Operands"
	types        = "Types"
	shapeRule    = "Shapes"
	meaning      = "Meaning"
)

var allLabels = slices.Concat([]string{operandCount, types, shapeRule, meaning}, Labels)

// OpEntry is the entry of an op of the graph, without examples.
func OpEntry(op graph.Op) *Entry {
	info := op.Info()
	return &Entry{Name: info.Name, Call: info.Name, Page: "ops", Text: strings.TrimSuffix(info.Doc, "."), Ops: []graph.Op{op},
		Parts: map[string]string{
			operandCount: operands(info), types: Types(op), shapeRule: shapes(info), meaning: info.Meaning, Derivative: info.Derivative,
		}}
}

// Types says in words what an op takes and gives.
func Types(op graph.Op) string { return signatures[op.Info().Sig] }

// signatures in words; a test sees to it that none is missing.
var signatures = map[graph.Sig]string{
	graph.SigSource: "no operands; the type and the shape are given",
	graph.SigArith:  "numbers of one type, which unlike operands become: the larger of bool, i32, f32, i32 at least; gives the same",
	graph.SigFloat:  "numbers, which become f32; gives f32",
	graph.SigRound:  "f32; gives f32. An integer is itself",
	graph.SigBits:   "bools or i32, of one type; gives the same",
	graph.SigShift:  "i32; gives i32",
	graph.SigOrder:  "numbers of one type, i32 at least; gives bool",
	graph.SigEqual:  "values of one type; gives bool",
	graph.SigToF32:  "bool, i32 or f64; gives f32",
	graph.SigToF64:  "bool, i32 or f32; gives f64",
	graph.SigToI32:  "bool, f32 or f64; gives i32",
	graph.SigToBool: "i32, f32 or f64; gives bool",
	graph.SigTest:   "a number, which becomes f32 unless it is f64; gives bool",
	graph.SigSelect: "a bool, and two values of one type; gives that type",
	graph.SigStack:  "scalars of one type; gives a vector of it",
	graph.SigConcat: "arrays of one type; gives the same",
	graph.SigMove:   "any type; gives the same",
	graph.SigTake:   "any type, and an i32; gives the first",
	graph.SigSort:   "bool, i32 or f32; gives the same",
	graph.SigPlaces: "bool, i32 or f32; gives i32",
	graph.SigReduce: "numbers of one type, i32 at least; gives the same",
	graph.SigScan:   "those of the body of the loop",
}
