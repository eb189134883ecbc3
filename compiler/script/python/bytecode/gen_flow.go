package bytecode

import "github.com/copaflash/copaflash/compiler/script/python/syntax"

type blockKind uint8

const (
	loopBlock    blockKind = iota
	exceptBlock            // body of try with handlers
	handlerBlock           // body of an except clause: prev exc on the stack
	tryFinally             // body of try with finally
	finallyBlock           // body of finally: prev payload kind on the stack
	withBlock              // body of with: exit function on the stack
)

// block is a statement that break, continue, return and exceptions leave.
type block struct {
	kind       blockKind
	depth      int   // words it keeps on the stack
	start, end label // loops: where continue and break go
	handler    label // where exceptions go, if protected
	protected  bool
	from       int    // start of the protected range that is open
	name       string // handlerBlock: variable to delete
	exits      []exit // tryFinally: ways out that pass through the finally body
	finally    label
}

// exit is one way to leave a try body: what to do after the finally body.
type exit struct {
	kind exitKind
	loop *block
}

type exitKind uint8

const (
	exitReturn exitKind = iota
	exitBreak
	exitContinue
)

func (g *gen) push(b *block, at syntax.Pos) *block {
	if len(g.blocks) >= maxBlocks {
		g.fail(at, "too many statically nested blocks")
	}
	b.from = len(g.Instrs)
	g.blocks = append(g.blocks, b)
	return b
}

func (g *gen) pop() {
	b := g.blocks[len(g.blocks)-1]
	g.blocks = g.blocks[:len(g.blocks)-1]
	g.protect(b)
}

// protect closes the open protected range of b.
func (g *gen) protect(b *block) {
	if b.protected && b.from < len(g.Instrs) {
		g.Handlers = append(g.Handlers, Handler{Start: b.from, End: len(g.Instrs), Target: int(b.handler), Depth: g.depthOf(b)})
	}
}

// depthOf returns the depth of the stack around block b.
func (g *gen) depthOf(b *block) int {
	depth := 0
	for _, o := range g.blocks {
		if o == b {
			break
		}
		depth += o.depth
	}
	if b.kind != tryFinally && b.kind != exceptBlock {
		depth += b.depth
	}
	return depth
}

func (g *gen) returnStmt(s *syntax.Return) {
	if g.Kind != Function {
		g.fail(s.Pos, "'return' outside function")
	}
	if s.X != nil {
		g.expr(s.X)
	} else {
		g.loadConst(syntax.NoneLit{})
	}
	g.leave(exit{kind: exitReturn})
}

func (g *gen) loopExit(at syntax.Pos, brk bool) {
	for i := len(g.blocks) - 1; i >= 0; i-- {
		if g.blocks[i].kind == loopBlock {
			e := exit{exitContinue, g.blocks[i]}
			if brk {
				e.kind = exitBreak
			}
			g.leave(e)
			return
		}
	}
	if brk {
		g.fail(at, "'break' outside loop")
	}
	g.fail(at, "'continue' not properly in loop")
}

// leave unwinds the blocks between here and the goal of e, innermost first.
// For a return the value is on top of the stack. The code emitted here lies
// outside the protection of the blocks it has left.
func (g *gen) leave(e exit) {
	blocks := g.blocks
	keep := 0
	if e.kind == exitReturn {
		keep = 1
	}
	done := false
	for i := len(blocks) - 1; i >= 0 && !done; i-- {
		b := blocks[i]
		if b == e.loop {
			if e.kind == exitBreak {
				if b.depth == 1 {
					g.emit(Pop, 0)
				}
				g.jump(Jump, b.end)
			} else {
				g.jump(Jump, b.start)
			}
			done = true
			break
		}
		g.blocks = blocks[:i+1]
		g.protect(b)
		g.blocks = blocks[:i]
		done = g.unwind(b, e, keep)
	}
	if !done {
		g.emit(Return, 0)
	}
	g.blocks = blocks
	for _, b := range blocks {
		if b.from < len(g.Instrs) && g.left(blocks, b, e) {
			b.from = len(g.Instrs)
		}
	}
}

// left reports whether leave closed the range of b: it lies inside the goal.
func (g *gen) left(blocks []*block, b *block, e exit) bool {
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i] == e.loop {
			return false
		}
		if blocks[i] == b {
			return true
		}
		if blocks[i].kind == tryFinally {
			return false // the rest is unwound after the finally body
		}
	}
	return false
}

// unwind emits what leaves b. It reports true if the rest is done elsewhere.
func (g *gen) unwind(b *block, e exit, keep int) bool {
	switch b.kind {
	case loopBlock:
		if b.depth == 1 {
			g.emit([]Op{Pop, PopUnder}[keep], 0)
		}
	case handlerBlock:
		g.emit(PopExc, keep)
		g.forget(b.name)
	case finallyBlock:
		g.emit(PopFinally, keep)
	case withBlock:
		g.emit(WithExit, keep)
	case tryFinally:
		g.loadConst(syntax.NoneLit{})
		if keep == 1 {
			g.emit(Rot2, 0)
		} else {
			g.loadConst(syntax.NoneLit{})
		}
		g.loadConst(int64(b.exitIndex(e) + 1))
		g.jump(Jump, b.finally)
		return true
	}
	return false
}

func (b *block) exitIndex(e exit) int {
	for i, x := range b.exits {
		if x == e {
			return i
		}
	}
	b.exits = append(b.exits, e)
	return len(b.exits) - 1
}

// forget unbinds the variable of an except clause.
func (g *gen) forget(name string) {
	if name != "" {
		g.loadConst(syntax.NoneLit{})
		g.variable(store, name)
		g.variable(del, name)
	}
}

func (g *gen) try(s *syntax.Try) {
	if s.Finally == nil {
		g.tryExcept(s)
		return
	}
	b := g.push(&block{kind: tryFinally, protected: true, handler: g.newLabel(), finally: g.newLabel()}, s.Pos)
	if s.Handlers != nil {
		g.tryExcept(s)
	} else {
		g.stmts(s.Body)
	}
	g.pop()
	g.loadConst(syntax.NoneLit{})
	g.emit(Dup, 0)
	g.loadConst(int64(0))
	g.jump(Jump, b.finally)
	g.place(b.handler)
	g.loadConst(int64(-1))
	g.place(b.finally)
	f := g.push(&block{kind: finallyBlock, depth: 3, protected: true, handler: g.newLabel()}, s.Pos)
	g.stmts(s.Finally)
	g.pop()
	end := g.newLabel()
	index := len(g.Exits)
	g.Exits = append(g.Exits, nil)
	g.emit(EndFinally, index)
	g.jump(Jump, end)
	var targets []int
	for _, e := range b.exits {
		l := g.newLabel()
		g.place(l)
		targets = append(targets, int(l))
		if e.kind != exitReturn {
			g.emit(Pop, 0)
		}
		g.leave(e)
	}
	g.Exits[index] = targets
	g.place(f.handler)
	g.emit(CleanupFinally, 0)
	g.place(end)
}

func (g *gen) tryExcept(s *syntax.Try) {
	end := g.newLabel()
	b := g.push(&block{kind: exceptBlock, protected: true, handler: g.newLabel()}, s.Pos)
	g.stmts(s.Body)
	g.pop()
	g.stmts(s.Else)
	g.jump(Jump, end)
	g.place(b.handler)
	cleanup := g.newLabel()
	h := g.push(&block{kind: handlerBlock, depth: 2, protected: true, handler: cleanup}, s.Pos)
	for _, clause := range s.Handlers {
		next := g.newLabel()
		g.at = clause.Pos
		h.name = clause.Name
		if clause.Type != nil {
			g.expr(clause.Type)
			g.at = clause.Pos
			g.emit(MatchExc, 0)
			g.jump(JumpIfFalse, next)
		}
		if clause.Name != "" {
			g.emit(Dup, 0)
			g.variable(store, clause.Name)
		}
		g.stmts(clause.Body)
		g.emit(PopExc, 0)
		g.forget(clause.Name)
		g.jump(Jump, end)
		g.place(next)
	}
	g.emit(Reraise, 0)
	g.pop()
	g.place(cleanup)
	g.emit(CleanupExc, 0)
	g.place(end)
}

func (g *gen) with(s *syntax.With, items []syntax.WithItem) {
	if len(items) == 0 {
		g.stmts(s.Body)
		return
	}
	it := items[0]
	g.expr(it.X)
	g.at = it.X.At()
	g.emit(WithEnter, 0)
	b := &block{kind: withBlock, depth: 1, protected: true, handler: g.newLabel()}
	g.push(b, s.Pos)
	if it.Target != nil {
		g.assign(it.Target)
	} else {
		g.emit(Pop, 0)
	}
	g.with(s, items[1:])
	g.pop()
	end := g.newLabel()
	g.at = it.X.At()
	g.emit(WithExit, 0)
	g.jump(Jump, end)
	g.place(b.handler)
	g.emit(WithExitExc, 0)
	g.place(end)
}
