//go:build amd64 || arm64

package sweep

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/devicetest"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/image"
)

// here runs programs in this process.
var here = new(devicetest.Native)

// controlled has a variable and a result of every type, a state, and a division that may raise a flag.
const controlled = `{"format":"copaflash-graph","version":1,"nodes":[
{"op":"input","type":"f32","name":"kp","value":2},
{"op":"input","type":"f32","name":"gains","shape":[3],"value":[1,2,3]},
{"op":"input","type":"i32","name":"n","value":7},
{"op":"input","type":"bool","name":"on","value":true},
{"op":"state","type":"f32","name":"total","value":10,"next":7},
{"op":"sum","type":"f32","args":[1]},
{"op":"mul","type":"f32","args":[0,5]},
{"op":"add","type":"f32","args":[4,6]},
{"op":"const","type":"i32","value":100},
{"op":"floordiv","type":"i32","args":[8,2]},
{"op":"div","type":"f32","args":[0,0]}
],"outputs":[{"name":"product","node":6},{"name":"share","node":9},{"name":"one","node":10},{"name":"on","node":3},{"name":"gains","node":1},{"name":"total","node":4}]}`

func compiled(t testing.TB, text string) *compiler.Program {
	t.Helper()
	f, err := graphfile.Decode([]byte(text))
	require.NoError(t, err)
	var outs []compiler.Output
	for _, o := range f.Outputs {
		outs = append(outs, compiler.Output{Name: o.Name, Value: f.Graph.Value(o.Node)})
	}
	p, err := compiler.Compile(f.Graph, outs, compiler.Options{Arch: here.Arch(), Features: here.Features()})
	require.NoError(t, err)
	return p
}

// pooled is workers for a program, which are of this process where it can run programs.
func pooled(t testing.TB, dev device.Device, p *compiler.Program, n int) *pool.Pool {
	t.Helper()
	workers, err := pool.New(t.Context(), dev, p, n)
	require.NoError(t, err)
	t.Cleanup(workers.Close)
	return workers
}

// swept is the table of a sweep by some workers.
func swept(t testing.TB, dev device.Device, p *compiler.Program, spec Spec, workers int) string {
	t.Helper()
	s, err := Bind(p, spec)
	require.NoError(t, err)
	table := string(s.HeaderCSV())
	require.NoError(t, s.Each(t.Context(), pooled(t, dev, p, workers), 0, s.Len(), true, func(c Chunk) error {
		assert.Len(t, c.Rows, c.Len*s.Width())
		table += string(c.CSV)
		return nil
	}))
	return table
}

// TestTable: names, order, digits, NaN, flags, and that every run starts anew.
func TestTable(t *testing.T) {
	p := compiled(t, controlled)
	got := swept(t, here, p, Spec{Sets: []string{"kp=0:0.3:4", "n=0,8"}, Gets: []string{"product", "share", "one", "total"}}, 2)
	want, err := os.ReadFile("testdata/table.csv")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)

	// More ticks are seen in the state, of which each run has its own.
	got = swept(t, here, p, Spec{Sets: []string{"kp=1,2"}, Gets: []string{"total"}, Ticks: 3}, 1)
	assert.Equal(t, "index,kp,total,flags\n0,1,28,0\n1,2,46,0\n", got)
	// A state can be set, too: it is where a run starts.
	got = swept(t, here, p, Spec{Sets: []string{"total=0,-1"}, Gets: []string{"total"}}, 1)
	assert.Equal(t, "index,total,total,flags\n0,0,12,0\n1,-1,11,0\n", got)
	// Elements, whole arrays, and all outputs where none are named.
	got = swept(t, here, p, Spec{Sets: []string{"gains[1]=5", "on=false,true"}}, 1)
	assert.Equal(t, "index,gains[1],on,product,share,one,on,gains[0],gains[1],gains[2],total,flags\n"+
		"0,5,0,18,14,1,0,1,5,3,28,0\n1,5,1,18,14,1,1,1,5,3,28,0\n", quoted(got))
}

// quoted is a table without the quotes of names that have a comma.
func quoted(table string) string { return strings.ReplaceAll(table, `"`, "") }

// TestWorkers: how many there are changes nothing, nor that the oracle's one has its data elsewhere.
func TestWorkers(t *testing.T) {
	p := compiled(t, controlled)
	for _, spec := range []Spec{
		{Sets: []string{"kp=-1:1:37", "n=-2:3:6", "gains[2]=0.1,1e30,nan"}},
		{Sets: []string{"kp=normal(0,1)", "gains[0]=uniform(-1,1)", "n=0,1,2"}, Draws: 500, Seed: 7},
	} {
		reference, err := oracle.New(here.Arch())
		require.NoError(t, err)
		one := swept(t, reference, p, spec, 1)
		for _, n := range []int{1, 2, 3, 8} {
			require.Equal(t, one, swept(t, here, p, spec, n), "%d workers", n)
		}
	}
}

// TestResults: columns of numbers, for those who have no use for text.
func TestResults(t *testing.T) {
	s, err := Bind(compiled(t, controlled), Spec{Sets: []string{Set("kp", []float64{0.1, math.Inf(-1)}), "n=0"}, Gets: []string{"product"}})
	require.NoError(t, err)
	got, err := s.Results(t.Context(), here, 0)
	require.NoError(t, err)
	assert.Equal(t, []Column{
		{"kp", graph.F32, []float64{float64(float32(0.1)), math.Inf(-1)}}, {"n", graph.I32, []float64{0, 0}},
		{"product", graph.F32, []float64{float64(float32(0.6)), math.Inf(-1)}}, {"flags", graph.I32, []float64{1, 1}},
	}, got)
}

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		text string
		want []float64
	}{
		{"a=0:1:5", []float64{0, 0.25, 0.5, 0.75, 1}},
		{"a=1:0:3", []float64{1, 0.5, 0}},
		{"a=2:2:1", []float64{2}},
		{"a=0:0.3:4", []float64{0, 0.09999999999999999, 0.19999999999999998, 0.3}},
		{"a=-1e3, 2 ,inf", []float64{-1000, 2, math.Inf(1)}},
		{"a=True,false", []float64{1, 0}},
		{`parts["a=b"]=3`, []float64{3}},
	} {
		a, err := parseAxis(c.text)
		require.NoError(t, err, c.text)
		var got []float64
		for k := range a.count {
			got = append(got, a.at(k))
		}
		assert.Equal(t, c.want, got, c.text)
	}
	for text, says := range map[string]string{
		"kp": "this is not NAME=VALUES", "=1": "this is not NAME=VALUES", "a=": "a value is missing", "a=1,,2": "a value is missing",
		"a=x": `"x" is not a number`, "a=0:1": "three parts", "a=0:1:2:3": "three parts", "a=0:1:0": `"0" is not a number of points`,
		"a=0:1:x": `"x" is not a number of points`, "a=0:1:1": "both ends", "a=0:inf:3": "not finite", "a=0:1:99999999999": "number of points",
		"a=-1.7e308:1.7e308:3": "too far apart", "a=uniform(1,0)": "this is not uniform(LOW,HIGH)", "a=uniform(1)": "two numbers",
		"a=normal(0,-1)": "this is not normal", "a=cauchy(0,1)": `"cauchy" is no distribution`, "a=uniform(nan,1)": "not finite",
	} {
		_, err := parseAxis(text)
		var mistake *Error
		require.ErrorAs(t, err, &mistake, text)
		assert.Contains(t, err.Error(), says)
		assert.Contains(t, err.Error(), "--set "+text)
		assert.Contains(t, mistake.Hint(), "START:STOP:COUNT")
	}
}

// FuzzAxis: an axis that is taken has finite ends, and as many points as it says.
func FuzzAxis(f *testing.F) {
	for _, s := range []string{"a=0:1:5", "a=1,2", "gains[2]=uniform(0,1)", "=", "a=normal(1", "a=:::", "a=)", "x=1e999", "a=0:1e-320:7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAxis(text)
		if err != nil {
			return
		}
		if a.Name == "" || a.count == 0 && a.distribution == nil {
			t.Fatalf("%q gives %+v", text, a)
		}
		for k := range min(a.count, 50) {
			if v := a.at(k); a.values == nil && (math.IsNaN(v) || v < min(a.first, a.last) || v > max(a.first, a.last)) {
				t.Fatalf("%q: point %d is %v", text, k, v)
			}
		}
	})
}

func TestRefused(t *testing.T) {
	p := compiled(t, controlled)
	for _, c := range []struct {
		spec       Spec
		says, hint string
	}{
		{Spec{}, "--set is missing", "kp=0:5:100"},
		{Spec{Sets: []string{"ki=1"}}, `no variable "ki"`, "it has kp, gains, n, on, total"},
		{Spec{Sets: []string{"product=1"}}, "is computed", "what can be set: kp"},
		{Spec{Sets: []string{"gains=1"}}, "array of the shape", "gains[0]"},
		{Spec{Sets: []string{"gains[3]=1"}}, "outside", "count from 0"},
		{Spec{Sets: []string{"gains[99999999999999999999]=1"}}, "outside", "count from 0"},
		{Spec{Sets: []string{"gains[0,1]=1"}}, "1 indices, not 2", "gains[0]"},
		{Spec{Sets: []string{"kp=1", "kp=2"}}, "set already", "one --set"},
		{Spec{Sets: []string{"n=0:1:3"}}, "0.5 is no value of type i32", "whole numbers"},
		{Spec{Sets: []string{"n=3e9"}}, "3e+09 is no value of type i32", "whole"},
		{Spec{Sets: []string{"on=2"}}, "no value of type bool", "whole"},
		{Spec{Sets: []string{"n=uniform(0,1)"}, Draws: 3}, "gives floats", "whole"},
		{Spec{Sets: []string{"kp=uniform(0,1)"}}, "has no grid", "--random"},
		{Spec{Sets: []string{"kp=0:1:100000", "gains[0]=0:1:100000"}}, "more than 1000000000 runs", "--random"},
		{Spec{Sets: []string{"kp=1"}, Gets: []string{"prodcut"}}, `no variable "prodcut"`, "product"},
		{Spec{Sets: []string{"kp=1"}, Draws: -1}, "--random -1", "--random 10000"},
		{Spec{Sets: []string{"kp=1"}, Ticks: -1}, "--runs -1", "--runs 500"},
	} {
		_, err := Bind(p, c.spec)
		var mistake *Error
		require.ErrorAs(t, err, &mistake, "%+v", c.spec)
		assert.Contains(t, err.Error(), c.says)
		assert.Contains(t, mistake.Hint(), c.hint)
	}
}

// TestDraws: moments as they should be, other draws for another seed, the same on all machines.
func TestDraws(t *testing.T) {
	p, err := newPlan(Spec{Sets: []string{"a=uniform(-1,3)", "b=normal(5,2)", "c=1,2"}, Draws: 20000, Seed: 3})
	require.NoError(t, err)
	var sum, square [3]float64
	point := make([]float64, 3)
	for i := range p.len {
		p.point(i, point)
		for k, v := range point {
			sum[k] += v
			square[k] += v * v
		}
	}
	n := float64(p.len)
	for k, want := range [][2]float64{{1, 16.0 / 12}, {5, 4}, {1.5, 0.25}} {
		mean := sum[k] / n
		assert.InDelta(t, want[0], mean, 0.05)
		assert.InDelta(t, want[1], square[k]/n-mean*mean, 0.1)
	}
	p.point(12345, point)
	assert.Equal(t, [3]uint64{0x3ff2f01e7e655db4, 0x4012c64ecefb3aa4, 0x4000000000000000}, [3]uint64{math.Float64bits(point[0]), math.Float64bits(point[1]), math.Float64bits(point[2])})
	p.seed++
	again := make([]float64, 3)
	p.point(12345, again)
	assert.NotEqual(t, point[:2], again[:2])
}

// TestCancelled: what was handed over is a beginning of the table, without a hole.
func TestCancelled(t *testing.T) {
	p := compiled(t, controlled)
	s, err := Bind(p, Spec{Sets: []string{"kp=0:1:5000000"}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	next := 0
	err = s.Each(ctx, pooled(t, here, p, 4), 0, s.Len(), false, func(c Chunk) error {
		require.Equal(t, next, c.First)
		next += c.Len
		if next > 1000 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Greater(t, next, 1000)
	assert.Less(t, next, 5_000_000)

	full := errors.New("the disk is full")
	require.ErrorIs(t, s.Each(t.Context(), pooled(t, here, p, 4), 0, s.Len(), false, func(Chunk) error { return full }), full)
}

// TestFault: the error names the run and its parameters, and everything before it is there.
func TestFault(t *testing.T) {
	const fails = 433
	p := compiled(t, controlled)
	s, err := Bind(p, Spec{Sets: []string{"kp=0:999:1000"}, Gets: []string{"kp"}})
	require.NoError(t, err)
	for range 20 {
		n := 0
		err = s.Each(t.Context(), pooled(t, faulty{here, "433"}, p, 3), 0, s.Len(), false, func(c Chunk) error {
			require.Equal(t, n, c.First)
			n += c.Len
			return nil
		})
		require.EqualError(t, err, "run 433 (kp=433): a fault")
		require.Equal(t, fails, n)
	}
}

// faulty has programs that fail where kp is a certain number.
type faulty struct {
	device.Device
	at string
}

func (f faulty) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	l, err := f.Device.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	kp, _ := p.Image.Symbol(image.Input, "kp")
	return faultyProgram{l.(device.Direct), kp, f.at}, nil
}

type faultyProgram struct {
	device.Direct
	kp *image.Symbol
	at string
}

func (f faultyProgram) Run(ctx context.Context) error {
	if string(appendValue(nil, graph.F32, graph.F32.Load(f.kp.In(f.Memory())))) == f.at {
		return errors.New("a fault")
	}
	return f.Direct.Run(ctx)
}

// BenchmarkSweep measures a million runs with their lines of text, by one worker and by one for each
// processor in turn, and shows the rate of all as a part of as many times that of one.
func BenchmarkSweep(b *testing.B) {
	p := compiled(b, controlled)
	s, err := Bind(p, Spec{Sets: []string{"kp=0:5:1000", "gains[1]=0:5:1000"}, Gets: []string{"product"}})
	require.NoError(b, err)
	n := runtime.GOMAXPROCS(0)
	pools := []*pool.Pool{pooled(b, here, p, 1), pooled(b, here, p, n)}
	least := []time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for i, workers := range pools {
			start := time.Now()
			require.NoError(b, s.Each(b.Context(), workers, 0, s.Len(), true, func(Chunk) error { return nil }))
			least[i] = min(least[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(s.Len())/least[0].Seconds(), "runs/s-of-one")
	b.ReportMetric(float64(s.Len())/least[1].Seconds(), "runs/s-of-all")
	b.ReportMetric(least[0].Seconds()/least[1].Seconds()/float64(n), "of-linear")
}
