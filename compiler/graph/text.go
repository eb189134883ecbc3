package graph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Dump writes the graph as text, one line for each node:
//
//	%0 = input.f32 "a" {1.5}
//	%1 = const.f32 {2}
//	%2 = mul.f32 %0, %1
//	%3 = const.i32[2,2] {1, 2, 3, 4}
//	%4 = slice.i32[1,2] %3 {1, 1} @17
//	%5 = add.f32 %0, %2 fast task 2
//
// After the op come the dtype and, for arrays, the shape; then operands; then in
// braces the attribute: values of a constant, input or state, index, first row
// and step of a slice, axis of a sum over one. fast is the mark of SetFast, task the number that SetTask gave, @ the
// source position. Behind the nodes come the next values of the states:
//
//	%5.next = %7 task 2
//
// Before the nodes come the static loops, to which nodes refer as {loop, result},
// each with its body and the results of that:
//
//	loop 0: 48 turns, 1 carries, 0 slices {
//	%0 = param.i32 {0}
//	%1 = param.f32 {1}
//	%2 = sin.f32 %1
//	} %2
//
// Parse reads it back.
func (g *Graph) Dump(w io.Writer) error { return g.DumpTasks(w, nil) }

// DumpTasks writes a line for each of the tasks that the numbers of nodes refer to, then what Dump writes:
//
//	task 1: "outer" every 10, 100 per second
//	task 2: "inner" every 1
//
// ParseTasks reads it back.
func (g *Graph) DumpTasks(w io.Writer, tasks []Task) error {
	out := bufio.NewWriter(w)
	for i, t := range tasks {
		fmt.Fprintf(out, "task %d: %s every %d", i+1, strconv.QuoteToASCII(t.Name), max(t.Divisor, 1))
		if t.Rate != 0 {
			fmt.Fprintf(out, ", %s per second", strconv.FormatFloat(t.Rate, 'g', -1, 64))
		}
		out.WriteByte('\n')
	}
	g.dump(out)
	return out.Flush()
}

// dump leaves errors to Flush.
func (g *Graph) dump(out *bufio.Writer) {
	for i, s := range g.scans.list {
		fmt.Fprintf(out, "loop %d: %d turns, %d carries, %d slices {\n", i, s.Iterations, s.Carries, s.Slices)
		s.Body.dump(out)
		out.WriteByte('}')
		for k, id := range s.Results {
			if k > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(out, " %%%d", id)
		}
		out.WriteByte('\n')
	}
	var line []byte
	for id := range g.nodes {
		line = g.appendLine(line[:0], ID(id))
		out.Write(append(line, '\n'))
	}
	for id := range g.nodes {
		if g.nodes[id].Op == OpState && g.StateInfo(ID(id)).Next != None {
			fmt.Fprintf(out, "%%%d.next = %%%d%s\n", id, g.StateInfo(ID(id)).Next, taskText(g.TaskOf(ID(id))))
		}
	}
}

// String returns what Dump writes.
func (g *Graph) String() string {
	var b strings.Builder
	if err := g.Dump(&b); err != nil {
		return err.Error() // cannot happen: a Builder takes everything
	}
	return b.String()
}

// Line returns the line of one node as Dump writes it.
func (g *Graph) Line(id ID) string { return string(g.appendLine(nil, id)) }

func (g *Graph) appendLine(b []byte, id ID) []byte {
	n := &g.nodes[id]
	b = fmt.Appendf(b, "%%%d = %v.%v", id, n.Op, n.DType)
	if s := g.ShapeOf(id); len(s) > 0 {
		b = append(b, '[')
		for i, d := range s {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(d), 10)
		}
		b = append(b, ']')
	}
	for i, a := range g.Args(id) {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, " %%%d", a)
	}
	b = g.appendAttr(b, id)
	if n.Fast {
		b = append(b, " fast"...)
	}
	if n.Op != OpState {
		b = append(b, taskText(g.TaskOf(id))...)
	}
	if n.Pos != 0 {
		b = fmt.Appendf(b, " @%d", n.Pos)
	}
	return b
}

func taskText(task int) string {
	if task == 0 {
		return ""
	}
	return " task " + strconv.Itoa(task)
}

func (g *Graph) appendAttr(b []byte, id ID) []byte {
	n := &g.nodes[id]
	switch Ops[n.Op].Attr {
	case AttrConst:
		return appendWords(b, n.DType, g.ConstBits(id))
	case AttrInput:
		in := g.InputInfo(id)
		return appendVariable(b, n.DType, in.Name, in.Init)
	case AttrState:
		s := g.StateInfo(id)
		return appendVariable(b, n.DType, s.Name, s.Init)
	case AttrIndex, AttrParam:
		return fmt.Appendf(b, " {%d}", n.Attr)
	case AttrSlice:
		start, step := n.SliceRange()
		return fmt.Appendf(b, " {%d, %d}", start, step)
	case AttrScan:
		loop, result := n.ScanRange()
		return fmt.Appendf(b, " {%d, %d}", loop, result)
	case AttrAxis:
		if n.Attr != 0 {
			return fmt.Appendf(b, " {%d}", n.Axis())
		}
	}
	return b
}

func appendVariable(b []byte, t DType, name string, init []uint32) []byte {
	b = append(b, ' ')
	b = strconv.AppendQuoteToASCII(b, name)
	return appendWords(b, t, init)
}

func appendWords(b []byte, t DType, words []uint32) []byte {
	b = append(b, " {"...)
	for i := range len(words) / t.Words() {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendWord(b, t, t.At(words, i))
	}
	return append(b, '}')
}

// appendWord writes a number so that parseWord gives the same bits.
func appendWord(b []byte, t DType, w uint64) []byte {
	if t.IsFloat() {
		f, size := math.Float64frombits(w), 64
		if t == F32 {
			f, size = float64(math.Float32frombits(uint32(w))), 32
		}
		switch {
		case f != f:
			return append(b, "nan"...)
		case math.IsInf(f, 0):
			if f < 0 {
				b = append(b, '-')
			}
			return append(b, "inf"...)
		}
		return strconv.AppendFloat(b, f, 'g', -1, size)
	}
	return strconv.AppendInt(b, int64(int32(w)), 10)
}
