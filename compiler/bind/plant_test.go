package bind_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/pil"
	"github.com/copaflash/copaflash/hil/pil/piltest"
)

// plants compiles scripts.
func plants(t *testing.T) func(string) (*compiler.Program, error) {
	dev, err := oracle.New("x86_64")
	require.NoError(t, err)
	return func(file string) (*compiler.Program, error) { return pil.Compile(t.Context(), file, dev) }
}

// A computed output with feedthrough, an array, a static loop and a parameter; with {{}} for tasks.
const pendulum = `
import copapy as cp
torque = cp.input("torque")
length = cp.param("length", 0.5, low=0.1, high=2)
x = cp.state([0.1, 0.0], name="x")
def step(i, s):
    return s + 0.0005 * cp.vector([s[1], -9.81 / length * cp.sin(s[0]) + torque])
x.next = cp.fori(2, step, x)
cp.output("angle", x[0] + 0.001 * torque)
cp.output("rate", cp.fmod(x[1], 100.0))
cp.output("state", x)
tg = cp.Target()
tg.compile()
`

const pendulumTasks = `
import copapy as cp
torque = cp.input("torque")
with cp.task(rate=1000, name="a"):
    x = cp.state(0.1)
    x.next = x + 0.01 * torque
    y = x * 2
with cp.task(rate=500, name="b"):
    z = y + torque
    cp.output("angle", z)
cp.output("rate", x)
tg = cp.Target()
tg.compile()
`

const holder = `
import copapy as cp
angle = cp.input("angle", 0.25)
rate = cp.input("rate", 0.125)
gain = cp.param("gain", -3.0)
total = cp.state(0.0, name="total")
total.next = total + angle * 0.01
cp.output("torque", gain * angle + 0.3 * rate - total, low=-5, high=5)
tg = cp.Target()
tg.compile()
`

const holderTasks = `
import copapy as cp
angle = cp.input("angle", 0.25)
rate = cp.input("rate", 0.125)
with cp.task(rate=250, name="outer"):
    wanted = angle * -2
with cp.task(rate=1000, name="inner"):
    total = cp.state(0.0, name="total")
    total.next = total + angle * 0.01
    cp.output("torque", wanted - rate - total)
tg = cp.Target()
tg.compile()
`

// TestPlant: with a plant bound to it, a program has the bits of a run in lockstep, on every target.
func TestPlant(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"pendulum.py": pendulum, "pendulum_tasks.py": pendulumTasks, "holder.py": holder, "holder_tasks.py": holderTasks} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const examples = "../../examples/pil/"
	for _, c := range []struct {
		controller, plant string
		own, of           []string // variables that are compared
	}{
		{examples + "speed_controller.py", examples + "motor.py", []string{"voltage", "error"}, []string{"speed", "current"}},
		{dir + "/holder.py", dir + "/pendulum.py", []string{"torque"}, []string{"angle", "rate"}},
		{dir + "/holder.py", dir + "/pendulum_tasks.py", []string{"torque"}, []string{"angle", "rate"}},
		{dir + "/holder_tasks.py", dir + "/pendulum.py", []string{"torque"}, []string{"angle", "rate"}},
		{dir + "/holder_tasks.py", dir + "/pendulum_tasks.py", []string{"torque"}, []string{"angle", "rate"}},
	} {
		var want [][]float64
		const ticks = 120
		piltest.Run(t, piltest.Case{Controller: c.controller, Plant: c.plant, Ticks: ticks, Check: func(_ uint32, v piltest.Values) error {
			var row []float64
			for _, name := range c.own {
				row = append(row, v.Controller(name))
			}
			for _, name := range c.of {
				row = append(row, v.Plant(name))
			}
			want = append(want, row)
			return nil
		}})
		plant := plants(t)
		from, err := plant(c.controller)
		require.NoError(t, err)
		set := &bind.Set{Plant: plant}
		require.NoError(t, set.Add("sim:plant="+c.plant))
		for where, dev := range everywhere(t) {
			prog, err := compiler.Compile(from.Graph, from.Outputs, compiler.Options{Arch: dev.Arch(), Features: dev.Features(), Tasks: from.Tasks, Bind: set, Verify: true})
			require.NoError(t, err)
			loaded, err := dev.Load(t.Context(), prog)
			require.NoError(t, err)
			var symbols []*image.Symbol
			var reads []device.Span
			stem := filepath.Base(c.plant[:len(c.plant)-len(".py")]) + "."
			for i, name := range append(append([]string{}, c.own...), c.of...) {
				if i >= len(c.own) {
					name = stem + name
				}
				s, ok := prog.Image.Symbol(image.Output, name)
				if !ok {
					s, ok = prog.Image.Symbol(image.State, name)
				}
				require.True(t, ok, name)
				symbols, reads = append(symbols, s), append(reads, device.SpanOf(s))
			}
			for tick := range ticks {
				r, err := device.Ticks(t.Context(), loaded, prog.Image, uint32(tick), device.Call{Runs: 1, Reads: reads})
				require.NoError(t, err)
				var row []float64
				for i, s := range symbols {
					row = append(row, s.DType.Number(s.DType.At(s.Decode(r.Data[i]).Bits, 0)))
				}
				require.Equal(t, want[tick], row, "%s with %s on %s: tick %d", c.controller, c.plant, where, tick)
			}
			loaded.Release()
		}
	}
}

func TestPlantRefused(t *testing.T) {
	plant := func(file string) (*compiler.Program, error) {
		g := graph.New()
		in := g.InputF32("u", 0)
		g.InputInfo(in.ID()).Meta = &graph.Meta{Role: graph.RoleInput}
		return compiler.Compile(g, []compiler.Output{{Name: "y", Value: in.Add(g.InputF32("k", 1))}, {Name: "n", Value: in.ToI32()}},
			compiler.Options{Arch: "x86_64", Tasks: []compiler.Task{{Name: "t", Rate: 250}}})
	}
	for text, want := range map[string][2]string{
		"sim:plant=p.py":                      {"no input of the program has the name of an output of p.py", "inputs are x, and outputs of the plant y, n"},
		"sim:plant=p.py,output=y":             {"output= is for one variable", "VARIABLE="},
		"x=sim:plant=p.py":                    {`p.py has no output "x"`, "y, n"},
		"x=sim:plant=p.py,output=y":           {`the plant's input "u": the program has no output "u"`, "its outputs are v, w"},
		"x=sim:plant=p.py,output=y,u=z":       {`the program has no output "z"`, "its outputs are v, w"},
		"x=sim:plant=p.py,output=y,u=w":       {`the plant's input "u" is f32`, "convert"},
		"x=sim:plant=p.py,output=n,u=v":       {`the plant's "n" i32`, "convert"},
		"x=sim:plant=p.py,output=y,u=v,foo=v": {`it has no input "foo"`, "u, k"},
		"x=sim:plant=slow.py,output=y,u=v":    {"made for 250 ticks a second, and the program for 1000", ""},
	} {
		p := newProgram(t, text)
		p.set.Plant = plant
		if text != "x=sim:plant=slow.py,output=y,u=v" {
			p.rate = 0
		}
		x := p.g.InputF32("x", 0)
		p.output("v", x)
		p.output("w", x.ToI32())
		_, err := p.compile("x86_64")
		require.ErrorContains(t, err, want[0], "%s", text)
		var e *bind.Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, e.Hint(), want[1], "%s", text)
	}

	// Parameters are not fed by outputs of their names, nor are plain values beside declared inputs.
	for role, fed := range map[graph.Role]bool{graph.NoRole: false, graph.RoleParam: false, graph.RoleInput: true} {
		p := newProgram(t, "sim:plant=p.py")
		p.set.Plant, p.rate = plant, 0
		y, n := p.g.InputF32("y", 0), p.g.InputI32("n", 0)
		p.g.InputInfo(y.ID()).Meta = &graph.Meta{Role: graph.RoleInput}
		p.g.InputInfo(n.ID()).Meta = &graph.Meta{Role: role}
		p.output("u", y.Add(n))
		p.output("k", y) // of the name of the plant's plain value
		prog, err := p.compile("x86_64")
		require.NoError(t, err)
		_, stays := prog.Image.Symbol(image.Input, "n")
		require.Equal(t, !fed, stays, "%v", role)
		_, stays = prog.Image.Symbol(image.Input, "p.k")
		require.True(t, stays)
	}

	// A plant that fits, whose parameter stays one under its own name.
	p := newProgram(t, "x=sim:plant=p.py,output=y,u=v")
	p.set.Plant, p.rate = plant, 0
	p.output("v", p.g.InputF32("x", 0))
	prog, err := p.compile("x86_64")
	require.NoError(t, err)
	_, ok := prog.Image.Symbol(image.Input, "p.k")
	require.True(t, ok)
	require.Equal(t, 250.0, prog.Image.TickRate())
}
