package syntax

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	src, err := NewSource("test.py", []byte(text))
	require.NoError(t, err)
	f, err := Parse(src)
	require.NoError(t, err)
	return f
}

// TestPositions: expressions are placed where their errors are shown.
func TestPositions(t *testing.T) {
	for text, want := range map[string]Pos{
		"a + b":            {1, 3},
		"a.b.c(1)":         {1, 5},
		"f(1)(2)":          {1, 1},
		"x[1]":             {1, 2},
		"(a\n * b)":        {2, 2},
		"'é' % b":          {1, 5},
		"-x":               {1, 1},
		"a < b":            {1, 3},
		"x if y else z":    {1, 3},
		"\ufeffa + b":      {1, 3},
		"# c\r\n\r\na + b": {3, 3},
	} {
		f := parse(t, text)
		require.Equal(t, want, f.Body[0].(*ExprStmt).X.At(), text)
	}
}

// TestFieldPositions: those inside f-strings are exact, over lines too.
func TestFieldPositions(t *testing.T) {
	for text, want := range map[string]Pos{
		"f'{a + b}'":              {1, 6},
		"f'é{{}} {x} {a + b:>3}'": {1, 16},
		"f'''\n{\na + b}'''":      {3, 3},
		"rf'\\d{a + b!r}'":        {1, 9},
		"'x' f'{a + b}'":          {1, 10},
	} {
		f := parse(t, text)
		parts := f.Body[0].(*ExprStmt).X.(*FString).Parts
		field := parts[len(parts)-1].(*Field)
		require.Equal(t, want, field.X.At(), text)
	}
}

// TestArgumentText: the offsets of arguments cut out their source text.
func TestArgumentText(t *testing.T) {
	const text = "y = f( a + 1 ,(b), k = g( c )[0], *d)\n"
	f := parse(t, text)
	var got []string
	for _, a := range f.Body[0].(*Assign).X.(*Call).Args {
		got = append(got, text[a.Start:a.End])
	}
	require.Equal(t, []string{"a + 1", "(b)", "g( c )[0]", "*d"}, got)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"def f(a, /, b=1, *c, d: int = 2, **e) -> int:\n    return a if b else [*c, d]\n",
		"class A(B):\n  x: int = 1\n  @p\n  def m(self): yield from self.x\n",
		"for i, (a, *b) in x:\n\tpass\nelse: del a[1:2, ::3], b.c\n",
		"try:\n  with a as b, c: raise E from None\nexcept (A, B) as e: pass\nelse: x\nfinally: y\n",
		"f'{a!r:>{w}.{p}f}{{}}{b=}' rb'\\x00' u'\\u1234' 0x1f 1_0.5e-3 ...",
		"lambda *a, k=1: (y := 2, not x is not y, a not in b, -x ** -y @ z // 2)",
		"if a:\n  if b: pass\n elif c: pass\n",
		"from .a.b import (c as d, e,)\nimport f.g as h, i\nglobal x; nonlocal y\nassert a, b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		src, err := NewSource("fuzz.py", text)
		if err == nil {
			_, err = Parse(src)
		}
		if e, ok := err.(*Error); err != nil && (!ok || e.Msg == "" || e.Pos.Line == 0 || e.Pos.Col == 0) {
			t.Fatalf("%T %v", err, err)
		}
	})
}
