package graphfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/graph"
)

// reader reads JSON token by token: package json by itself passes over repeated
// keys and takes keys in any case.
type reader struct {
	dec *json.Decoder
	b   *builder
}

// field is a key of an object and how its value is read.
type field[T any] struct {
	key  string
	read func(r *reader, into *T) error
}

var fileFields = []field[header]{
	{"format", func(r *reader, h *header) (err error) { h.magic, err = r.text(); return err }},
	{"version", func(r *reader, h *header) (err error) {
		if h.version, err = r.uint(64); err == nil {
			err = h.checkVersion() // before keys that a later version may have
		}
		return err
	}},
	{"source", func(r *reader, h *header) (err error) { h.source, err = r.text(); return err }},
	{"loops", func(r *reader, _ *header) error {
		if len(r.b.ids) > 0 {
			return errors.New("loops come before the nodes that refer to them")
		}
		return r.list(func() error {
			l := loopReader{reader: reader{r.dec, r.b.newBody()}}
			err := object(r, &l, loopFields)
			if err == nil {
				err = r.b.addLoop(l.b, &l.loopRecord)
			}
			if err != nil {
				return fmt.Errorf("loop %d: %w", len(r.b.loops), err)
			}
			return nil
		})
	}},
	{"tasks", func(r *reader, h *header) error {
		return r.list(func() error {
			var t graph.Task
			if err := object(r, &t, taskFields); err != nil {
				return fmt.Errorf("task %d: %w", len(h.tasks), err)
			}
			h.tasks = append(h.tasks, t)
			return nil
		})
	}},
	{"nodes", func(r *reader, _ *header) error { return r.nodes() }},
	{"outputs", func(r *reader, h *header) error {
		return r.list(func() error {
			var o outputRecord
			if err := object(r, &o, outputFields); err != nil {
				return fmt.Errorf("output %d: %w", len(h.outputs), err)
			}
			h.outputs = append(h.outputs, o)
			return nil
		})
	}},
}

// loopReader reads a loop: its body has a builder of its own.
type loopReader struct {
	reader
	loopRecord
}

var loopFields = []field[loopReader]{
	{"turns", func(r *reader, l *loopReader) (err error) { l.iterations, err = r.uint(31); return err }},
	{"carries", func(r *reader, l *loopReader) (err error) { l.carries, err = r.uint(31); return err }},
	{"slices", func(r *reader, l *loopReader) (err error) { l.slices, err = r.uint(31); return err }},
	{"nodes", func(_ *reader, l *loopReader) error { return l.reader.nodes() }},
	{"results", func(r *reader, l *loopReader) error {
		return r.list(func() error {
			place, err := r.uint(64)
			l.results = append(l.results, place)
			return err
		})
	}},
}

var outputFields = []field[outputRecord]{
	{"name", func(r *reader, o *outputRecord) (err error) { o.name, err = r.text(); return err }},
	{"node", func(r *reader, o *outputRecord) error {
		id, err := r.uint(64)
		o.node = &id
		return err
	}},
	{"task", func(r *reader, o *outputRecord) error {
		task, err := r.uint(8)
		o.task = uint8(task)
		return err
	}},
	{"meta", func(r *reader, o *outputRecord) error { return object(r, &o.meta, metaFields) }},
}

var taskFields = []field[graph.Task]{
	{"name", func(r *reader, t *graph.Task) (err error) { t.Name, err = r.text(); return err }},
	{"divisor", func(r *reader, t *graph.Task) error {
		n, err := r.uint(31)
		t.Divisor = int(n)
		return err
	}},
	{"rate", func(r *reader, t *graph.Task) (err error) { t.Rate, err = r.float(); return err }},
}

var metaFields = []field[graph.Meta]{
	{"role", func(r *reader, m *graph.Meta) error {
		name, err := r.text()
		if err == nil {
			m.Role, err = graph.ParseRole(name)
		}
		return err
	}},
	{"unit", func(r *reader, m *graph.Meta) (err error) { m.Unit, err = r.text(); return err }},
	{"low", func(r *reader, m *graph.Meta) error {
		x, err := r.float()
		m.Low = &x
		return err
	}},
	{"high", func(r *reader, m *graph.Meta) error {
		x, err := r.float()
		m.High = &x
		return err
	}},
	{"safe", func(r *reader, m *graph.Meta) error {
		return r.list(func() error {
			x, err := r.float()
			m.Safe = append(m.Safe, x)
			return err
		})
	}},
	{"every", func(r *reader, m *graph.Meta) error {
		n, err := r.uint(32)
		m.Every = uint32(n)
		return err
	}},
}

// nodeFields are those of every node and the keys of all attributes.
var nodeFields = func() []field[record] {
	fields := []field[record]{
		{"op", func(r *reader, n *record) (err error) { n.op, err = r.text(); return err }},
		{"type", func(r *reader, n *record) error {
			name, err := r.text()
			if err == nil {
				n.dtype, err = graph.ParseDType(name)
			}
			return err
		}},
		{"shape", func(r *reader, n *record) error {
			return r.list(func() error {
				d, err := r.uint(31)
				n.shape = append(n.shape, int(d))
				return err
			})
		}},
		{"args", func(r *reader, n *record) error {
			return r.list(func() error {
				a, err := r.uint(64)
				n.args = append(n.args, a)
				return err
			})
		}},
		{"name", func(r *reader, n *record) (err error) { n.name, err = r.text(); return err }},
		{"value", func(r *reader, n *record) error {
			var raw json.RawMessage
			err := r.dec.Decode(&raw)
			n.json = raw
			return err
		}},
		{"next", func(r *reader, n *record) error {
			place, err := r.uint(64)
			n.next = &place
			return err
		}},
		{"task", func(r *reader, n *record) error {
			task, err := r.uint(8)
			n.task = uint8(task)
			return err
		}},
		{"meta", func(r *reader, n *record) error {
			n.meta = new(graph.Meta)
			return object(r, n.meta, metaFields)
		}},
		{"fast", func(r *reader, n *record) (err error) { n.fast, err = r.bool(); return err }},
		{"pos", func(r *reader, n *record) error {
			pos, err := r.uint(32)
			n.pos = uint32(pos)
			return err
		}},
	}
	for _, a := range attributes {
		for _, key := range a.keys {
			fields = append(fields, field[record]{key, func(r *reader, n *record) error {
				text, err := r.number()
				if err != nil {
					return err
				}
				x, err := strconv.ParseInt(text, 10, 32)
				if err != nil {
					return fmt.Errorf("%.60s is not a 32-bit integer", text)
				}
				if n.named == nil {
					n.named = map[string]int64{}
				}
				n.named[key] = x
				return nil
			}})
		}
	}
	return fields
}()

// readJSON adds the nodes one by one. An error names the line.
func (b *builder) readJSON(data []byte) (header, error) {
	var h header
	if !utf8.Valid(data) {
		return h, errors.New("the text is not UTF-8")
	}
	r := &reader{dec: json.NewDecoder(bytes.NewReader(data)), b: b}
	r.dec.UseNumber()
	err := object(r, &h, fileFields)
	if err == nil {
		if _, e := r.dec.Token(); !errors.Is(e, io.EOF) {
			err = errors.New("more text after the graph")
		}
	}
	if err != nil {
		at := min(int(r.dec.InputOffset()), len(data))
		return h, fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), err)
	}
	return h, nil
}

func object[T any](r *reader, into *T, fields []field[T]) error {
	if err := r.delim('{'); err != nil {
		return err
	}
	var seen uint64
	for r.dec.More() {
		key, err := r.text()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(fields, func(f field[T]) bool { return f.key == key })
		switch {
		case i < 0:
			return fmt.Errorf("unknown key %.60q", key)
		case seen&(1<<i) != 0:
			return fmt.Errorf("the key %.60q appears twice", key)
		}
		seen |= 1 << i
		if err := fields[i].read(r, into); err != nil {
			return fmt.Errorf("%.60s: %w", key, err)
		}
	}
	return r.delim('}')
}

// nodes reads the nodes of a graph or a body.
func (r *reader) nodes() error {
	return r.list(func() error {
		var n record
		if err := object(r, &n, nodeFields); err != nil {
			return fmt.Errorf("node %d (%.60s): %w", len(r.b.ids), n.op, err)
		}
		return r.b.add(&n)
	})
}

func (r *reader) list(item func() error) error {
	if err := r.delim('['); err != nil {
		return err
	}
	for r.dec.More() {
		if err := item(); err != nil {
			return err
		}
	}
	return r.delim(']')
}

// token reads the next token; the end of the text is an error wherever one is due.
func (r *reader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	return t, err
}

func (r *reader) bool() (bool, error) {
	t, err := r.token()
	if err != nil {
		return false, err
	}
	b, ok := t.(bool)
	if !ok {
		return false, fmt.Errorf("want true or false, found %v", t)
	}
	return b, nil
}

func (r *reader) delim(want json.Delim) error {
	t, err := r.token()
	if err == nil && t != want {
		err = fmt.Errorf("want %v, found %v", want, t)
	}
	return err
}

func (r *reader) text() (string, error) {
	t, err := r.token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("want a string, found %v", t)
	}
	return s, nil
}

func (r *reader) number() (string, error) {
	t, err := r.token()
	if err != nil {
		return "", err
	}
	n, ok := t.(json.Number)
	if !ok {
		return "", fmt.Errorf("want a number, found %v", t)
	}
	return n.String(), nil
}

func (r *reader) float() (float64, error) {
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%.60s is out of range", text)
	}
	return x, nil
}

// uint reads an integer of so many bits that is not negative.
func (r *reader) uint(bits int) (uint64, error) {
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%.60s is out of range, or not an integer", text)
	}
	return x, nil
}
