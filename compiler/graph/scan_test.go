package graph

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted is a loop of n iterations that adds x to a carry, with the carries as rows.
func counted(g *Graph, n int, x Value) (last, rows Value, err error) {
	lasts, stacked, err := g.Scan(n, []Value{g.F32(0)}, nil, func(iteration Value, carry, _ []Value) ([]Value, []Value, error) {
		next := carry[0].Add(x).Add(iteration)
		return []Value{next}, []Value{carry[0]}, nil
	})
	if err != nil {
		return Value{}, Value{}, err
	}
	return lasts[0], stacked[0], nil
}

func TestScan(t *testing.T) {
	g := New()
	x := g.InputF32("x", 1)
	last, rows, err := counted(g, 5, x.Sin())
	require.NoError(t, err)
	require.Equal(t, OpScan, last.Op())
	require.Equal(t, Shape{}, last.Shape())
	require.Equal(t, Shape{5}, rows.Shape())
	require.Equal(t, g.Args(last.ID()), g.Args(rows.ID()))
	require.Equal(t, []ID{g.F32(0).ID(), x.Sin().ID()}, g.Args(last.ID()), "the first carry, and what the body uses from outside")
	s, out := g.ScanInfo(last.ID())
	require.Equal(t, 0, out)
	require.Equal(t, 3, s.NumParams())
	require.Equal(t, 3, s.NumOutputs())
	require.NoError(t, g.CheckRoots([]ID{last.ID(), rows.ID()}))

	again, _, err := counted(g, 5, x.Sin())
	require.NoError(t, err)
	require.Equal(t, last, again, "equal loops on equal operands are one")
	other, _, err := counted(g, 6, x.Sin())
	require.NoError(t, err)
	require.NotEqual(t, last, other)
	require.Len(t, g.Scans(), 2)
	require.NoError(t, Check(g))

	history, err := g.ScanResult(0, s.History(0), g.Args(last.ID()))
	require.NoError(t, err)
	require.Equal(t, Shape{5}, history.Shape())
	require.NoError(t, g.Err())
}

func TestScanWithoutIterations(t *testing.T) {
	g := New()
	x := g.InputF32("x", 1)
	last, rows, err := counted(g, 0, x)
	require.NoError(t, err)
	require.Equal(t, g.F32(0), last)
	require.Equal(t, Shape{0}, rows.Shape())
	require.Empty(t, g.Scans())
}

func TestScanNeeds(t *testing.T) {
	g := New()
	x := g.InputF32("x", 1)
	last, err := g.Fori(3, []Value{x, x, x, x}, func(_ Value, c []Value) ([]Value, error) {
		return []Value{c[0].Add(c[1]), c[2].Sin(), c[2], c[3].Cos()}, nil
	})
	require.NoError(t, err)
	s, _ := g.ScanInfo(last[0].ID())
	for out, want := range map[int][]bool{
		0: {true, true, true, false}, 1: {false, true, true, false}, 2: {false, false, true, false}, 3: {false, false, false, true},
		s.History(1): {false, true, true, false},
	} {
		used := make([]bool, s.NumOutputs())
		used[out] = true
		carries, rows := s.Needs(used)
		require.Equal(t, want, carries, "for result %d", out)
		require.Empty(t, rows)
	}
}

func TestScanRefuses(t *testing.T) {
	g := New()
	x, i := g.InputF32("x", 1), g.InputI32("i", 1)
	v := g.ConstF32(Shape{3}, []float32{1, 2, 3})
	other := New().F32(1)
	same := func(_ Value, c, _ []Value) ([]Value, []Value, error) { return c, nil, nil }
	gives := func(next ...Value) func(Value, []Value, []Value) ([]Value, []Value, error) {
		return func(Value, []Value, []Value) ([]Value, []Value, error) { return next, nil, nil }
	}
	wide := func(_ Value, c, _ []Value) ([]Value, []Value, error) {
		return c, []Value{v.Broadcast(1000, 3)}, nil
	}
	for message, try := range map[string]func() ([]Value, []Value, error){
		"scan: -1 iterations: 0 to 16777216 are supported":         func() ([]Value, []Value, error) { return g.Scan(-1, nil, nil, same) },
		"scan: 16777217 iterations: 0 to 16777216 are supported":   func() ([]Value, []Value, error) { return g.Scan(1<<24+1, nil, nil, same) },
		"scan: carry 0 is not a value of this graph":               func() ([]Value, []Value, error) { return g.Scan(2, []Value{other}, nil, same) },
		"scan: sliced array 0 is not a value of this graph":        func() ([]Value, []Value, error) { return g.Scan(2, nil, []Value{other}, same) },
		"scan: sliced array 0 has shape (3,), which does not have": func() ([]Value, []Value, error) { return g.Scan(2, nil, []Value{v}, same) },
		"scan: sliced array 0 has shape (), which does not have":   func() ([]Value, []Value, error) { return g.Scan(2, nil, []Value{x}, same) },
		"scan: the body gives 0 carries, not 1":                    func() ([]Value, []Value, error) { return g.Scan(2, []Value{x}, nil, gives()) },
		"scan: carry 0 that the body gives is not a value":         func() ([]Value, []Value, error) { return g.Scan(2, []Value{x}, nil, gives(other)) },
		"scan: carry 0 is f32 and becomes i32":                     func() ([]Value, []Value, error) { return g.Scan(2, []Value{x}, nil, gives(i)) },
		"scan: carry 0 is f32 and becomes f32 of shape (3,)":       func() ([]Value, []Value, error) { return g.Scan(2, []Value{x}, nil, gives(v)) },
		"scan: the loop stacks 9999 rows: shape (9999, 1000, 3) ":  func() ([]Value, []Value, error) { return g.Scan(9999, nil, nil, wide) },
	} {
		_, _, err := try()
		require.ErrorContains(t, err, message)
	}
	_, err := g.Apply(OpScan, x)
	require.EqualError(t, err, "scan: a loop is built with its own method")
	require.NoError(t, g.Err())
	require.NoError(t, Check(g))
}

// A value of a body is known only there.
func TestValuesStayInTheirLoop(t *testing.T) {
	g := New()
	var kept Value
	last, err := g.Fori(3, []Value{g.InputF32("x", 1)}, func(_ Value, c []Value) ([]Value, error) {
		kept = c[0].Sin()
		return []Value{kept}, nil
	})
	require.NoError(t, err)
	require.NoError(t, g.CheckRoots([]ID{last[0].ID()}))
	require.ErrorContains(t, g.CheckRoots([]ID{last[0].Add(kept).ID()}), "a value of the body of a loop is used outside of it")
}

func TestTextOfLoopsRefused(t *testing.T) {
	const text = `loop 0: 4 turns, 1 carries, 0 slices {
%0 = param.i32 {0}
%1 = param.f32 {1}
%2 = sin.f32 %1
} %2
%0 = input.f32 "x" {1}
%1 = scan.f32 %0 {0, 0}
%2 = scan.f32[4] %0 {0, 1}
`
	g, err := Parse(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, text, g.String())
	for message, change := range map[string][2]string{
		`line 1: want ":", found "4 turns`:                  {"loop 0:", "loop 0"},
		"line 1: want the number of turns":                  {"4 turns", "turns"},
		"line 1: want the number of slices":                 {"0 slices", "0 rows"},
		"line 1: want { at the end":                         {"slices {", "slices"},
		"line 5: scan: a loop of 0 iterations":              {"4 turns", "0 turns"},
		"line 5: scan: a loop with 2 carries":               {"1 carries", "2 carries"},
		"line 5: node %7 is not defined before":             {"} %2", "} %7"},
		"line 5: unexpected":                                {"} %2", "} %2 %2"},
		"line 5: scan: carry 0 is f32 and becomes i32":      {"} %2", "} %0"},
		"line 3: param: param 3 comes where param 1 is due": {"{1}\n%2", "{3}\n%2"},
		"line 7: loop 3 is not defined before":              {"{0, 0}", "{3, 0}"},
		"line 7: scan: the loop has no result 5":            {"{0, 0}", "{0, 5}"},
		"line 7: want {loop, result}":                       {" {0, 0}", " {0}"},
		"line 7: scan: gives f32, not f32 of shape (2,)":    {"scan.f32 ", "scan.f32[2] "},
		"loop 0 has no end":                                 {"} %2\n", ""},
	} {
		broken := strings.Replace(text, change[0], change[1], 1)
		if message == "loop 0 has no end" {
			broken = broken[:strings.Index(broken, "%0 = input")]
		}
		_, err := Parse(strings.NewReader(broken))
		require.ErrorContains(t, err, message)
	}
}
