package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler/graph"
)

// Names of the columns that are no variables.
const (
	tickName     = "tick"
	timeName     = "time_s"
	latenessName = "lateness_s"
	dropsName    = "drops"
	eventName    = "from_event" // ticks since the event, in captures
)

// WriteCSV writes a line for each record below a heading with names and units, as in "speed (rad/s)". Numbers
// have as many digits as it takes to read the same ones back; those that are none are nan, inf and -inf.
func (t *Table) WriteCSV(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	head := csv.NewWriter(out)
	names := []string{tickName, timeName}
	if t.Lateness != nil {
		names = append(names, latenessName)
	}
	names = append(names, dropsName)
	for _, c := range t.Columns {
		name := c.Name
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		}
		names = append(names, name)
	}
	if err := head.Write(names); err != nil {
		return err
	}
	head.Flush()
	var line []byte
	for i := range t.Ticks {
		line = strconv.AppendUint(line[:0], t.Ticks[i], 10)
		line = strconv.AppendFloat(append(line, ','), t.Times[i], 'f', -1, 64)
		if t.Lateness != nil {
			line = strconv.AppendFloat(append(line, ','), t.Lateness[i], 'g', -1, 64)
		}
		line = strconv.AppendUint(append(line, ','), t.Drops[i], 10)
		for k := range t.Columns {
			line = appendNumber(append(line, ','), t.Columns[k].DType, t.Columns[k].Values[i])
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

func appendNumber(text []byte, t graph.DType, v float64) []byte {
	switch {
	case !t.IsFloat():
		return strconv.AppendInt(text, int64(v), 10)
	case math.IsNaN(v):
		return append(text, "nan"...)
	case math.IsInf(v, 0):
		return append(text, strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")...)
	case t == graph.F32:
		return strconv.AppendFloat(text, v, 'g', -1, 32)
	}
	return strconv.AppendFloat(text, v, 'g', -1, 64)
}

// errNoTable says that a file is no recording.
var errNoTable = errors.New("this is no recording: its first column must be " + tickName + ", as in files of copaflash record")

// ReadCSV reads a table that WriteCSV, or a capture, has written.
func ReadCSV(r io.Reader) (*Table, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errNoTable
	}
	if err != nil {
		return nil, err
	}
	head = slices.Clone(head)
	if head[0] != tickName {
		return nil, errNoTable
	}
	t := &Table{}
	places := map[string]int{}
	var columns []int
	for i, name := range head {
		switch name {
		case tickName, timeName, latenessName, dropsName, eventName:
			if _, twice := places[name]; !twice {
				places[name] = i
				continue
			}
		}
		c := Column{Name: name, DType: graph.F64}
		if n, unit, ok := strings.Cut(strings.TrimSuffix(name, ")"), " ("); ok && strings.HasSuffix(name, ")") {
			c.Name, c.Unit = n, unit
		}
		columns, t.Columns = append(columns, i), append(t.Columns, c)
	}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		if err := t.parse(cells, places, columns); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return t, nil
}

func (t *Table) parse(cells []string, places map[string]int, columns []int) error {
	tick, err := strconv.ParseUint(cells[0], 10, 64)
	if err != nil {
		return err
	}
	t.Ticks = append(t.Ticks, tick)
	at := float64(tick)
	if i, ok := places[timeName]; ok {
		if at, err = strconv.ParseFloat(cells[i], 64); err != nil {
			return err
		}
	}
	t.Times = append(t.Times, at)
	if i, ok := places[latenessName]; ok {
		late, err := strconv.ParseFloat(cells[i], 64)
		if err != nil {
			return err
		}
		t.Lateness = append(t.Lateness, late)
	}
	var drops uint64
	if i, ok := places[dropsName]; ok {
		if drops, err = strconv.ParseUint(cells[i], 10, 64); err != nil {
			return err
		}
	}
	t.Drops = append(t.Drops, drops)
	for k, i := range columns {
		v, err := number(cells[i])
		if err != nil {
			return fmt.Errorf("%s: %w", t.Columns[k].Name, err)
		}
		t.Columns[k].Values = append(t.Columns[k].Values, v)
	}
	return nil
}

// number reads a cell; bools are words in captures.
func number(text string) (float64, error) {
	switch text {
	case "True", "true":
		return 1, nil
	case "False", "false":
		return 0, nil
	}
	return strconv.ParseFloat(text, 64)
}
