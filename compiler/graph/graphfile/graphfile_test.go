package graphfile

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

// named makes a file of a graph whose outputs are called a, b, c and so on.
func named(g *graph.Graph, outs []graph.Value) *File {
	f := &File{Graph: g}
	for i, v := range outs {
		f.Outputs = append(f.Outputs, Output{Name: "out " + strings.Repeat("x", i), Node: v.ID()})
	}
	return f
}

// sameFile compares everything that a file says.
func sameFile(t testing.TB, want, got *File) {
	t.Helper()
	require.Equal(t, want.Graph.String(), got.Graph.String())
	require.Equal(t, want.Outputs, got.Outputs)
	require.Equal(t, want.Source, got.Source)
	require.NoError(t, graph.Check(got.Graph))
}

// roundTrip writes and reads a file in both forms.
func roundTrip(t testing.TB, f *File) (cborForm, jsonForm []byte) {
	t.Helper()
	cborForm, err := f.CBOR()
	require.NoError(t, err)
	jsonForm, err = f.JSON()
	require.NoError(t, err)
	require.True(t, json.Valid(jsonForm), "%s", jsonForm)
	for _, data := range [][]byte{cborForm, jsonForm} {
		again, err := Decode(data)
		require.NoError(t, err, "%s", jsonForm)
		sameFile(t, f, again)
		b, err := again.CBOR()
		require.NoError(t, err)
		require.Equal(t, cborForm, b)
		j, err := again.JSON()
		require.NoError(t, err)
		require.Equal(t, string(jsonForm), string(j))
	}
	return cborForm, jsonForm
}

// Random graphs survive both forms exactly, and every op of the table occurs in
// them on every type that it takes.
func TestRoundTripOfRandomGraphs(t *testing.T) {
	seen := map[graph.Op]int{}
	bytes, nodes := 0, 0
	for seed := range uint64(400) {
		g, outs := graphtest.Random(rand.New(rand.NewPCG(seed, 5)), graphtest.Config{Arrays: seed%4 != 0, States: seed%3 == 0, Loops: seed%5 < 2, Fast: float64(seed%2) / 2})
		f := named(g, outs)
		if seed%5 < 2 {
			trimmed, err := f.Trim() // of what is left over from making the bodies
			require.NoError(t, err)
			f, g = trimmed, trimmed.Graph
		}
		if seed%2 == 0 {
			f.Source = "random.py"
		}
		c, _ := roundTrip(t, f)
		bytes, nodes = bytes+len(c), nodes+g.NumNodes()
		for id := range g.NumNodes() {
			seen[g.Node(graph.ID(id)).Op]++
		}
		for _, s := range g.Scans() {
			seen[s.Body.Node(0).Op]++
		}
	}
	for op := range graph.NumOps {
		require.NotZero(t, seen[op], "%v does not occur", op)
	}
	t.Logf("%d nodes, %.1f bytes a node as CBOR, values included", nodes, float64(bytes)/float64(nodes))
}

func TestAttributesOfEveryOpHaveAForm(t *testing.T) {
	for op := range graph.NumOps {
		a, ok := attributes[op.Info().Attr]
		require.True(t, ok, "%v", op)
		require.Equal(t, len(a.keys) > 0, a.numbers != nil && a.word != nil, "%v", op)
	}
}

const example = `{"format":"copaflash-graph","version":1,"source":"example",
"nodes":[
{"op":"input","type":"f32","name":"a","value":0.25},
{"op":"const","type":"f32","value":2},
{"op":"mul","type":"f32","args":[0,1],"pos":3},
{"op":"input","type":"f32","shape":[2,2],"name":"m","value":[[1,2],["nan",-0.0]]},
{"op":"index","type":"f32","shape":[2],"args":[3],"index":1},
{"op":"slice","type":"f32","shape":[2,2],"args":[3],"start":1,"step":-1},
{"op":"sum","type":"f32","shape":[2],"args":[5],"axis":0},
{"op":"sum","type":"f32","args":[6]},
{"op":"input","type":"i32","shape":[3]}
],
"outputs":[
{"name":"c","node":2},
{"name":"row","node":4},
{"name":"all","node":7},
{"name":"zeros","node":8}
]}
`

func TestExample(t *testing.T) {
	f, err := Decode([]byte(example))
	require.NoError(t, err)
	require.Equal(t, `%0 = input.f32 "a" {0.25}
%1 = const.f32 {2}
%2 = mul.f32 %0, %1 @3
%3 = input.f32[2,2] "m" {1, 2, nan, -0}
%4 = index.f32[2] %3 {1}
%5 = slice.f32[2,2] %3 {1, -1}
%6 = sum.f32[2] %5 {0}
%7 = sum.f32 %6
%8 = input.i32[3] "" {0, 0, 0}
`, f.Graph.String())
	_, text := roundTrip(t, f)
	require.Equal(t, example, string(text))
}

// A file need not be what this package would write: keys in any order, equal
// nodes, operands of a commutative op in any order, any NaN.
func TestOtherWriters(t *testing.T) {
	f, err := Decode([]byte(` {"outputs":[{"node":4,"name":"y"}],"nodes":[
		{"type":"f32","value":1,"op":"input","name":"x"}, {"value":2e0,"op":"const","type":"f32"},
		{"op":"const","type":"f32","value":2},
		{"op":"add","type":"f32","args":[2,0]}, {"op":"add","type":"f32","args":[0,1],"shape":[]}
	],"version":1,"format":"copaflash-graph"}`))
	require.NoError(t, err)
	require.Equal(t, "%0 = input.f32 \"x\" {1}\n%1 = const.f32 {2}\n%2 = add.f32 %0, %1\n", f.Graph.String())
	require.Equal(t, []Output{{Name: "y", Node: 2}}, f.Outputs)

	nan := cborNode{Op: "const", DType: graph.F32, Value: []byte{1, 0, 0xc0, 0xff}}
	f, err = Decode(cborOf(t, []cborNode{nan}, "y"))
	require.NoError(t, err)
	require.Equal(t, []uint32{graph.NaN}, f.Graph.ConstBits(0))
}

func TestTrim(t *testing.T) {
	g := graph.New()
	a, b, other := g.InputF32("", 1), g.InputF32("b", 2), g.InputF32("", 3)
	_ = other.Mul(g.F32(7))
	c := a.Add(b).Sin()
	f := &File{Graph: g, Source: "s", Outputs: []Output{{Name: "c", Node: c.ID()}, {Name: "gain", Node: a.ID()}, {Name: "same", Node: a.ID()}, {Name: "beta", Node: b.ID()}}}
	small, err := f.Trim()
	require.NoError(t, err)
	require.Equal(t, `%0 = input.f32 "gain" {1}
%1 = input.f32 "b" {2}
%2 = add.f32 %0, %1
%3 = sin.f32 %2
`, small.Graph.String())
	require.Equal(t, []Output{{Name: "c", Node: 3}, {Name: "gain", Node: 0}, {Name: "same", Node: 0}, {Name: "beta", Node: 1}}, small.Outputs)
	roundTrip(t, small)

	for seed := range uint64(50) {
		g, outs := graphtest.Random(rand.New(rand.NewPCG(seed, 6)), graphtest.Config{Arrays: true, States: seed%2 == 0})
		small, err := named(g, outs[:1]).Trim()
		require.NoError(t, err)
		require.NoError(t, graph.Check(small.Graph))
		again, err := small.Trim()
		require.NoError(t, err)
		sameFile(t, small, again)
	}
}

func TestStates(t *testing.T) {
	g := graph.New()
	s, v := g.StateF32("s", 0.5), g.StateTensor("", graph.I32s(graph.Shape{2}, 1, 2))
	idle, unused := g.StateF32("idle", 1), g.InputF32("unused", 1)
	_ = unused.Neg()
	y := s.Add(v.Index(0).ToF32())
	require.NoError(t, g.SetNext(s, y))
	require.NoError(t, g.SetNext(v, v.Neg()))
	require.NoError(t, g.Err())
	f := &File{Graph: g, Outputs: []Output{{Name: "y", Node: y.ID()}, {Name: "v", Node: v.ID()}}}
	_, text := roundTrip(t, f)
	require.Contains(t, string(text), `{"op":"state","type":"f32","name":"s","value":0.5,"next":7}`)

	small, err := f.Trim()
	require.NoError(t, err)
	require.NotContains(t, small.Graph.String(), "unused")
	require.NotContains(t, small.Graph.String(), "idle")
	require.Equal(t, "v", small.Graph.StateInfo(small.Outputs[1].Node).Name)
	require.NoError(t, small.Graph.CheckStates([]graph.ID{small.Outputs[0].Node}))
	roundTrip(t, small)
	_ = idle
}

func TestJSONRefuses(t *testing.T) {
	file := func(nodes string) string {
		return "{\"format\":\"copaflash-graph\",\"version\":1,\"nodes\":[{\"op\":\"input\",\"type\":\"f32\",\"value\":1,\"name\":\"x\"},\n" +
			"{\"op\":\"const\",\"type\":\"f32\",\"shape\":[2],\"value\":[1,2]},{\"op\":\"const\",\"type\":\"i32\",\"value\":3},\n" +
			nodes + "],\"outputs\":[{\"name\":\"y\",\"node\":0}]}"
	}
	for node, message := range map[string]string{
		`{"op":"frob","type":"f32"}`:                                                      `node 3 (frob): unknown op "frob"`,
		`{"type":"f32"}`:                                                                  "node 3 (): no op",
		`{"op":"sin","args":[0]}`:                                                         "node 3 (sin): no type",
		`{"op":"sin","type":"f16","args":[0]}`:                                            `unknown dtype "f16"`,
		`{"op":"sin","type":"f32","args":[3]}`:                                            "node 3 (sin): operand 0 is node 3, which is not before it",
		`{"op":"sin","type":"f32","args":[99999999999]}`:                                  "which is not before it",
		`{"op":"sin","type":"f32","args":[-1]}`:                                           "-1 is out of range",
		`{"op":"sin","type":"f32","args":[0.5]}`:                                          "0.5 is out of range, or not an integer",
		`{"op":"sin","type":"f32","args":["a"]}`:                                          "want a number, found a",
		`{"op":"sin","type":"f32","args":0}`:                                              "want [, found 0",
		`{"op":"add","type":"f32","args":[0]}`:                                            "node 3 (add): 1 operands",
		`{"op":"stack","type":"f32","shape":[1]}`:                                         "node 3 (stack): 0 operands",
		`{"op":"add","type":"f32","args":[0,2]}`:                                          "operands are f32 and i32",
		`{"op":"add","type":"f32","args":[0,1]}`:                                          "shapes () and (2,) differ",
		`{"op":"add","type":"i32","args":[0,0]}`:                                          "gives f32, not i32",
		`{"op":"add","type":"f32","shape":[2],"args":[0,0]}`:                              "gives shape (), not (2,)",
		`{"op":"sin","type":"f32","shape":[-2],"args":[1]}`:                               "-2 is out of range",
		`{"op":"sin","type":"f32","shape":[99999,99999],"args":[1]}`:                      "too many elements",
		`{"op":"sin","type":"f32","shape":[1,1,1,1,1,1,1,1,1],"args":[1]}`:                "shape with 9 axes",
		`{"op":"sin","type":"f32","args":[0],"axis":0}`:                                   `this op has no attribute "axis"`,
		`{"op":"index","type":"f32","args":[1]}`:                                          `needs the attributes ["index"], 0 given`,
		`{"op":"index","type":"f32","args":[1],"index":2}`:                                "index 2 is out of range",
		`{"op":"index","type":"f32","args":[1],"index":-1}`:                               "index is -1, out of range",
		`{"op":"index","type":"f32","args":[1],"index":4294967297}`:                       "not a 32-bit integer",
		`{"op":"slice","type":"f32","shape":[2],"args":[1],"start":0}`:                    "needs the attributes",
		`{"op":"slice","type":"f32","shape":[2],"args":[1],"start":1,"step":1}`:           "out of range",
		`{"op":"sum","type":"f32","args":[1],"axis":1}`:                                   "axis 1 is out of range",
		`{"op":"sin","type":"f32","args":[0],"value":1}`:                                  "only constants, inputs and states have a value",
		`{"op":"sin","type":"f32","args":[0],"name":"s"}`:                                 "only inputs and states have a name",
		`{"op":"const","type":"f32","name":"s","value":1}`:                                "only inputs and states have a name",
		`{"op":"const","type":"f32"}`:                                                     "node 3 (const): no value",
		`{"op":"const","type":"f32","value":"x"}`:                                         "node 3 (const): value: ",
		`{"op":"const","type":"bool","value":1}`:                                          "is not of type bool",
		`{"op":"const","type":"f32","args":[0],"value":1}`:                                "neither operands nor attributes",
		`{"op":"const","type":"f32","index":0,"value":1}`:                                 "neither operands nor attributes",
		`{"op":"const","type":"f32","shape":[3],"value":[1,2]}`:                           "2 elements, then",
		`{"op":"input","type":"f32","name":"x","value":1}`:                                `node 3 (input "x"): the name is taken`,
		`{"op":"input","type":"f32","value":1,"name":"` + strings.Repeat("n", 257) + `"}`: "a name of 257 bytes",
		`{"op":"input","type":"f32","value":1,"op":"input"}`:                              `the key "op" appears twice`,
		`{"op":"input","type":"f32","Value":1}`:                                           `unknown key "Value"`,
		`{"op":"input","type":"f32","value":{}}`:                                          "is not of type f32",
		`{"op":"const","type":"f32","shape":[16777216],"value":[]}`:                       "is not of type f32",
		`{"op":"state","type":"f32","value":1,"next":9}`:                                  `node 3 (state ""): next is node 9, which does not exist`,
		`{"op":"state","type":"f32","value":1,"next":2}`:                                  "the state is f32 and its next value i32",
		`{"op":"state","type":"f32","value":1,"name":"x","next":0}`:                       "the name is taken",
		`{"op":"sin","type":"f32","args":[0],"next":0}`:                                   "only states have a next value",
		`{"op":"input","type":"f32","value":1,"next":0}`:                                  "only states have a next value",
		`{"op":"add","type":"f32","args":[0,0],"fast":1}`:                                 "want true or false, found 1",
		`{"op":"add","type":"i32","args":[2,2],"fast":true}`:                              "fast is for computations that give floats",
		`{"op":"index","type":"f32","args":[1],"index":0,"fast":true}`:                    "fast is for computations that give floats",
		`{"op":"const","type":"f32","value":1,"fast":true}`:                               "not a computation that could be fast",
		`7`: "want {, found 7",
	} {
		_, err := Decode([]byte(file(node)))
		require.ErrorContains(t, err, message, node)
		if !strings.Contains(err.Error(), "(state \"\"): ") { // found when all nodes are there
			require.ErrorContains(t, err, "graph file: line 3: ", node)
		}
		require.ErrorContains(t, err, "node 3", node)
	}
	for text, message := range map[string]string{
		``:                             "neither a JSON object nor a CBOR map",
		`[1]`:                          "neither a JSON object nor a CBOR map",
		`{}`:                           `the format is ""`,
		`{"format":"copaflash-graph"}`: "version 0, this program reads version 1",
		`{"format":"copaflash-graph","version":2,"more":1}`:                                                         "version 2, this program reads version 1",
		`{"format":"copaflash-graph","version":1,"more":1}`:                                                         `unknown key "more"`,
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `"node":0`, `"node":4`, 1):                   "output 0 (y): there is no node 4",
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `,"node":0`, ``, 1):                          "output 0 (y): no node",
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `"name":"y",`, ``, 1):                        "output 0: no name",
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `}]}`, `},{"name":"y","node":1}]}`, 1):       "is taken by another output",
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `{"name":"y","node":0}`, ``, 1):              "no outputs",
		file(`{"op":"input","type":"i32","value":1}`) + "x":                                                         "more text after the graph",
		file(`{"op":"input","type":"i32","value":1}`)[:90]:                                                          "unexpected EOF",
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `"y"`, "\"\xff\"", 1):                        "not UTF-8",
		strings.Replace(file(`{"op":"input","type":"i32","value":1}`), `"i32","value":1}],`, `"i32","value":1]`, 1): "node 3",
	} {
		_, err := Decode([]byte(text))
		require.ErrorContains(t, err, message, text)
	}
}

// cborOf writes a CBOR file of these nodes, right or wrong, with one output.
func cborOf(t testing.TB, nodes any, output string) []byte {
	t.Helper()
	text, err := encMode.Marshal(nodes)
	require.NoError(t, err)
	var place uint64
	data, err := encMode.Marshal(cborFile{Magic: Magic, Version: Version, Nodes: text, Outputs: []cborOutput{{Name: output, Node: &place}}})
	require.NoError(t, err)
	return data
}

func TestCBORRefuses(t *testing.T) {
	word := []byte{0, 0, 0x80, 0x3f}
	x := cborNode{Op: "input", DType: graph.F32, Value: word, Name: "x"}
	for message, data := range map[string][]byte{
		"node 1 (sin): operand 0 is node 1, which is not before it": cborOf(t, []cborNode{x, {Op: "sin", DType: graph.F32, Args: []uint64{1}}}, "y"),
		"node 0 (input): a value of 3 bytes":                        cborOf(t, []cborNode{{Op: "input", DType: graph.F32, Value: word[:3]}}, "y"),
		"element 0 of the value is not a bool":                      cborOf(t, []cborNode{{Op: "input", DType: graph.Bool, Value: word}}, "y"),
		"2 values for shape ()":                                     cborOf(t, []cborNode{{Op: "const", DType: graph.F32, Value: append(word, word...)}}, "y"),
		"node 0 (const): no type":                                   cborOf(t, []cborNode{{Op: "const", DType: 9, Value: word}}, "y"),
		"an axis of length 4294967295":                              cborOf(t, []cborNode{{Op: "input", DType: graph.F32, Shape: []uint32{1<<32 - 1}}}, "y"),
		"this op has no attribute":                                  cborOf(t, []cborNode{x, {Op: "sin", DType: graph.F32, Args: []uint64{0}, Attr: []int64{1}}}, "y"),
		"index is 4294967296, out of range":                         cborOf(t, []cborNode{{Op: "input", DType: graph.F32, Shape: []uint32{2}}, {Op: "index", DType: graph.F32, Args: []uint64{0}, Attr: []int64{1 << 32}}}, "y"),
		"output 0: no name":                                         cborOf(t, []cborNode{x}, ""),
		"there is no node 0":                                        cborOf(t, []cborNode{}, "y"),
		"node 0: cbor: found unknown field":                         cborOf(t, []map[int]any{{0: "const", 1: 3, 12: 1}}, "y"),
		"nodes: no array":                                           cborOf(t, map[int]int{}, "y"),
		"too much data":                                             cborOf(t, slowNodes(5), "y"),
	} {
		_, err := Decode(data)
		require.ErrorContains(t, err, message)
	}

	good := cborOf(t, []cborNode{x}, "y")
	_, err := Decode(good)
	require.NoError(t, err)
	for cut := range good {
		_, err := Decode(good[:cut])
		require.Error(t, err, "%d bytes of %d", cut, len(good))
	}
	_, err = Decode(append(good, 0))
	require.ErrorContains(t, err, "extraneous data")
	_, err = Decode(append([]byte{0xbf}, append(good[1:], 0xff)...))
	require.ErrorContains(t, err, "indefinite-length")
	var later cborFile
	require.NoError(t, decMode.Unmarshal(good, &later))
	text, err := encMode.Marshal(map[int]any{0: Magic, 1: 2, 2: later.Nodes, 3: later.Outputs, 7: 7})
	require.NoError(t, err)
	_, err = Decode(text)
	require.ErrorContains(t, err, "version 2, this program reads version 1")
	_, err = Decode(make([]byte, MaxBytes+1))
	require.ErrorContains(t, err, "at most 268435456 are supported")
}

// slowNodes are few bytes that ask for n times 64 MB.
func slowNodes(n int) []cborNode {
	nodes := make([]cborNode, n)
	for i := range nodes {
		nodes[i] = cborNode{Op: "input", DType: graph.F32, Shape: []uint32{1 << 24}}
	}
	return nodes
}

func TestWritingRefuses(t *testing.T) {
	g := graph.New()
	x, bad := g.InputF32("x", 1), g.InputF32("\xff", 1)
	for message, f := range map[string]*File{
		"no outputs":                 {Graph: g},
		"no name":                    {Graph: g, Outputs: []Output{{Name: "", Node: x.ID()}}},
		"there is no node 2":         {Graph: g, Outputs: []Output{{Name: "y", Node: 2}}},
		"there is no node -1":        {Graph: g, Outputs: []Output{{Name: "y", Node: graph.None}}},
		"node 1 (input): the name":   {Graph: g, Outputs: []Output{{Name: "y", Node: bad.ID()}}},
		`output 0: the name "\xff"`:  {Graph: g, Outputs: []Output{{Name: "\xff", Node: x.ID()}}},
		"source: a name of 300 byte": {Graph: g, Outputs: []Output{{Name: "y", Node: x.ID()}}, Source: strings.Repeat("s", 300)},
	} {
		_, err := f.CBOR()
		require.ErrorContains(t, err, message)
		_, err = f.JSON()
		require.ErrorContains(t, err, message)
	}
}

// The CDDL has the keys of the code.
func TestCDDL(t *testing.T) {
	text, err := os.ReadFile("graph.cddl")
	require.NoError(t, err)
	rule := func(name string) string {
		m := regexp.MustCompile(`(?ms)^` + name + ` = \{(.*?)\}$`).FindSubmatch(text)
		require.NotNil(t, m, name)
		return regexp.MustCompile(`;.*`).ReplaceAllString(string(m[1]), "")
	}
	keys := func(pattern, text string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			list = append(list, strings.Join(m[1:], ""))
		}
		return list
	}
	for name, form := range map[string]any{"cbor-file": cborFile{}, "cbor-loop": cborLoop{}, "cbor-node": cborNode{}, "cbor-output": cborOutput{}, "cbor-task": cborTask{}, "cbor-meta": graph.Meta{}} {
		var want []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(form)) {
			number, rest, _ := strings.Cut(f.Tag.Get("cbor"), ",")
			optional := ""
			if strings.Contains(rest, "omit") {
				optional = "?"
			}
			want = append(want, optional+number)
		}
		require.ElementsMatch(t, want, keys(`(\??) ?&\(\w+: (\d+)\)`, rule(name)), name)
	}
	names := func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, s := range list {
			set[s] = true
		}
		return set
	}
	const jsonKey = `(\w+): `
	var file, loop, node, output []string
	for _, f := range fileFields {
		file = append(file, f.key)
	}
	for _, f := range loopFields {
		loop = append(loop, f.key)
	}
	for _, f := range nodeFields {
		node = append(node, f.key)
	}
	for _, f := range outputFields {
		output = append(output, f.key)
	}
	require.Equal(t, names(file), names(keys(jsonKey, rule("json-file"))))
	require.Equal(t, names(loop), names(keys(jsonKey, rule("json-loop"))))
	require.Equal(t, names(node), names(keys(jsonKey, rule("json-node"))))
	require.Equal(t, names(output), names(keys(jsonKey, rule("json-output"))))
	for dt := graph.Bool; dt.Valid(); dt++ {
		require.Contains(t, string(text), `"`+dt.String()+`"`)
		require.Regexp(t, `cbor-type = &\(.*\b`+dt.String()+": "+string('0'+rune(dt)), string(text))
	}
}

// The example of the documentation is a file, and says what the text says.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../docs/graph-file.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	f, err := Decode(m[1])
	require.NoError(t, err)
	_, written := roundTrip(t, f)
	require.Equal(t, string(m[1]), string(written), "the example is not as this package writes it")

	wrong := strings.Replace(string(m[1]), `{"op":"const","type":"f32"`, `{"op":"const","type":"i32"`, 1)
	_, err = Decode([]byte(wrong))
	require.Error(t, err)
	require.Contains(t, string(text), "\n    "+err.Error()+"\n", "the error that the text shows")
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(tasksFile))
	f.Add([]byte(withLoop))
	for seed := range uint64(4) {
		g, outs := graphtest.Random(rand.New(rand.NewPCG(seed, 3)), graphtest.Config{Arrays: true, Ops: 10, Size: 4})
		file := named(g, outs)
		c, err := file.CBOR()
		if err != nil {
			f.Fatal(err)
		}
		j, err := file.JSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c)
		f.Add(j)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decode(data)
		if err != nil {
			return
		}
		for id := range file.Graph.NumNodes() {
			if file.Graph.Elements(graph.ID(id)) > 1<<12 {
				return // right, but slow to write as JSON
			}
		}
		roundTrip(t, file)
	})
}

func BenchmarkDecode(b *testing.B) {
	g, outs := graphtest.Random(rand.New(rand.NewPCG(1, 9)), graphtest.Config{Ops: 20000})
	f := named(g, outs[:1])
	c, err := f.CBOR()
	require.NoError(b, err)
	j, err := f.JSON()
	require.NoError(b, err)
	for name, data := range map[string][]byte{"CBOR": c, "JSON": j} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Decode(data); err != nil {
					b.Fatal(err)
				}
			}
			nodes := float64(g.NumNodes())
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
			b.ReportMetric(float64(len(data))/nodes, "bytes/node")
		})
	}
}

// tasksFile is a program of tasks, as an example of all that a file says of them.
const tasksFile = `{"format":"copaflash-graph","version":1,
"tasks":[
{"name":"slow","divisor":10,"rate":100},
{"name":"fast","rate":1000}
],
"nodes":[
{"op":"input","type":"f32","name":"kp","value":2,"meta":{"role":"param","unit":"V/rad","low":0,"high":10}},
{"op":"state","type":"f32","name":"x","value":0,"next":3,"task":2},
{"op":"mul","type":"f32","args":[0,1],"task":1},
{"op":"add","type":"f32","args":[1,2],"task":2},
{"op":"mul","type":"f32","args":[0,1],"task":2}
],
"outputs":[
{"name":"want","node":2,"meta":{"role":"log","every":10}},
{"name":"u","node":3,"task":2,"meta":{"role":"output","low":-1,"high":1,"safe":[0.5]}},
{"name":"copy","node":0,"task":1},
{"name":"again","node":4}
]}
`

// TestTasksAndMetadata survive both forms and Trim.
func TestTasksAndMetadata(t *testing.T) {
	f, err := Decode([]byte(tasksFile))
	require.NoError(t, err)
	require.Equal(t, []graph.Task{{Name: "slow", Divisor: 10, Rate: 100}, {Name: "fast", Rate: 1000}}, f.Tasks)
	require.Equal(t, 5, f.Graph.NumNodes(), "what is computed in two tasks is two nodes")
	require.Equal(t, []int{0, 2, 1, 2, 2}, []int{f.Graph.TaskOf(0), f.Graph.TaskOf(1), f.Graph.TaskOf(2), f.Graph.TaskOf(3), f.Graph.TaskOf(4)})
	require.Equal(t, graph.RoleParam, f.Graph.InputInfo(0).Meta.Role)
	require.Equal(t, []float64{0.5}, f.Outputs[1].Meta.Safe)
	require.Equal(t, 1, f.Outputs[2].Task)
	text, err := f.JSON()
	require.NoError(t, err)
	require.Equal(t, tasksFile, string(text))
	data, err := f.CBOR()
	require.NoError(t, err)
	again, err := Decode(data)
	require.NoError(t, err)
	text, err = again.JSON()
	require.NoError(t, err)
	require.Equal(t, tasksFile, string(text))
	trimmed, err := again.Trim()
	require.NoError(t, err)
	text, err = trimmed.JSON()
	require.NoError(t, err)
	require.Equal(t, tasksFile, string(text))
}

func TestTasksAndMetadataRefused(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`"name":"slow"`, `"name":""`, "task 0: no name"},
		{`"divisor":10`, `"divisor":16777217`, "one of 16777217 ticks"},
		{`"rate":100`, `"rate":-1`, "-1 runs per second"},
		{`"rate":100`, `"rate":1e400`, "out of range"},
		{`"args":[1,2],"task":2`, `"args":[1,2],"task":3`, "task 3, of 2 tasks"},
		{`"args":[1,2],"task":2`, `"args":[1,2],"task":99`, "task 99: at most 15"},
		{`"node":3,"task":2`, `"node":3,"task":3`, "task 3, of 2 tasks"},
		{`"name":"kp","value":2`, `"name":"kp","value":2,"task":1`, "only computations and next values"},
		{`"role":"param"`, `"role":"boss"`, `unknown role "boss"`},
		{`"role":"param"`, `"role":"log"`, "the role log is for outputs"},
		{`"role":"log"`, `"role":"param"`, "the role param is for inputs"},
		{`"low":0,`, `"low":11,`, "is above the high one"},
		{`"low":0,`, `"low":0.1,`, "not a number of type f32"},
		{`"safe":[0.5]`, `"safe":[2]`, "safe value 2 is not within"},
		{`"safe":[0.5]`, `"safe":["x"]`, "want a number"},
		{`"args":[0,1],"task":1`, `"args":[0,1],"task":1,"meta":{"unit":"V"}`, "only inputs and outputs have metadata"},
	} {
		text := strings.Replace(tasksFile, c.from, c.to, 1)
		require.NotEqual(t, tasksFile, text)
		_, err := Decode([]byte(text))
		require.ErrorContains(t, err, c.want, "%s", c.to)
	}
}
