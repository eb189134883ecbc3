package graph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Parse reads what Dump writes, and text written by hand in the same form:
// numbers of nodes need only be distinct and defined before use, empty lines and
// lines that begin with # are skipped. Nothing is converted or simplified, so
// types and shapes must be exactly those of the op. Every line is checked;
// equal lines are one node.
func Parse(r io.Reader) (*Graph, error) {
	g, _, err := ParseTasks(r)
	return g, err
}

// ParseTasks reads what DumpTasks writes, and what Parse reads, where there are no tasks.
func ParseTasks(r io.Reader) (*Graph, []Task, error) {
	p := newParser(nil)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<28)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		p.rest = line
		var err error
		if p, err = p.line(); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("reading graph text: %w", err)
	}
	if p.outer != nil {
		return nil, nil, fmt.Errorf("loop %s has no end", p.label)
	}
	return p.g, p.tasks, nil
}

// parser reads one line after the other; rest is what is left of the line. The
// body of a loop has a parser of its own.
type parser struct {
	g     *Graph
	names map[string]ID
	loops map[string]int // loops by their label
	tasks []Task
	rest  string

	outer *parser // of the graph around this body
	label string  // of the loop
	scan  *Scan
}

func newParser(outer *parser) *parser {
	return &parser{g: New(), names: map[string]ID{}, loops: map[string]int{}, outer: outer}
}

// parsed is a line taken apart.
type parsed struct {
	op    Op
	t     DType
	shape Shape
	args  []ID
	name  string   // of an input or state
	words []string // between braces
	fast  bool
	task  int
}

// line reads a line and returns the parser for the next one.
func (p *parser) line() (*parser, error) {
	switch {
	case p.eat("loop "):
		return p.loop()
	case p.outer == nil && p.eat("task "):
		return p, p.taskLine()
	case p.outer != nil && p.eat("}"):
		return p.outer, p.endLoop()
	}
	return p, p.definition()
}

// loop reads what follows "loop ": the head of a loop.
func (p *parser) loop() (*parser, error) {
	body := newParser(p)
	body.label = p.take(isDigit)
	if _, ok := p.loops[body.label]; ok || body.label == "" {
		return p, fmt.Errorf("want the new number of a loop")
	}
	depth := 0
	for o := body; o != nil; o = o.outer {
		depth++
	}
	if depth > maxNesting+1 {
		return p, fmt.Errorf("loops are nested more than %d deep", maxNesting)
	}
	s := &Scan{Body: body.g}
	for _, part := range []struct {
		before, after string
		to            *int
	}{{":", "turns", &s.Iterations}, {",", "carries", &s.Carries}, {",", "slices", &s.Slices}} {
		if !p.eat(part.before) {
			return p, fmt.Errorf("want %q, found %q", part.before, p.rest)
		}
		n, err := strconv.Atoi(p.take(isDigit))
		if err != nil || !p.eat(part.after) {
			return p, fmt.Errorf("want the number of %s", part.after)
		}
		*part.to = n
	}
	if !p.eat("{") || p.rest != "" {
		return p, fmt.Errorf("want { at the end of the line")
	}
	body.scan = s
	return body, nil
}

// endLoop reads what follows the body of a loop: its results.
func (p *parser) endLoop() (err error) {
	if p.scan.Results, err = p.operands(); err != nil {
		return err
	}
	if p.rest != "" {
		return fmt.Errorf("unexpected %q", p.rest)
	}
	p.outer.loops[p.label], err = p.outer.g.InternScan(p.scan)
	return err
}

func (p *parser) definition() error {
	name, ok := p.name()
	if ok && p.eat(".next") {
		return p.next(name)
	}
	if !ok || !p.eat("=") {
		return fmt.Errorf("want %%number = op.dtype, found %q", p.rest)
	}
	if _, ok := p.names[name]; ok {
		return fmt.Errorf("node %%%s is defined twice", name)
	}
	if err := p.g.room(OpConst, 0); err != nil {
		return err
	}
	n, err := p.node()
	if err != nil {
		return err
	}
	if p.rest != "" {
		return fmt.Errorf("unexpected %q", p.rest)
	}
	if n.op == OpScan {
		if err := p.resolve(n.words); err != nil {
			return err
		}
	}
	p.g.SetTask(n.task)
	id, err := p.g.define(n)
	p.g.SetTask(0)
	if err != nil {
		return fmt.Errorf("%v: %w", n.op, err)
	}
	p.names[name] = id
	return nil
}

// resolve replaces the label of a loop by its index.
func (p *parser) resolve(words []string) error {
	if len(words) != 2 {
		return fmt.Errorf("want {loop, result}")
	}
	loop, ok := p.loops[words[0]]
	if !ok {
		return fmt.Errorf("loop %s is not defined before", words[0])
	}
	words[0] = strconv.Itoa(loop)
	return nil
}

// next reads what follows %number.next, the next value of a state.
func (p *parser) next(state string) error {
	if !p.eat("=") {
		return fmt.Errorf("want %%number.next = %%number, found %q", p.rest)
	}
	args, err := p.operands()
	if err != nil {
		return err
	}
	task, err := p.task()
	if err != nil {
		return err
	}
	id, ok := p.names[state]
	if !ok {
		return fmt.Errorf("node %%%s is not defined before", state)
	}
	if len(args) != 1 || p.rest != "" {
		return fmt.Errorf("want one next value")
	}
	p.g.SetPos(0)
	p.g.SetTask(task)
	defer p.g.SetTask(0)
	return p.g.SetNext(p.g.Value(id), p.g.Value(args[0]))
}

// taskLine reads what follows "task ": a task, in the order of their numbers.
func (p *parser) taskLine() (err error) {
	if number := p.take(isDigit); number != strconv.Itoa(len(p.tasks)+1) || len(p.tasks) == MaxTasks || !p.eat(":") {
		return fmt.Errorf("want task %d of at most %d, and its name", len(p.tasks)+1, MaxTasks)
	}
	var t Task
	if t.Name, err = p.quoted(); err != nil {
		return err
	}
	if !p.eat("every ") {
		return fmt.Errorf("want every and a number of ticks, found %q", p.rest)
	}
	if t.Divisor, err = strconv.Atoi(p.take(isDigit)); err != nil || t.Divisor < 1 || t.Divisor > math.MaxInt32 {
		return fmt.Errorf("want a number of ticks from 1 to %d", math.MaxInt32)
	}
	if p.eat(",") {
		number, rest, ok := strings.Cut(p.rest, " per second")
		if t.Rate, err = strconv.ParseFloat(number, 64); !ok || err != nil || !(t.Rate > 0 && t.Rate <= math.MaxFloat64) {
			return fmt.Errorf("want a number of times per second, found %q", p.rest)
		}
		p.rest = rest
	}
	if p.rest != "" {
		return fmt.Errorf("unexpected %q", p.rest)
	}
	p.tasks = append(p.tasks, t)
	return nil
}

// task reads the number of the task that a node belongs to; 0 where none is said.
func (p *parser) task() (int, error) {
	p.skip()
	if !p.eat("task ") {
		return 0, nil
	}
	task, err := strconv.Atoi(p.take(isDigit))
	p.skip()
	switch {
	case err != nil || task < 1 || task > MaxTasks:
		return 0, fmt.Errorf("want the number of a task, from 1 to %d", MaxTasks)
	case p.outer != nil:
		return 0, fmt.Errorf("the body of a loop belongs to no task")
	}
	return task, nil
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *parser) eat(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
		p.skip()
	}
	return ok
}

// take returns the longest beginning made of characters that in accepts.
func (p *parser) take(in func(c byte) bool) string {
	i := 0
	for i < len(p.rest) && in(p.rest[i]) {
		i++
	}
	token := p.rest[:i]
	p.rest = p.rest[i:]
	return token
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordChar(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' || isDigit(c) }

func (p *parser) name() (string, bool) {
	if !p.eat("%") {
		return "", false
	}
	name := p.take(isDigit)
	return name, name != ""
}

func (p *parser) node() (n parsed, err error) {
	if n.op, err = ParseOp(p.take(isWordChar)); err != nil {
		return n, err
	}
	if !p.eat(".") {
		return n, fmt.Errorf("want .dtype, found %q", p.rest)
	}
	if n.t, err = ParseDType(p.take(isWordChar)); err != nil {
		return n, err
	}
	if n.shape, err = p.shape(); err != nil {
		return n, err
	}
	if n.args, err = p.operands(); err != nil {
		return n, err
	}
	if n.op == OpInput || n.op == OpState {
		if n.name, err = p.quoted(); err != nil {
			return n, err
		}
	}
	if n.words, err = p.braces(); err != nil {
		return n, err
	}
	n.fast = p.eat("fast")
	if n.task, err = p.task(); err != nil {
		return n, err
	}
	if n.task != 0 && taskless(n.op) {
		return n, fmt.Errorf("%v belongs to no task", n.op)
	}
	return n, p.position()
}

func (p *parser) shape() (Shape, error) {
	if !p.eat("[") {
		return Shape{}, nil
	}
	var s Shape
	for {
		digits := p.take(isDigit)
		d, err := strconv.Atoi(digits)
		switch {
		case digits == "":
			return nil, fmt.Errorf("want a length, found %q", p.rest)
		case err != nil:
			return nil, fmt.Errorf("too many elements: %w", err)
		}
		s = append(s, d)
		if p.eat("]") {
			return s, s.check()
		}
		if !p.eat(",") {
			return nil, fmt.Errorf("want , or ], found %q", p.rest)
		}
	}
}

func (p *parser) operands() ([]ID, error) {
	var args []ID
	for {
		name, ok := p.name()
		if !ok {
			if len(args) > 0 {
				return nil, fmt.Errorf("want %%number, found %q", p.rest)
			}
			return nil, nil
		}
		id, ok := p.names[name]
		if !ok {
			return nil, fmt.Errorf("node %%%s is not defined before", name)
		}
		args = append(args, id)
		if !p.eat(",") {
			return args, nil
		}
	}
}

func (p *parser) quoted() (string, error) {
	p.skip()
	quoted, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return "", fmt.Errorf("want a quoted name, found %q", p.rest)
	}
	p.rest = p.rest[len(quoted):]
	return strconv.Unquote(quoted)
}

func (p *parser) braces() ([]string, error) {
	if !p.eat("{") {
		return nil, nil
	}
	inside, rest, ok := strings.Cut(p.rest, "}")
	if !ok {
		return nil, fmt.Errorf("missing }")
	}
	p.rest = rest
	p.skip()
	if strings.TrimSpace(inside) == "" {
		return []string{}, nil
	}
	words := strings.Split(inside, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words, nil
}

func (p *parser) position() error {
	p.g.SetPos(0)
	if !p.eat("@") {
		return nil
	}
	pos, err := strconv.ParseUint(p.take(isDigit), 10, 32)
	if err != nil {
		return fmt.Errorf("bad position: %w", err)
	}
	p.skip()
	p.g.SetPos(uint32(pos))
	return nil
}

// parseWord is the inverse of appendWord.
func parseWord(t DType, s string) (uint64, error) {
	switch t {
	case F32, F64:
		size := 32 * t.Words()
		x, err := strconv.ParseFloat(s, size)
		if err != nil {
			return 0, fmt.Errorf("bad %v %q", t, s)
		}
		if t == F64 {
			return Canonical(t, math.Float64bits(x)), nil
		}
		return Canonical(t, uint64(math.Float32bits(float32(x)))), nil
	case Bool:
		if s != "0" && s != "1" {
			return 0, fmt.Errorf("bad bool %q: 0 or 1", s)
		}
		return uint64(boolWord(s == "1")), nil
	}
	x, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("bad i32 %q", s)
	}
	return uint64(uint32(int32(x))), nil
}
