package graph_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
)

const sample = `# each form of line
%0 = input.f32 "a \"quoted\" name" {1.5}
%1 = const.f32 {nan}
%2 = mul.f32 %0, %1
%3 = const.i32[2,2] {1, -2, 3, 2147483647}
%4 = slice.i32[1,2] %3 {1, 1} @17
%5 = index.i32[2] %3 {1}
%6 = sum.i32[2] %3 {0}
%7 = sum.i32 %3
%8 = const.f32[4] {-inf, -0, 1e-45, 3.4028235e+38}
%9 = input.bool[1] "" {1}
%10 = stack.f32[4] %0, %0, %1, %2
%11 = broadcast.f32[3,4] %10
%12 = reshape.f32[12] %11
%13 = transpose.i32[2,2] %3
%14 = to_f32.f32[2,2] %13
%15 = concat.f32[16] %12, %10
%16 = const.bool {0}
%17 = select.f32[4] %18, %8, %10
`

func TestText(t *testing.T) {
	text := strings.Replace(sample, "%17 = select.f32[4] %18,", "%18 = ne.bool[4] %8, %10\n%17 = select.f32[4] %18,", 1)
	g, err := graph.Parse(strings.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, graph.Check(g))
	dump := g.String()
	// The numbers of the last two nodes are the only difference.
	want := strings.NewReplacer("%18 =", "%17 =", "%17 =", "%18 =", "%18,", "%17,").Replace(text)
	require.Equal(t, strings.TrimPrefix(want, "# each form of line\n"), dump)
	require.Equal(t, "%2 = mul.f32 %0, %1", g.Line(2))
}

func TestTextOfRandomGraphs(t *testing.T) {
	for seed := range uint64(300) {
		g, _ := graphtest.Random(rand.New(rand.NewPCG(seed, 2)), graphtest.Config{Arrays: true, States: true, Loops: true})
		again, err := graph.Parse(strings.NewReader(g.String()))
		require.NoError(t, err, "%v", g)
		require.Equal(t, g.String(), again.String())
		require.NoError(t, graph.Check(again))
	}
}

// TestTextOfTasks: rates, names and ratios of tasks, and what belongs to which, come back as they were.
func TestTextOfTasks(t *testing.T) {
	tasks := []graph.Task{{Name: "outer \"loop\"", Divisor: 10, Rate: 100}, {Name: "", Divisor: 1, Rate: 1.0 / 3}, {Name: "rest", Divisor: 7}}
	g := graph.New()
	x, s := g.InputF32("x", 1), g.StateF32("s", 2)
	before := x.Sin()
	g.SetTask(2)
	within := x.Sin()
	require.NoError(t, g.SetNext(s, within.Add(s)))
	g.SetTask(0)
	var text strings.Builder
	require.NoError(t, g.DumpTasks(&text, tasks))
	require.Equal(t, `task 1: "outer \"loop\"" every 10, 100 per second
task 2: "" every 1, 0.3333333333333333 per second
task 3: "rest" every 7
%0 = input.f32 "x" {1}
%1 = state.f32 "s" {2}
%2 = sin.f32 %0
%3 = sin.f32 %0 task 2
%4 = add.f32 %1, %3 task 2
%1.next = %4 task 2
`, text.String())
	again, got, err := graph.ParseTasks(strings.NewReader(text.String()))
	require.NoError(t, err)
	require.Equal(t, tasks, got)
	require.Equal(t, g.String(), again.String())
	require.NoError(t, graph.Check(again))
	for _, id := range []graph.ID{before.ID(), within.ID(), s.ID()} {
		require.Equal(t, g.TaskOf(id), again.TaskOf(id))
	}
	require.Zero(t, again.Task())

	for line, message := range map[string]string{
		"task 2: \"x\" every 1":                       "want task 1 of at most 16",
		"task 1: x every 1":                           "want a quoted name",
		"task 1: \"x\"":                               "want every",
		"task 1: \"x\" every 0":                       "from 1 to",
		"task 1: \"x\" every 99999999999":             "from 1 to",
		"task 1: \"x\" every 1, 0 per second":         "times per second",
		"task 1: \"x\" every 1, inf per second":       "times per second",
		"task 1: \"x\" every 1, 5":                    "times per second",
		"task 1: \"x\" every 1 more":                  "unexpected",
		"%0 = const.f32 {1} task 1":                   "const belongs to no task",
		"%0 = state.f32 \"s\" {1} task 1":             "state belongs to no task",
		"%0 = const.f32 {1}\n%1 = sin.f32 %0 task 17": "from 1 to 16",
		"loop 0: 2 turns, 1 carries, 0 slices {\n%0 = param.f32 {0}\n%1 = sin.f32 %0 task 1\n} %1": "the body of a loop belongs to no task",
	} {
		_, _, err := graph.ParseTasks(strings.NewReader(line))
		require.ErrorContains(t, err, message, line)
	}
}

// TestTextOfRandomTasks: the same of random graphs, whose computations belong to tasks at random.
func TestTextOfRandomTasks(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 4))
		g, _ := graphtest.Random(rng, graphtest.Config{Arrays: true, States: true})
		lines := strings.Split(strings.TrimSuffix(g.String(), "\n"), "\n")
		for i, line := range lines {
			source := strings.Contains(line, "= const.") || strings.Contains(line, "= input.") || strings.Contains(line, "= state.")
			if task := rng.IntN(4); task > 0 && !source {
				before, position, found := strings.Cut(line, " @")
				lines[i] = fmt.Sprintf("%s task %d", before, task)
				if found {
					lines[i] += " @" + position
				}
			}
		}
		text := strings.Join(lines, "\n") + "\n"
		again, err := graph.Parse(strings.NewReader(text))
		require.NoError(t, err, "%v", g)
		require.Equal(t, text, again.String())
		require.NoError(t, graph.Check(again))
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "%0 = input.f32 \"x\" {1}\n%1 = const.f32[2] {1, 2}\n%2 = const.i32 {1}\n"
	tests := map[string]string{
		"%3 = frob.f32 %0":                      `unknown op "frob"`,
		"%3 = add.f16 %0, %0":                   `unknown dtype "f16"`,
		"%3 = add %0, %0":                       "want .dtype",
		"add.f32 %0, %0":                        "want %number = op.dtype",
		"%0 = sin.f32 %0":                       "node %0 is defined twice",
		"%3 = sin.f32 %9":                       "node %9 is not defined before",
		"%3 = add.f32 %0":                       "add: 1 operands",
		"%3 = add.f32 %0,":                      "want %number",
		"%3 = add.f32 %0, %0 %0":                "unexpected",
		"%3 = add.f32 %0, %2":                   "operands are f32 and i32",
		"%3 = add.f32 %0, %1":                   "shapes () and (2,) differ",
		"%3 = add.i32 %0, %0":                   "gives f32, not i32",
		"%3 = add.f32[2] %0, %0":                "gives shape (), not (2,)",
		"%3 = and.f32 %0, %0":                   "operand is f32",
		"%3 = floor.i32 %2":                     "operand is i32",
		"%3 = to_i32.i32 %2":                    "operand is i32",
		"%3 = lt.f32 %0, %0":                    "gives bool, not f32",
		"%3 = select.f32 %0, %0, %0":            "condition is f32, not bool",
		"%3 = index.f32 %1":                     "0 numbers in braces, want 1",
		"%3 = index.f32 %1 {2}":                 "index 2 is out of range",
		"%3 = index.f32 %1 {-1}":                "-1 is negative",
		"%3 = index.f32 %1 {x}":                 `bad number "x"`,
		"%3 = slice.f32[2] %1 {0, 2}":           "out of range",
		"%3 = slice.f32[2] %1 {0, 0}":           "out of range",
		"%3 = sum.f32 %1 {1}":                   "axis 1 is out of range",
		"%3 = sin.f32 %0 {1}":                   "1 numbers in braces, want 0",
		"%3 = const.f32 {one}":                  `bad f32 "one"`,
		"%3 = const.bool {2}":                   `bad bool "2"`,
		"%3 = const.i32 {2147483648}":           `bad i32 "2147483648"`,
		"%3 = const.i32[2] {1}":                 "1 values for shape (2,)",
		"%3 = const.i32 %0 {1}":                 "takes no operands",
		"%3 = const.i32 {1":                     "missing }",
		"%3 = const.i32 {1} @x":                 "bad position",
		"%3 = const.i32[2 {1}":                  "want , or ]",
		"%3 = const.i32[] {1}":                  "want a length",
		"%3 = const.i32[99999999999999999] {1}": "too many elements",
		"%3 = input.i32 {1}":                    "want a quoted name",
		"%3 = stack.f32[1]":                     "0 operands",
		"%3 = stack.f32[3] %0, %0":              "gives shape (2,), not (3,)",
	}
	for line, message := range tests {
		_, err := graph.Parse(strings.NewReader(head + line))
		require.ErrorContains(t, err, message, line)
		require.ErrorContains(t, err, "line 4: ", line)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(states)
	for seed := range uint64(4) {
		g, _ := graphtest.Random(rand.New(rand.NewPCG(seed, 3)), graphtest.Config{Arrays: true, Ops: 10})
		f.Add(g.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := graph.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := graph.Check(g); err != nil {
			t.Fatalf("parsed, but %v", err)
		}
		again, err := graph.Parse(strings.NewReader(g.String()))
		if err != nil || again.String() != g.String() {
			t.Fatalf("text form does not round trip: %v\n%v", err, g)
		}
	})
}
