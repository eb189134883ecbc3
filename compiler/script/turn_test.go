package script_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/hil/target"
)

// turn has the least time of a turn of a loop in a script on a target, in ns.
func turn(b *testing.B, name, setup, body string) float64 {
	b.Helper()
	rounds := "200"
	if os.Getenv("ROUNDS") != "" {
		rounds = os.Getenv("ROUNDS")
	}
	text := "N=" + rounds + "\n" + fmt.Sprintf(`import time
import copapy as cp
%s
def rounds(turns):
    best = 1e9
    for r in range(N):
        t0 = time.perf_counter_ns()
        for i in range(turns):
            %s
        best = min(best, time.perf_counter_ns() - t0)
    return best / turns
print(rounds(500))
`, setup, body)
	var out bytes.Buffer
	err := script.Run(b.Context(), writeScript(b, text), script.Options{
		Stdout: &out,
		Open: func(ctx context.Context) (device.Device, error) {
			dev, err := target.Open(ctx, name, target.Options{})
			if err == nil {
				b.Cleanup(dev.Close)
			}
			return dev, err
		},
	})
	require.NoError(b, err)
	ns, err := strconv.ParseFloat(strings.TrimSpace(out.String()), 64)
	require.NoError(b, err)
	return ns
}

const one = "x = cp.value(0.25)\ny = x * 2.0 + 1.0\ntg = cp.Target()\ntg.compile(y)\ntg.run()\ndef f(a): return a\nL=[1.0]\nc=cp.jit(lambda a: a*2.0)\nz=1.5\nv=cp.value(cp.arange(1000)*1.0)\nw=v*2.0\ntv=cp.Target()\ntv.compile(w)\ntv.run()\nd=cp.arange(1000)*1.0\ndl=d.tolist()"

func BenchmarkTurns(b *testing.B) {
	for _, c := range [][2]string{
		{"empty", "pass"}, {"len", "len(L)"}, {"call", "f(i)"}, {"count", "L.count(2.0)"},
		{"run", "tg.run()"}, {"write", "tg.write_value(x, 0.5)"}, {"read", "tg.read_value(y)"},
		{"turn", "tg.write_value(x, i*0.5); tg.run(); tg.read_value(y)"}, {"jit", "c(2.0)"},
		{"v1000", "tv.write_value(v,d); tv.run(); tv.read_value(w)"},
		{"l1000", "tv.write_value(v,dl); tv.run(); tv.read_value(w)"},
	} {
		b.Run(c[0], func(b *testing.B) {
			b.ReportMetric(turn(b, "local", one, c[1]), "ns/turn")
		})
	}
}
