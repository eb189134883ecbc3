package vm

import (
	"slices"
	"strings"
)

// Advice is what to do about an error whose message stays as Python has it. It is
// given with errors that come without a hint of their own; the first that fits is
// taken.
type Advice struct {
	Kind    string // of the error
	Message string // a part of the message; "" fits all
	Source  string // a part of the source line; "" fits all
	Hint    string
}

// pythonAdvice holds what is meant most often by what is no Python, and the way
// out of errors of plain Python.
var pythonAdvice = []Advice{
	// Other languages' syntax.
	{"SyntaxError", "unexpected end of line", "++", "Python has no ++: write += 1"},
	{"SyntaxError", "unexpected end of line", "--", "Python has no --: write -= 1"},
	{"SyntaxError", "got 'if'", "else if", "write elif"},
	{"SyntaxError", "unexpected '&'", "&&", "write and, or & between traced values"},
	{"SyntaxError", "unexpected '|'", "||", "write or, or | between traced values"},
	{"SyntaxError", "invalid character '!'", "", "write not, or ~ before a traced value"},
	{"SyntaxError", "invalid character '?'", "", "write a if condition else b"},
	{"SyntaxError", "invalid character", "", "replace the character: outside of texts, a script has ASCII signs and letters only"},
	{"SyntaxError", "was never closed", "", "close it, at the latest before the next statement"},
	{"SyntaxError", "unmatched", "", "remove it, or open it before"},
	{"SyntaxError", "does not match opening", "", "close brackets in the reverse of the order in which they were opened"},
	{"SyntaxError", "expected ':'", "", "end the line with a colon"},
	{"SyntaxError", "f-string: expecting '}'", "", "close the field with }, or write {{ for a brace"},
	{"SyntaxError", "f-string: single '}'", "", "write }} for a brace"},
	{"SyntaxError", "f-string", "", "compute the value in a line of its own and put its name into the braces"},
	{"SyntaxError", "unterminated triple", "", `end it with the same three quotes`},
	{"SyntaxError", "unterminated", "", "end it with the same quote in the same line, or use three quotes for several lines"},
	{"SyntaxError", "'async'", "", "write a plain function: a script runs from top to bottom, and tg.run() waits for the result"},
	{"SyntaxError", "'await'", "", "call the function plainly: tg.run() waits for the result"},
	{"SyntaxError", "complex numbers", "", "compute with two numbers, the real and the imaginary part"},
	{"SyntaxError", "leading zeros", "", "remove the zeros"},
	{"SyntaxError", "outside function", "", "indent it into a function, or remove it"},
	{"SyntaxError", "loop", "", "indent it into a loop, or remove it"},
	{"IndentationError", "expected an indented block", "", "indent the line by four spaces, or write pass"},
	{"IndentationError", "unexpected indent", "", "start the line where the one before starts"},
	{"IndentationError", "unindent does not match", "", "start the line where an enclosing block starts"},

	// Names and calls.
	{"NameError", "'cp' is not defined", "", "start the script with: import copapy as cp"},
	{"NameError", "", "", "assign it before this line, or check the spelling"},
	{"UnboundLocalError", "", "", "a name assigned in a function is its own there: assign it first, or say global or nonlocal"},
	{"AttributeError", "'int' object", "", "this is a plain integer, which has no functions of its own"},
	{"AttributeError", "'float' object", "", "this is a plain number: functions are called as cp.name(x) or math.name(x)"},
	{"AttributeError", "'NoneType' object", "", "this is None: a function without return gives None"},
	{"AttributeError", "has no attribute", "", "check the spelling, and that the value is of the type you expect"},
	{"ImportError", "from 'collections'", "", "write a list with append and pop(0), a dict, or a class; the last numbers of a signal on the target are a cp.state"},
	{"ImportError", "cannot import name", "", "check the spelling; two modules that import each other see only what was defined before"},
	{"TypeError", "'NoneType'", "", "this is None: a function without return gives None"},
	{"TypeError", "and 'function'", "", "call the function: name(...)"},
	{"TypeError", "'function' and", "", "call the function: name(...)"},
	{"TypeError", "is not callable", "", "leave out the parentheses, or write * to multiply"},
	{"TypeError", "is not subscriptable", "", "only lists, tuples, dicts, texts and arrays have elements"},
	{"TypeError", "is not iterable", "", "iterate over a list, an array or range(n)"},
	{"TypeError", "unhashable type", "", "use a number, a text or a tuple of them as the key"},

	// Numbers and texts.
	{"TypeError", "can only concatenate str", "", "convert with str(x), or write an f-string: f'... {x}'"},
	{"TypeError", "'str'", "", "convert the text with float(text) or int(text), or the number with str(x)"},
	{"TypeError", "can only concatenate", "", "for numbers added by element use cp.vector"},
	{"TypeError", "'list'", "", "for arithmetic by element use cp.vector"},
	{"ValueError", "could not convert string to float", "", "give digits with a point, such as '1.5' or '1e-3'"},
	{"ValueError", "invalid literal for int()", "", "give digits only; for a fraction use int(float(text))"},
	{"ValueError", "Unknown format code", "", "write a spec such as .3f, .4g, e, or d for integers"},
	{"ZeroDivisionError", "integer", "", "this is computed while tracing: check the divisor; on the target n // 0 is 0 and raises the arithmetic flag"},
	{"ZeroDivisionError", "", "", "this is computed while tracing: check the divisor; on the target x / 0 of floats is inf or nan"},
	{"ValueError", "math domain error", "", "this is computed while tracing: check the argument; on the target the result is nan or inf"},
	{"OverflowError", "not supported", "", "use a float, such as 10.0 ** n"},
	{"OverflowError", "", "", "use smaller numbers"},

	// Lists and dicts.
	{"IndexError", "index out of range", "", "indices go from 0 to len(x) - 1, or from -len(x) to -1"},
	{"KeyError", "", "", "add the key, or look it up with d.get(key, default)"},
	{"ValueError", "values to unpack", "", "give as many names as there are values, or a *rest"},
	{"RecursionError", "", "", "end the recursion with an if on a plain number, or write a loop"},
}

// advise adds what to do where an error, or what led to it, does not say it.
func (t *Thread) advise(e *Error) {
	for ; e != nil; e = e.Chain {
		if e.Hint != "" || strings.HasPrefix(strings.TrimSpace(e.Source), "raise ") {
			continue // what the script itself says stands alone
		}
		for _, a := range slices.Concat(t.opts.Advice, pythonAdvice) {
			if a.Kind == e.Kind && strings.Contains(e.Message, a.Message) && strings.Contains(e.Source, a.Source) {
				e.Hint = a.Hint
				break
			}
		}
	}
}

// withSignature adds how a function is called to an error of its arguments.
// Parameters that end in "?" may be left out.
func withSignature(err error, fn string, params []string) error {
	r, ok := err.(*raised)
	if !ok || dataOf(r.exc).hint != "" {
		return err
	}
	var shown []string
	for _, p := range params {
		if p == "/" {
			continue // arguments by position are what one writes anyway
		}
		if name, optional := strings.CutSuffix(p, "?"); optional {
			p = name + "=..."
		}
		shown = append(shown, p)
	}
	return WithHint(err, "call it as "+fn+"("+strings.Join(shown, ", ")+")")
}

// parameters lists the parameters of a function of the script.
func (f *Function) parameters() []string {
	p := f.prog
	var out []string
	for i, name := range p.Locals[:p.NumPos] {
		if i >= p.NumPos-len(f.defaults) {
			name += "?"
		}
		out = append(out, name)
	}
	star := p.NumPos + p.NumKwOnly
	switch {
	case p.HasStar:
		out = append(out, "*"+p.Locals[star])
	case p.NumKwOnly > 0:
		out = append(out, "*")
	}
	for i, name := range p.Locals[p.NumPos:star] {
		if f.kwonly != nil && f.kwonly[i] != nil {
			name += "?"
		}
		out = append(out, name)
	}
	if p.HasStarStar {
		out = append(out, "**"+p.Locals[p.NumParams()-1])
	}
	return out
}
