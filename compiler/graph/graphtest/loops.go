package graphtest

import (
	"slices"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Bounds of static loops: how deep they are nested, and the ops in a body.
const (
	maxDepth   = 2
	maxBodyOps = 8
)

// drawScan makes a static loop with some of the values as carries, perhaps an
// array that it walks, and a body of random ops.
func drawScan(m *maker) (graph.Value, bool) {
	if m.depth == maxDepth {
		return graph.Value{}, false
	}
	n := m.rng.IntN(7)
	var xs []graph.Value
	if m.rng.IntN(2) == 0 {
		if x, ok := m.pick(hasAxes(1, 3)); ok && x.Shape()[0] > 0 {
			xs, n = []graph.Value{x}, x.Shape()[0]
		}
	}
	var carry []graph.Value
	for range m.rng.IntN(4) {
		if v, ok := m.pick(hasAxes(0, 2)); ok {
			carry = append(carry, v)
		}
	}
	last, stacked, err := m.g.Scan(n, carry, xs, m.body)
	results := append(last, stacked...)
	if err != nil || len(results) == 0 {
		return graph.Value{}, false
	}
	if v := results[m.rng.IntN(len(results))]; v.Op() == graph.OpScan && m.rng.IntN(4) == 0 {
		loop, _ := m.g.Node(v.ID()).ScanRange()
		s, _ := m.g.ScanInfo(v.ID())
		if s.Carries > 0 { // it may be another loop, of which this one gives a result on
			if h, err := m.g.ScanResult(loop, s.History(m.rng.IntN(s.Carries)), m.g.Args(v.ID())); err == nil {
				results = append(results, h)
			}
		}
	}
	at := m.rng.IntN(len(results))
	for k, v := range results {
		if k != at && !m.outside(v) {
			m.values = append(m.values, v)
		}
	}
	return results[at], true
}

// body applies random ops to the values of an iteration and those from outside.
func (m *maker) body(iteration graph.Value, carry, xs []graph.Value) (next, rows []graph.Value, err error) {
	in := *m
	in.depth++
	in.values = slices.Concat(m.values, carry, xs)
	if slices.Contains(m.cfg.DTypes, graph.I32) {
		in.values = append(in.values, iteration)
	}
	for range 1 + m.rng.IntN(maxBodyOps) {
		if v, ok := in.apply(m.cfg.Only[m.rng.IntN(len(m.cfg.Only))]); ok {
			in.values = append(in.values, v)
		}
	}
	m.values = append(m.values, in.states[len(m.states):]...)
	m.states = in.states
	for _, c := range carry {
		var fit []graph.Value
		for _, v := range slices.Concat(carry, xs, in.values[len(m.values):]) {
			if v.DType() == c.DType() && v.Shape().Equal(c.Shape()) {
				fit = append(fit, v)
			}
		}
		// The newest as a rule: those that depend on the iteration.
		next = append(next, fit[max(len(fit)-1-m.rng.IntN(3), 0)])
	}
	for range m.rng.IntN(3) {
		rows = append(rows, in.values[max(len(in.values)-1-m.rng.IntN(4), 0)])
	}
	return next, rows, nil
}
