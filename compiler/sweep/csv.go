package sweep

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"math"
	"slices"
	"strconv"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Columns of a table.
const (
	IndexColumn = "index"
	FlagsColumn = "flags"
)

// Columns are the names of a table's columns: the index, the parameters, the elements of the
// results, and the sticky flags where the program has operations that may raise some.
func (s *Sweep) Columns() []string {
	names := []string{IndexColumn}
	for _, p := range s.params {
		names = append(names, p.name)
	}
	for i := range s.results {
		names = append(names, s.results[i].elementNames()...)
	}
	if s.flags {
		names = append(names, FlagsColumn)
	}
	return names
}

// HeaderCSV is the first line of the table.
func (s *Sweep) HeaderCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(s.Columns()) // a buffer takes everything
	w.Flush()
	return b.Bytes()
}

// AppendCSV appends lines of rows that begin with a run. Every number has as many digits
// as it takes to read the same bits back; those that are none are nan, inf and -inf.
func (s *Sweep) AppendCSV(text []byte, first int, rows []byte) []byte {
	point := make([]float64, len(s.params))
	const digits = 12 // of a number with its comma, on average at most
	text = slices.Grow(text, len(rows)/s.width*(1+len(point)+s.width/graph.WordSize)*digits)
	for run := first; len(rows) > 0; run++ {
		s.plan.point(run, point)
		text = strconv.AppendInt(text, int64(run), 10)
		for i := range s.params {
			t := s.params[i].dtype
			text = appendValue(append(text, ','), t, encode(t, point[i]))
		}
		for i := range s.results {
			t := s.results[i].dtype
			for range s.results[i].count {
				text = appendValue(append(text, ','), t, t.Load(rows))
				rows = rows[t.Size():]
			}
		}
		if s.flags {
			text = strconv.AppendUint(append(text, ','), uint64(binary.LittleEndian.Uint32(rows)), 10)
			rows = rows[graph.WordSize:]
		}
		text = append(text, '\n')
	}
	return text
}

func appendValue(text []byte, t graph.DType, bits uint64) []byte {
	v := decode(t, bits)
	switch {
	case !t.IsFloat():
		return strconv.AppendInt(text, int64(v), 10)
	case math.IsNaN(v):
		return append(text, "nan"...)
	case math.IsInf(v, 1):
		return append(text, "inf"...)
	case math.IsInf(v, -1):
		return append(text, "-inf"...)
	case t == graph.F32:
		return strconv.AppendFloat(text, v, 'g', -1, 32)
	}
	return strconv.AppendFloat(text, v, 'g', -1, 64)
}

// Values are a row's columns behind the index: parameters, results, flags.
func (s *Sweep) Values(run int, row []byte) []float64 {
	values := make([]float64, len(s.params), len(s.params)+s.width/graph.WordSize)
	s.plan.point(run, values)
	for i := range values {
		t := s.params[i].dtype
		values[i] = decode(t, encode(t, values[i]))
	}
	for i := range s.results {
		t := s.results[i].dtype
		for range s.results[i].count {
			values = append(values, decode(t, t.Load(row)))
			row = row[t.Size():]
		}
	}
	if s.flags {
		values = append(values, float64(binary.LittleEndian.Uint32(row)))
	}
	return values
}
