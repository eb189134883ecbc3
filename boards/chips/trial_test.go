package chips_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards/registers"
)

// A trial is a list and what a model has against it.
type trial struct {
	list []registers.Entry
	want string // "": nothing is wrong
}

// judge has the model of a chip, a new one each time, carry out lists. It has nothing else against them.
func judge(t *testing.T, chip string, trials map[string]trial) {
	t.Helper()
	for name, c := range trials {
		m := modelsOf[chip]()
		require.NoError(t, registers.Run(m, c.list, nil), name)
		if c.want == "" {
			require.Empty(t, m.Errors(), name)
			continue
		}
		require.Len(t, m.Errors(), 1, name)
		require.Contains(t, m.Errors()[0], c.want, name)
	}
}

// write is an entry that writes a word.
func write(address, value uint32) registers.Entry {
	return registers.Entry{Op: registers.Write, Width: 32, Address: address, Value: value}
}
