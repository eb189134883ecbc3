package bytecode

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

// Code is the compiled body of a module, function, class or comprehension.
type Code struct {
	Name     string
	QualName string
	Doc      string
	Source   *syntax.Source
	Kind     Kind
	At       syntax.Pos // of the definition

	Instrs   []Instr
	Pos      []syntax.Pos // of each instruction
	Consts   []any        // as in syntax.Const
	Names    []string     // globals, attributes, modules
	Handlers []Handler    // inner ones first
	Exits    [][]int      // jump targets of EndFinally by kind-1
	Calls    []CallSite
	Children []*Code
	Patterns []*Pattern // of match statements
	// Annotations of parameters and "return", or of the variables of a class or module.
	Annotations []Annotation

	Locals     []string // parameters first, then *args, **kwargs, other locals
	Cells      []string // variables of this code that inner functions share
	CellParams []CellParam
	Free       []string // variables shared with outer functions, after Cells
	Captures   []int    // for each of Free: its cell in the frame that makes the function
	MaxStack   int

	NumPos, NumPosOnly, NumKwOnly int
	NumDefaults                   int   // of the last positional parameters
	KwDefaults                    []int // indices of keyword-only parameters with default
	HasStar, HasStarStar          bool
	Generator                     bool
}

// NumParams is the number of locals that a call fills.
func (c *Code) NumParams() int {
	n := c.NumPos + c.NumKwOnly
	if c.HasStar {
		n++
	}
	if c.HasStarStar {
		n++
	}
	return n
}

// Annotation is a name with the text of its annotation.
type Annotation struct{ Name, Text string }

// Kind says what a Code is the body of.
type Kind uint8

// The kinds of code.
const (
	Module Kind = iota
	Function
	Class
)

// Handler sends an exception raised at Start <= pc < End to Target, with the
// stack cut to Depth.
type Handler struct{ Start, End, Target, Depth int }

// CellParam says that a cell starts with the value of a parameter.
type CellParam struct{ Cell, Local int }

// CallSite describes the arguments of one call.
type CallSite struct {
	NumPos int
	Kw     []string
	Spans  []Span // of each argument's text; nil for calls with * or **
}

// Span is a range of byte offsets in the source.
type Span struct{ Start, End int }
