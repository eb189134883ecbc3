package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/image"
	columns "github.com/copaflash/copaflash/hil/table"
)

// tableView draws a table on a terminal, over the one of before.
type tableView struct {
	ui     *ui
	rows   []tableRow
	period time.Duration
	drawn  time.Time
	lines  int // on the screen
	size   func() (width, height int)
	now    func() time.Time
}

// tableRow is one element of a variable.
type tableRow struct {
	symbol image.Symbol
	of     int // index of the variable
	at     int // bytes from its start
	trace  trace
	mark   string // of a value that is not within its limits
}

// sparkWidth is how many values a line shows.
const sparkWidth = 32

func newTableView(u *ui, symbols []*image.Symbol, period time.Duration) *tableView {
	v := &tableView{ui: u, period: period, now: time.Now, size: func() (int, int) {
		width, height, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}}
	for i, s := range symbols {
		for n := range s.Len() {
			e, about := *s, s.About()
			if len(s.Shape) > 0 {
				about.Safe = nil
				e.Name, e.Shape, e.Meta = s.Name+columns.Index(s.Shape, n), nil, &about
			}
			v.rows = append(v.rows, tableRow{symbol: e, of: i, at: n * s.DType.Size()})
		}
	}
	return v
}

func (v *tableView) record(r device.Record, values [][]byte, lost uint64, s *device.LoopStatus) error {
	for i := range v.rows {
		row := &v.rows[i]
		raw := values[row.of][row.at:][:row.symbol.Size()]
		x := row.symbol.Decode(raw)
		row.trace.add(x.DType.Number(x.DType.At(x.Bits, 0)), sparkWidth)
		row.mark = beyond(&row.symbol, raw)
	}
	now := v.now()
	if now.Sub(v.drawn) < redraw && v.lines > 0 {
		return nil
	}
	v.drawn = now
	width, height := v.size()
	lines := v.draw(r, lost, s)
	if len(lines) > height-1 {
		left := len(lines) - (height - 2)
		lines = append(lines[:max(height-2, 0)], fmt.Sprintf("and %s: the window is too low for them", plural(left, "line")))
	}
	var out strings.Builder
	if v.lines > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", v.lines)
	}
	for _, line := range lines {
		out.WriteString("\r" + fit(line, width-1) + "\x1b[K\n")
	}
	// What the table of before had more of is taken away.
	out.WriteString("\x1b[J")
	v.lines = len(lines)
	_, err := v.ui.plain.Write([]byte(out.String()))
	return err
}

// draw is the lines of the table, without anything that steers a terminal.
func (v *tableView) draw(r device.Record, lost uint64, s *device.LoopStatus) []string {
	head := fmt.Sprintf("tick %d, %s", r.Tick, seconds(r.Time))
	if v.period > 0 {
		head = hertz(float64(time.Second)/float64(v.period)) + ", " + head
	}
	head += fmt.Sprintf("   %d missed, %d records lost", s.Missed, lost)
	if l := s.Lateness; l.Max > 0 {
		head += fmt.Sprintf("   lateness p99 %s, max %s", duration(l.P99), duration(l.Max))
	}
	if names := s.Flags.Names(); len(names) > 0 {
		head += "   flags: " + strings.Join(names, ", ")
	}
	cells := [][]string{{"name", "value", "unit", "last " + strconv.Itoa(sparkWidth), "least", "greatest", "limits"}}
	for i := range v.rows {
		row := &v.rows[i]
		m := row.symbol.About()
		x := row.trace.values[len(row.trace.values)-1]
		least, greatest := "-", "-"
		if row.trace.anything {
			least, greatest = number(row.trace.low), number(row.trace.high)
		}
		cells = append(cells, []string{plainText(row.symbol.Name), number(x) + row.mark, plainText(m.Unit), row.trace.line(), least, greatest, m.Limits()})
	}
	return append([]string{head}, align(cells)...)
}

// number shows a value in a table.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// plainText escapes what would steer a terminal: names come from anywhere.
func plainText(s string) string {
	var out []byte
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(s[i:]); steers(r, n) || r == '\n' || r == '\t' {
			out = escapeText(out, r)
			continue
		}
		out = append(out, s[i:i+n]...)
	}
	return string(out)
}

// align makes lines of cells, all of a column equally wide.
func align(cells [][]string) []string {
	var widths []int
	for _, row := range cells {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	// A column that is empty but for its heading is left out.
	used := make([]bool, len(widths))
	for i := range widths {
		used[i] = slices.ContainsFunc(cells[1:], func(row []string) bool { return row[i] != "" })
	}
	lines := make([]string, len(cells))
	for n, row := range cells {
		var line strings.Builder
		for i, c := range row {
			if used[i] {
				line.WriteString(c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2))
			}
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// fit cuts a line to a width.
func fit(line string, width int) string {
	if r := []rune(line); len(r) > max(width, 1) {
		return string(r[:max(width, 1)])
	}
	return line
}
