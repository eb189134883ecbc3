// Package vectors reads the test vectors in protocol/testdata/vectors, which
// the C runner's tests read too.
//
// A file is lines of text: cells separated by " | ", the first one a name;
// empty lines and lines that start with # say what the columns are. Bytes are
// hexadecimal; "-" stands for none.
package vectors

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Dir returns the folder of the vectors. It is found from the folder that the test
// runs in, since a binary built with -trimpath does not know where its source lies.
func Dir() string {
	dir := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Join("..", dir)
	}
	return filepath.Join(dir, "protocol", "testdata", "vectors")
}

// A Row is one vector.
type Row struct {
	Name  string
	cells []string
}

// Read returns the rows of a file and fails the test if any does not have the
// given number of cells beside its name.
func Read(t testing.TB, file string, cells int) []Row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Dir(), file))
	require.NoError(t, err)
	var rows []Row
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		all := strings.Split(line, " | ")
		require.Len(t, all, cells+1, "%s: %s", file, line)
		rows = append(rows, Row{all[0], all[1:]})
	}
	require.NotEmpty(t, rows)
	return rows
}

// Text returns a cell.
func (r Row) Text(cell int) string { return r.cells[cell] }

// Bytes returns the bytes of a cell.
func (r Row) Bytes(t testing.TB, cell int) []byte { return unhex(t, r.cells[cell]) }

// List returns the byte strings of a cell that holds several, with commas
// between them.
func (r Row) List(t testing.TB, cell int) [][]byte {
	t.Helper()
	if r.cells[cell] == "-" {
		return nil
	}
	var list [][]byte
	for _, s := range strings.Split(r.cells[cell], ",") {
		list = append(list, unhex(t, s))
	}
	return list
}

// Uint returns the number in a cell, decimal or 0x.
func (r Row) Uint(t testing.TB, cell int) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(r.cells[cell], 0, 64)
	require.NoError(t, err, r.Name)
	return n
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	if s == "-" {
		return []byte{}
	}
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}
