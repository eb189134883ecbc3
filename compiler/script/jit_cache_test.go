package script_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// holding is a device that counts the programs it has to keep.
type holding struct {
	device.Device
	held, most, loads int
}

type heldProgram struct {
	device.Program
	d *holding
}

func (d *holding) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	d.loads++
	d.held++
	d.most = max(d.most, d.held)
	return heldProgram{loaded, d}, err
}

func (p heldProgram) Release() { p.d.held-- }

func runHolding(t *testing.T, text string) (*holding, string, error) {
	d := &holding{}
	var stdout bytes.Buffer
	err := script.Run(t.Context(), writeScript(t, "import copapy as cp\n"+text), script.Options{
		Stdout: &stdout,
		Open: func(context.Context) (_ device.Device, err error) {
			d.Device, err = oracle.New("x86_64")
			return d, err
		},
	})
	return d, stdout.String(), err
}

// TestJitShapes: a jit function takes any number of shapes. What it was not called with for
// the longest time makes place on the device, and is compiled again at need.
func TestJitShapes(t *testing.T) {
	t.Run("one function", func(t *testing.T) {
		d, out, err := runHolding(t, `
@cp.jit
def f(v): return v.sum()
for again in range(2):
    for n in range(1, 401):
        assert f(cp.vector([1.0] * n)) == n, n
        assert f(cp.vector([2.0])) == 2
print("done")
`)
		require.NoError(t, err)
		assert.Equal(t, "done\n", out)
		assert.LessOrEqual(t, d.most, 128)
		assert.Equal(t, 1+2*399, d.loads, "the one in use all the time stays")
	})
	t.Run("several functions", func(t *testing.T) {
		d, out, err := runHolding(t, `
fs = [cp.jit(lambda v, k=k: v.sum() * k) for k in range(1, 4)]
tg = cp.Target()
x = cp.value(3.0)
tg.compile(x * 2)
tg.run()
for n in range(1, 110):
    for k, f in enumerate(fs):
        assert f(cp.vector([1.0] * n)) == n * (k + 1)
print(tg.read_value(x * 2))
`)
		require.NoError(t, err)
		assert.Equal(t, "6.0\n", out)
		assert.LessOrEqual(t, d.most, copapy.MaxPrograms)
	})
	t.Run("states stay", func(t *testing.T) {
		_, _, err := runHolding(t, `
@cp.jit
def f(v):
    s = cp.state(0.0)
    s.next = s + v.sum()
    return s + v.sum()
for n in range(1, 128): f(cp.vector([1.0] * n))
print(f(cp.vector([1.0])))
for n in range(1, 200): f(cp.vector([1.0] * n))
`)
		require.ErrorContains(t, err, "a jit function was compiled for 128 combinations of arguments, and each program holds states")
	})
}
