package table

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Names of the arrays that are no variables.
const (
	npzTick     = "tick"
	npzTime     = "time"
	npzLateness = "lateness"
	npzDrops    = "drops"
	npzNames    = "names" // of the variables
	npzUnits    = "units" // of the variables, in the order of their names
)

// dtypes are NumPy's names of types.
var dtypes = map[graph.DType]string{graph.F32: "<f4", graph.F64: "<f8", graph.I32: "<i4", graph.Bool: "|b1"}

// WriteNPZ writes an archive that numpy.load reads: the arrays tick, time (seconds), lateness (seconds) and drops,
// one array for each column by its name, and names and units as arrays of texts. A column with the name of another
// array gets a "_" behind it.
func (t *Table) WriteNPZ(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	n := t.Rows()
	array := func(name, dtype string, values func(b []byte, i int) []byte) error {
		return writeArray(z, name, dtype, n, values)
	}
	unsigned := func(list []uint64) func([]byte, int) []byte {
		return func(b []byte, i int) []byte { return binary.LittleEndian.AppendUint64(b, list[i]) }
	}
	floats := func(list []float64) func([]byte, int) []byte {
		return func(b []byte, i int) []byte {
			return binary.LittleEndian.AppendUint64(b, math.Float64bits(list[i]))
		}
	}
	if err := array(npzTick, "<u8", unsigned(t.Ticks)); err != nil {
		return err
	}
	if err := array(npzTime, "<f8", floats(t.Times)); err != nil {
		return err
	}
	if t.Lateness != nil {
		if err := array(npzLateness, "<f8", floats(t.Lateness)); err != nil {
			return err
		}
	}
	if err := array(npzDrops, "<u8", unsigned(t.Drops)); err != nil {
		return err
	}
	taken := []string{npzTick, npzTime, npzLateness, npzDrops, npzNames, npzUnits}
	var names, units []string
	for i := range t.Columns {
		c := &t.Columns[i]
		name := strings.ReplaceAll(c.Name, "/", "_") // which would be folders in the archive
		for slices.Contains(taken, name) {
			name += "_"
		}
		taken, names, units = append(taken, name), append(names, name), append(units, c.Unit)
		dtype, ok := dtypes[c.DType]
		if !ok {
			return fmt.Errorf("%s: NumPy has no name for type %v", c.Name, c.DType)
		}
		if err := array(name, dtype, func(b []byte, i int) []byte { return appendWord(b, c.DType, c.Values[i]) }); err != nil {
			return err
		}
	}
	if err := writeTexts(z, npzNames, names); err != nil {
		return err
	}
	if err := writeTexts(z, npzUnits, units); err != nil {
		return err
	}
	return z.Close()
}

func appendWord(b []byte, t graph.DType, v float64) []byte {
	switch t {
	case graph.F64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	case graph.Bool:
		return append(b, byte(t.FromNumber(v)))
	}
	return binary.LittleEndian.AppendUint32(b, uint32(t.FromNumber(v)))
}

// chunk is about how many bytes are written at once.
const chunk = 32 << 10

func writeArray(z *zip.Writer, name, dtype string, n int, value func(b []byte, i int) []byte) error {
	f, err := z.Create(name + ".npy")
	if err != nil {
		return err
	}
	b := npyHead(dtype, n)
	for i := range n {
		b = value(b, i)
		if len(b) >= chunk || i == n-1 {
			if _, err := f.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err = f.Write(b)
	return err
}

// npyMagic begins an array, format version 1.0.
const npyMagic = "\x93NUMPY\x01\x00"

// npyHead is what comes before the elements of an array with one dimension; they are at a multiple of 64 bytes.
func npyHead(dtype string, n int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", dtype, n)
	const before = len(npyMagic) + 2
	size := (before+len(text)+1+63)/64*64 - before
	b := binary.LittleEndian.AppendUint16([]byte(npyMagic), uint16(size))
	b = append(b, text...)
	b = append(b, strings.Repeat(" ", size-len(text)-1)...)
	return append(b, '\n')
}

// writeTexts writes texts as NumPy's array of Unicode strings, all as long as the longest one.
func writeTexts(z *zip.Writer, name string, texts []string) error {
	width := 1
	for _, s := range texts {
		width = max(width, utf8.RuneCountInString(s))
	}
	return writeArray(z, name, "<U"+strconv.Itoa(width), len(texts), func(b []byte, i int) []byte {
		left := width
		for _, r := range texts[i] {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
			left--
		}
		return append(b, make([]byte, 4*left)...)
	})
}
