package sweep

import (
	"fmt"
	"math"
)

// MaxRuns bounds the runs of a sweep.
const MaxRuns = 1_000_000_000

// Spec says what to do with a program. It is all that tells one sweep of a program from another.
type Spec struct {
	Sets  []string `cbor:"1,keyasint"` // NAME=VALUES of each parameter
	Gets  []string `cbor:"2,keyasint"` // results; none: all outputs
	Draws int      `cbor:"3,keyasint"` // random draws; 0: the grid of all values
	Seed  uint64   `cbor:"4,keyasint"` // of the draws
	Ticks int      `cbor:"5,keyasint"` // how often a run calls the program before it is read; 0: once
}

// plan is the points of a sweep, in the order of their index.
type plan struct {
	axes  []Axis
	draws int
	seed  uint64
	len   int
}

func newPlan(spec Spec) (*plan, error) {
	p := &plan{draws: spec.Draws, seed: spec.Seed, len: 1}
	if len(spec.Sets) == 0 {
		return nil, &Error{"a sweep needs a parameter: --set is missing", axisForms}
	}
	if spec.Draws < 0 || spec.Draws > MaxRuns {
		return nil, &Error{fmt.Sprintf("--random %d: a sweep has from 1 to %d runs", spec.Draws, MaxRuns), "for example: --random 10000"}
	}
	if spec.Ticks < 0 || spec.Ticks > math.MaxInt32 {
		return nil, &Error{fmt.Sprintf("--runs %d: a run calls the program at least once", spec.Ticks), "for example: --runs 500"}
	}
	for _, text := range spec.Sets {
		a, err := parseAxis(text)
		if err != nil {
			return nil, err
		}
		if a.distribution != nil && spec.Draws == 0 {
			return nil, &Error{fmt.Sprintf("--set %s: a distribution has no grid", text), "say how many runs to draw: --random 10000"}
		}
		p.axes = append(p.axes, a)
		if spec.Draws > 0 {
			continue
		}
		if p.len > MaxRuns/a.count {
			return nil, &Error{fmt.Sprintf("the grid has more than %d runs", MaxRuns), "give ranges fewer points, or draw from them with --random"}
		}
		p.len *= a.count
	}
	if spec.Draws > 0 {
		p.len = spec.Draws
	}
	return p, nil
}

// point puts the parameters of a run into dst. The first parameter of a grid is that of the
// outermost loop: the last one changes from run to run. A draw takes any point of a list or
// range with the same probability.
func (p *plan) point(run int, dst []float64) {
	if p.draws > 0 {
		r := generator(p.seed, run)
		for i := range p.axes {
			a := &p.axes[i]
			if d := a.distribution; d != nil {
				dst[i] = d.draw(r, d.a, d.b)
			} else {
				dst[i] = a.at(r.IntN(a.count))
			}
		}
		return
	}
	for i := len(p.axes) - 1; i >= 0; i-- {
		a := &p.axes[i]
		dst[i] = a.at(run % a.count)
		run /= a.count
	}
}
