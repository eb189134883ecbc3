package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/native"
	"github.com/copaflash/copaflash/stencils"
)

// taskModel says what a program of tasks means, by the marks of its graph alone: what the compiler makes of it must
// agree. Each node is computed in its task; others see what the last run of that left.
type taskModel struct {
	g     *graph.Graph
	tasks []compiler.Task
	outs  []compiler.Output
	vars  map[graph.ID][]uint32 // inputs and states
	held  map[graph.ID][]uint32 // computed nodes, as their task left them
	shown [][]uint32            // outputs
}

func newTaskModel(g *graph.Graph, tasks []compiler.Task, outs []compiler.Output) *taskModel {
	m := &taskModel{g: g, tasks: tasks, outs: outs, vars: map[graph.ID][]uint32{}, held: map[graph.ID][]uint32{}, shown: make([][]uint32, len(outs))}
	for i := range g.NumNodes() {
		id := graph.ID(i)
		switch n := g.Node(id); n.Op {
		case graph.OpInput:
			m.vars[id] = g.InputInfo(id).Init
		case graph.OpState:
			m.vars[id] = g.StateInfo(id).Init
		default:
			m.held[id] = make([]uint32, g.Elements(id)*n.DType.Words())
		}
	}
	for i, o := range outs {
		m.shown[i] = make([]uint32, g.Elements(o.Value.ID())*o.Value.DType().Words())
	}
	return m
}

// free tells what is computed wherever it is used: functions of inputs outside of tasks.
func (m *taskModel) free(id graph.ID) bool {
	switch m.g.Node(id).Op {
	case graph.OpConst, graph.OpInput:
		return true
	case graph.OpState:
		return false
	}
	for _, a := range m.g.Args(id) {
		if !m.free(a) {
			return false
		}
	}
	return m.g.TaskOf(id) == 0
}

func (m *taskModel) tick(n int) {
	for task := range len(m.tasks) + 1 {
		if task > 0 && n%m.tasks[task-1].Divisor != 0 {
			continue
		}
		known := map[graph.ID][]uint32{}
		var value func(id graph.ID) []uint32
		value = func(id graph.ID) []uint32 {
			node := m.g.Node(id)
			switch {
			case node.Op == graph.OpConst:
				return m.g.ConstBits(id)
			case node.Op == graph.OpInput || node.Op == graph.OpState:
				return m.vars[id]
			case !m.free(id) && m.g.TaskOf(id) != task:
				return m.held[id]
			}
			if w, ok := known[id]; ok {
				return w
			}
			var args [][]uint32
			for _, a := range m.g.Args(id) {
				args = append(args, value(a))
			}
			out := make([]uint32, m.g.Elements(id)*node.DType.Words())
			eval.Node(m.g, id, args, out)
			known[id] = out
			return out
		}
		held, states := map[graph.ID][]uint32{}, map[graph.ID][]uint32{}
		for i := range m.g.NumNodes() {
			id := graph.ID(i)
			switch op := m.g.Node(id).Op; {
			case op == graph.OpState && m.g.TaskOf(id) == task:
				states[id] = value(m.g.StateInfo(id).Next)
			case op != graph.OpState && op != graph.OpInput && op != graph.OpConst && m.g.TaskOf(id) == task:
				held[id] = value(id)
			}
		}
		for i, o := range m.outs {
			if id := o.Value.ID(); max(o.Task, m.g.TaskOf(id)) == task && o.Value.Op() != graph.OpState {
				m.shown[i] = value(id)
			}
		}
		for id, w := range held {
			m.held[id] = w
		}
		for id, w := range states {
			m.vars[id] = w
		}
	}
	for i, o := range m.outs {
		if o.Value.Op() == graph.OpState {
			m.shown[i] = m.vars[o.Value.ID()]
		}
	}
}

// randomTasks makes a program of tasks that use each other's values: each those of tasks before it.
func randomTasks(rng *rand.Rand) (*graph.Graph, []compiler.Task, []compiler.Output) {
	g := graph.New()
	shape := graph.Shape{1 + rng.IntN(20)}
	var scalars, arrays, states []graph.Value
	for i := range 3 {
		scalars = append(scalars, g.InputF32(fmt.Sprint("in", i), float32(rng.NormFloat64())))
	}
	init := make([]float32, shape[0])
	for i := range init {
		init[i] = float32(rng.NormFloat64())
	}
	arrays = append(arrays, g.InputTensor("array", graph.F32s(shape, init...)))
	for i := range 5 {
		s := g.StateF32(fmt.Sprint("s", i), float32(i))
		states, scalars = append(states, s), append(scalars, s)
	}
	vector := g.StateTensor("v", graph.F32s(shape, init...))
	arrays = append(arrays, vector)
	var tasks []compiler.Task
	var outs []compiler.Output
	pick := func(list []graph.Value) graph.Value { return list[rng.IntN(len(list))] }
	number := 1 + rng.IntN(4)
	for task := range number + 1 {
		g.SetTask(task)
		if task > 0 {
			tasks = append(tasks, compiler.Task{Name: fmt.Sprint("t", task), Divisor: []int{1, 2, 3, 6}[rng.IntN(4)]})
		}
		for range 3 + rng.IntN(8) {
			a, b := pick(scalars), pick(scalars)
			switch rng.IntN(7) {
			case 0:
				scalars = append(scalars, a.Add(b))
			case 1:
				scalars = append(scalars, a.Sub(b))
			case 2:
				scalars = append(scalars, a.Sin())
			case 3:
				scalars = append(scalars, a.Mul(b).Cos())
			case 4:
				arrays = append(arrays, pick(arrays).Mul(a))
			case 5:
				arrays = append(arrays, pick(arrays).Add(pick(arrays)).Sin())
			case 6:
				scalars = append(scalars, pick(arrays).Sum())
			}
		}
		outs = append(outs, compiler.Output{Name: fmt.Sprint("x", task), Value: pick(scalars)}, compiler.Output{Name: fmt.Sprint("y", task), Value: pick(arrays), Task: task})
		for rng.IntN(2) == 0 && len(states) > 0 {
			if err := g.SetNext(states[0], pick(scalars).Sin()); err != nil {
				panic(err)
			}
			states = states[1:]
		}
	}
	for _, s := range states {
		if err := g.SetNext(s, s); err != nil {
			panic(err)
		}
	}
	if err := g.SetNext(vector, pick(arrays).Sin()); err != nil {
		panic(err)
	}
	g.SetTask(0)
	return g, tasks, outs
}

// TestTasksMeanWhatTheModelSays: random programs of tasks, on the oracle and as machine code, tick by tick.
func TestTasksMeanWhatTheModelSays(t *testing.T) {
	several := 0
	for seed := range uint64(150) {
		g, tasks, outs := randomTasks(rand.New(rand.NewPCG(seed, 12)))
		opt := compiler.Options{Arch: native.Arch.String(), Features: native.Features(), Tasks: tasks, Verify: true,
			Unroll: []compiler.UnrollMode{compiler.UnrollAuto, compiler.UnrollAlways, compiler.UnrollNever}[seed%3]}
		p, err := compiler.Compile(g, outs, opt)
		require.NoError(t, err, seed)
		if len(p.Image.Entries) > 2 {
			several++
		}
		dev, err := oracle.New(opt.Arch)
		require.NoError(t, err)
		onOracle, err := dev.Load(t.Context(), p)
		require.NoError(t, err)
		here := loadEntries(t, p.Image)
		model := newTaskModel(g, tasks, outs)
		var reads []device.Span
		for i := range outs {
			reads = append(reads, device.SpanOf(p.Output(i)))
		}
		for tick := range 14 {
			model.tick(tick)
			r, err := device.Ticks(t.Context(), onOracle, p.Image, uint32(tick), device.Call{Runs: 1, Reads: reads})
			require.NoError(t, err)
			here.tick(t, tick)
			for i := range outs {
				s := p.Output(i)
				want := graph.Tensor{DType: s.DType, Shape: s.Shape, Bits: model.shown[i]}
				want = s.Decode(s.Encode(want.Bits))
				require.Equal(t, want.Bits, s.Decode(r.Data[i]).Bits, "seed %d, tick %d, output %s on the oracle", seed, tick, s.Name)
				require.Equal(t, want.Bits, s.Decode(s.In(here.data())).Bits, "seed %d, tick %d, output %s as code", seed, tick, s.Name)
			}
		}
	}
	require.Greater(t, several, 75)
}

// TestFastTasks: fast rules may change what is computed, and the oracle and machine code still agree.
func TestFastTasks(t *testing.T) {
	for seed := range uint64(60) {
		g, tasks, outs := randomTasks(rand.New(rand.NewPCG(seed, 14)))
		opt := compiler.Options{Arch: native.Arch.String(), Features: native.Features(), Tasks: tasks, Verify: true, Fast: true}
		p, err := compiler.Compile(g, outs, opt)
		require.NoError(t, err, seed)
		dev, err := oracle.New(opt.Arch)
		require.NoError(t, err)
		onOracle, err := dev.Load(t.Context(), p)
		require.NoError(t, err)
		here := loadEntries(t, p.Image)
		for tick := range 8 {
			var reads []device.Span
			for i := range outs {
				reads = append(reads, device.SpanOf(p.Output(i)))
			}
			r, err := device.Ticks(t.Context(), onOracle, p.Image, uint32(tick), device.Call{Runs: 1, Reads: reads})
			require.NoError(t, err)
			here.tick(t, tick)
			for i := range outs {
				s := p.Output(i)
				require.Equal(t, s.Decode(r.Data[i]).Bits, s.Decode(s.In(here.data())).Bits, "seed %d, tick %d, output %s", seed, tick, s.Name)
			}
		}
	}
}

// entries are the entries of an image as functions over one data block.
type entries struct {
	img  *image.Image
	list []*native.Program
	last int // whose data block is the present one
}

func loadEntries(t *testing.T, img *image.Image) *entries {
	e := &entries{img: img}
	for i := range img.Entries {
		one := *img
		one.Entries = img.Entries[i : i+1]
		p, err := native.Load(&one)
		require.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		e.list = append(e.list, p)
	}
	return e
}

func (e *entries) data() []byte { return e.list[e.last].Data() }

func (e *entries) tick(t *testing.T, n int) {
	for i := range e.list {
		if n%e.img.Entries[i].Every() == 0 {
			copy(e.list[i].Data(), e.data())
			e.last = i
			require.NoError(t, e.list[i].Run())
		}
	}
}

// TestTasksOnEveryArchitecture compiles programs of tasks for all, with a check after every pass.
func TestTasksOnEveryArchitecture(t *testing.T) {
	for _, arch := range stencils.Archs() {
		for seed := range uint64(10) {
			g, tasks, outs := randomTasks(rand.New(rand.NewPCG(seed, 13)))
			p, err := compiler.Compile(g, outs, compiler.Options{Arch: arch, Tasks: tasks, Verify: true})
			require.NoError(t, err, "%s, seed %d", arch, seed)
			require.NoError(t, p.Listing(discard{}))
			sum := uint64(0)
			for i := range p.Image.Entries {
				sum += p.Image.Entries[i].Instructions
			}
			require.Equal(t, p.Image.Budget.Instructions, sum)
			b, err := p.Image.Encode()
			require.NoError(t, err)
			_, err = image.Decode(b)
			require.NoError(t, err)
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func TestTaskErrors(t *testing.T) {
	g := graph.New()
	x := g.InputF32("x", 1)
	g.SetTask(1)
	g.SetPos(7)
	a := x.Sin()
	g.SetTask(2)
	g.SetPos(8)
	b := a.Cos()
	g.SetTask(1)
	g.SetPos(9)
	c := b.Add(a)
	out := []compiler.Output{{Name: "c", Value: c}}
	opt := compiler.Options{Arch: "x86_64", Tasks: []compiler.Task{{Name: "one"}, {Name: "two"}}}
	_, err := compiler.Compile(g, out, opt)
	var loop *compiler.TaskLoop
	require.ErrorAs(t, err, &loop)
	require.Equal(t, []string{"one", "two"}, loop.Tasks)
	require.Equal(t, []uint32{7, 8}, loop.Pos)
	require.EqualError(t, err, "compile: values go round between tasks: one -> two -> one")

	for _, tt := range []struct {
		tasks []compiler.Task
		want  string
	}{
		{[]compiler.Task{{Name: ""}}, "has no name"},
		{[]compiler.Task{{Name: "a"}, {Name: "a"}}, "is taken"},
		{[]compiler.Task{{Name: compiler.BaseName}}, "is taken"},
		{[]compiler.Task{{Name: "a", Divisor: -1}}, "in one of -1 ticks"},
		{make([]compiler.Task, 16), "at most 15"},
		{[]compiler.Task{{Name: "one"}}, "is of task 2, of 1 tasks"},
	} {
		opt.Tasks = tt.tasks
		_, err := compiler.Compile(g, out, opt)
		require.ErrorContains(t, err, tt.want)
	}
	opt.Tasks = []compiler.Task{{Name: "one"}}
	for _, task := range []int{-1, 2} { // of a graph without marks, too
		h := graph.New()
		_, err = compiler.Compile(h, []compiler.Output{{Name: "y", Value: h.InputF32("x", 1).Sin(), Task: task}}, opt)
		require.ErrorContains(t, err, fmt.Sprintf("of task %d, of 1 tasks", task))
	}
	opt.Tasks = nil // then marks do not matter
	p, err := compiler.Compile(g, out, opt)
	require.NoError(t, err)
	require.Len(t, p.Image.Entries, 1)
	require.EqualValues(t, image.Plain, p.Image.Version)
}
