package benchpage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/hil/target"
)

// scriptText times a statement in batches. What it prints waits for a reader, so that a batch begins
// when it is asked for.
const scriptText = `import copapy as cp
from time import perf_counter_ns

n, calls = %d, %d
v1 = cp.value([1 + 0.01 * k for k in range(n)])
v2 = cp.value([1 + 0.03 * k for k in range(n)])
first = v1[0]
y = sum((v1 + i) @ v2 for i in range(10))
tg = cp.Target()
tg.compile(y)
while True:
    print("ready")
    for i in range(calls // 8 + 1):
        %[3]s
    start = perf_counter_ns()
    for i in range(calls):
        %[3]s
    print(perf_counter_ns() - start, tg.read_value(y))
`

// scriptCalls are the calls of a batch, whatever number is asked for.
const scriptCalls = 100

// inScript is how to start a script that times a statement.
func inScript(statement string) func(context.Context, int) (batch, func(), error) {
	return func(ctx context.Context, n int) (batch, func(), error) {
		ctx, cancel := context.WithCancel(ctx)
		open := func(ctx context.Context) (device.Device, error) {
			return target.Open(ctx, target.LocalName, target.Options{})
		}
		out, in := io.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			text := fmt.Sprintf(scriptText, n, scriptCalls, statement)
			err := script.RunReader(ctx, "benchmark.py", strings.NewReader(text), script.Options{Stdout: in, Open: open})
			in.CloseWithError(fmt.Errorf("the script ended: %w", err))
		}()
		stop := func() {
			cancel()
			out.Close()
			<-ended
		}
		lines := bufio.NewScanner(out)
		return func(calls int) (took time.Duration, result float32, err error) {
			for lines.Scan() {
				if lines.Text() == "ready" {
					continue
				}
				var ns int64
				if _, err := fmt.Sscan(lines.Text(), &ns, &result); err != nil {
					return 0, 0, fmt.Errorf("the script prints %q: %w", lines.Text(), err)
				}
				return time.Duration(ns) * time.Duration(calls) / scriptCalls, result, nil
			}
			return 0, 0, lines.Err()
		}, stop, nil
	}
}
