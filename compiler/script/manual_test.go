package script_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script/copapy/manual"
	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// entries calls f for each entry of the reference, as a subtest.
func entries(t *testing.T, f func(t *testing.T, p *manual.Page, e *manual.Entry)) {
	for _, p := range manual.Pages() {
		for _, e := range p.Entries {
			t.Run(p.File+"/"+e.Name, func(t *testing.T) { f(t, p, e) })
		}
	}
}

// between separates what the statements of a session print.
const between = "\x1e"

// sessionScript is a script that prints what an interactive session shows.
func sessionScript(t *testing.T, examples []manual.Example) string {
	b := strings.Builder{}
	b.WriteString("import copapy as cp\n")
	for _, x := range examples {
		src, err := syntax.NewSource("example.py", []byte(x.Source+"\n"))
		require.NoError(t, err)
		tree, err := syntax.Parse(src)
		require.NoError(t, err, x.Source)
		text := x.Source
		if _, shown := tree.Body[len(tree.Body)-1].(*syntax.ExprStmt); shown {
			text = "_ = (" + text + ")\nif _ is not None: print(repr(_))"
		}
		fmt.Fprintf(&b, "try:\n  %s\nexcept Exception as e: print(type(e).__name__ + ': ' + str(e))\nprint(%q)\n",
			strings.ReplaceAll(text, "\n", "\n  "), between)
	}
	return b.String()
}

// TestManualExamples runs the examples of every entry. With -update they are given
// the outputs that they have.
func TestManualExamples(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join("copapy", "manual"))
	require.NoError(t, err)
	entries(t, func(t *testing.T, p *manual.Page, e *manual.Entry) {
		require.NotEmpty(t, e.Examples)
		got := strings.Split(printed(t, sessionScript(t, e.Examples)), between+"\n")
		require.Len(t, got, len(e.Examples)+1, "the session ended early: %s", got[len(got)-1])
		if *update {
			file := filepath.Join(folder, p.File+".md")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			before := e.Session()
			for i := range e.Examples {
				e.Examples[i].Output = got[i]
			}
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), before, e.Session(), 1)), 0o644))
			return
		}
		for i, x := range e.Examples {
			assert.Equal(t, x.Output, got[i], ">>> %s", x.Source)
		}
	})
}

// lines runs a script and returns what it prints, by line.
func lines(t *testing.T, text string) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(printed(t, "import copapy as cp\n"+text)), "\n")
}

// TestManualIsComplete: each name of the module, of its classes and of copapy.filters
// has an entry, which is its doc string, and each entry has a name.
func TestManualIsComplete(t *testing.T) {
	names := lines(t, `
for name in dir(cp):
    if not name.startswith('_'):
        print(name)
        if isinstance(getattr(cp, name), type):
            known = [*dir(object), *(dir(cp.tensor) if name in ('vector', 'matrix') else [])]
            for attr in dir(getattr(cp, name)):
                if attr not in known and not attr.startswith('_'):
                    print(name + '.' + attr)
`)
	for _, name := range names {
		if assert.NotNil(t, manual.Find(name), "%s has no entry: write one in compiler/script/copapy/manual", name) {
			if constant := !strings.Contains(manual.Find(name).Call, "(") && !strings.Contains(name, "."); constant {
				continue // numbers have no doc string of their own
			}
			doc := lines(t, "print(cp."+name+".__doc__)")
			require.Equal(t, manual.Find(name).Call, doc[0])
		}
	}
	entries(t, func(t *testing.T, p *manual.Page, e *manual.Entry) {
		if !e.Syntax {
			require.Contains(t, names, e.Name, "there is no such name")
		}
	})
	require.Contains(t, lines(t, "help(cp.vector([1, 2]).magnitude)"), "vector.magnitude()")
	require.Contains(t, lines(t, "help(cp)")[0], "import copapy as cp")
	for _, module := range []string{"filters", "linalg"} {
		for _, name := range lines(t, "from copapy import "+module+" as m\nfor n in dir(m):\n    if n[0] != '_': print(n)") {
			require.Contains(t, manual.Find(module).Text+manual.Find(module).DocString(), "`"+name+"`")
		}
	}
}

// noDerivative are the pages whose entries compute nothing, or say on top what
// their derivatives are.
var noDerivative = []string{"programs", "control", "rotations"}

// TestManualEntries: no entry lacks a part.
func TestManualEntries(t *testing.T) {
	entries(t, func(t *testing.T, p *manual.Page, e *manual.Entry) {
		require.NotEmpty(t, e.Text)
		require.NotContains(t, e.Summary(), "\n")
		if strings.Contains(e.Call, "(") && !strings.Contains(e.Call, "()") {
			require.NotEmpty(t, e.Parts[manual.Takes], "what it takes")
		}
		if !strings.HasPrefix(e.Name, "Target.") && e.Name != "value.next" && e.Name != "tensor.next" {
			require.NotEmpty(t, e.Parts[manual.Gives], "what it gives")
		}
		computes := !slices.Contains(noDerivative, p.File) && !slices.Contains([]string{"int", "tuple of ints"}, strings.TrimPrefix(e.Parts[manual.Gives], "a "))
		if computes && e.Name != "filters" && len(e.Ops) != 1 {
			require.NotEmpty(t, e.Parts[manual.Derivative], "its derivative, or the one op that it is")
		}
	})
}

var parameter = regexp.MustCompile(`^(\*{0,2})([a-z_0-9]+)(=.+)?$`)

// TestManualParameters holds the calls against the code: each parameter is taken by
// its name, and there is none more.
func TestManualParameters(t *testing.T) {
	entries(t, func(t *testing.T, _ *manual.Page, e *manual.Entry) {
		name, list, ok := strings.Cut(strings.TrimSuffix(e.Call, ")"), "(")
		if !ok || e.Syntax {
			return
		}
		call := "cp." + name
		for prefix, receiver := range map[string]string{
			"Target.": "cp.Target()", "tensor.": "cp.zeros((2, 2))", "vector.": "cp.zeros(3)", "quaternion.": "cp.quaternion()",
		} {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				call = receiver + "." + rest
			}
		}
		positional, variadic := 0, false
		for param := range strings.SplitSeq(list, ", ") {
			if param == "" {
				break
			}
			m := parameter.FindStringSubmatch(param)
			require.NotNil(t, m, "parameter %q", param)
			if variadic = m[1] != ""; variadic {
				break
			}
			positional++
			if strings.Contains(list, "*") {
				continue // those take no keywords
			}
			got := printed(t, fmt.Sprintf("import copapy as cp\ntry: %s(%s=None)\nexcept Exception as e: print(e)", call, m[2]))
			require.NotContains(t, got, "unexpected keyword", "parameter %s", m[2])
		}
		got := printed(t, fmt.Sprintf("import copapy as cp\ntry: %s(%s)\nexcept Exception as e: print(e)", call, strings.Repeat("0, ", positional+1)))
		if variadic {
			require.NotRegexp(t, `takes .*argument`, got, "it takes no more than %d arguments", positional)
		} else {
			require.Regexp(t, `takes .*argument|no order of|iterable`, got, "it takes more than %d arguments", positional)
		}
	})
}

// operandNames are the names that the op table gives to the operands of an op.
var operandNames = map[int][]string{1: {"x"}, 2: {"a", "b"}, 3: {"a", "b", "c"}}

var formula = regexp.MustCompile(`d/d([abcx]) = ([^;]+)`)

// TestDerivativesOfTheOpTable evaluates the formulas of the op table beside differences of
// the oracle and, where scripts have a name for the op, what cp.grad gives, at points where the ops are smooth.
func TestDerivativesOfTheOpTable(t *testing.T) {
	calls := map[graph.Op]string{}
	entries(t, func(t *testing.T, _ *manual.Page, e *manual.Entry) {
		if len(e.Ops) != 1 || calls[e.Ops[0]] != "" {
			return
		}
		op := e.Ops[0]
		names := operandNames[op.Info().Arity]
		calls[op] = e.Call
		if !e.Syntax {
			calls[op] = "cp." + e.Name + "(" + strings.Join(names, ", ") + ")"
		}
	})
	checked := 0
	for op := range graph.NumOps {
		text, _, _ := strings.Cut(op.Info().Derivative, ". ")
		formulas := formula.FindAllStringSubmatch(strings.TrimSuffix(text, "."), -1)
		if len(formulas) == 0 {
			require.NotContains(t, text, "d/d", op)
			continue
		}
		if op == graph.OpStop {
			continue // its formula holds by definition, not by its value
		}
		t.Run(op.String(), func(t *testing.T) {
			var b strings.Builder
			b.WriteString("from copapy import *\nimport copapy as cp\n")
			for i, point := range [][3]float64{{0.3, 0.7, 1.5}, {0.9, 0.4, 0.25}, {0.6, 2.5, 3}} {
				fmt.Fprintf(&b, "x = a = cp.value(%g)\nb = cp.value(%g)\nc = cp.value(%g)\n", point[0], point[1], point[2])
				if op == graph.OpSelect {
					b.WriteString("a = a > 0.5\n")
				}
				for _, f := range formulas {
					var known []string
					if calls[op] != "" {
						known = append(known, fmt.Sprintf("grad(%s, %s)", calls[op], f[1]))
					}
					if sig := op.Info().Sig; sig == graph.SigFloat || sig == graph.SigArith {
						known = append(known, fmt.Sprintf("cp.value(%g)", slope(op, point, strings.Index("abc", strings.ReplaceAll(f[1], "x", "a")))))
					}
					require.NotEmpty(t, known, "no entry of the manual is the op %s alone", op)
					for k, text := range known {
						name := fmt.Sprintf("pairs%d%s%d", i, f[1], k)
						fmt.Fprintf(&b, "%s = [%s, %s]\n", name, text, f[2])
						fmt.Fprintf(&b, "tg = Target()\ntg.compile(%s, x)\ntg.run()\np, q = tg.read_value(%[1]s)\n", name)
						fmt.Fprintf(&b, "print(cp.abs(p - q) < 1e-5 * (1 + cp.abs(q)), p, q)\n")
					}
				}
			}
			for line := range strings.Lines(printed(t, b.String())) {
				require.Regexp(t, "^True ", line, op.Info().Derivative)
				checked++
			}
		})
	}
	require.Greater(t, checked, 200)
}

// slope is the central difference of an op by one operand, in f64.
func slope(op graph.Op, point [3]float64, operand int) float64 {
	const h = 1e-6
	at := func(d float64) float64 {
		point := point
		point[operand] += d
		var words [3]uint64
		for i, x := range point {
			words[i] = math.Float64bits(x)
		}
		bits, _ := eval.Scalar(op, graph.F64, words[:op.Info().Arity]...)
		return math.Float64frombits(bits)
	}
	return (at(h) - at(-h)) / (2 * h)
}

// TestReferencePages: the committed pages are what the manual gives, and every
// signature of the op table is told in words.
func TestReferencePages(t *testing.T) {
	for op := range graph.NumOps {
		require.NotEmpty(t, manual.Types(op), "the signature of %s", op)
	}
	pages := manual.Markdown()
	committed, err := os.ReadDir(filepath.Join("..", "..", "docs", "reference"))
	require.NoError(t, err)
	require.Len(t, committed, len(pages), "pages of docs/reference that nothing writes")
	for name, text := range pages {
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", name))
		require.NoError(t, err)
		require.Equal(t, text, string(got), "%s: run make reference", name)
	}
}
