package graphfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/fxamacker/cbor/v2"

	"github.com/copaflash/copaflash/compiler/graph"
)

// The CBOR form: graph.cddl names the keys.
type (
	cborFile struct {
		Magic   string          `cbor:"0,keyasint"`
		Version uint64          `cbor:"1,keyasint"`
		Nodes   cbor.RawMessage `cbor:"2,keyasint"`
		Outputs []cborOutput    `cbor:"3,keyasint"`
		Source  string          `cbor:"4,keyasint,omitempty"`
		Loops   []cborLoop      `cbor:"5,keyasint,omitempty"`
		Tasks   []cborTask      `cbor:"6,keyasint,omitempty"`
	}
	cborTask struct {
		Name    string  `cbor:"0,keyasint"`
		Divisor uint32  `cbor:"1,keyasint,omitempty"`
		Rate    float64 `cbor:"2,keyasint,omitempty"`
	}
	cborLoop struct {
		Iterations uint64          `cbor:"0,keyasint"`
		Carries    uint64          `cbor:"1,keyasint,omitempty"`
		Slices     uint64          `cbor:"2,keyasint,omitempty"`
		Nodes      cbor.RawMessage `cbor:"3,keyasint"`
		Results    []uint64        `cbor:"4,keyasint"`
	}
	cborOutput struct {
		Name string     `cbor:"0,keyasint"`
		Node *uint64    `cbor:"1,keyasint"`
		Task uint8      `cbor:"2,keyasint,omitempty"`
		Meta graph.Meta `cbor:"3,keyasint,omitzero"`
	}
	cborNode struct {
		Op    string      `cbor:"0,keyasint"`
		DType graph.DType `cbor:"1,keyasint"`
		Shape []uint32    `cbor:"2,keyasint,omitempty"`
		Args  []uint64    `cbor:"3,keyasint,omitempty"`
		Attr  []int64     `cbor:"4,keyasint,omitempty"`
		Value []byte      `cbor:"5,keyasint,omitempty"`
		Name  string      `cbor:"6,keyasint,omitempty"`
		Pos   uint32      `cbor:"7,keyasint,omitempty"`
		Next  *uint64     `cbor:"8,keyasint,omitempty"`
		Fast  bool        `cbor:"9,keyasint,omitempty"`
		Task  uint8       `cbor:"10,keyasint,omitempty"`
		Meta  *graph.Meta `cbor:"11,keyasint,omitempty"`
	}
)

// Major types of CBOR.
const (
	cborArray = 4
	cborMap   = 5
)

var encMode, decMode = func() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	dec, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		MaxNestedLevels:   6, // the file, its loops, a loop, its nodes, a node, its operands
		MaxArrayElements:  graph.MaxNodes,
		MaxMapPairs:       16,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return enc, dec
}()

// CBOR writes the file in its compact form. Equal files give equal bytes: the
// encoding is the deterministic one of RFC 8949, 4.2.
func (f *File) CBOR() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	if err := f.checkParams(); err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	loops, places := loopsOf(f.Graph)
	nodes, err := cborNodes(f.Graph, places)
	if err != nil {
		return nil, fmt.Errorf("graph file: %w", err)
	}
	file := cborFile{Magic: Magic, Version: Version, Nodes: nodes, Source: f.Source}
	for _, o := range f.Outputs {
		id := uint64(o.Node)
		file.Outputs = append(file.Outputs, cborOutput{o.Name, &id, uint8(o.Task), o.Meta})
	}
	for _, t := range f.Tasks {
		file.Tasks = append(file.Tasks, cborTask{t.Name, uint32(t.Divisor), t.Rate})
	}
	for i, s := range loops {
		body, err := cborNodes(s.Body, places)
		if err != nil {
			return nil, fmt.Errorf("graph file: loop %d: %w", i, err)
		}
		l := cborLoop{Iterations: uint64(s.Iterations), Carries: uint64(s.Carries), Slices: uint64(s.Slices), Nodes: body}
		for _, id := range s.Results {
			l.Results = append(l.Results, uint64(id))
		}
		file.Loops = append(file.Loops, l)
	}
	return encMode.Marshal(&file)
}

// cborNodes writes the nodes of a graph as an array.
func cborNodes(g *graph.Graph, loops map[*graph.Scan]int) ([]byte, error) {
	nodes := appendArrayHead(nil, g.NumNodes())
	for i := range g.NumNodes() {
		r := recordOf(g, graph.ID(i), loops)
		if err := checkName(r.name); err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i, r.op, err)
		}
		n := cborNode{Op: r.op, DType: r.dtype, Args: r.args, Attr: r.attr, Name: r.name, Pos: r.pos, Next: r.next, Fast: r.fast, Task: r.task, Meta: r.meta}
		for _, d := range r.shape {
			n.Shape = append(n.Shape, uint32(d))
		}
		if !r.zero() {
			n.Value = graph.AppendWords(make([]byte, 0, len(r.words)*graph.WordSize), r.words...)
		}
		text, err := encMode.Marshal(&n)
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		nodes = append(nodes, text...)
	}
	return nodes, nil
}

// appendArrayHead writes the head of an array of n items, n below 2^32.
func appendArrayHead(b []byte, n int) []byte {
	const major = cborArray << 5
	switch {
	case n < 24:
		return append(b, major|byte(n))
	case n <= math.MaxUint8:
		return append(b, major|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
}

// readCBOR adds the nodes one by one, so that a file costs little more memory
// than it has bytes, and a mistake is found at its node. Loops come first.
func (b *builder) readCBOR(data []byte) (header, error) {
	var file cborFile
	err := decMode.Unmarshal(data, &file)
	h := header{magic: file.Magic, version: file.Version, source: file.Source}
	var unknown *cbor.UnknownFieldError
	if errors.As(err, &unknown) && h.version > Version {
		return h, nil // which the caller refuses: a later version may have more keys
	}
	if err != nil || h.magic != Magic || h.version != Version {
		return h, err
	}
	for i, l := range file.Loops {
		body := b.newBody()
		err := body.readNodes(l.Nodes)
		if err == nil {
			err = b.addLoop(body, &loopRecord{l.Iterations, l.Carries, l.Slices, l.Results})
		}
		if err != nil {
			return h, fmt.Errorf("loop %d: %w", i, err)
		}
	}
	if err := b.readNodes(file.Nodes); err != nil {
		return h, err
	}
	for _, o := range file.Outputs {
		h.outputs = append(h.outputs, outputRecord{o.Name, o.Node, o.Task, o.Meta})
	}
	for _, t := range file.Tasks {
		h.tasks = append(h.tasks, graph.Task{Name: t.Name, Divisor: int(t.Divisor), Rate: t.Rate})
	}
	return h, nil
}

// readNodes adds the nodes of an array.
func (b *builder) readNodes(data []byte) error {
	count, rest, err := arrayHead(data)
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	for i := range count {
		var n cborNode
		if rest, err = decMode.UnmarshalFirst(rest, &n); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		r, err := n.record()
		if err != nil {
			return fmt.Errorf("node %d (%s): %w", i, n.Op, err)
		}
		if err := b.add(&r); err != nil {
			return err
		}
	}
	return nil
}

func (n *cborNode) record() (record, error) {
	r := record{op: n.Op, dtype: n.DType, args: n.Args, attr: n.Attr, name: n.Name, pos: n.Pos, next: n.Next, fast: n.Fast, task: n.Task, meta: n.Meta}
	for _, d := range n.Shape {
		if d > graph.MaxElements {
			return r, fmt.Errorf("an axis of length %d: at most %d elements are supported", d, graph.MaxElements)
		}
		r.shape = append(r.shape, int(d))
	}
	if n.Value == nil {
		return r, nil
	}
	if len(n.Value)%graph.WordSize != 0 {
		return r, fmt.Errorf("a value of %d bytes, which is not a whole number of 32-bit words", len(n.Value))
	}
	r.words = graph.Words(n.Value)
	for i, w := range r.words {
		if n.DType == graph.Bool && w > 1 {
			return r, fmt.Errorf("element %d of the value is not a bool: 0 or 1", i)
		}
	}
	return r, nil
}

// arrayHead takes the head off a well-formed array: what follows are its items.
func arrayHead(data []byte) (count uint64, rest []byte, err error) {
	if len(data) == 0 || data[0]>>5 != cborArray {
		return 0, nil, errors.New("no array")
	}
	short, rest := data[0]&0x1f, data[1:]
	if short < 24 {
		return uint64(short), rest, nil
	}
	size := 1 << (short - 24) // 1, 2, 4 or 8 bytes: well-formed, and of definite length
	for _, c := range rest[:size] {
		count = count<<8 | uint64(c)
	}
	return count, rest[size:], nil
}
