package vm

import (
	"strings"
	"unicode/utf8"
)

var bytesTable = []Row{
	Def("decode", bytesDecode, "encoding?", "errors?"),
	Def("hex", bytesHex),
}

var bytesSignature = NewSignature("bytes", "source?", "encoding?", "errors?")

func newBytes(t *Thread, _ *Class, a Args) (Value, error) {
	vs, err := bytesSignature.Bind(a)
	if err != nil || vs[0] == nil {
		return Bytes(""), err
	}
	switch v := vs[0].(type) {
	case string:
		if vs[1] == nil {
			return nil, TypeErrorf("string argument without an encoding")
		}
		return Bytes(v), nil
	case Bytes:
		return v, nil
	}
	if n, ok := AsInt(vs[0]); ok {
		if n < 0 {
			return nil, ValueErrorf("negative count")
		}
		if err := t.Charge(n); err != nil {
			return nil, err
		}
		return Bytes(make([]byte, n)), nil
	}
	var b []byte
	err = t.each(vs[0], func(x Value) error {
		i, err := wantInt(x)
		if err == nil && (i < 0 || i > 255) {
			err = ValueErrorf("bytes must be in range(0, 256)")
		}
		b = append(b, byte(i))
		return err
	})
	return Bytes(b), err
}

func bytesDecode(_ *Thread, b Bytes, _ []Value) (Value, error) {
	return decodeUTF8(b)
}

func bytesHex(_ *Thread, b Bytes, _ []Value) (Value, error) {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(b))
	for i := range len(b) {
		out = append(out, digits[b[i]>>4], digits[b[i]&15])
	}
	return string(out), nil
}

// bytesContain is `x in b`: a byte value or a subsequence.
func bytesContain(b Bytes, x Value) (bool, error) {
	if s, ok := x.(Bytes); ok {
		return strings.Contains(string(b), string(s)), nil
	}
	i, ok := AsInt(x)
	if !ok {
		return false, TypeErrorf("a bytes-like object is required, not '%s'", TypeName(x))
	}
	if i < 0 || i > 255 {
		return false, ValueErrorf("byte must be in range(0, 256)")
	}
	return strings.IndexByte(string(b), byte(i)) >= 0, nil
}

func decodeUTF8(b Bytes) (Value, error) {
	if !utf8.ValidString(string(b)) {
		return nil, Raise(UnicodeDecodeError, "'utf-8' codec can't decode the bytes")
	}
	return string(b), nil
}
