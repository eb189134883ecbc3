package bind

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/graph"
)

// Bounds of tables, which become data of the program.
const (
	maxRows       = 1 << 16
	maxTableBytes = 16 << 20
)

// table is the columns of a file that an input takes, row by row.
type table struct {
	rows  int
	words []uint32 // of rows of the input's type and shape
}

// feedTable makes an input a row of a table.
func feedTable(j *job, in compiler.Port, c *channel) error {
	if c.set.ReadFile == nil {
		return refuse("bind the variable where there are files", "%s%s: no files can be read here", simulated, c.kind.name)
	}
	data, err := c.set.ReadFile(c.arg, maxTableBytes)
	if err != nil {
		return refused(err, "check the name of the table")
	}
	t, err := readTable(data, in, c.word("column"))
	if err != nil {
		return fmt.Errorf("%s: %w", c.arg, err)
	}
	every := 1 // ticks from row to row
	if c.word("rate") != "" {
		rate, err := j.rate()
		if err != nil {
			return err
		}
		rows := c.number("rate")
		every = int(math.Round(rate / rows))
		if !(rows > 0) || every < 1 || every > math.MaxInt32 || math.Abs(rate/rows-float64(every)) > 1e-6*float64(every) {
			return refuse("the program's rate is a whole multiple of it, such as "+strconv.FormatFloat(rate/max(math.Floor(rate/max(rows, 1e-9)), 1), 'g', 6, 64)+"Hz",
				"rate=%s: the program runs %v times a second", c.word("rate"), rate)
		}
	}
	linear := c.word("between") == "linear"
	if linear && !in.DType.IsFloat() {
		return refuse("leave it out", "between=linear is for floats, and %q is %v", in.Name, in.DType)
	}
	return j.generate(in, t.generator(in, every, linear && every > 1, c.word("end") == "repeat"))
}

// generator counts rows and, where they are several ticks apart, the ticks in between.
func (t *table) generator(in compiler.Port, every int, linear, repeat bool) *generator {
	following := func(row graph.Value) graph.Value {
		g := row.Graph()
		last := g.I32(int32(t.rows - 1))
		if repeat {
			return row.Eq(last).Select(g.I32(0), row.Add(g.I32(1)))
		}
		return row.Add(g.I32(1)).Min(last)
	}
	rows := func(g *graph.Graph) graph.Value {
		return g.ConstTensor(graph.Tensor{DType: in.DType, Shape: slices.Concat(graph.Shape{t.rows}, in.Shape), Bits: t.words})
	}
	n := &generator{
		states: []counter{{".row", 0}},
		next:   func(s []graph.Value) []graph.Value { return []graph.Value{following(s[0])} },
		value:  func(s []graph.Value) graph.Value { return rows(s[0].Graph()).Take(s[0]) },
	}
	if every == 1 {
		return n
	}
	n.states = append(n.states, counter{".tick", 0})
	n.next = func(s []graph.Value) []graph.Value {
		row, tick, g := s[0], s[1], s[0].Graph()
		over := tick.Eq(g.I32(int32(every - 1)))
		return []graph.Value{over.Select(following(row), row), over.Select(g.I32(0), tick.Add(g.I32(1)))}
	}
	if linear {
		n.value = func(s []graph.Value) graph.Value {
			g := s[0].Graph()
			v, part := rows(g).Take(s[0]), floatOf(in.DType, s[1]).Div(g.Number(in.DType, float64(every)))
			return v.Add(rows(g).Take(following(s[0])).Sub(v).Mul(part))
		}
	}
	return n
}

// readTable takes columns of a table for an input.
func readTable(data []byte, in compiler.Port, columns string) (*table, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment, r.TrimLeadingSpace = '#', true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, refuse("rows have as many numbers as the first, separated by commas", "%v", err)
	}
	if len(lines) == 0 {
		return nil, refuse("give a row of numbers for each tick", "the table is empty")
	}
	first := 1 // number of the first line with numbers, for messages
	var heading []string
	if slices.ContainsFunc(lines[0], func(s string) bool { _, err := number(s); return err != nil }) {
		for _, h := range lines[0] {
			name, _, _ := strings.Cut(strings.TrimSpace(h), " (") // "speed (rad/s)"
			heading = append(heading, name)
		}
		lines, first = lines[1:], 2
	}
	if len(lines) == 0 || len(lines) > maxRows {
		return nil, refuse(fmt.Sprintf("1 to %d fit", maxRows), "the table has %d rows", len(lines))
	}
	at, err := pick(heading, len(lines[0]), in, columns)
	if err != nil {
		return nil, err
	}
	d := in.DType
	t := &table{rows: len(lines), words: make([]uint32, len(lines)*len(at)*d.Words())}
	for i, line := range lines {
		for k, col := range at {
			x, err := number(line[col])
			if err == nil && !d.IsFloat() && graph.Nearest(d, x) != x {
				err = fmt.Errorf("%v is not a number of type %v", x, d)
			}
			if err != nil {
				return nil, refuse("all rows but a heading are numbers", "row %d, column %d: %v", first+i, col+1, err)
			}
			if err := within(in, x); err != nil {
				return nil, fmt.Errorf("row %d: %w", first+i, err)
			}
			d.Put(t.words, i*len(at)+k, d.FromNumber(x))
		}
	}
	return t, nil
}

// number reads a field; false is 0 and true is 1.
func number(text string) (float64, error) {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "false":
		return 0, nil
	case "true":
		return 1, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return x, nil
}

// pick finds the columns of an input, counted from 0: one for each element.
func pick(heading []string, n int, in compiler.Port, columns string) ([]int, error) {
	elements := in.Shape.Elements()
	var wanted []string
	switch {
	case columns != "":
		wanted = strings.Split(columns, "+")
	case len(in.Shape) == 0 && n == 1:
		return []int{0}, nil
	case len(in.Shape) == 0:
		wanted = []string{in.Name}
	case heading == nil && n == elements:
		for i := range n {
			wanted = append(wanted, strconv.Itoa(i+1))
		}
	default:
		for i := range elements {
			wanted = append(wanted, in.Name+index(in.Shape, i))
		}
	}
	have := strings.Join(heading, ", ")
	if heading == nil {
		have = fmt.Sprintf("1 to %d, without names", n)
	}
	if len(wanted) != elements {
		return nil, refuse("name them as column=A+B; the table has "+have, "%q has %d elements, and %d columns are named", in.Name, elements, len(wanted))
	}
	var at []int
	for _, name := range wanted {
		i := slices.Index(heading, name)
		if number, err := strconv.Atoi(name); i < 0 && err == nil {
			i = number - 1
		}
		if i < 0 || i >= n {
			return nil, refuse("name it as column=NAME or its number; the table has "+have, "there is no column %q", name)
		}
		at = append(at, i)
	}
	return at, nil
}

// index is that of the nth element of an array in the headings of recordings: [1] and [0,2].
func index(shape graph.Shape, n int) string {
	parts := make([]string, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		parts[i] = strconv.Itoa(n % shape[i])
		n /= shape[i]
	}
	return "[" + strings.Join(parts, ",") + "]"
}
