package table

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Bounds of what is read, since an archive may hold more than it seems: bytes of an array, and variables.
const (
	maxArray = 1 << 28
	maxNames = 1 << 12
)

// An archive has the arrays of an NPZ file by their names.
type archive map[string]*zip.File

// ReadNPZ reads a table that WriteNPZ has written.
func ReadNPZ(r io.ReaderAt, size int64) (*Table, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	arrays := archive{}
	for _, f := range z.File {
		if name, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			arrays[name] = f
		}
	}
	for _, name := range []string{npzTick, npzTime, npzDrops, npzNames} {
		if arrays[name] == nil {
			return nil, fmt.Errorf("this is no recording: it lacks the array %s, which files of copaflash record have", name)
		}
	}
	t := &Table{}
	if t.Ticks, err = arrays.unsigned(npzTick); err != nil {
		return nil, err
	}
	if t.Drops, err = arrays.unsigned(npzDrops); err != nil {
		return nil, err
	}
	if t.Times, err = arrays.numbers(npzTime); err != nil {
		return nil, err
	}
	if arrays[npzLateness] != nil {
		if t.Lateness, err = arrays.numbers(npzLateness); err != nil {
			return nil, err
		}
	}
	if t.Columns, err = arrays.columns(); err != nil {
		return nil, err
	}
	return t, t.check()
}

// columns are the variables, in the order of their names.
func (a archive) columns() (list []Column, err error) {
	names, err := a.texts(npzNames)
	if err != nil {
		return nil, err
	}
	if len(names) > maxNames {
		return nil, fmt.Errorf("%d variables, more than the %d that are read", len(names), maxNames)
	}
	var units []string
	if a[npzUnits] != nil {
		if units, err = a.texts(npzUnits); err != nil {
			return nil, err
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("two variables have the name %s", name)
		}
		c := Column{Name: name, DType: graph.F64}
		if c.Values, err = a.numbers(name); err != nil {
			return nil, err
		}
		if i < len(units) {
			c.Unit = units[i]
		}
		list = append(list, c)
	}
	return list, nil
}

// numbers are the elements of an array of numbers.
func (a archive) numbers(name string) ([]float64, error) {
	f := a[name]
	if f == nil {
		return nil, fmt.Errorf("there is no array %s", name)
	}
	list, err := readArray(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list.numbers(), nil
}

func (a archive) unsigned(name string) (list []uint64, err error) {
	numbers, err := a.numbers(name)
	for _, v := range numbers {
		list = append(list, uint64(v))
	}
	return list, err
}

func (a archive) texts(name string) ([]string, error) {
	list, err := readTexts(a[name])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// array is one of NumPy with one dimension.
type array struct {
	kind  byte // as in "<f8"
	width int  // bytes of an element, or characters of a text
	n     int
	data  []byte
}

var (
	npyDescr = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`'descr': '[<|]([fiubU])(\d{1,4})'`)
	})
	npyShape = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`'shape': \((\d{1,10}),\)`)
	})
)

func readArray(f *zip.File) (*array, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, err
	}
	if string(head[:len(npyMagic)]) != npyMagic {
		return nil, errors.New("it is no array in format 1.0 of NumPy")
	}
	text := make([]byte, binary.LittleEndian.Uint16(head[len(npyMagic):]))
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, err
	}
	descr, shape := npyDescr().FindSubmatch(text), npyShape().FindSubmatch(text)
	if descr == nil || shape == nil {
		return nil, fmt.Errorf("an array with the heading %.80q: want one dimension of numbers or texts", text)
	}
	a := &array{kind: descr[1][0]}
	a.width, _ = strconv.Atoi(string(descr[2])) // digits, as all that match
	a.n, _ = strconv.Atoi(string(shape[1]))
	size := int64(a.n) * int64(a.width) // of 14 digits at most
	if a.kind == 'U' {
		size *= 4
	}
	if size > maxArray || a.width == 0 {
		return nil, fmt.Errorf("an array of %d bytes: 1 to %d are read", size, maxArray)
	}
	if a.data, err = io.ReadAll(io.LimitReader(in, size)); err != nil {
		return nil, err
	}
	if int64(len(a.data)) != size || a.kind != 'U' && elements[descrOf(a.kind, a.width)] == nil {
		return nil, fmt.Errorf("an array of %d bytes of type %c%d that says it has %d elements", len(a.data), a.kind, a.width, a.n)
	}
	return a, nil
}

func descrOf(kind byte, width int) string { return string(kind) + strconv.Itoa(width) }

// elements read one element of each type.
var elements = map[string]func([]byte) float64{
	"f8": func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) },
	"f4": func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) },
	"i4": func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) },
	"u8": func(b []byte) float64 { return float64(binary.LittleEndian.Uint64(b)) },
	"b1": func(b []byte) float64 { return float64(b[0]) },
}

// numbers are the elements; of texts there are none.
func (a *array) numbers() []float64 {
	get := elements[descrOf(a.kind, a.width)]
	if get == nil {
		return nil
	}
	out := make([]float64, a.n)
	for i := range out {
		out[i] = get(a.data[i*a.width:])
	}
	return out
}

func readTexts(f *zip.File) ([]string, error) {
	a, err := readArray(f)
	if err != nil {
		return nil, err
	}
	if a.kind != 'U' {
		return nil, errors.New("an array of numbers where texts were expected")
	}
	out := make([]string, a.n)
	for i := range out {
		var text strings.Builder
		for k := range a.width {
			if r := binary.LittleEndian.Uint32(a.data[4*(i*a.width+k):]); r != 0 {
				text.WriteRune(rune(r))
			}
		}
		out[i] = text.String()
	}
	return out, nil
}
