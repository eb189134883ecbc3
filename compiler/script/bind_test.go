package script_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/script"
)

const follower = `import copapy as cp
speed = cp.input("speed", unit="rad/s")
total = cp.state(0.0)
total.next = total + speed
u = cp.output("u", speed * 2 + 0 * cp.log("sum", total))
tg = cp.Target()
`

// runBound runs a script beside a table and a plant.
func runBound(t *testing.T, text string, over *bind.Set) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.py": text, "run.csv": "speed (rad/s),other\n1,10\n2,20\n4,40\n", "motor.py": "plant"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	var out bytes.Buffer
	err = script.Run(t.Context(), filepath.Join(dir, "main.py"), script.Options{
		Stdout: &out, Bind: over,
		Open: func(context.Context) (device.Device, error) { return dev, nil },
		Plant: func(file string) (*compiler.Program, error) {
			if got, err := os.ReadFile(file); err != nil || string(got) != "plant" {
				return nil, fmt.Errorf("no plant in %s: %v", file, err)
			}
			return doubler()
		},
	})
	return out.String(), err
}

// doubler is a plant whose speed is what it got, times 2.
func doubler() (*compiler.Program, error) {
	var prog *compiler.Program
	dev, err := oracle.New("x86_64")
	if err != nil {
		return nil, err
	}
	err = script.RunReader(context.Background(), "motor.py", strings.NewReader(`import copapy as cp
u = cp.input("u")
k = cp.param("k", 2.0)
cp.output("speed", u * k + 1)
tg = cp.Target()
tg.compile()
tg.run()
`), script.Options{Open: func(context.Context) (device.Device, error) { return keeping{dev, &prog}, nil }})
	return prog, err
}

// keeping keeps the program that is loaded.
type keeping struct {
	device.Device
	prog **compiler.Program
}

func (k keeping) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	*k.prog = p
	return k.Device.Load(ctx, p)
}

func TestBind(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"table", "tg.bind(speed='sim:csv=run.csv')\ntg.compile()\ntg.run(2)\nprint(tg.read_value(u), tg.read_value(speed), tg.read_value(total))", "4.0 2.0 3.0\n"},
		{"by a dict", "tg.bind({'speed': 'sim:csv=run.csv,column=other'})\ntg.compile()\ntg.run()\nprint(tg.read_value(u))", "20.0\n"},
		{"a loop", "tg.bind(speed='sim:loop=u')\nspeed2 = 1\ntg.compile()\ntg.run(3)\nprint(tg.read_value(u))", "0.0\n"},
		{"a plant", "tg.bind(speed='sim:plant=motor.py')\ntg.compile()\ntg.run(3)\nprint(tg.read_value(speed))", "5.0\n"},
		{"a rate", "tg.bind(speed='sim:sine,freq=1Hz,amplitude=3', rate=4)\ntg.compile()\ntg.run(2)\nprint(tg.read_value(speed))", "3.0\n"},
		{"no more", "tg.bind(speed='sim:csv=run.csv')\ntg.bind(speed=None)\ntg.compile()\ntg.write_value(speed, 8)\ntg.run()\nprint(tg.read_value(u))", "16.0\n"},
		{"anew", "tg.compile()\ntg.bind(speed='sim:csv=run.csv')\ntg.compile()\ntg.run()\nprint(tg.read_value(u))", "2.0\n"},
		{"jit functions are apart", "tg.bind(speed='sim:csv=run.csv')\n@cp.jit\ndef f(x):\n    return x + 1\nprint(f(2.0))", "3.0\n"},
		{"in a loop", "tg.bind(speed='sim:csv=run.csv,end=repeat,rate=500Hz', rate=1000)\ntg.compile()\nprint(tg.start(ticks=50).ticks >= 50, tg.get('u') in (2, 4, 8))", "True True\n"},
	} {
		got, err := runBound(t, follower+c.text, nil)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	// Who runs the script has the last word.
	over := &bind.Set{ReadFile: func(string, int64) ([]byte, error) { return []byte("7\n"), nil }}
	require.NoError(t, over.Add("speed=sim:csv=other"))
	got, err := runBound(t, follower+"tg.bind(speed='sim:csv=run.csv')\ntg.compile()\ntg.run()\nprint(tg.read_value(u))", over)
	require.NoError(t, err)
	require.Equal(t, "14.0\n", got)
}

func TestBindMistakes(t *testing.T) {
	_, head, _ := strings.Cut(follower, "\n")
	checkMistakes(t, []mistake{
		{"no channel", head + "tg.bind(speed='A0')", "ValueError", `"A0" is no simulated channel`, "sim:sine", 7},
		{"no text", head + "tg.bind(speed=3)", "TypeError", "is a str, not 'int'", "", 7},
		{"by position", head + "tg.bind('speed')", "TypeError", "names with channels", "tg.bind(speed=", 7},
		{"a name", head + "tg.bind({3: 'sim:sine'})", "TypeError", "a name is a str", "", 7},
		{"a rate", head + "tg.bind(rate='fast')", "ValueError", "ticks per second", "dict", 7},
		{"unknown", head + "tg.bind(seed='sim:loop')\ntg.compile()", "ValueError", `no input "seed"`, "speed", 8},
		{"no rate", head + "tg.bind(speed='sim:sine')\ntg.compile()", "ValueError", "how often the program runs", "rate=", 8},
		{"no file", head + "tg.bind(speed='sim:csv=none.csv')\ntg.compile()", "ValueError", "none.csv", "", 8},
		{"written", head + "tg.bind(speed='sim:loop=u')\ntg.compile()\ntg.write_value(speed, 1)", "ValueError", "bound to a channel", "tg.bind", 9},
		{"set", head + "tg.bind(speed='sim:loop=u')\ntg.compile()\ntg.start(rate=100)\ntg.set(speed=1)", "ValueError", `no variable "speed"`, "total", 10},
		{"not compiled again", head + "tg.compile()\ntg.bind(speed='sim:loop=u')\ntg.run()", "RuntimeError", "have changed", "compile", 9},
		{"not run yet", head + "tg.bind(speed='sim:loop=u')\ntg.compile()\ntg.read_value(speed)", "RuntimeError", "has not run", "tg.run", 9},
	})
}
