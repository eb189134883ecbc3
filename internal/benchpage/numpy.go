package benchpage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// pythons are looked for one after the other; Debian's packages belong to the second.
var pythons = []string{"python3", "/usr/bin/python3"}

// python is the path of a Python that has NumPy.
type python string

// findNumPy returns a Python with NumPy and their versions, or "".
func findNumPy(ctx context.Context) (python, string) {
	for _, name := range pythons {
		version, err := exec.CommandContext(ctx, name, "-c", "import platform, numpy; print(f'NumPy {numpy.__version__}, Python {platform.python_version()}')").Output()
		if err == nil {
			return python(name), strings.TrimSpace(string(version))
		}
	}
	return "", ""
}

const numpyText = `import sys
from time import perf_counter_ns
import numpy as np

n = int(sys.argv[1])
k = np.arange(n, dtype=np.float32)
v1, v2 = 1 + np.float32(0.01) * k, 1 + np.float32(0.03) * k
assert v1.dtype == v2.dtype == ((v1 + 1) @ v2).dtype == np.float32

for line in sys.stdin:
    calls = int(line)
    for _ in range(calls // 8 + 1):
        y = sum((v1 + i) @ v2 for i in range(10))
    start = perf_counter_ns()
    for _ in range(calls):
        y = sum((v1 + i) @ v2 for i in range(10))
    print(perf_counter_ns() - start, y, flush=True)
`

func (p python) start(ctx context.Context, n int) (batch, func(), error) {
	cmd := exec.CommandContext(ctx, string(p), "-c", numpyText, fmt.Sprint(n))
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	answers := bufio.NewReader(out)
	return func(calls int) (time.Duration, float32, error) {
		_, _ = io.WriteString(in, fmt.Sprintln(calls)) // its failure shows as an answer that is missing
		line, err := answers.ReadString('\n')
		if err != nil {
			_ = cmd.Wait() // for all that it said
			return 0, 0, fmt.Errorf("NumPy: %w: %s", err, said.String())
		}
		var ns int64
		var result float32
		_, err = fmt.Sscan(line, &ns, &result)
		return time.Duration(ns), result, err
	}, stop, nil
}
