package hil_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/hil/target"
	"github.com/copaflash/copaflash/protocol/session"
)

// A table is a list of rows to compute something from. A board without room for all of
// them is given as many at once as it holds.
type table struct {
	name  string
	rows  int
	least int // fewer rows at once are another program, or none
	// build makes the program for rows from, from+1, ... to-1.
	build func(from, to int) (*graph.Graph, graph.Value, error)
}

// run computes a table on a target, in as few programs as hold it, and tells how many
// they were. It starts with as many rows at once as rows has. The error is a
// *session.SizeError where the least is too much.
func (c *table) run(t *testing.T, dev target.Target) (programs int, err error) {
	step := c.rows
	for from := 0; from < c.rows; {
		from = min(from, c.rows-step) // the last piece may overlap, and is no shorter
		g, v, err := c.build(from, from+step)
		if err != nil {
			return programs, err
		}
		err = runGraph(t, dev, g, []graph.Value{v})
		if size := (*session.SizeError)(nil); errors.As(err, &size) && step > c.least {
			step = max(step/2, c.least)
			continue
		}
		if err != nil {
			return programs, fmt.Errorf("rows %d to %d: %w", from, from+step, err)
		}
		programs++
		from += step
	}
	return programs, nil
}

// checkTables runs the tables of each place. What a board has no room for, it must say
// before anything is sent, and must be in the list.
func checkTables(t *testing.T, places []place, tablesOf func(*place) []table, list string) {
	expected := readNotSent(t, list)
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dev := open(t, &p)
			tables := tablesOf(&p)
			programs, whole, noDoubles := 0, 0, 0
			var lacking []string
			for i := range tables {
				c := &tables[i]
				n, err := c.run(t, dev)
				size, none := (*session.SizeError)(nil), (*compiler.NoDoubles)(nil)
				switch {
				case errors.As(err, &none):
					require.False(t, compiler.HasDoubles(dev.Arch()), "%s: %v", c.name, err)
					noDoubles++
					continue
				case errors.As(err, &size):
					t.Logf("%s: %v", c.name, err)
					lacking = append(lacking, c.name)
					continue
				}
				require.NoError(t, err, c.name)
				programs += n
				if n == 1 {
					whole++
				}
			}
			t.Logf("%d tables: %d at once, %d in pieces, %d too large, %d of float64, which the board has not; %d programs",
				len(tables), whole, len(tables)-whole-len(lacking)-noDoubles, len(lacking), noDoubles, programs)
			require.Positive(t, programs)
			expected.check(t, p.name, lacking, func(string) bool { return true })
		})
	}
}
