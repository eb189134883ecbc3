package bytecode

import (
	"fmt"
	"slices"

	"github.com/copaflash/copaflash/compiler/script/python/syntax"
)

// scope holds the names of one code object.
type scope struct {
	kind      Kind
	comp      bool // comprehension: walrus targets belong to the scope around it
	parent    *scope
	children  []*scope
	symbols   map[string]*symbol
	order     []string // of binding
	cells     names    // own variables that inner functions share
	free      names    // variables of outer functions
	generator bool
}

// names is a list of distinct names.
type names struct {
	list  []string
	index map[string]int
}

// add returns the index of name, which it appends if it is new.
func (n *names) add(name string) int {
	i, ok := n.index[name]
	if !ok {
		if n.index == nil {
			n.index = map[string]int{}
		}
		i = len(n.list)
		n.index[name] = i
		n.list = append(n.list, name)
	}
	return i
}

type symbol struct {
	bound, used, global, nonlocal bool
	at                            syntax.Pos
}

// symbols collects the scopes of a file by the node that opens them.
type symbols struct {
	src    *syntax.Source
	scopes map[any]*scope
	cur    *scope
	class  string // innermost class, for private names
}

// bailout carries a fault up to the recover in Compile.
type bailout struct{ err *syntax.Error }

func fail(src *syntax.Source, at syntax.Pos, format string, args ...any) {
	panic(bailout{&syntax.Error{Kind: "SyntaxError", File: src.Name, Pos: at,
		Msg: fmt.Sprintf(format, args...), Source: src.Line(int(at.Line))}})
}

func analyse(f *syntax.File) *symbols {
	s := &symbols{src: f.Source, scopes: map[any]*scope{}}
	s.open(f, Module)
	s.stmts(f.Body)
	root := s.cur
	s.resolve(root)
	return s
}

func (s *symbols) open(node any, kind Kind) *scope {
	sc := &scope{kind: kind, parent: s.cur, symbols: map[string]*symbol{}}
	if s.cur != nil {
		s.cur.children = append(s.cur.children, sc)
	}
	s.scopes[node] = sc
	s.cur = sc
	return sc
}

func (s *symbols) close() { s.cur = s.cur.parent }

func (sc *scope) symbol(name string, at syntax.Pos) *symbol {
	sym := sc.symbols[name]
	if sym == nil {
		sym = &symbol{at: at}
		sc.symbols[name] = sym
	}
	return sym
}

func (s *symbols) bind(name string, at syntax.Pos) { s.bindIn(s.cur, mangle(s.class, name), at) }

func (s *symbols) bindIn(sc *scope, name string, at syntax.Pos) {
	sym := sc.symbol(name, at)
	if !sym.bound {
		sym.bound = true
		sc.order = append(sc.order, name)
	}
}

func (s *symbols) use(name string, at syntax.Pos) {
	s.cur.symbol(mangle(s.class, name), at).used = true
}

// Mangle is the name that a private attribute of a class has outside of it.
func Mangle(class, name string) string { return mangle(class, name) }

// mangle makes private names of a class its own: __x in class C is _C__x.
func mangle(class, name string) string {
	n := len(name)
	if class == "" || n < 3 || name[:2] != "__" || name[n-2:] == "__" {
		return name
	}
	i := 0
	for i < len(class) && class[i] == '_' {
		i++
	}
	if i == len(class) {
		return name
	}
	return "_" + class[i:] + name
}

// resolve decides for every free name whether an outer function has it.
func (s *symbols) resolve(sc *scope) {
	for _, name := range sortedNames(sc.symbols) {
		sym := sc.symbols[name]
		switch {
		case sym.nonlocal:
			if sc.parent == nil || !sc.parent.capture(name) {
				fail(s.src, sym.at, "no binding for nonlocal '%s' found", name)
			}
			sc.free.add(name)
		case sym.used && !sym.bound && !sym.global && sc.parent != nil:
			if sc.parent.capture(name) {
				sc.free.add(name)
			}
		}
	}
	for _, c := range sc.children {
		s.resolve(c)
	}
}

func sortedNames(m map[string]*symbol) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// capture makes name available as a cell in sc's frame. It reports false
// when no function around binds the name: then it is a global.
func (sc *scope) capture(name string) bool {
	if sc.kind == Module {
		return false
	}
	sym := sc.symbols[name]
	switch {
	case sc.kind == Class && name == "__class__":
		sc.cells.add(name)
		return true
	case sym != nil && sym.global && sc.kind == Function:
		return false
	case sym != nil && sym.bound && !sym.nonlocal && sc.kind == Function:
		sc.cells.add(name)
		return true
	}
	if !sc.parent.capture(name) {
		return false
	}
	sc.free.add(name)
	return true
}

// cell returns the index of a variable among the cells of a frame.
func (sc *scope) cell(name string) (int, bool) {
	if i, ok := sc.cells.index[name]; ok {
		return i, true
	}
	i, ok := sc.free.index[name]
	return len(sc.cells.list) + i, ok
}

// walrus binds name in the nearest scope that is no comprehension.
func (s *symbols) walrus(name string, at syntax.Pos) {
	name = mangle(s.class, name)
	sc := s.cur
	for sc.comp {
		sc = sc.parent
	}
	if sc == s.cur {
		s.bindIn(sc, name, at)
		return
	}
	if sc.kind == Class {
		fail(s.src, at, "assignment expression within a comprehension cannot be used in a class body")
	}
	global := sc.kind == Module
	if sym := sc.symbols[name]; sym != nil && sym.global {
		global = true
	}
	s.bindIn(sc, name, at)
	for inner := s.cur; inner != sc; inner = inner.parent {
		sym := inner.symbol(name, at)
		if sym.bound {
			fail(s.src, at, "assignment expression cannot rebind comprehension iteration variable '%s'", name)
		}
		sym.global, sym.nonlocal = global, !global
	}
}

func (s *symbols) declare(d *syntax.Declare) {
	word := "global"
	if d.Nonlocal {
		word = "nonlocal"
		if s.cur.kind == Module {
			fail(s.src, d.Pos, "nonlocal declaration not allowed at module level")
		}
	}
	for _, name := range d.Names {
		name = mangle(s.class, name)
		if sym := s.cur.symbols[name]; sym != nil {
			switch {
			case sym.bound && slices.Contains(s.cur.params(), name):
				fail(s.src, d.Pos, "name '%s' is parameter and %s", name, word)
			case sym.global != sym.nonlocal && sym.nonlocal != d.Nonlocal:
				fail(s.src, d.Pos, "name '%s' is nonlocal and global", name)
			case sym.bound && !sym.global && !sym.nonlocal:
				fail(s.src, d.Pos, "name '%s' is assigned to before %s declaration", name, word)
			case sym.used && !sym.global && !sym.nonlocal:
				fail(s.src, d.Pos, "name '%s' is used prior to %s declaration", name, word)
			}
		}
		sym := s.cur.symbol(name, d.Pos)
		sym.nonlocal, sym.global = d.Nonlocal, !d.Nonlocal
	}
}

// params returns the names bound when the scope was opened: its parameters.
func (sc *scope) params() []string {
	if sc.kind != Function {
		return nil
	}
	return sc.order[:min(len(sc.order), sc.numParams())]
}

func (sc *scope) numParams() int {
	n := 0
	for _, name := range sc.order {
		if sc.symbols[name].at != (syntax.Pos{}) {
			break
		}
		n++
	}
	return n
}
