package compiler_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/script"
	"github.com/copaflash/copaflash/compiler/script/copapy"
	"github.com/copaflash/copaflash/internal/seed"
)

// TestRandomScripts compares the programs of random scripts with the
// oracle, outputs and sticky flags bit for bit, in every way of unrolling and fast.
// What scripts are made of gives other graphs than random ops do: gradients, reductions
// of one element, loops whose carries nothing reads.
func TestRandomScripts(t *testing.T) {
	type traced struct {
		seed uint64
		prog *compiler.Program
	}
	var all []traced
	for _, seed := range seed.List(t, 110, 10) {
		seed += 300
		m := &scriptMaker{rng: rand.New(rand.NewPCG(seed, 5)), doubles: seed%2 == 0, big: seed%3 == 0}
		file := filepath.Join(t.TempDir(), "random.py")
		require.NoError(t, os.WriteFile(file, []byte(m.script()), 0o600))
		err := script.Run(t.Context(), file, script.Options{
			Compiled: func(s *copapy.Stats) { all = append(all, traced{seed, s.Program}) },
			Open:     func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
		})
		require.NoError(t, err, "seed %d\n%s", seed, m.text.String())
	}
	forEachMachine(t, func(t *testing.T, m *machine) {
		var jobs []*job
		for _, p := range all {
			if p.seed%2 == 0 && !compiler.HasDoubles(m.arch) || p.seed%12 > 1 && m.name() != "x86_64" {
				continue
			}
			var outs []graph.Value
			for _, o := range p.prog.Outputs {
				outs = append(outs, o.Value)
			}
			for _, mode := range modes {
				opt := compiler.Options{Arch: m.arch, Features: m.features, Unroll: mode, Fast: p.seed%9 == 4}
				jobs = append(jobs, newJob(t, fmt.Sprintf("seed %d mode %d", p.seed, mode), p.prog.Graph, outs, opt))
			}
		}
		m.runJobs(t, jobs)
	})
}

// kind is a type, one of f, d, i and b, and a shape.
type kind struct {
	t byte
	s []int
}

type scriptVar struct {
	name string
	kind
}

// scriptMaker writes a random script: statements, in which expressions of a wanted type
// and shape are made from the top down.
type scriptMaker struct {
	rng     *rand.Rand
	doubles bool // also float64
	big     bool // also long arrays
	text    bytes.Buffer
	vars    []scriptVar
	names   int
	loops   int // around
}

func (m *scriptMaker) chance(percent int) bool { return m.rng.IntN(100) < percent }

func (m *scriptMaker) name(t byte) string {
	m.names++
	return fmt.Sprintf("%c%d", t, m.names)
}

func (m *scriptMaker) line(format string, args ...any) { fmt.Fprintf(&m.text, format+"\n", args...) }

func (m *scriptMaker) kind() kind { return kind{m.dtype(), m.shape(2)} }

func (m *scriptMaker) dtype() byte {
	if m.doubles {
		return "ffddiib"[m.rng.IntN(7)]
	}
	return "fffiib"[m.rng.IntN(6)]
}

func (m *scriptMaker) shape(axes int) []int {
	s := []int{}
	for range m.rng.IntN(axes + 1) {
		n := 1 + m.rng.IntN(5)
		if m.chance(8) || m.big && m.chance(60) {
			n = 9 + m.rng.IntN(40)
		}
		s = append(s, n)
	}
	return s
}

// small reports whether an array of that shape is not too large for a script.
func (m *scriptMaker) small(s []int) bool {
	return len(s) <= 3 && graph.Shape(s).Elements() <= 200 || m.big && graph.Shape(s).Elements() <= 1500
}

func (m *scriptMaker) script() string {
	m.line("import copapy as cp")
	var states []scriptVar
	for range 3 {
		k := m.kind()
		m.define(k, m.leaf(k))
		if m.chance(40) {
			s := scriptVar{m.name('s'), kind{"fib"[m.rng.IntN(3)], nil}}
			m.line("%s = cp.state(%s)", s.name, m.literal(s.t))
			states, m.vars = append(states, s), append(m.vars, s)
		}
	}
	for range 4 + m.rng.IntN(5) {
		m.statement()
	}
	for _, s := range states {
		m.line("%s.next = %s", s.name, m.expr(s.kind, 2))
	}
	names := make([]string, len(m.vars))
	for i, v := range m.vars {
		names[i] = v.name
	}
	m.line("tg = cp.Target()\ntg.compile(%s)\ntg.run(3)", strings.Join(names, ", "))
	return m.text.String()
}

func (m *scriptMaker) define(k kind, text string) {
	v := scriptVar{m.name('v'), k}
	m.line("%s = %s", v.name, text)
	m.vars = append(m.vars, v)
}

func (m *scriptMaker) statement() {
	x, _ := m.pick(func(scriptVar) bool { return true })
	switch k := m.kind(); {
	case x.name[0] == 'v' && m.chance(15): // unrolled while tracing
		m.line("for k in range(%d):\n    if k %% 2 == %d: continue\n    %s = %s", 1+m.rng.IntN(4), m.rng.IntN(2), x.name, m.expr(x.kind, 2))
	case (x.t == 'f' || x.t == 'd') && m.chance(40):
		y := m.expr(kind{x.t, nil}, 3)
		switch m.rng.IntN(3) {
		case 0:
			m.define(x.kind, fmt.Sprintf("cp.grad(%s, %s)", y, x.name))
		case 1:
			m.define(kind{x.t, nil}, fmt.Sprintf("cp.jvp(%s, %s, %s)", y, x.name, m.expr(x.kind, 1)))
		default:
			m.define(x.kind, fmt.Sprintf("cp.grad(cp.sum(cp.grad(%s, %s) * %s), %s)", y, x.name, m.expr(x.kind, 1), x.name))
		}
	case m.chance(30):
		m.scan()
	default:
		m.define(k, m.expr(k, 4))
	}
}

// scan is a static loop with some carries, rows in, and rows out.
func (m *scriptMaker) scan() {
	n := 1 + m.rng.IntN(6)
	params := []scriptVar{{m.name('i'), kind{'i', nil}}}
	var start []string
	carries := 1 + m.rng.IntN(3)
	for range carries {
		c := scriptVar{m.name('c'), kind{m.dtype(), m.shape(1)}}
		start, params = append(start, m.expr(c.kind, 1)), append(params, c)
	}
	x := scriptVar{m.name('x'), kind{m.dtype(), m.shape(1)}}
	rows := m.expr(kind{x.t, append([]int{n}, x.s...)}, 1)
	var next []string
	out := kind{m.dtype(), m.shape(1)}
	m.inside(append(params, x), func() {
		for _, c := range params[1:] {
			next = append(next, m.expr(c.kind, 3))
		}
		next = append(next, m.expr(out, 3))
	})
	var names, last []string
	results := []scriptVar{}
	for _, c := range params[1:] {
		v := scriptVar{m.name('v'), c.kind}
		names, last, results = append(names, c.name), append(last, v.name), append(results, v)
	}
	r := scriptVar{m.name('v'), kind{out.t, append([]int{n}, out.s...)}}
	m.line("def body(%s, carry, %s):\n    %s, = carry\n    return (%s,), %s", params[0].name, x.name, strings.Join(names, ", "), strings.Join(next[:carries], ", "), next[carries])
	m.line("(%s,), %s = cp.scan(%d, body, (%s,), %s)", strings.Join(last, ", "), r.name, n, strings.Join(start, ", "), rows)
	m.vars = append(append(m.vars, results...), r)
}

// inside makes what is in the body of a loop.
func (m *scriptMaker) inside(params []scriptVar, f func()) {
	outer := m.vars
	m.vars = append(slices.Clip(outer), params...)
	m.loops++
	f()
	m.loops--
	m.vars = outer
}

func (m *scriptMaker) pick(ok func(scriptVar) bool) (scriptVar, bool) {
	for range 8 {
		if v := m.vars[m.rng.IntN(len(m.vars))]; ok(v) {
			return v, true
		}
	}
	return m.vars[0], false
}

var scriptLiterals = map[byte][]string{
	'f': {"0.0", "-0.0", "1.0", "0.5", "-2.5", "1e-40", "1e10", "3e38", "cp.inf", "-cp.inf", "cp.nan", "16777217.0"},
	'd': {"0.0", "-0.0", "1.0", "0.5", "-2.5", "1e-310", "1e10", "1e300", "cp.inf", "cp.nan", "4503599627370497.5"},
	'i': {"0", "1", "-1", "7", "-7", "31", "33", "255", "2147483647", "-2147483648", "16777217"},
	'b': {"True", "False"},
}

func (m *scriptMaker) literal(t byte) string {
	switch list := scriptLiterals[t]; {
	case t == 'b' || m.chance(35):
		return list[m.rng.IntN(len(list))]
	case t == 'i':
		return fmt.Sprint(m.rng.IntN(13) - 4)
	}
	return fmt.Sprintf("%.2f", m.rng.Float64()*6-3)
}

// leaf is a variable of the kind that is wanted, or a new one.
func (m *scriptMaker) leaf(k kind) string {
	if len(m.vars) > 0 {
		if v, ok := m.pick(func(v scriptVar) bool { return v.t == k.t && slices.Equal(v.s, k.s) }); ok && m.chance(85) {
			return v.name
		}
	}
	number := "cp.value(" + m.literal(k.t) + ")"
	if k.t == 'd' {
		number = "cp.f64(" + number + ")"
	}
	n := graph.Shape(k.s).Elements()
	switch {
	case len(k.s) == 0:
		return number
	case m.chance(30):
		return fmt.Sprintf("cp.full(%v, %s)", graph.Shape(k.s), number)
	case k.t == 'b':
		return fmt.Sprintf("((cp.arange(%d).reshape(%v) %% 3 == 1) | %s)", n, graph.Shape(k.s), number)
	}
	return fmt.Sprintf("(cp.arange(-3, %d).reshape(%v) * %s)", n-3, graph.Shape(k.s), number)
}
