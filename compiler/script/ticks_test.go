package script_test

import (
	"bytes"
	"context"
	"strings"
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

const counting = "import copapy as cp\ns = cp.state(0)\ns.next = s + 1\ntg = cp.Target()\ntg.compile(s)\n"

// TestTicks: on the oracle no tick is late.
func TestTicks(t *testing.T) {
	checkPrograms(t, counting, []scriptCase{
		{"timing", "r = tg.run(200, period=2e-3)\nprint(r.ticks, r.period, r.late, r.worst_lateness, r.jitter, r.paced, tg.read_value(s))", "200 0.002 0 0.0 0.0 False 200\n"},
		{"execution", "e = tg.run(n=5, limit=1, period=1).execution\nprint(0 < e.min <= e.mean <= e.max < 10)", "True\n"},
		{"what is written before counts", "tg.write_value(s, 40)\ntg.run(2, None, 1e-6)\nprint(tg.read_value(s))", "42\n"},
		{"without a period", "print(tg.run(), tg.run(3), tg.run(2, period=None), tg.read_value(s))", "None None None 6\n"},
		{"whole microseconds", "print(tg.run(2, period=1/3000).period)", "0.000333\n"},
	})
	_, head, _ := strings.Cut(counting, "\n") // checkMistakes has the import
	checkMistakes(t, []mistake{
		{"period of 0", head + "tg.run(3, period=0)", "ValueError", "from 0.000001 to 4294.967295", "back to back", 6},
		{"negative", head + "tg.run(3, period=-1e-3)", "ValueError", "from 0.000001", "1e-3", 6},
		{"not a number", head + "tg.run(3, period=float('nan'))", "ValueError", "from 0.000001", "1e-3", 6},
		{"too short", head + "tg.run(3, period=1e-7)", "ValueError", "a period of 100ns: want 1µs", "1e-3", 6},
		{"too long", head + "tg.run(3, period=4295)", "ValueError", "to 4294.967295", "1e-3", 6},
		{"between microseconds", head + "tg.run(3, period=1.5e-6)", "ValueError", "off by more than 1 %", "1e-3", 6},
		{"text", head + "tg.run(3, period='1ms')", "TypeError", "not 'str'", "", 6},
		{"without a number of ticks", head + "tg.run(period=1e-3)", "ValueError", "the number of ticks must be given", "tg.run(1000, period=1e-3)", 6},
		{"no ticks", head + "tg.run(0, period=1e-3)", "ValueError", "positive integer", "", 6},
		{"what there is not", head + "tg.run(1, period=1).jiter", "AttributeError", "no attribute 'jiter'", "", 6},
		{"not assigned to", head + "r = tg.run(1, period=1)\nr.late = 0", "AttributeError", "read-only", "", 7},
	})
}

// sparse is a device that measures as runners do, and says what was asked of it.
type sparse struct {
	device.Device
	asked *device.Call
}

type sparseProgram struct {
	device.Program
	asked *device.Call
}

func (d sparse) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	loaded, err := d.Device.Load(ctx, p)
	return sparseProgram{loaded, d.asked}, err
}

func (p sparseProgram) Call(ctx context.Context, c device.Call) (device.Result, error) {
	if c.Runs > 0 {
		*p.asked = c
	}
	r, err := p.Program.Call(ctx, c)
	if r.Timing != nil {
		*r.Timing = device.Timing{Period: c.Period, Ticks: c.Runs, Late: 2, Execution: device.Execution{Min: 1000, Mean: 1500, Max: 2000}}
	}
	return r, err
}

// TestTicksOfRunners: what a device does not measure is None, and the rest is shown.
func TestTicksOfRunners(t *testing.T) {
	var asked device.Call
	var stdout bytes.Buffer
	var stats *copapy.Stats
	err := script.Run(t.Context(), writeScript(t, counting+"tg.read_value(s)\nr = tg.run(7, limit=0.5, period=1e-3)\nprint(r)\n"), script.Options{
		Stdout: &stdout,
		Open: func(context.Context) (device.Device, error) {
			d, err := oracle.New("x86_64")
			return sparse{d, &asked}, err
		},
		Compiled: func(s *copapy.Stats) { stats = s },
	})
	require.NoError(t, err)
	assert.Equal(t, "Timing(ticks=7, period=0.001, late=2, worst_lateness=None, jitter=None, execution=Execution(min=1e-06, mean=1.5e-06, max=2e-06), paced=True)\n", stdout.String())
	assert.Equal(t, 7, asked.Runs)
	assert.Equal(t, time.Millisecond, asked.Period)
	assert.Equal(t, time.Second/2, asked.Limit)
	assert.Len(t, asked.Reads, 1, "what was read before is asked for with the ticks")
	assert.Equal(t, 7, stats.Runs)

	timing, err := stats.Again(t.Context(), 3, time.Second)
	require.NoError(t, err)
	assert.Equal(t, 3, timing.Ticks)
	assert.Equal(t, 10, stats.Runs)
}
