package pylib

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/copaflash/copaflash/compiler/script/python/files"
	"github.com/copaflash/copaflash/compiler/script/python/vm"
)

// file is an open file: one that is read lies in memory, one that is written is a stream.
type file struct {
	name, mode string
	binary     bool
	text       string // contents; text mode: decoded, with \n at the ends of lines
	at         int    // bytes read
	sink       io.WriteCloser
	encode     func(s string) (string, error)
	newline    string // what \n is written as
	closed     bool
}

var fileClass = vm.NewClass("TextIOWrapper", nil, nil)

func (f *file) PyClass() *vm.Class { return fileClass }

// Repr names the file.
func (f *file) Repr(t *vm.Thread) (string, error) {
	name, err := t.Repr(f.name)
	return "<_io.TextIOWrapper name=" + name + " mode='" + f.mode + "' encoding='utf-8'>", err
}

// Next returns the next line.
func (f *file) Next(t *vm.Thread) (vm.Value, error) {
	line, err := f.line(t, -1)
	if err != nil || line == "" {
		return nil, err
	}
	return f.value(line), nil
}

func (f *file) value(s string) vm.Value {
	if f.binary {
		return vm.Bytes(s)
	}
	return s
}

func (f *file) readable() error {
	switch {
	case f.closed:
		return vm.ValueErrorf("I/O operation on closed file.")
	case f.sink != nil:
		return vm.Raise(vm.OSError, "not readable")
	}
	return nil
}

func (f *file) line(t *vm.Thread, limit int) (string, error) {
	if err := f.readable(); err != nil {
		return "", err
	}
	rest := f.text[f.at:]
	n := strings.IndexByte(rest, '\n') + 1
	if n == 0 {
		n = len(rest)
	}
	if limit >= 0 {
		n = min(n, f.prefix(rest, limit))
	}
	f.at += n
	return rest[:n], t.Tick(n/64 + 1)
}

// prefix is the length in bytes of n characters.
func (f *file) prefix(s string, n int) int {
	if f.binary {
		return min(n, len(s))
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// codecs by their normalised names.
var codecs = map[string]struct {
	decode, encode func(s string) (string, error)
}{
	"utf8":    {decodeUTF8, same},
	"utf8sig": {func(s string) (string, error) { return decodeUTF8(strings.TrimPrefix(s, "\ufeff")) }, func(s string) (string, error) { return s, nil }},
	"ascii":   {decodeASCII, func(s string) (string, error) { return encodeBelow(s, 0x80, "ascii") }},
	"latin1":  {decodeLatin1, func(s string) (string, error) { return encodeBelow(s, 0x100, "latin-1") }},
}

var codecNames = map[string]string{"": "utf8", "utf8": "utf8", "u8": "utf8", "utf8sig": "utf8sig", "ascii": "ascii", "usascii": "ascii",
	"latin1": "latin1", "iso88591": "latin1", "l1": "latin1"}

func same(s string) (string, error) { return s, nil }

func decodeUTF8(s string) (string, error) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return "", vm.WithHint(vm.Raise(vm.UnicodeDecodeError, "'utf-8' codec can't decode byte 0x%02x in position %d: invalid start byte", s[i], i),
				"open(name, encoding='latin-1') reads any bytes, open(name, 'rb') gives them as they are")
		}
		i += n
	}
	return s, nil
}

func decodeASCII(s string) (string, error) {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return "", vm.Raise(vm.UnicodeDecodeError, "'ascii' codec can't decode byte 0x%02x in position %d: ordinal not in range(128)", s[i], i)
		}
	}
	return s, nil
}

func decodeLatin1(s string) (string, error) {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String(), nil
}

func encodeBelow(s string, limit rune, name string) (string, error) {
	var b strings.Builder
	i := 0
	for _, r := range s {
		if r >= limit {
			return "", vm.Raise(vm.UnicodeEncodeError, "'%s' codec can't encode character '\\u%04x' in position %d: ordinal not in range(%d)", name, r, i, limit)
		}
		b.WriteByte(byte(r))
		i++
	}
	return b.String(), nil
}

// open is the builtin function.
func (h *host) open(t *vm.Thread, a vm.Args) (vm.Value, error) {
	vs, err := a.Bind("open", "file", "mode?", "buffering?", "encoding?", "errors?", "newline?", "closefd?", "opener?")
	if err != nil {
		return nil, err
	}
	name, err := pathName(t, vs[0])
	if err != nil {
		return nil, err
	}
	text := func(i int, otherwise string) string {
		if s, ok := vs[i].(string); ok {
			return s
		}
		return otherwise
	}
	f := &file{name: name, mode: text(1, "r"), newline: "\n"}
	what, err := f.parseMode()
	if err != nil {
		return nil, err
	}
	codec := codecs[codecNames[strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(text(3, "")))]]
	if codec.decode == nil {
		return nil, vm.WithHint(vm.Raise(vm.LookupError, "unknown encoding: %s", text(3, "")), "there are utf-8, utf-8-sig, ascii and latin-1")
	}
	if e := text(4, "strict"); e != "strict" {
		return nil, vm.WithHint(vm.ValueErrorf("open: errors='%s' is not supported", e), "leave it out, or read with encoding='latin-1'")
	}
	if what != 'r' {
		f.encode = codec.encode
		if n, ok := vs[5].(string); ok && n != "" {
			f.newline = n
		}
		flags := map[byte]int{'w': os.O_TRUNC, 'a': os.O_APPEND, 'x': os.O_EXCL}[what]
		f.sink, err = h.Files.Create(name, flags)
		return f, pythonError(err)
	}
	raw, err := h.read(t, name)
	if err != nil {
		return nil, err
	}
	if f.binary {
		f.text = string(raw)
		return f, nil
	}
	if f.text, err = codec.decode(string(raw)); err != nil {
		return nil, err
	}
	if _, given := vs[5].(string); !given && bytes.IndexByte(raw, '\r') >= 0 {
		f.text = strings.ReplaceAll(strings.ReplaceAll(f.text, "\r\n", "\n"), "\r", "\n")
	}
	return f, nil
}

// pathName is the text of a name: a str, or a path that makes one.
func pathName(t *vm.Thread, v vm.Value) (string, error) {
	if s, ok := vm.Unwrap(v).(string); ok {
		return s, nil
	}
	if _, ok := v.(*vm.Instance); ok {
		s, err := t.CallMethod(v, "__fspath__")
		if name, ok := s.(string); ok && err == nil {
			return name, nil
		}
	}
	return "", vm.TypeErrorf("expected str, bytes or os.PathLike object, not %s", vm.TypeName(v))
}

// read reads a whole file on the script's account.
func (h *host) read(t *vm.Thread, name string) ([]byte, error) {
	size, err := h.Files.Size(name)
	if err != nil {
		return nil, pythonError(err)
	}
	if err := t.Charge(2*size + 512); err != nil { // as read, and decoded
		return nil, err
	}
	raw, err := h.Files.Read(name, size+1<<20)
	return raw, pythonError(err)
}

// parseMode checks the mode of open and returns what is to be done: r, w, a or x.
func (f *file) parseMode() (byte, error) {
	what := byte(0)
	for _, c := range []byte(f.mode) {
		switch c {
		case 'r', 'w', 'a', 'x':
			if what != 0 {
				return 0, vm.ValueErrorf("must have exactly one of create/read/write/append mode")
			}
			what = c
		case 'b':
			f.binary = true
		case 't':
		case '+':
			return 0, vm.WithHint(vm.ValueErrorf("mode '%s': a file is read or written, not both", f.mode), "read it whole, then write it anew")
		default:
			return 0, vm.ValueErrorf("invalid mode: '%s'", f.mode)
		}
	}
	if what == 0 {
		return 0, vm.ValueErrorf("Must have exactly one of create/read/write/append mode and at most one plus")
	}
	return what, nil
}

// pythonError makes the exception that Python raises, with what to do.
func pythonError(err error) error {
	if err == nil {
		return nil
	}
	name, _, _ := strings.Cut(err.Error(), ": ")
	quoted := "'" + name + "'"
	switch {
	case errors.Is(err, files.ErrNoOut):
		return vm.WithHint(vm.Raise(vm.PermissionError, "[Errno 13] Permission denied: %s", quoted),
			"scripts write files only below a folder that you name: run with --out DIR")
	case errors.Is(err, files.ErrOutside):
		return vm.WithHint(vm.Raise(vm.PermissionError, "[Errno 13] Permission denied: %s", quoted),
			"scripts read files in their own folder and write below that of --out; neither .. nor links lead out")
	case errors.Is(err, fs.ErrNotExist):
		return vm.WithHint(vm.Raise(vm.FileNotFoundError, "[Errno 2] No such file or directory: %s", quoted),
			"names are looked up in the folder of the script")
	case errors.Is(err, fs.ErrExist):
		return vm.Raise(vm.FileExistsError, "[Errno 17] File exists: %s", quoted)
	case errors.Is(err, files.ErrIsFolder):
		return vm.Raise(vm.IsADirectoryError, "[Errno 21] Is a directory: %s", quoted)
	case errors.Is(err, fs.ErrPermission):
		return vm.Raise(vm.PermissionError, "[Errno 13] Permission denied: %s", quoted)
	}
	return vm.Raise(vm.OSError, "%s", err)
}

func (f *file) write(t *vm.Thread, v vm.Value) (int, error) {
	if f.closed {
		return 0, vm.ValueErrorf("I/O operation on closed file.")
	}
	if f.sink == nil {
		return 0, vm.Raise(vm.OSError, "not writable")
	}
	var s string
	n := 0
	switch x := vm.Unwrap(v).(type) {
	case vm.Bytes:
		if !f.binary {
			return 0, vm.TypeErrorf("write() argument must be str, not bytes")
		}
		s, n = string(x), len(x)
	case string:
		if f.binary {
			return 0, vm.TypeErrorf("a bytes-like object is required, not 'str'")
		}
		var err error
		if s, err = f.encode(x); err != nil {
			return 0, err
		}
		n = utf8.RuneCountInString(x)
		if f.newline != "\n" {
			s = strings.ReplaceAll(s, "\n", f.newline)
		}
	default:
		return 0, vm.TypeErrorf("write() argument must be str, not %s", vm.TypeName(v))
	}
	if err := t.Tick(len(s)/64 + 1); err != nil {
		return 0, err
	}
	_, err := io.WriteString(f.sink, s)
	return n, pythonError(err)
}

func (f *file) close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	f.text = ""
	if f.sink != nil {
		return pythonError(f.sink.Close())
	}
	return nil
}
