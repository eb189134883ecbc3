// Package datafile decodes files of numbers: arrays as NumPy writes them (.npy and .npz) and
// tables (.csv). Files come from anywhere, so everything in them is checked against the
// bytes that are present before memory is allocated for it.
package datafile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Array is an array of numbers, row by row. One of Floats, Ints and Bools has its elements.
type Array struct {
	Shape  []int
	Floats []float64
	Ints   []int64
	Bools  []bool
}

// MaxRank and MaxElements bound what an array may be.
const (
	MaxRank     = 8
	MaxElements = 1 << 24
)

var header = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\{\s*'descr':\s*'([^']*)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([0-9L, ]*)\),?\s*\}\s*$`)
})

// Npy decodes a .npy file of version 1, 2 or 3.
func Npy(file []byte) (*Array, error) {
	const magic = "\x93NUMPY"
	if len(file) < len(magic)+4 || string(file[:len(magic)]) != magic {
		return nil, errors.New("no .npy file: it does not begin as one")
	}
	rest := file[len(magic)+2:]
	n := 0
	switch file[len(magic)] {
	case 1:
		n, rest = int(binary.LittleEndian.Uint16(rest)), rest[2:]
	case 2, 3:
		if len(rest) < 4 {
			return nil, errors.New("the header is cut off")
		}
		size := binary.LittleEndian.Uint32(rest)
		if rest = rest[4:]; uint64(size) > uint64(len(rest)) {
			return nil, errors.New("the header is cut off")
		}
		n = int(size)
	default:
		return nil, fmt.Errorf("version %d of .npy is not known", file[len(magic)])
	}
	if n > len(rest) {
		return nil, errors.New("the header is cut off")
	}
	parts := header().FindSubmatch(rest[:n])
	if parts == nil {
		return nil, errors.New("the header is not understood: arrays of numbers are, structured ones are not")
	}
	a := &Array{}
	total, err := a.shape(string(parts[3]))
	if err != nil {
		return nil, err
	}
	if err := a.elements(string(parts[1]), rest[n:], total); err != nil {
		return nil, err
	}
	if string(parts[2]) == "True" {
		a.rowMajor()
	}
	return a, nil
}

// shape reads the lengths of the axes and gives the number of elements.
func (a *Array) shape(text string) (int, error) {
	total := int64(1)
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSuffix(strings.TrimSpace(part), "L")
		if part == "" {
			continue
		}
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil || n < 0 || n > MaxElements {
			return 0, fmt.Errorf("an axis cannot have the length %s", part)
		}
		a.Shape = append(a.Shape, int(n))
		if total *= n; total > MaxElements {
			return 0, fmt.Errorf("at most %d elements are supported", MaxElements)
		}
	}
	if len(a.Shape) > MaxRank {
		return 0, fmt.Errorf("at most %d axes are supported", MaxRank)
	}
	return int(total), nil
}

// elements decodes numbers of a type such as <f4.
func (a *Array) elements(descr string, raw []byte, total int) error {
	unknown := fmt.Errorf("elements of type %q are not supported: floats of 16, 32 and 64 bits, signed ints of 8 to 64 bits, unsigned ones to 32 and bools are", descr)
	if len(descr) != 3 || !strings.ContainsRune("<>|=", rune(descr[0])) {
		return unknown
	}
	var order binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	size := int(descr[2] - '0')
	if bits.OnesCount(uint(size)) != 1 || size > 8 || descr[0] == '|' && size > 1 {
		return unknown
	}
	if len(raw)/size < total {
		return fmt.Errorf("the file has %d bytes of elements, %d are needed", len(raw), total*size)
	}
	word := func(i int) uint64 {
		b := raw[i*size : (i+1)*size]
		switch size {
		case 1:
			return uint64(b[0])
		case 2:
			return uint64(order.Uint16(b))
		case 4:
			return uint64(order.Uint32(b))
		}
		return order.Uint64(b)
	}
	switch kind := descr[1:]; kind {
	case "b1":
		a.Bools = make([]bool, total)
		for i := range a.Bools {
			a.Bools[i] = word(i) != 0
		}
	case "f2", "f4", "f8":
		a.Floats = make([]float64, total)
		for i := range a.Floats {
			a.Floats[i] = floatOf(word(i), size)
		}
	case "i1", "i2", "i4", "i8", "u1", "u2", "u4":
		a.Ints = make([]int64, total)
		for i := range a.Ints {
			n := word(i)
			if kind[0] == 'i' {
				shift := 64 - 8*size
				a.Ints[i] = int64(n<<shift) >> shift
			} else {
				a.Ints[i] = int64(n)
			}
		}
	default:
		return unknown
	}
	return nil
}

// floatOf is a float of 2, 4 or 8 bytes.
func floatOf(w uint64, size int) float64 {
	switch size {
	case 8:
		return math.Float64frombits(w)
	case 4:
		return float64(math.Float32frombits(uint32(w)))
	}
	exponent, fraction := int(w>>10&31), float64(w&1023)
	f := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		f = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		f = math.Inf(1)
	case exponent == 31:
		return math.NaN()
	}
	if w>>15 != 0 {
		return -f
	}
	return f
}

// rowMajor puts the elements of an array that lie column by column row by row.
func (a *Array) rowMajor() {
	order := []int{0}
	step := 1
	strides := make([]int, len(a.Shape))
	for axis, n := range a.Shape {
		strides[axis] = step
		step *= n
	}
	for axis, n := range a.Shape {
		next := make([]int, 0, len(order)*n)
		for _, at := range order {
			for i := range n {
				next = append(next, at+i*strides[axis])
			}
		}
		order = next
	}
	a.Floats, a.Ints, a.Bools = picked(a.Floats, order), picked(a.Ints, order), picked(a.Bools, order)
}

func picked[T any](xs []T, order []int) []T {
	if xs == nil {
		return nil
	}
	out := make([]T, len(xs))
	for i := range out {
		out[i] = xs[order[i]]
	}
	return out
}

// Npz decodes the arrays of a .npz file, which unpacked have at most limit bytes.
func Npz(file []byte, limit int64) (names []string, arrays []*Array, err error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, nil, fmt.Errorf("no .npz file: %w", err)
	}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, nil, fmt.Errorf("%q is not an .npy file", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		text, err := io.ReadAll(io.LimitReader(r, limit+1))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		if limit -= int64(len(text)); limit < 0 {
			return nil, nil, errors.New("the arrays are too large")
		}
		a, err := Npy(text)
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		names, arrays = append(names, name), append(arrays, a)
	}
	return names, arrays, nil
}
