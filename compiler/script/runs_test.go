package script_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
)

// idle is a device whose runs do nothing but take their time.
type idle struct{ device.Device }

type idleProgram struct{ device.Program }

func (d idle) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	return idleProgram{loaded}, err
}

func (p idleProgram) Call(ctx context.Context, c device.Call) (device.Result, error) {
	for i := range c.Runs {
		if c.Timed != nil {
			c.Timed(time.Duration(i))
		}
	}
	c.Runs = 0
	return p.Program.Call(ctx, c)
}

// TestManyRuns: the times of runs are told one by one, and a script keeps none of them.
func TestManyRuns(t *testing.T) {
	const text = "import copapy as cp\nx = cp.value(1.0)\ntg = cp.Target()\ntg.compile(x + 1)\ntg.run(30_000_000)\ntg.run()\n"
	told, most := 0, uint64(0)
	var m runtime.MemStats
	err := script.Run(t.Context(), writeScript(t, text), script.Options{
		Open: func(context.Context) (device.Device, error) {
			d, err := oracle.New("x86_64")
			runtime.ReadMemStats(&m)
			most = m.TotalAlloc
			return idle{d}, err
		},
		Compiled: func(s *copapy.Stats) { s.Timed = func(time.Duration) { told++ } },
	})
	require.NoError(t, err)
	assert.Equal(t, 30_000_001, told)
	runtime.ReadMemStats(&m)
	assert.Less(t, m.TotalAlloc-most, uint64(16<<20))
}

// TestOracleWarns: the oracle tells of arithmetic without a result as every other
// target does, once for the runs of a call.
func TestOracleWarns(t *testing.T) {
	var warned []device.Flags
	var stdout bytes.Buffer
	err := script.Run(t.Context(), writeScript(t, show+"n, z, s = cp.value(7), cp.value(0), cp.value(-1)\nrun(n // z)\nrun(n << s, n % z)\nrun(n // 2)\nrun(1.0 / z, cp.log(z - 1.0))\n"), script.Options{
		Stdout: &stdout,
		Open: func(context.Context) (device.Device, error) {
			d, err := oracle.New("x86_64")
			d.SetWarn(func(flags device.Flags) { warned = append(warned, flags) })
			return d, err
		},
	})
	require.NoError(t, err)
	assert.Equal(t, []device.Flags{1, 3}, warned)
	assert.Equal(t, "0\n0\n7\n3\ninf\nnan\n", stdout.String())
}
