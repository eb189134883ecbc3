package vm_test

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/script/python/vm"
	"github.com/copaflash/copaflash/internal/extent"
)

// growers are bodies of endless loops that keep ever more of one kind, behind what they need.
var growers = []struct{ name, before, body string }{
	{"list", "", "x.append(1)"},
	{"list of floats", "f = 0.5", "f += 1.0; x.append(f)"},
	{"list of strings", "", "i += 1; x.append(f'{i}')"},
	{"list of letters", "", "x.append('hello'[1])"},
	{"list of bytes", "", "x.append(b'ab' + b'c')"},
	{"list of large ints", "f = 2**200", "f += 1; x.append(f)"},
	{"lists", "", "x.append([])"},
	{"slices of a list", "f = [1, 2, 3]", "x.append(f[:2])"},
	{"parts of a string", "", "x.append('a b c'.split())"},
	{"string", "y = ''", "y += 'a line of text'"},
	{"bytes", "y = b''", "y = y + b'a line of bytes'"},
	{"tuples", "", "i += 1; x = (x, i)"},
	{"deque", "from collections import deque\nd = deque()", "d.append(1)"},
	{"deque of floats", "from collections import deque\nd = deque()\nf = 0.5", "f += 1.0; d.appendleft(f)"},
	{"deques", "from collections import deque", "x.append(deque([1]))"},
	{"dict", "d = {}", "i += 1; d[i] = i"},
	{"dict of strings", "d = {}", "i += 1; d['key%d' % i] = str(i)"},
	{"dict of tuples", "d = {}", "i += 1; d[i, i] = i"},
	{"dicts", "", "x.append({1: 2})"},
	{"defaultdict", "from collections import defaultdict\nd = defaultdict(list)", "i += 1; d[i].append(i)"},
	{"counter", "from collections import Counter\nd = Counter()", "i += 1; d[i] += 1"},
	{"cache", "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(n): return n", "i += 1; f(i)"},
	{"set", "d = set()", "i += 1; d.add(i)"},
	{"set of strings", "d = set()", "i += 1; d.add('key' + str(i))"},
	{"sets", "", "x.append({1})"},
	{"lambdas", "", "x.append(lambda: x)"},
	{"closures", "def f(a):\n    def g(): return a\n    return g", "i += 1; x.append(f(i))"},
	{"partials", "from functools import partial", "x.append(partial(abs, 1))"},
	{"instances", "class A:\n    def __init__(self):\n        self.a = 1.5\n        self.b = 2", "x.append(A())"},
	{"slotted", "class A: __slots__ = ('a',)", "x.append(A())"},
	{"linked", "class A: pass", "y = A(); y.x = x; x = y"},
	{"attributes", "class A: pass\na = A()", "i += 1; setattr(a, f'n{i}', i)"},
	{"data classes", "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    b: float", "x.append(P(1, 2.0))"},
	{"named tuples", "from collections import namedtuple\nP = namedtuple('P', 'a b')", "x.append(P(1, 2))"},
	{"methods", "class A:\n    def f(self): pass\na = A()", "x.append(a.f)"},
	{"properties", "", "x.append(property(abs))"},
	{"classes", "", "x.append(type('A', (), {}))"},
	{"generators", "def g():\n    yield 1\n    yield 2", "y = g(); next(y); x.append(y)"},
	{"generator expressions", "", "x.append(i for i in x)"},
	{"iterators", "", "x.append(iter(x))"},
	{"zips", "", "x.append(zip(x, x))"},
	{"maps", "", "x.append(map(abs, x))"},
	{"enumerations", "", "x.append(enumerate(x))"},
	{"ranges", "", "x.append(range(3))"},
	{"slice objects", "", "x.append(slice(1, 2))"},
	{"exceptions", "def f():\n    try: 1/0\n    except ZeroDivisionError as e: return e", "x.append(f())"},
	{"random generators", "import random", "x.append(random.Random(1))"},
	{"heap", "import heapq", "i += 1; heapq.heappush(x, (-i, i))"},
}

// TestGrowers: whatever grows without end is refused once it takes about the limit, neither
// much earlier nor later, and without garbage being collected over and over.
func TestGrowers(t *testing.T) {
	limit := extent.Of(8<<20, 16<<20)
	most := limit + limit/6 // what may be taken between two collections is an eighth
	least := limit * 2 / 5  // a list that is full moves, and both places count
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, g := range growers {
		t.Run(g.name, func(t *testing.T) {
			runtime.GC()
			runtime.GC()
			var before, refused, live runtime.MemStats
			runtime.ReadMemStats(&before)
			printed := onWrite(func() {
				runtime.ReadMemStats(&refused)
				runtime.GC()
				runtime.ReadMemStats(&live)
			})
			src := g.before + "\nx, i = [], 0\ntry:\n    while True:\n        " + strings.ReplaceAll(g.body, "\n", "\n        ") +
				"\nexcept MemoryError as e:\n    print(e)\n"
			_, err := newThread(printed, vm.Limits{Memory: int64(limit)}).Run("test.py", []byte(src))
			require.NoError(t, err)
			taken := int64(live.HeapAlloc) - int64(before.HeapAlloc)
			t.Logf("taken %.2f of the limit, %d collections asked for", float64(taken)/float64(limit), refused.NumForcedGC-before.NumForcedGC)
			require.Less(t, taken, int64(most))
			require.Greater(t, taken, int64(least))
			require.LessOrEqual(t, refused.NumForcedGC-before.NumForcedGC, uint32(18))
		})
	}
}

// onWrite is called when a script prints.
type onWrite func()

func (f onWrite) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

// TestGoesOn: a program that goes on growing after it was refused is stopped for good; one
// that lets go of what it had goes on.
func TestGoesOn(t *testing.T) {
	limits := vm.Limits{Memory: 16 << 20, Steps: 100_000_000}
	var e *vm.Error
	for range 10 { // the first refusal may come where the script does not expect it, between two tries
		_, err := newThread(&bytes.Buffer{}, limits).Run("test.py",
			[]byte("x = []\nwhile True:\n    try:\n        while True: x.append('a' * 1000)\n    except MemoryError: pass\n"))
		require.ErrorAs(t, err, &e)
		if e.Kind != "MemoryError" {
			break
		}
	}
	require.Equal(t, "LimitError", e.Kind, e.Report())
	require.Contains(t, e.Message, "after it was refused")
	var out bytes.Buffer
	_, err := newThread(&out, limits).Run("test.py",
		[]byte("for i in range(10):\n    x = []\n    try:\n        while True: x.append('a' * 10000)\n    except MemoryError: n = len(x)\nprint(n > 1000)\n"))
	require.NoError(t, err)
	require.Equal(t, "True\n", out.String())
}

// TestAppendedText: text that grows by pieces is not copied as a whole each time, and what
// was said before stays as it was.
func TestAppendedText(t *testing.T) {
	const src = `
class A: pass
a, d, b, old = A(), {"k": ""}, b"", []
a.s = ""
for i in range(20000):
    a.s += "twenty bytes of text"
    d["k"] = d["k"] + "ten bytes."
    b += b"ten bytes."
    if i % 5000 == 100: old.append(a.s)
for n, s in enumerate(old):
    assert s == "twenty bytes of text" * (5000 * n + 101)
    one, two = s + "one", s + "two"
    assert one.endswith("textone") and two.endswith("texttwo") and len(one) == len(two) == len(s) + 3
assert a.s == "twenty bytes of text" * 20000 and d["k"] == "ten bytes." * 20000 and b == b"ten bytes." * 20000
`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := newThread(&bytes.Buffer{}, vm.Limits{Memory: 64 << 20}).Run("test.py", []byte(src))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20)) // copies of the whole would be gigabytes
}
