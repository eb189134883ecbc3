package main

import (
	"fmt"
	"strings"
)

// batchVariants is how many variants are compiled by one run of the compiler. Most jobs have a few tens, and half the time of
// a run is its start and the headers.
const batchVariants = 500

// batches are the numbers of the parts that are compiled together: those with the same pins and flags, for a check. What is
// written comes from jobs that are compiled one by one, so that a change of one leaves the others' objects in the cache.
func (w *workshop) batches(parts []part) (out [][]int) {
	type kind struct {
		pins
		flags string
	}
	open := map[kind]int{} // the batch that has room
	held := map[int]int{}  // variants, by batch
	for i, p := range parts {
		k := kind{p.pins(), strings.Join(p.flags(), " ")}
		at, ok := open[k]
		if !ok || !w.few || held[at]+len(p.variants) > batchVariants {
			at = len(out)
			out = append(out, nil)
			open[k] = at
		}
		out[at] = append(out[at], i)
		held[at] += len(p.variants)
	}
	return out
}

// compileBatch compiles the parts with these numbers together. An error is then of that part alone that has one: if there are
// several, each is compiled by itself.
func (w *workshop) compileBatch(parts []part, batch []int) ([][]sample, []error) {
	together := make([]part, len(batch))
	for n, i := range batch {
		together[n] = parts[i]
	}
	errs := make([]error, len(batch))
	samples, err := w.compile(together, fmt.Sprintf("stencil%d", batch[0]))
	if err == nil || len(batch) == 1 {
		errs[0] = err
		return samples, errs
	}
	samples = make([][]sample, len(batch))
	for n, i := range batch {
		alone, failed := w.compileBatch(parts, []int{i})
		if errs[n] = failed[0]; errs[n] == nil {
			samples[n] = alone[0]
		}
	}
	return samples, errs
}
