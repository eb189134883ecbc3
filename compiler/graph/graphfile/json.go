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
		b = fmt.Appendf(b, `,"node":%d}`, o.Node)
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
