package main

import (
	"io"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"
)

// page is a way to a stream that people may be looking at. It takes a progress line
// off the terminal before anything else appears, and it may escape what would steer
// a terminal: names in images, graphs and answers of boards come from anywhere.
type page struct {
	to     io.Writer
	bar    *bar
	screen bool                      // to is a terminal
	escape func([]byte, rune) []byte // of control characters; nil: everything goes out as it is
	rest   []byte                    // the beginning of a character whose end is still to come
	out    []byte
	mu     sync.Mutex
}

// Write implements io.Writer.
func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.clear()
	if p.screen && len(b) > 0 {
		p.bar.holdBack(b[len(b)-1] != '\n')
	}
	if p.escape == nil {
		return p.to.Write(b)
	}
	in := append(p.rest, b...)
	p.out = p.out[:0]
	for len(in) > 0 && utf8.FullRune(in) {
		r, n := utf8.DecodeRune(in)
		if steers(r, n) {
			if r == utf8.RuneError {
				r = rune(in[0])
			}
			p.out = p.escape(p.out, r)
		} else {
			p.out = append(p.out, in[:n]...)
		}
		in = in[n:]
	}
	p.rest = append(p.rest[:0], in...)
	if _, err := p.to.Write(p.out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// steers reports whether a character of n bytes does something to a terminal rather
// than stand on it: control characters but tabs and ends of lines, marks that turn
// the direction of writing, and bytes that are no UTF-8.
func steers(r rune, n int) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == utf8.RuneError:
		return n == 1
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// escapeText shows a control character as Go and Python write it: \x1b, \u202e.
func escapeText(out []byte, r rune) []byte {
	if r < utf8.RuneSelf || r > 0x9f && r <= 0xff {
		const digits = "0123456789abcdef"
		return append(out, '\\', 'x', digits[r>>4], digits[r&15])
	}
	q := strconv.AppendQuoteRuneToASCII(nil, r)
	return append(out, q[1:len(q)-1]...)
}

// escapeJSON is for documents, where such a character stands in a string.
func escapeJSON(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
