package vm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// report makes the *Error that the host sees.
func (t *Thread) report(err error) *Error {
	e := t.describe(err)
	t.advise(e)
	return e
}

func (t *Thread) describe(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var se *syntax.Error
	if errors.As(err, &se) {
		return &Error{Kind: se.Kind, Message: se.Msg, Hint: se.Hint, File: se.File, Line: int(se.Pos.Line),
			Column: int(se.Pos.Col), Source: se.Source, Err: err}
	}
	err = asRaised(err)
	if l, ok := err.(*LimitError); ok {
		e := &Error{Kind: limitKinds[l.Limit], Message: l.Msg, Hint: l.hint, Err: err}
		e.place(l.trace)
		return e
	}
	return t.reportException(err.(*raised), map[*Instance]bool{})
}

var limitKinds = map[string]string{"steps": "LimitError", "memory": "LimitError", "cancelled": "Cancelled", "internal": "InternalError", "host": "TargetError"}

// maxChain bounds the exceptions shown before the last one.
const maxChain = 10

func (t *Thread) reportException(r *raised, seen map[*Instance]bool) *Error {
	d := dataOf(r.exc)
	seen[r.exc] = true
	e := &Error{Kind: r.exc.class.Name, Hint: d.hint, Err: r}
	e.place(d.trace)
	if s := d.syntax; s != nil {
		e.File, e.Line, e.Column, e.Source = s.File, int(s.Pos.Line), int(s.Pos.Col), s.Source
	}
	e.Message = t.describeException(r.exc)
	next := d.cause
	if next == nil && !d.suppress {
		next = d.context
	}
	if next != nil && !seen[next] && len(seen) < maxChain {
		e.Chain, e.ChainCause = t.reportException(&raised{next}, seen), next == d.cause
	}
	return e
}

// describeException is str(exc) where a failing __str__ does no harm.
func (t *Thread) describeException(exc *Instance) string {
	t.frame, t.depth = nil, 0
	t.fuel, t.grant = fuelChunk, fuelChunk
	s, err := t.Str(exc)
	if err != nil {
		return "<exception str() failed>"
	}
	return s
}

// place fills in the position and the stack; trace has the innermost first.
func (e *Error) place(trace []traceEntry) {
	inScript := slices.ContainsFunc(trace, func(p traceEntry) bool { return !p.prog.Source.Library })
	for _, p := range slices.Backward(trace) {
		if inScript && p.prog.Source.Library {
			continue
		}
		e.Stack = append(e.Stack, StackEntry{
			File: p.prog.Source.Name, Line: int(p.at.Line), Column: int(p.at.Col),
			Function: p.prog.Name, Source: p.prog.Source.Line(int(p.at.Line)),
		})
	}
	if n := len(e.Stack); n > 0 {
		last := e.Stack[n-1]
		e.File, e.Line, e.Column, e.Source = last.File, last.Line, last.Column, last.Source
	}
}

// shownEnds is how many calls are shown at either end of a long stack.
const shownEnds = 10

// shownRepeats is how often the same place in a row is shown.
const shownRepeats = 3

// Report returns the message as Python prints it: the calls, the source line
// with a caret under the place, the error, and the hint.
func (e *Error) Report() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *Error) write(b *strings.Builder) {
	if e.Chain != nil {
		e.Chain.write(b)
		if e.ChainCause {
			b.WriteString("\nThe above exception was the direct cause of the following exception:\n\n")
		} else {
			b.WriteString("\nDuring handling of the above exception, another exception occurred:\n\n")
		}
	}
	if len(e.Stack) > 0 {
		b.WriteString("Traceback (most recent call last):\n")
	}
	repeated := 0
	for i, s := range e.Stack {
		if len(e.Stack) > 2*shownEnds+1 && i >= shownEnds && i < len(e.Stack)-shownEnds {
			if i == shownEnds {
				fmt.Fprintf(b, "  ... %d more calls ...\n", len(e.Stack)-2*shownEnds)
			}
			continue
		}
		if i > 0 && e.Stack[i-1] == s {
			if repeated++; repeated >= shownRepeats {
				continue
			}
		} else {
			repeated = 0
		}
		fmt.Fprintf(b, "  File %q, line %d, in %s\n", s.File, s.Line, s.Function)
		writeCaret(b, s.Source, s.Column)
	}
	if n := len(e.Stack); e.Line > 0 && (n == 0 || e.Stack[n-1].File != e.File || e.Stack[n-1].Line != e.Line) {
		fmt.Fprintf(b, "  File %q, line %d\n", e.File, e.Line)
		writeCaret(b, e.Source, e.Column)
	}
	b.WriteString(e.Kind)
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	b.WriteByte('\n')
	if e.Hint != "" {
		b.WriteString("hint: " + e.Hint + "\n")
	}
}

// maxShown bounds how much of a very long line is shown.
const maxShown = 200

// writeCaret writes the line without its indentation and a caret under the column.
func writeCaret(b *strings.Builder, line string, column int) {
	text := []rune(strings.TrimRight(line, " \t"))
	skip := 0
	for skip < len(text) && (text[skip] == ' ' || text[skip] == '\t' || text[skip] == '\f') {
		skip++
	}
	if skip == len(text) {
		return
	}
	if column-skip > maxShown-40 {
		skip = column - maxShown/2
	}
	text = text[min(skip, len(text)):]
	if len(text) > maxShown {
		text = text[:maxShown]
	}
	fmt.Fprintf(b, "    %s\n", string(text))
	if column > skip {
		pad := []rune(strings.Repeat(" ", column-1-skip))
		for i := range pad {
			if i < len(text) && text[i] == '\t' {
				pad[i] = '\t'
			}
		}
		fmt.Fprintf(b, "    %s^\n", string(pad))
	}
}
