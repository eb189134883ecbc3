package graphfile

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/jsonvalue"
)

// JSON writes the file as JSON, one node a line. Equal files give equal bytes.
func (f *File) JSON() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	b := fmt.Appendf(nil, "{\"format\":%q,\"version\":%d,", Magic, Version)
	if f.Source != "" {
		b = append(appendText(append(b, `"source":`...), f.Source), ',')
	}
	if err := f.checkParams(); err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	loops, places := loopsOf(f.Graph)
	var err error
	for i, s := range loops {
		if i == 0 {
			b = append(b, "\n\"loops\":["...)
		} else {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "\n{\"turns\":%d,\"carries\":%d,\"slices\":%d,\"nodes\":[", s.Iterations, s.Carries, s.Slices)
		if b, err = appendNodes(b, s.Body, places); err != nil {
			return nil, fmt.Errorf("graph file: loop %d: %w", i, err)
		}
		b = append(b, "\n],\"results\":"...)
		if len(s.Results) == 0 {
			b = append(b, "[]"...)
		}
		b = append(appendList(b, s.Results), '}')
	}
	if len(loops) > 0 {
		b = append(b, "\n],"...)
	}
	b = appendTasks(b, f.Tasks)
	b = append(b, "\n\"nodes\":["...)
	if b, err = appendNodes(b, f.Graph, places); err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	b = append(b, "\n],\n\"outputs\":["...)
	for i, o := range f.Outputs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n{\"name\":"...)
		b = appendText(b, o.Name)
		b = fmt.Appendf(b, `,"node":%d`, o.Node)
		if o.Task != 0 {
			b = fmt.Appendf(b, `,"task":%d`, o.Task)
		}
		b = append(appendMeta(b, &o.Meta), '}')
	}
	return append(b, "\n]}\n"...), nil
}

// appendNodes writes the nodes of a graph, one a line.
func appendNodes(b []byte, g *graph.Graph, loops map[*graph.Scan]int) ([]byte, error) {
	for i := range g.NumNodes() {
		r := recordOf(g, graph.ID(i), loops)
		if err := checkName(r.name); err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i, r.op, err)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = r.appendJSON(append(b, '\n'))
	}
	return b, nil
}

func (r *record) appendJSON(b []byte) []byte {
	b = append(b, `{"op":"`...)
	b = append(b, r.op...)
	b = append(b, `","type":"`...)
	b = append(b, r.dtype.String()...)
	b = append(b, '"')
	if len(r.shape) > 0 {
		b = appendList(append(b, `,"shape":`...), r.shape)
	}
	if len(r.args) > 0 {
		b = appendList(append(b, `,"args":`...), r.args)
	}
	op, err := graph.ParseOp(r.op)
	if err != nil {
		panic(err) // the name comes from the table
	}
	for i, x := range r.attr {
		b = fmt.Appendf(b, ",%q:%d", attributes[op.Info().Attr].keys[i], x)
	}
	if r.name != "" {
		b = appendText(append(b, `,"name":`...), r.name)
	}
	if r.words != nil && !r.zero() {
		b = jsonvalue.Append(append(b, `,"value":`...), r.value())
	}
	if r.next != nil {
		b = strconv.AppendUint(append(b, `,"next":`...), *r.next, 10)
	}
	if r.task != 0 {
		b = fmt.Appendf(b, `,"task":%d`, r.task)
	}
	if r.meta != nil {
		b = appendMeta(b, r.meta)
	}
	if r.fast {
		b = append(b, `,"fast":true`...)
	}
	if r.pos != 0 {
		b = strconv.AppendUint(append(b, `,"pos":`...), uint64(r.pos), 10)
	}
	return append(b, '}')
}

func appendList[T int | uint64 | graph.ID](b []byte, list []T) []byte {
	for i, x := range list {
		if i == 0 {
			b = append(b, '[')
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}

func appendText(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // every string has a JSON form
	}
	return append(b, text...)
}

// appendTasks writes the list of tasks, if there are any.
func appendTasks(b []byte, tasks []graph.Task) []byte {
	for i, t := range tasks {
		if i == 0 {
			b = append(b, "\n\"tasks\":["...)
		} else {
			b = append(b, ',')
		}
		b = appendText(append(b, "\n{\"name\":"...), t.Name)
		if t.Divisor != 0 {
			b = fmt.Appendf(b, `,"divisor":%d`, t.Divisor)
		}
		if t.Rate != 0 {
			b = appendNumber(append(b, `,"rate":`...), t.Rate)
		}
		b = append(b, '}')
	}
	if len(tasks) > 0 {
		b = append(b, "\n],"...)
	}
	return b
}

// appendMeta writes metadata as a key of an object, if they say anything.
func appendMeta(b []byte, m *graph.Meta) []byte {
	if m.IsZero() {
		return b
	}
	b = append(b, `,"meta":{`...)
	start := len(b)
	key := func(name string) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:", name)
	}
	if m.Role != graph.NoRole {
		key("role")
		b = appendText(b, m.Role.String())
	}
	if m.Unit != "" {
		key("unit")
		b = appendText(b, m.Unit)
	}
	if m.Low != nil {
		key("low")
		b = appendNumber(b, *m.Low)
	}
	if m.High != nil {
		key("high")
		b = appendNumber(b, *m.High)
	}
	if len(m.Safe) > 0 {
		key("safe")
		for i, x := range m.Safe {
			b = appendNumber(append(b, "[,"[min(i, 1)]), x)
		}
		b = append(b, ']')
	}
	if m.Every != 0 {
		key("every")
		b = strconv.AppendUint(b, uint64(m.Every), 10)
	}
	return append(b, '}')
}

func appendNumber(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'g', -1, 64) }
