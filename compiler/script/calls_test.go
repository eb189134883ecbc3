package script_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
)

// counter is a device that notes how its programs are called.
type counter struct {
	device.Device
	calls []device.Call
	loads int
}

type counted struct {
	device.Program
	on *counter
}

func (d *counter) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	d.loads++
	loaded, err := d.Device.Load(ctx, p)
	return counted{loaded, d}, err
}

func (p counted) Call(ctx context.Context, c device.Call) (device.Result, error) {
	p.on.calls = append(p.on.calls, c)
	return p.Program.Call(ctx, c)
}

// TestCallsOfAScript: what a script writes, runs and reads in a loop is one call in each iteration, but for the
// first, and nothing else is read than by single calls.
func TestCallsOfAScript(t *testing.T) {
	const head = `import copapy as cp
x, y = cp.value(1.0), cp.value(2.0)
v = cp.vector([cp.value(float(i)) for i in range(40)])
s, w = x + y, v * x
tg = cp.Target()
tg.compile(s, w)
`
	for name, c := range map[string]struct {
		body, want string
		calls      int
	}{
		"loop": {`
for i in range(10):
    tg.write_value(x, i * 1.0)
    tg.write_value(y, 2.0 * i)
    tg.run()
    print(tg.read_value(s), end=' ')
`, "0.0 3.0 6.0 9.0 12.0 15.0 18.0 21.0 24.0 27.0 ", 11},
		"many values": {`
tg.run()
print(sum(tg.read_value(w)), tg.read_value(s))
`, "780.0 3.0\n", 3},
		"values that were written": {`
tg.run()
print(tg.read_value(x), tg.read_value(s))
tg.write_value(x, 5.0)
print(tg.read_value(x), tg.read_value(s))
tg.run()
print(tg.read_value(x), tg.read_value(s))
`, "1.0 3.0\n5.0 3.0\n5.0 7.0\n", 5},
		"written at the end": {`
tg.write_value(x, 5.0)
tg.write_value(x, 6.0)
`, "", 1},
		"read before a run": {`
tg.write_value(x, 5.0)
print(tg.read_value(x))
tg.run(3)
print(tg.read_value(s))
`, "5.0\n7.0\n", 3},
		"of jit": {`
@cp.jit
def f(a, b):
    return [a + b, a - b, a * b]
for i in range(5):
    print(f(i * 1.0, 2.0), end=' ')
`, "[2.0, -2.0, 0.0] [3.0, -1.0, 2.0] [4.0, 0.0, 4.0] [5.0, 1.0, 6.0] [6.0, 2.0, 8.0] ", 5},
		"much is not read in vain": {`
big = cp.vector([cp.value(float(i)) for i in range(100)]) * x
tg.compile(big, s)
for i in range(3):
    tg.run()
    print(tg.read_value(big)[99], end=' ')
`, "99.0 99.0 99.0 ", 6},
	} {
		t.Run(name, func(t *testing.T) {
			dev, err := oracle.New("x86_64")
			require.NoError(t, err)
			d := &counter{Device: dev}
			file := filepath.Join(t.TempDir(), "calls.py")
			require.NoError(t, os.WriteFile(file, []byte(head+c.body), 0o600))
			var out bytes.Buffer
			require.NoError(t, script.Run(t.Context(), file, script.Options{
				Stdout: &out, Open: func(context.Context) (device.Device, error) { return d, nil },
			}))
			require.Equal(t, c.want, out.String())
			require.Len(t, d.calls, c.calls)
			if name == "written at the end" {
				require.Len(t, d.calls[0].Writes, 1, "the last one of a variable counts")
				require.Equal(t, []byte{0, 0, 0xc0, 0x40}, d.calls[0].Writes[0].Bytes)
			}
		})
	}
}
