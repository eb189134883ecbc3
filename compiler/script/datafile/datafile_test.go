package datafile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func load(t *testing.T, name string) *Array {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
	require.NoError(t, err)
	a, err := Npy(text)
	require.NoError(t, err, name)
	return a
}

// TestNpy reads arrays that NumPy wrote: every type in both orders of bytes.
func TestNpy(t *testing.T) {
	for _, kind := range strings.Fields("i1 le_i2 be_i2 le_i4 be_i4 le_i8 be_i8") {
		assert.Equal(t, &Array{Shape: []int{2, 3}, Ints: []int64{-2, -1, 0, 1, 2, 3}}, load(t, kind), kind)
	}
	for kind, first := range map[string]int64{"u1": 200, "le_u2": 60000, "be_u2": 60000, "le_u4": 4000000000, "be_u4": 4000000000} {
		assert.Equal(t, []int64{first, first + 1, first + 2, first + 3, first + 4, first + 5}, load(t, kind).Ints, kind)
	}
	for _, kind := range strings.Fields("le_f2 be_f2 le_f4 be_f4 le_f8 be_f8") {
		assert.Equal(t, []float64{-1, -0.5, 0, 0.5, 1, 1.5}, load(t, kind).Floats, kind)
	}
	assert.Equal(t, []bool{true, true, false, true, true, true}, load(t, "b1").Bools)
	for _, kind := range []string{"version2", "version3"} {
		assert.Equal(t, &Array{Shape: []int{2}, Floats: []float64{1.5, 2.5}}, load(t, kind), kind)
	}
	f := load(t, "fortran")
	assert.Equal(t, []int{2, 3, 4}, f.Shape)
	for i, x := range f.Floats {
		assert.Equal(t, float64(i), x)
	}
	assert.Equal(t, &Array{Floats: []float64{2.5}}, load(t, "scalar"))
	assert.Equal(t, []int{0, 3}, load(t, "empty").Shape)
	h := load(t, "half").Floats
	assert.Equal(t, fmt.Sprint([]float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Ldexp(1, -24), 65504, math.Copysign(0, -1), 1365.0 / 4096}), fmt.Sprint(h))
}

func TestNpz(t *testing.T) {
	text, err := os.ReadFile("testdata/two.npz")
	require.NoError(t, err)
	names, arrays, err := Npz(text, 1<<20)
	require.NoError(t, err)
	assert.Equal(t, []string{"w", "n"}, names)
	assert.Equal(t, &Array{Shape: []int{2, 2}, Floats: []float64{0, 1, 2, 3}}, arrays[0])
	assert.Equal(t, []int64{1, 2}, arrays[1].Ints)
	_, _, err = Npz(text, 100)
	assert.ErrorContains(t, err, "too large")
}

// npyFile is a file of version 1 with a header.
func npyFile(header string, elements int) []byte {
	return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), byte(len(header) >> 8)})+header), make([]byte, elements)...)
}

// TestHostileNpy: headers that claim what is not there are errors, not memory.
func TestHostileNpy(t *testing.T) {
	dict := func(descr, shape string) string {
		return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }\n"
	}
	for want, file := range map[string][]byte{
		"does not begin":     []byte("hello"),
		"header is cut off":  []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"),
		"version 9":          []byte("\x93NUMPY\x09\x00\x00\x00"),
		"not understood":     npyFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4),
		"bytes of elements":  npyFile(dict("<f8", "1000, 1000"), 8),
		"at most":            npyFile(dict("<f4", "16777216, 16777216, 0"), 8),
		"length 99999999999": npyFile(dict("<f4", "99999999999,"), 8),
		"axes":               npyFile(dict("<f4", "1, 1, 1, 1, 1, 1, 1, 1, 1"), 8),
		`"<c8"`:              npyFile(dict("<c8", "1,"), 8),
		`"|O8"`:              npyFile(dict("|O8", "1,"), 8),
		`"<u8"`:              npyFile(dict("<u8", "1,"), 8),
		`"<f3"`:              npyFile(dict("<f3", "1,"), 8),
	} {
		_, err := Npy(file)
		assert.ErrorContains(t, err, want, "%q", file)
	}
}

func TestCsv(t *testing.T) {
	names, columns, err := Csv([]byte("\ufeff# recorded\ntime, gain\n0, 1.5\n1,\n2, 1e400\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"time", "gain"}, names)
	assert.Equal(t, []int64{0, 1, 2}, columns[0].Ints)
	assert.Equal(t, "[1.5 NaN +Inf]", fmt.Sprint(columns[1].Floats))
	for want, text := range map[string]string{`row 2, column 1: "x"`: "1\nx\n", "no row": "a,b\n", "wrong number of fields": "1,2\n3\n"} {
		_, _, err := Csv([]byte(text))
		assert.ErrorContains(t, err, want)
	}
}

// FuzzData: no file makes a decoder panic, or an array with other than as many elements as
// its shape says.
func FuzzData(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.np*")
	require.NoError(f, err)
	for _, seed := range seeds {
		text, err := os.ReadFile(seed)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("a,b\n1,2\n"))
	f.Add([]byte("1,,2e5\n"))
	f.Add(npyFile("{'descr': '<f8', 'fortran_order': True, 'shape': (1L, 2), }", 16))
	f.Fuzz(func(t *testing.T, file []byte) {
		check := func(a *Array) {
			n := 1
			for _, d := range a.Shape {
				n *= d
			}
			require.Equal(t, n, len(a.Floats)+len(a.Ints)+len(a.Bools))
		}
		if a, err := Npy(file); err == nil {
			check(a)
		}
		if _, arrays, err := Npz(file, 1<<20); err == nil {
			for _, a := range arrays {
				check(a)
			}
		}
		if _, columns, err := Csv(file); err == nil {
			for _, a := range columns {
				check(a)
			}
		}
	})
}
