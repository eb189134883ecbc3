package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is compiled for a comparison says of every sample that is left out what its code is, from samples of its own operand key.
func TestDetermining(t *testing.T) {
	read, err := readSources("../src")
	require.NoError(t, err)
	for _, name := range []string{"x86_64", "thumbv6m", "rv32imac"} {
		a, _, err := loadArch("..", name)
		require.NoError(t, err)
		left := 0
		for i := range read.rows {
			for _, j := range read.rows[i].jobs(a) {
				all := j.variants()
				some := j.determining(all)
				require.Equal(t, all[0], some[0], "listings show the first one")
				systems := map[uint32]*system{}
				for _, v := range some {
					k := j.key(v)
					if systems[k] == nil {
						systems[k] = &system{}
					}
					require.NoError(t, systems[k].add(j.pattern(v), nil))
				}
				for _, v := range all {
					s := systems[j.key(v)]
					require.NotNil(t, s, "%s %v: no sample with operand key %#x", j.row, v, j.key(v))
					rest, _ := s.reduce(j.pattern(v), nil)
					require.Zero(t, rest, "%s %v", j.row, v)
				}
				left += len(all) - len(some)
			}
		}
		assert.NotZero(t, left)
	}
}
