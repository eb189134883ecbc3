// Package table keeps what was recorded of a loop as columns, and writes and reads them as files that other
// tools know: CSV, and NPZ for NumPy.
//
// It knows nothing of where records come from. What was lost is part of the data: each row has the number
// of records that are missing before it.
package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/image"
)

// Table is a recording by columns, all of the same length.
type Table struct {
	Ticks    []uint64  // numbers of ticks, which go on where the board's wrap around
	Times    []float64 // at which the ticks started, in seconds since tick 0 was due
	Lateness []float64 // of their starts, in seconds; nil: the period is not known
	Drops    []uint64  // records that were lost directly before
	Columns  []Column
}

// Column is a variable, or an element of one that is an array.
type Column struct {
	Name   string // as in "u", or "gains[1]" for an element
	Unit   string // may be empty
	DType  graph.DType
	Values []float64 // exact for all types
}

// Rows is the number of records.
func (t *Table) Rows() int { return len(t.Ticks) }

// Lost is the number of records that are missing.
func (t *Table) Lost() (n uint64) {
	for _, d := range t.Drops {
		n += d
	}
	return n
}

// Recorder makes a table of records.
type Recorder struct {
	table   Table
	symbols []*image.Symbol
	period  float64 // seconds; 0: not known
	size    int     // bytes of a record
	last    uint32
}

// NewRecorder is for records of some variables one after the other, of a loop with a period; 0: it is not known.
func NewRecorder(symbols []*image.Symbol, period time.Duration) *Recorder {
	r := &Recorder{symbols: symbols, period: exact(period)}
	for _, s := range symbols {
		r.size += s.Size()
		for n := range s.Len() {
			r.table.Columns = append(r.table.Columns, Column{Name: s.Name + Index(s.Shape, n), Unit: s.About().Unit, DType: s.DType})
		}
	}
	return r
}

// exact is a period in seconds. A Duration has whole nanoseconds, and a rate is most often a whole number, so that
// 300 Hz is a rounded one: after a million ticks that makes a third of a millisecond.
func exact(period time.Duration) float64 {
	hz := math.Round(float64(time.Second) / float64(max(period, 1)))
	if p := 1 / hz; hz > 0 && math.Abs(p-period.Seconds()) < 1e-9 {
		return p
	}
	return period.Seconds()
}

// Index is that of the nth element of an array, as in [1] and [0,2]; empty for a scalar.
func Index(shape graph.Shape, n int) string {
	if len(shape) == 0 {
		return ""
	}
	parts := make([]string, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		parts[i] = strconv.Itoa(n % shape[i])
		n /= shape[i]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// Add takes the next record.
func (r *Recorder) Add(rec device.Record) error {
	if len(rec.Data) != r.size {
		return fmt.Errorf("a record of %d bytes, not of %d", len(rec.Data), r.size)
	}
	t := &r.table
	tick := uint64(rec.Tick)
	if n := len(t.Ticks); n > 0 {
		tick = t.Ticks[n-1] + uint64(rec.Tick-r.last)
	}
	r.last = rec.Tick
	t.Ticks, t.Times, t.Drops = append(t.Ticks, tick), append(t.Times, rec.Time.Seconds()), append(t.Drops, uint64(rec.Drops))
	if r.period > 0 {
		// Times are in nanoseconds: more digits would be those of the subtraction.
		late := math.Round((rec.Time.Seconds()-float64(tick)*r.period)*1e9) / 1e9
		t.Lateness = append(t.Lateness, late+0)
	}
	data, column := rec.Data, 0
	for _, s := range r.symbols {
		v := s.Decode(data[:s.Size()])
		data = data[s.Size():]
		for i := range v.Len() {
			c := &t.Columns[column]
			c.Values = append(c.Values, s.DType.Number(s.DType.At(v.Bits, i)))
			column++
		}
	}
	return nil
}

// Table is what was recorded. It is the recorder's until that is not used any more.
func (r *Recorder) Table() *Table { return &r.table }

// errColumns says that columns differ in length.
var errColumns = errors.New("its columns differ in length")

// check refuses what is no table.
func (t *Table) check() error {
	n := t.Rows()
	if len(t.Times) != n || len(t.Drops) != n || t.Lateness != nil && len(t.Lateness) != n {
		return errColumns
	}
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return len(c.Values) != n }) {
		return errColumns
	}
	return nil
}
