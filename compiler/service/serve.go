package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/device"
)

// Version is that of the protocol, in the answer to hello.
const Version = 1

// Bounds of a service.
const (
	MaxLine     = 1 << 26 // bytes of a request; 64 MB
	MaxPrograms = 256     // loaded at a time
	MaxRuns     = 1 << 20 // in one request
)

// CodeUsage is the code of errors that the client can mend by another request.
const CodeUsage = 2

// Options of a service.
type Options struct {
	// Target is the name of where programs run; Open opens it, when it is first
	// needed.
	Target string
	Open   func(ctx context.Context) (device.Device, error)
	// Explain gives the code of an error that this package does not know, and
	// what to do about it, if anything.
	Explain func(error) (code int, hint string)
	Fast    bool // of every program, unless load says otherwise
	MaxLine int  // bytes of a request; 0: MaxLine
}

// Error is a refused request.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (e *Error) Error() string { return e.Message }

func refuse(hint, format string, args ...any) error {
	return &Error{Code: CodeUsage, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// server is one run of Serve.
type server struct {
	opt      Options
	out      *bufio.Writer
	device   device.Device // nil until needed
	programs map[int]*program
	last     int // number of the program loaded last
	done     bool
}

// Serve answers requests until one says bye or the input ends. Its error is one
// of reading or writing, or that of the context.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	if opt.MaxLine == 0 {
		opt.MaxLine = MaxLine
	}
	s := &server{opt: opt, out: bufio.NewWriter(out), programs: map[int]*program{}}
	lines := make(chan line)
	stop := make(chan struct{})
	defer close(stop)
	go readLines(bufio.NewReader(in), opt.MaxLine, lines, stop)
	for !s.done {
		var l line
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l = <-lines:
		}
		switch {
		case errors.Is(l.err, io.EOF):
			return nil
		case l.err != nil:
			return fmt.Errorf("serve: reading a request: %w", l.err)
		}
		if err := s.answer(ctx, l); err != nil {
			return fmt.Errorf("serve: writing an answer: %w", err)
		}
	}
	return nil
}

// line is a request, or what prevented reading one.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// readLines sends all lines that are not blank, and the error that ends them.
func readLines(in *bufio.Reader, most int, lines chan<- line, stop <-chan struct{}) {
	for {
		l := readLine(in, most)
		if l.err == nil && !l.tooLong && len(bytes.TrimSpace(l.text)) == 0 {
			continue
		}
		select {
		case lines <- l:
		case <-stop:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads one line, of which it keeps no more than most bytes.
func readLine(in *bufio.Reader, most int) line {
	var l line
	for {
		part, err := in.ReadSlice('\n')
		if len(l.text)+len(part) > most+1 {
			l.text, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && (len(l.text) > 0 || l.tooLong):
			return l
		case !errors.Is(err, bufio.ErrBufferFull):
			l.err = err
			return l
		}
	}
}

// answer carries out one request and writes its answer.
func (s *server) answer(ctx context.Context, l line) error {
	var id json.RawMessage
	result, err := any(nil), error(nil)
	if l.tooLong {
		err = refuse("send large graphs as cbor, or numbers in several requests", "the request is longer than %d bytes", s.opt.MaxLine)
	} else {
		id, result, err = s.carryOut(ctx, l.text)
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	head := fmt.Appendf(nil, `{"id":%s,"ok":%v`, id, err == nil)
	if err != nil {
		result = struct {
			Error *Error `json:"error"`
		}{s.explain(err)}
	}
	body, err := marshal(result)
	if err != nil {
		return err
	}
	if len(body) > len("{}") {
		head = append(head, ',')
	}
	s.out.Write(head)
	s.out.Write(body[1:])
	s.out.WriteByte('\n')
	return s.out.Flush()
}

// marshal writes an object on one line, and leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func (s *server) explain(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := &Error{Code: 1, Message: err.Error()}
	if s.opt.Explain != nil {
		e.Code, e.Hint = s.opt.Explain(err)
	}
	return e
}

// carryOut finds the request's row in the table.
func (s *server) carryOut(ctx context.Context, text []byte) (id json.RawMessage, result any, err error) {
	const form = `a request is one line such as {"id":1,"do":"hello"}`
	if !utf8.Valid(text) {
		return nil, nil, refuse(form, "the request is not UTF-8")
	}
	var h head
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, nil, refuse(form, "the request is not a JSON object: %v", err)
	}
	if len(h.ID) > 0 && (h.ID[0] == '{' || h.ID[0] == '[') {
		return nil, nil, refuse(form, "the id is neither a number nor a string")
	}
	for _, r := range requests {
		if r.name == h.Do {
			result, err = r.do(s, ctx, text)
			return h.ID, result, err
		}
	}
	return h.ID, nil, refuse("requests are "+requestNames(), "unknown request %.60q", h.Do)
}

// head is what all requests have.
type head struct {
	ID json.RawMessage `json:"id"`
	Do string          `json:"do"`
}

// as decodes the request for f: keys that it does not have are refused.
func as[T any](f func(s *server, ctx context.Context, r *T) (any, error)) func(*server, context.Context, []byte) (any, error) {
	return func(s *server, ctx context.Context, text []byte) (any, error) {
		var r T
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return nil, refuse("see docs/serve.md", "%v", err)
		}
		return f(s, ctx, &r)
	}
}
