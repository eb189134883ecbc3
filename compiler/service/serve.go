package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler"
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
	// ReadFile and Plant are for inputs that are bound to channels, as bind.Set has them. May be nil.
	ReadFile func(name string, limit int64) ([]byte, error)
	Plant    func(file string) (*compiler.Program, error)
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
	in       *bufio.Reader
	out      io.Writer
	device   device.Device // nil until needed
	programs map[int]*program
	last     int // number of the program loaded last
	done     bool

	long    []byte       // the last request that was longer than the buffer of in
	text    bytes.Reader // what decoder reads
	decoder *json.Decoder
	answer  bytes.Buffer // the last answer
	encoder *json.Encoder

	working sync.Mutex // held while a request is answered
	stopped bool
}

// Sizes of buffers, in bytes: a request that fits is read by one system call; one for a longer request or
// answer is not kept for the next.
const (
	readSize = 64 << 10
	keepSize = 1 << 20
)

// Serve answers requests until one says bye or the input ends. Its error is one
// of reading or writing, or that of the context, which it does not wait for the input to tell.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	if opt.MaxLine == 0 {
		opt.MaxLine = MaxLine
	}
	s := &server{opt: opt, in: bufio.NewReaderSize(in, readSize), out: out, programs: map[int]*program{}}
	s.encoder = json.NewEncoder(&s.answer)
	s.encoder.SetEscapeHTML(false)
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx) }()
	defer s.endLoops()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	// A request that is being answered comes to its end; what is still read is not answered.
	s.working.Lock()
	defer s.working.Unlock()
	s.stopped = true
	return ctx.Err()
}

// serve reads and answers by one goroutine, since handing requests to another would cost as much as a short run.
func (s *server) serve(ctx context.Context) error {
	for !s.done {
		l, err := s.readLine()
		if err == nil && !l.tooLong && len(bytes.TrimSpace(l.text)) == 0 {
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("serve: reading a request: %w", err)
		}
		if err := s.reply(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// line is a request.
type line struct {
	text    []byte // until the next is read
	tooLong bool
}

// readLine reads one line, of which it keeps no more than the options allow.
func (s *server) readLine() (l line, err error) {
	if cap(s.long) > keepSize {
		s.long = nil
	}
	for whole := true; ; whole = false {
		part, err := s.in.ReadSlice('\n')
		switch {
		case l.tooLong || len(l.text)+len(part) > s.opt.MaxLine+1:
			l = line{tooLong: true}
		case whole && err == nil:
			l.text = part
		default:
			s.long = append(s.long[:len(l.text)], part...)
			l.text = s.long
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && (len(l.text) > 0 || l.tooLong):
			return l, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return l, err
		}
	}
}

// reply carries out one request and writes its answer at once.
func (s *server) reply(ctx context.Context, l line) error {
	s.working.Lock()
	defer s.working.Unlock()
	if s.stopped || ctx.Err() != nil {
		return ctx.Err()
	}
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
	if s.answer.Cap() > keepSize {
		s.answer = bytes.Buffer{}
	}
	s.answer.Reset()
	fmt.Fprintf(&s.answer, `{"id":%s,"ok":%v`, id, err == nil)
	if err != nil {
		result = struct {
			Error *Error `json:"error"`
		}{s.explain(err)}
	}
	// The members of the result follow: its brace becomes a comma, or falls away.
	at := s.answer.Len()
	if err := s.encoder.Encode(result); err != nil {
		return fmt.Errorf("serve: writing an answer: %w", err)
	}
	if body := s.answer.Bytes()[at:]; string(body) == "{}\n" {
		s.answer.Truncate(at)
		s.answer.WriteString("}\n")
	} else {
		body[0] = ','
	}
	if _, err := s.out.Write(s.answer.Bytes()); err != nil {
		return fmt.Errorf("serve: writing an answer: %w", err)
	}
	return nil
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

// decode reads a request that is known to be JSON.
func (s *server) decode(text []byte, into any) error {
	if s.decoder == nil {
		s.decoder = json.NewDecoder(&s.text)
		s.decoder.DisallowUnknownFields()
	}
	s.text.Reset(text)
	err := s.decoder.Decode(into)
	if err != nil || len(text) > keepSize {
		s.decoder = nil
	}
	return err
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
		if err := s.decode(text, &r); err != nil {
			return nil, refuse("see docs/serve.md", "%v", err)
		}
		return f(s, ctx, &r)
	}
}
