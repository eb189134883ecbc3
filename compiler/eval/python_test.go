package eval

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/graph"
)

// TestEqualsPython: the ops mean what CPython means by them, wherever it gives
// an answer; testdata/python.py says how the answers were made.
func TestEqualsPython(t *testing.T) {
	text, err := os.ReadFile("testdata/python.txt")
	require.NoError(t, err)
	operands := map[graph.DType][]uint64{}
	compared, ops := 0, 0
	for line := range strings.Lines(string(text)) {
		head, tail, ok := strings.Cut(line, ":")
		require.True(t, ok, line)
		fields, results := strings.Fields(head), strings.Fields(tail)
		dtype, err := graph.ParseDType(fields[1])
		require.NoError(t, err)
		if fields[0] == "operands" {
			for _, w := range results {
				operands[dtype] = append(operands[dtype], hexWord(t, w))
			}
			continue
		}
		op, err := graph.ParseOp(fields[0])
		require.NoError(t, err)
		arity, n := op.Info().Arity, len(operands[dtype])
		require.Equal(t, strconv.Itoa(arity), fields[2])
		require.Len(t, results, []int{1: n, 2: n * n}[arity])
		ops++
		for i, want := range results {
			if want == "-" {
				continue
			}
			args := []uint64{operands[dtype][i%n]}
			if arity == 2 {
				args = []uint64{operands[dtype][i/n], args[0]}
			}
			got, _ := Scalar(op, dtype, args...)
			if want := hexWord(t, want); got != want {
				t.Errorf("%v.%v%x = %x, Python has %x", op, dtype, args, got, want)
			}
			compared++
		}
	}
	t.Logf("%d results of %d ops", compared, ops)
	require.Greater(t, compared, 15_000)
}

func hexWord(t *testing.T, s string) uint64 {
	w, err := strconv.ParseUint(s, 16, 64)
	require.NoError(t, err)
	return w
}

// TestPythonSaysTheSame: the committed answers are what the Python at hand gives.
func TestPythonSaysTheSame(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("COPAFLASH_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIP: python3 is not installed: %v", err)
	}
	out, err := exec.Command(python, "testdata/python.py").Output()
	require.NoError(t, err)
	committed, err := os.ReadFile("testdata/python.txt")
	require.NoError(t, err)
	require.True(t, bytes.Equal(out, committed), "testdata/python.txt is not what testdata/python.py writes")
}
