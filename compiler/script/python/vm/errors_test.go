package vm_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// reportMarker separates a program in testdata/errors.txt from its error report.
const reportMarker = "#==== "

// TestReports compares whole error reports with testdata/errors.txt.
func TestReports(t *testing.T) {
	const file = "testdata/errors.txt"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	names, sources := programs(string(text))
	require.NotEmpty(t, names)
	var out strings.Builder
	for i, name := range names {
		src, want, _ := strings.Cut(sources[i], reportMarker+"\n")
		_, err := newThread(&bytes.Buffer{}, vm.Limits{}).Run("test.py", []byte(src))
		var e *vm.Error
		require.ErrorAs(t, err, &e, name)
		require.Positive(t, e.Line, name)
		require.Positive(t, e.Column, name)
		got := e.Report()
		out.WriteString(marker + name + "\n" + src + reportMarker + "\n" + got)
		if !*update {
			t.Run(name, func(t *testing.T) { require.Equal(t, want, got) })
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
}

// TestBadText covers what cannot stand in a text file of programs.
func TestBadText(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		kind, msg    string
		line, column int
	}{
		"not UTF-8":   {"x = 1\ny = \"a\xff\"\n", "SyntaxError", "source is not valid UTF-8: byte 0xff", 2, 7},
		"NUL":         {"x = 1\x00", "SyntaxError", "source code cannot contain null bytes", 1, 6},
		"brackets":    {strings.Repeat("(", 300), "SyntaxError", "too many nested parentheses", 1, 201},
		"blocks":      {nested(120), "IndentationError", "too many levels of indentation", 102, 102},
		"nots":        {strings.Repeat("not ", 5000) + "1", "SyntaxError", "too deeply nested (more than 300 levels)", 1, 1201},
		"powers":      {"x = " + strings.Repeat("2**", 5000) + "1", "SyntaxError", "too deeply nested (more than 300 levels)", 1, 905},
		"loops":       {loops(30), "SyntaxError", "too many statically nested blocks", 21, 21},
		"long sum":    {"x = " + strings.Repeat("1+", 60000) + "1", "SyntaxError", "expression too long (more than 50000 operations in a row)", 1, 100007},
		"deep sums":   {strings.Repeat("(", 150) + strings.Repeat(strings.Repeat("1+", 500)+"1)+", 150) + "1", "SyntaxError", "expression too long (more than 50000 operations in a row)", 1, 0},
		"huge number": {"x = " + strings.Repeat("9", 5000), "SyntaxError", "int literal of 5000 digits exceeds the limit (4300 digits)", 1, 5},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newThread(&bytes.Buffer{}, vm.Limits{}).Run("test.py", []byte(c.text))
			var e *vm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.kind, e.Kind)
			require.Equal(t, c.msg, e.Message)
			require.Equal(t, c.line, e.Line)
			if c.column > 0 {
				require.Equal(t, c.column, e.Column)
			}
			require.NotPanics(t, func() { _ = e.Report() })
		})
	}
}

func nested(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if 1:\n")
	}
	return b.String()
}

func loops(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "for i in x:\n")
	}
	return b.String() + strings.Repeat(" ", n) + "pass\n"
}

// TestLongPrograms have a size that must not matter.
func TestLongPrograms(t *testing.T) {
	var elifs strings.Builder
	elifs.WriteString("x = 4999\nif x == -1: y = -1\n")
	for i := range 5000 {
		elifs.WriteString("elif x == " + itoa(i) + ": y = " + itoa(i) + "\n")
	}
	for name, src := range map[string]string{
		"elif":    elifs.String() + "print(y)",
		"sum":     "print(" + strings.Repeat("1+", 4998) + "1)",
		"and":     "print(" + strings.Repeat("1 and ", 5000) + "4999)",
		"list":    "print(sum([" + strings.Repeat("1,", 4999) + "]))",
		"args":    "def f(*a): return len(a)\nprint(f(" + strings.Repeat("1,", 4999) + "))",
		"strings": "print(len(" + strings.Repeat("'a' ", 4999) + "))",
		"methods": "s = 'x'\nprint(len(s" + strings.Repeat(".strip()", 4999) + ") + 4998)",
		"lines":   "x = 0\n" + strings.Repeat("x += 1\n", 4999) + "print(x)",
	} {
		t.Run(name, func(t *testing.T) {
			got := run(name, src)
			require.Empty(t, got.Msg)
			require.Equal(t, "4999\n", got.Out)
		})
	}
}

func itoa(i int) string {
	var b [20]byte
	n := len(b)
	for ; i > 0 || n == len(b); i /= 10 {
		n--
		b[n] = byte('0' + i%10)
	}
	return string(b[n:])
}

var small = vm.Limits{Steps: 6_000_000, Memory: 12 << 20, Recursion: 200, IntBits: 1 << 20}

// TestLimits runs programs that would need too much of something.
func TestLimits(t *testing.T) {
	for _, c := range []struct{ name, src, kind string }{
		{"endless loop", "while True: pass", "LimitError"},
		{"uncaught limit", "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n    finally: x = 1", "LimitError"},
		{"endless builtin", "sum(iter(int, 1))", "LimitError"},
		{"endless any", "any(iter(int, 1))", "LimitError"},
		{"endless filter", "next(filter(None, iter(int, 1)))", "LimitError"},
		{"endless contains", "5 in iter(int, 1)", "LimitError"},
		{"endless unpack", "def g():\n    while 1: yield [0] * 20\na, *b = g()", "MemoryError"},
		{"long range", "list(range(10**10))", "MemoryError"},
		{"sum of range", "sum(range(10**12))", "LimitError"},
		{"string repeat", "'a' * 10**10", "MemoryError"},
		{"list repeat", "[0] * 10**10", "MemoryError"},
		{"repeat repeat", "x = 'a'\nwhile True: x = x * 2", "MemoryError"},
		{"append", "x = []\nwhile True: x.append('a' * 100)", "MemoryError"},
		{"dict growth", "x = {}\ni = 0\nwhile True:\n    x[i] = i\n    i += 1", "MemoryError"},
		{"attributes", "class A: pass\nx = None\nwhile True:\n    y = A()\n    y.x = x\n    x = y", "MemoryError"},
		{"concatenation", "x = 'ab'\nwhile True: x += x", "MemoryError"},
		{"format width", "'%1000000000d' % 1", "ValueError"},
		{"wide formats", "x = []\nwhile 1: x.append(f'{1:9999999}')", "MemoryError"},
		{"center", "'a'.center(10**12)", "MemoryError"},
		{"replace", "('a' * 10**6).replace('a', 'b' * 10**6)", "MemoryError"},
		{"join", "('a' * 10**6).join('b' * 10**6)", "MemoryError"},
		{"comprehension", "import itertools\n[i for i in itertools.count()]", "MemoryError"},
		{"deque", "from collections import deque\nd = deque()\nwhile True: d.append(1)", "MemoryError"},
		{"functions", "x = []\nwhile True: x.append(lambda: x)", "MemoryError"},
		{"dicts", "x = []\nwhile True: x.append({})", "MemoryError"},
		{"set growth", "x = set()\ni = 0\nwhile True:\n    x.add(i)\n    i += 1", "MemoryError"},
		{"product", "import itertools\nlist(itertools.product(range(10), repeat=100))", "MemoryError"},
		{"repeat", "import itertools\nlist(itertools.repeat(1))", "MemoryError"},
		{"split", "('a ' * 2**20).split()", "MemoryError"},
		{"bytes", "x = b'ab'\nwhile True: x += x", "MemoryError"},
		{"big power", "9 ** 9 ** 9", "OverflowError"},
		{"big shift", "1 << 10**10", "OverflowError"},
		{"big growth", "x = 3\nwhile True: x = x * x", "OverflowError"},
		{"factorial", "import math\nmath.factorial(10**6)", "OverflowError"},
		{"recursion", "def f(): f()\nf()", "RecursionError"},
		{"recursive init", "class A: pass\nA.__init__ = A\nA()", "RecursionError"},
		{"recursive call", "class A:\n    pass\nA.__call__ = A()\nA()()", "RecursionError"},
		{"recursive getattr", "class A:\n    def __getattr__(self, n): return self.x\nA().x", "RecursionError"},
		{"deep list repr", "x = []\nfor i in range(100000): x = [x]\nrepr(x)", "RecursionError"},
		{"deep list compare", "x = []; y = []\nfor i in range(100000): x = [x]; y = [y]\nx == y", "RecursionError"},
		{"deep tuple hash", "x = ()\nfor i in range(100000): x = (x, 1)\nhash(x)", "RecursionError"},
		{"deep dict compare", "x = {}; y = {}\nfor i in range(5000): x = {1: x}; y = {1: y}\nx == y", "RecursionError"},
		{"deep map", "x = [1]\nfor i in range(100000): x = map(abs, x)\nlist(x)", "RecursionError"},
		{"deep generators", "def g(x): yield from x\nx = [1]\nfor i in range(10000): x = g(x)\nlist(x)", "RecursionError"},
		{"deep static", "x = 1\nfor i in range(100000): x = staticmethod(x)\nx()", "RecursionError"},
		{"deep isinstance", "x = (int,)\nfor i in range(100000): x = (x,)\nisinstance('', x)", "RecursionError"},
		{"sort key", "sorted([1, 2], key=lambda v: sorted([1, 2], key=lambda w: f(w)))", "NameError"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// What other tests left is not this script's; the second time takes
			// what pools and finalizers held the first time.
			runtime.GC()
			runtime.GC()
			start := time.Now()
			_, err := newThread(&bytes.Buffer{}, small).Run("test.py", []byte(c.src))
			var e *vm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.kind, e.Kind, e.Report())
			require.Positive(t, e.Line)
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}

// TestTaken: what a script takes before it is refused is about its limit, and what has a
// known size is refused before anything is taken. It counts all that was ever taken.
func TestTaken(t *testing.T) {
	limit := uint64(small.Memory)
	for src, most := range map[string]uint64{
		"list(range(10**10))":                                    0,
		"sorted(range(10**10))":                                  0,
		"x = 'ab'\nwhile True: x += x":                           2 * limit,
		"x = []\nwhile True: x.append(1)":                        3 * limit,
		"from collections import deque\nd = deque(range(10**9))": 3 * limit,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := newThread(&bytes.Buffer{}, small).Run("test.py", []byte(src))
		runtime.ReadMemStats(&after)
		var e *vm.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "MemoryError", e.Kind, src)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, most+4<<20, src)
	}
}

// TestFreedMemory is not counted.
func TestFreedMemory(t *testing.T) {
	src := "for i in range(60):\n    x = [0] * 100000\nprint('done')"
	var out bytes.Buffer
	_, err := newThread(&out, small).Run("test.py", []byte(src))
	require.NoError(t, err)
	require.Equal(t, "done\n", out.String())
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := vm.NewThread(vm.Options{Context: ctx}).Run("test.py", []byte("def f():\n    while True: pass\nf()\n"))
	var e *vm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "Cancelled", e.Kind)
	require.True(t, errors.Is(err, context.DeadlineExceeded))
	require.Equal(t, 2, e.Line)
	require.Len(t, e.Stack, 2)
}

// TestInternalError: a fault in host code becomes an error with its place.
func TestInternalError(t *testing.T) {
	boom := vm.NewBuiltin("boom", func(*vm.Thread, vm.Args) (vm.Value, error) { panic("host fault") })
	th := vm.NewThread(vm.Options{Builtins: map[string]vm.Value{"boom": boom}})
	_, err := th.Run("test.py", []byte("def f():\n    try: boom()\n    except BaseException: pass\nf()\n"))
	var e *vm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "InternalError", e.Kind)
	require.Equal(t, "host fault", e.Message)
	require.Equal(t, []int{2, 10}, []int{e.Line, e.Column})
}
