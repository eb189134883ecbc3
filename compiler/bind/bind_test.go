package bind_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/internal/extent"
)

// everywhere are the targets on which bound programs have to give the same bits.
func everywhere(t *testing.T) map[string]target.Target {
	names := []string{"oracle", "local", "local:sandbox", "qemu:mps2-an386"}
	if extent.All() {
		names = append(names, "qemu:rpi3", "qemu:microbit", "qemu:riscv-virt32")
	}
	devs := map[string]target.Target{}
	for _, name := range names {
		dev, err := target.Open(t.Context(), name, target.Options{})
		if err != nil {
			t.Logf("SKIP: %s: %v", name, err)
			continue
		}
		t.Cleanup(dev.Close)
		devs[name] = dev
	}
	require.GreaterOrEqual(t, len(devs), 2)
	return devs
}

// files are those of tests.
func files(texts map[string]string) func(string, int64) ([]byte, error) {
	return func(name string, _ int64) ([]byte, error) {
		text, ok := texts[name]
		if !ok {
			return nil, fmt.Errorf("no file %s", name)
		}
		return []byte(text), nil
	}
}

// program is a graph to be bound.
type program struct {
	g     *graph.Graph
	outs  []compiler.Output
	tasks []compiler.Task
	rate  float64
	set   *bind.Set
}

func newProgram(t *testing.T, bindings ...string) *program {
	p := &program{g: graph.New(), rate: 1000, set: &bind.Set{}}
	for _, b := range bindings {
		require.NoError(t, p.set.Add(b))
	}
	return p
}

func (p *program) output(name string, v graph.Value) {
	p.outs = append(p.outs, compiler.Output{Name: name, Value: v, Meta: graph.Meta{Role: graph.RoleOutput}})
}

func (p *program) compile(arch string) (*compiler.Program, error) {
	return compiler.Compile(p.g, p.outs, compiler.Options{Arch: arch, Rate: p.rate, Bind: p.set, Tasks: p.tasks, Verify: true})
}

// ticks are the bits of an output in each tick.
func (p *program) ticks(t *testing.T, dev device.Device, name string, n int) []uint32 {
	prog, err := p.compile(dev.Arch())
	require.NoError(t, err)
	loaded, err := dev.Load(t.Context(), prog)
	require.NoError(t, err)
	defer loaded.Release()
	s, ok := prog.Image.Symbol(image.Output, name)
	require.True(t, ok, "%s", name)
	var bits []uint32
	for tick := range n {
		r, err := device.Ticks(t.Context(), loaded, prog.Image, uint32(tick), device.Call{Runs: 1, Reads: []device.Span{device.SpanOf(s)}})
		require.NoError(t, err)
		bits = append(bits, s.Decode(r.Data[0]).Bits...)
	}
	return bits
}

// requireTicks runs a program everywhere.
func (p *program) requireTicks(t *testing.T, name string, want []float32) {
	t.Helper()
	for where, dev := range everywhere(t) {
		got := p.ticks(t, dev, name, len(want))
		for i := range want {
			require.Equal(t, math.Float32bits(want[i]), got[i], "%s: tick %d: want %v, got %v", where, i, want[i], math.Float32frombits(got[i]))
		}
	}
}

func TestSine(t *testing.T) {
	p := newProgram(t, "speed=sim:sine,freq=7Hz,amplitude=2.5,offset=-1,phase=90deg")
	x := p.g.InputF32("speed", 0)
	p.output("twice", x.Mul(p.g.F32(2)))
	var want []float32
	phase, step := int32(1<<30), int32(math.RoundToEven(7.0/1000*(1<<32)))
	for range 300 {
		s := float32(math.Sin(float64(float32(phase) * float32(math.Pi*2/(1<<32)))))
		x := float32(s*2.5) + -1
		want = append(want, 2*x)
		phase += step
	}
	p.requireTicks(t, "twice", want)
	for i := range want {
		want[i] /= 2
	}
	p.requireTicks(t, "speed", want) // what is fed can be watched
}

// TestBetweenTasks: values may go from tasks to what is outside of them, whatever feeds them.
func TestBetweenTasks(t *testing.T) {
	p := newProgram(t, "a=sim:sine,freq=7Hz", "b=sim:csv=t,rate=100Hz,between=linear,end=repeat")
	p.set.ReadFile = files(map[string]string{"t": "1\n2\n4\n"})
	p.tasks = []compiler.Task{{Name: "sim", Rate: 300}, {Name: "slow", Rate: 150, Divisor: 2}}
	a, b := p.g.InputF32("a", 9), p.g.InputF32("b", 9)
	p.g.SetTask(2)
	y := a.Add(b)
	p.g.SetTask(0)
	p.output("y", y.Mul(a)) // of the run before, times what is now
	var was, phase float32
	var want []float32
	table := []float64{1, 2, 4}
	for i := range 40 {
		row, part := i/3%3, float32(i%3)/3
		b := float32(table[row]) + float32(float32(table[(row+1)%3]-table[row])*part)
		phase = float32(int32(uint32(i) * uint32(math.RoundToEven(7.0/300*(1<<32)))))
		a := float32(math.Sin(float64(phase * float32(math.Pi*2/(1<<32)))))
		want = append(want, was*(a+0))
		if i%2 == 0 {
			was = a + b
		}
	}
	p.requireTicks(t, "y", want)
}

func TestLoopIsATickLate(t *testing.T) {
	p := newProgram(t, "back=sim:loop=sum")
	x, one := p.g.InputF32("back", 5), p.g.InputF32("one", 1)
	p.output("sum", x.Add(one))
	p.requireTicks(t, "sum", []float32{6, 7, 8, 9})
	p.requireTicks(t, "back", []float32{5, 6, 7, 8}) // what the program saw in that tick

	// An output that is a state is read as it is: one tick later than what made it.
	p = newProgram(t, "back=sim:loop")
	s := p.g.StateF32("count", 3)
	require.NoError(t, p.g.SetNext(s, s.Add(p.g.F32(1))))
	p.output("count", s)
	p.output("i", p.g.InputI32("other", 0))
	p.output("sum", p.g.InputF32("back", 50).Mul(p.g.F32(10)))
	p.set = &bind.Set{}
	require.NoError(t, p.set.Add("back=sim:loop=count"))
	p.requireTicks(t, "sum", []float32{30, 40, 50})
}

func TestLoopBetweenTasks(t *testing.T) {
	p := newProgram(t, "back=sim:loop=u")
	p.tasks = []compiler.Task{{Name: "slow", Rate: 100, Divisor: 3}, {Name: "fast", Rate: 300}}
	p.g.SetTask(1)
	u := p.g.InputF32("back", 1).Mul(p.g.F32(2))
	p.g.SetTask(2)
	y := u.Add(p.g.F32(0.5))
	p.g.SetTask(0)
	p.output("u", u)
	p.output("y", y)
	p.requireTicks(t, "y", []float32{2.5, 2.5, 2.5, 4.5, 4.5, 4.5, 8.5})
}

func TestTable(t *testing.T) {
	const named = "tick,speed (rad/s),other\n0,1.5,9\n# a comment\n1,-2,8\n2,4,7\n"
	for text, want := range map[string][]float32{
		"x=sim:csv=t,column=speed":                                   {1.5, -2, 4, 4, 4},
		"x=sim:csv=t,column=3,end=repeat":                            {9, 8, 7, 9, 8, 7, 9},
		"x=sim:csv=t,column=speed,rate=500Hz":                        {1.5, 1.5, -2, -2, 4, 4, 4, 4},
		"x=sim:csv=t,column=speed,rate=500Hz,end=repeat":             {1.5, 1.5, -2, -2, 4, 4, 1.5, 1.5, -2},
		"x=sim:csv=t,column=speed,rate=250Hz,between=linear":         {1.5, 0.625, -0.25, -1.125, -2, -0.5, 1, 2.5, 4, 4, 4, 4, 4, 4},
		"x=sim:csv=t,column=2,rate=0.5kHz,between=linear,end=repeat": {1.5, -0.25, -2, 1, 4, 2.75, 1.5, -0.25},
	} {
		p := newProgram(t, text)
		p.set.ReadFile = files(map[string]string{"t": named})
		p.output("y", p.g.InputF32("x", 0))
		p.requireTicks(t, "y", want)
	}
}

func TestTableOfManyRows(t *testing.T) {
	for _, rows := range []int{1, 2, 5, 64, 1000, 1025} {
		var text strings.Builder
		var want []float32
		for i := range rows {
			fmt.Fprintf(&text, "%v,%d\n", float32(i)*0.1, -i)
			want = append(want, float32(i)*0.1)
		}
		p := newProgram(t, "x=sim:csv=t,column=1,end=repeat")
		p.set.ReadFile = files(map[string]string{"t": text.String()})
		p.output("y", p.g.InputF32("x", 0))
		dev, err := target.Open(t.Context(), "local", target.Options{})
		require.NoError(t, err)
		got := p.ticks(t, dev, "y", rows+1)
		dev.Close()
		for i := range got {
			require.Equal(t, want[i%rows], math.Float32frombits(got[i]), "row %d of %d", i, rows)
		}
	}
}

func TestTableOfOtherTypes(t *testing.T) {
	const text = "a[0],a[1],b,i\n1,2,true,7\n3,4,false,-8\n"
	p := newProgram(t, "a=sim:csv=t", "b=sim:csv=t", "i=sim:csv=t")
	p.set.ReadFile = files(map[string]string{"t": text})
	a := p.g.InputTensor("a", graph.F32s(graph.Shape{2}, 0, 0))
	sum := a.Dot(p.g.ConstF32(graph.Shape{2}, []float32{1, 10}))
	p.output("y", p.g.InputBool("b", false).Select(sum, sum.Neg()).Add(p.g.InputI32("i", 0).ToF32()))
	p.requireTicks(t, "y", []float32{28, -51, -51})
}

// TestRefused: what is wrong is said with what would fit.
func TestRefused(t *testing.T) {
	limit := 2.0
	for text, want := range map[string][2]string{
		"speed":                              {`"speed" binds nothing`, "sim:sine, sim:loop[=OUTPUT], sim:csv=FILE, sim:plant=SCRIPT"},
		"sim:sine":                           {"binds nothing", "VARIABLE=CHANNEL"},
		"speed=sim:sinus":                    {`no channel "sim:sinus"`, "sim:sine"},
		"speed=A0":                           {`"A0" is no simulated channel`, "sim:sine"},
		"speed=sim:sine,hz=2":                {`sim:sine has no option "hz"`, "freq=...Hz"},
		"speed=sim:sine,freq=fast":           {"want a number of Hz", "freq=1Hz"},
		"speed=sim:sine,freq=2V":             {"want a number of Hz", "freq=1Hz"},
		"speed=sim:sine,amplitude=2m":        {"want a number", "amplitude=1"},
		"speed=sim:sine,freq":                {`"freq" is not understood`, "NAME=VALUE"},
		"speed=sim:sine,freq=1Hz,freq=2Hz":   {`"freq=2Hz" is not understood`, "each once"},
		"speed=sim:csv":                      {"does not say which", "sim:csv=FILE"},
		"speed=sim:csv=t,end=stop":           {"there is no such word", "hold or repeat"},
		"speed=sim:sine,freq=600Hz":          {"runs 1000 times a second", "half"},
		"speed=sim:sine,amplitude=3":         {"speed: ", "its limits are -2 to 2"},
		"seed=sim:sine":                      {`no input "seed"`, "speed, flag"},
		"u=sim:sine":                         {`"u" is an output`, "INPUT=sim:loop=u"},
		"flag=sim:sine":                      {`"flag" is a bool`, "sim:csv"},
		"flag=sim:loop":                      {"0 outputs could be fed", "are none"},
		"speed=sim:loop=v":                   {`no output "v"`, "its outputs are u, n"},
		"speed=sim:loop=n":                   {`"n" i32`, "are u"},
		"speed=sim:csv=none":                 {"no file none", ""},
		"speed=sim:csv=t":                    {`no column "speed"`, "the table has a, b"},
		"speed=sim:csv=t,column=c":           {`no column "c"`, "the table has a, b"},
		"speed=sim:csv=t,column=b":           {"row 3: speed: ", "-2 to 2"},
		"flag=sim:csv=t,column=a":            {"row 3, column 1: 0.5 is not a number of type bool", ""},
		"speed=sim:csv=bad":                  {"wrong number of fields", "separated by commas"},
		"speed=sim:csv=words":                {"the table has 0 rows", ""},
		"speed=sim:csv=empty":                {"the table is empty", ""},
		"speed=sim:csv=t,column=a,rate=3kHz": {"runs 1000 times a second", "1000Hz"},
		"speed=sim:plant=p.py":               {"no programs can be compiled here", ""},
		"flag=sim:csv=t,column=a+b":          {"2 columns are named", ""},
	} {
		err := func() error {
			set := &bind.Set{ReadFile: files(map[string]string{"t": "a,b\n1,1\n0.5,9\n", "bad": "1,2\n3\n", "words": "a,b\n", "empty": ""})}
			if err := set.Add(text); err != nil {
				return err
			}
			p := newProgram(t)
			p.set = set
			x, flag := p.g.InputTensor("speed", graph.ScalarF32(0)), p.g.InputBool("flag", false)
			p.g.InputInfo(x.ID()).Meta = &graph.Meta{Role: graph.RoleInput, Low: ptr(-limit), High: &limit}
			p.output("u", flag.Select(x, x.Neg()))
			p.output("n", x.ToI32())
			_, err := p.compile("x86_64")
			return err
		}()
		require.ErrorContains(t, err, want[0], "%s", text)
		var e *bind.Error
		if want[1] != "" {
			require.ErrorAs(t, err, &e, "%s", text)
			require.Contains(t, e.Hint(), want[1], "%s", text)
		}
	}
	p := newProgram(t, "speed=sim:sine")
	p.rate = 0
	p.output("u", p.g.InputF32("speed", 0))
	_, err := p.compile("x86_64")
	require.ErrorContains(t, err, "nothing says how often the program runs")
}

func ptr(x float64) *float64 { return &x }

// TestPartly: a set for several programs tells what none of them had.
func TestPartly(t *testing.T) {
	p := newProgram(t, "x=sim:sine", "z=sim:sine")
	p.output("y", p.g.InputF32("x", 0))
	p.set.Partly = true
	_, err := p.compile("x86_64")
	require.NoError(t, err)
	require.ErrorContains(t, p.set.Unused(), `no program has an input "z"`)
}

// TestVariablesOfTheGraphAsGiven: a program knows its variables by their nodes, bound ones by the output that
// shows them, and says the rate that it is made for.
func TestVariablesOfTheGraphAsGiven(t *testing.T) {
	p := newProgram(t, "x=sim:sine")
	x, k := p.g.InputF32("x", 0), p.g.InputF32("k", 2)
	s := p.g.StateF32("s", 0)
	require.NoError(t, p.g.SetNext(s, s.Add(x.Mul(k))))
	p.output("s", s)
	prog, err := p.compile("x86_64")
	require.NoError(t, err)
	_, ok := prog.Variable(x.ID())
	require.False(t, ok)
	at, ok := prog.Bound(x.ID())
	require.True(t, ok)
	require.Equal(t, "x", prog.Output(at).Name)
	for id, name := range map[graph.ID]string{k.ID(): "k", s.ID(): "s"} {
		sym, ok := prog.Variable(id)
		require.True(t, ok)
		require.Equal(t, name, sym.Name)
	}
	require.Equal(t, 1000.0, prog.Image.TickRate())

	// Its graph file is the bound program.
	f, err := prog.File()
	require.NoError(t, err)
	again, err := compiler.CompileFile(f, compiler.Options{Arch: "x86_64"})
	require.NoError(t, err)
	require.Equal(t, prog.Image.Digest(), again.Image.Digest())
}

// TestOver: what lies above counts, and each set has its own files.
func TestOver(t *testing.T) {
	own := files(map[string]string{"t": "1\n"})
	lower := &bind.Set{ReadFile: files(map[string]string{"t": "2\n"})}
	upper := &bind.Set{ReadFile: own, Partly: true}
	for set, texts := range map[*bind.Set][]string{lower: {"x=sim:csv=t", "y=sim:csv=t"}, upper: {"x=sim:csv=t", "z=sim:csv=t"}} {
		for _, text := range texts {
			require.NoError(t, set.Add(text))
		}
	}
	p := newProgram(t)
	p.set = upper.Over(lower)
	p.output("sum", p.g.InputF32("x", 0).Add(p.g.InputF32("y", 0).Mul(p.g.F32(10))))
	p.requireTicks(t, "sum", []float32{21, 21})
	require.NoError(t, lower.Unused())
	require.ErrorContains(t, upper.Unused(), `"z"`)
	require.True(t, (*bind.Set)(nil).Over(&bind.Set{}).Empty())
	lower.Drop("y")
	require.NoError(t, upper.Add("z=sim:sine"))
	require.False(t, upper.Empty())
}
