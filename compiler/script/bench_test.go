package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/internal/heap"
	"github.com/copaflash/copaflash/protocol/packet"
)

// nowhere takes programs and does nothing with them: what is left is the time
// of tracing and compiling.
type nowhere struct{ arch string }

func (d nowhere) Arch() string            { return d.arch }
func (nowhere) Features() packet.Features { return 0 }
func (nowhere) Load(context.Context, *compiler.Program) (device.Program, error) {
	return discarded{}, nil
}

type discarded struct{}

func (discarded) Call(_ context.Context, c device.Call) (device.Result, error) {
	var r device.Result
	for _, s := range c.Reads {
		r.Data = append(r.Data, make([]byte, s.Length))
	}
	return r, nil
}
func (discarded) Flags() device.Flags            { return 0 }
func (discarded) Transfer() (int, time.Duration) { return 0, 0 }
func (discarded) Release()                       {}

// Scripts of n operations each, a chain of scalars and inner products of
// variables, from the source text to the image.
var scripts = []struct {
	name, text string
	ops        int
}{
	{"chain", `import copapy as cp
x, c, d = cp.value(1.0), cp.value(0.5), cp.value(0.25)
for i in range(%d):
    x = x * c + d
tg = cp.Target()
tg.compile(x)
`, 2},
	{"dot", `import copapy as cp
n = %d
a = cp.vector(cp.value(i % 7 * 1.0) for i in range(n))
b = cp.vector(cp.value(i % 5 * 1.0) for i in range(n))
tg = cp.Target()
tg.compile(a @ b)
`, 2},
	{"scalar-dot", `import copapy as cp
n = %d
a = [cp.value(i % 7 * 1.0) for i in range(n)]
b = [cp.value(i % 5 * 1.0) for i in range(n)]
tg = cp.Target()
tg.compile(sum(p * q for p, q in zip(a, b)))
`, 2},
}

// BenchmarkScriptToImage reports operations of the program per second of tracing
// and compiling; equal figures for the sizes mean that the time is linear.
func BenchmarkScriptToImage(b *testing.B) {
	const standard = 100
	defer debug.SetGCPercent(standard)
	heap.Begin() // as the command does
	for _, s := range scripts {
		for _, n := range []int{1000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s-%d", s.name, n), func(b *testing.B) {
				file := filepath.Join(b.TempDir(), "prog.py")
				if err := os.WriteFile(file, fmt.Appendf(nil, escape(s.text), n), 0o600); err != nil {
					b.Fatal(err)
				}
				var ops uint64
				for b.Loop() {
					err := script.Run(b.Context(), file, script.Options{
						Open:     func(context.Context) (device.Device, error) { return nowhere{"x86_64"}, nil },
						Compiled: func(p *copapy.Stats) { ops = p.Program.Report.Ops },
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				if ops < uint64(s.ops*n-s.ops) {
					b.Fatalf("the program has %d operations, want about %d", ops, s.ops*n)
				}
				b.ReportMetric(float64(ops)*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
			})
		}
	}
}

// TestStartIsCheap: a script that does nothing makes no table of what it could call twice.
func TestStartIsCheap(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prog.py")
	require.NoError(t, os.WriteFile(file, []byte("import copapy\n"), 0o600))
	allocations := testing.AllocsPerRun(10, func() {
		require.NoError(t, script.Run(t.Context(), file, script.Options{}))
	})
	require.Less(t, allocations, 2900.0)
}

// escape doubles the percent signs of a script but for the one of the size.
func escape(text string) string {
	out := ""
	for i := range len(text) {
		if text[i] == '%' && text[i+1] != 'd' {
			out += "%"
		}
		out += text[i : i+1]
	}
	return out
}

// BenchmarkConstantArrays reports the time of tracing and compiling for each element
// of a constant array of 1000 x 1000.
func BenchmarkConstantArrays(b *testing.B) {
	const elements = 1000 * 1000
	for name, made := range map[string]string{
		"full":  "cp.full((1000, 1000), 0.5)",
		"zeros": "cp.zeros((1000, 1000))[0:999, 1:1000]",
		"lists": "cp.matrix([[float(i) for i in range(1000)]] * 1000)",
	} {
		b.Run(name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "prog.py")
			text := "import copapy as cp\ny = (" + made + " * cp.value(1.5)).sum()\ntg = cp.Target()\ntg.compile(y)\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				err := script.Run(b.Context(), file, script.Options{
					Open: func(context.Context) (device.Device, error) { return nowhere{"x86_64"}, nil },
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/elements, "ns/element")
		})
	}
}
