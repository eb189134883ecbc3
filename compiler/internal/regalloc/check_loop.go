package regalloc

import (
	"fmt"

	"github.com/copaflash/copaflash/compiler/internal/lir"
)

// head replays up to the head of the next loop and returns its end.
func (r *replay) head() (End, error) {
	if len(r.heads) == 0 {
		return End{}, fmt.Errorf("loop without an end")
	}
	e := r.heads[0]
	r.heads = r.heads[1:]
	for r.at < e.Head {
		if err := r.transfer(); err != nil {
			return e, err
		}
	}
	return e, nil
}

// finish checks the end of a loop that began at e.
func (r *replay) finish(e *End, reg uint8) error {
	i, err := r.next()
	if err != nil {
		return err
	}
	if !i.Op.EndsLoop() || i.D != reg || r.code.Ends[i.Imm].Head != e.Head {
		return fmt.Errorf("%s is not the end of the loop at %d", i.Op, e.Head)
	}
	r.at++
	return nil
}

// toEnd replays up to the end of the loop.
func (r *replay) toEnd() error {
	for {
		if i, err := r.next(); err != nil || i.Op.EndsLoop() {
			return err
		}
		if err := r.transfer(); err != nil {
			return err
		}
	}
}

// enterIteration forgets what may differ between the first iteration and the later ones:
// registers, and words that the loop writes.
func (r *replay) enterIteration(e *End) {
	r.forgetRegs()
	for k := e.Head; k < len(r.code.Insts); k++ {
		i := &r.code.Insts[k]
		if code := i.Op.Code(); code == lir.Store || code == lir.Store2 {
			for k := range words(i) {
				r.setWord(lir.Addr(i.Imm).Plus(4*k), unknown)
			}
		}
		if i.Op.EndsLoop() && r.code.Ends[i.Imm].Head == e.Head {
			return
		}
	}
}

func (r *replay) outer(l *lir.Loop) error {
	e, err := r.head()
	if err != nil {
		return err
	}
	c := r.m.Bank(lir.Int)
	if got := r.regs[c][0]; e.Counts && got != ofNumber(uint32(l.Iterations())) {
		return fmt.Errorf("counter starts as %#x", got)
	}
	r.enterIteration(&e)
	counter := ofOffset(l.Counter) // stands for the count
	r.regs[c][0] = counter
	for { // loads may have moved up in front of it
		i, err := r.next()
		if err != nil {
			return err
		}
		if i.Op == storeInt && lir.Addr(i.Imm) == l.Counter && r.regs[c][i.A] == counter {
			break
		}
		if err := r.transfer(); err != nil {
			return err
		}
	}
	r.at++
	r.setWord(l.Counter, counter)
	if _, ok := r.foreign[l.Counter]; ok { // the body reads it
		if e.Counts {
			return fmt.Errorf("the counter, which counts down, is read")
		}
		counter, r.foreign[l.Counter] = ofWord(l.Counter), 0
	}
	if err := r.items(l.Body); err != nil {
		return err
	}
	if err := r.toEnd(); err != nil {
		return err
	}
	if r.regs[c][0] != counter || r.foreign[l.Counter] != 0 {
		return fmt.Errorf("loop counter lost")
	}
	return r.finish(&e, 0)
}

func (r *replay) inner(l *lir.Loop) error {
	e, err := r.head()
	if err != nil {
		return err
	}
	body, err := r.findSteps(l, &e)
	if err != nil {
		return err
	}
	for k, p := range l.Phis {
		got := r.in(&e.Phis[k])
		if k == 0 && e.Counts {
			if want := r.startsAs(l, &e); got != want {
				return fmt.Errorf("counter v%d starts as %#x, not %#x", p.Val, got, want)
			}
			continue
		}
		if p.Init != 0 && !r.is(got, p.Init) || p.Init == 0 && got != ofOffset(p.From) {
			return fmt.Errorf("v%d starts as %#x", p.Val, got)
		}
	}
	for k := range e.Words {
		if w := &e.Words[k]; !r.is(r.in(w), w.Val) {
			return fmt.Errorf("word v%d is not in register %d", w.Val, w.Reg)
		}
	}
	r.enterIteration(&e)
	for k, p := range l.Phis {
		r.put(&e.Phis[k], ofValue(p.Val))
	}
	for k := range e.Words {
		r.put(&e.Words[k], r.of(e.Words[k].Val))
	}
	if err := r.block(body); err != nil {
		return err
	}
	if err := r.toEnd(); err != nil {
		return err
	}
	for k, p := range l.Phis {
		next := p.Next
		if next == 0 {
			next = p.Val
		}
		got := r.in(&e.Phis[k])
		if by := r.steps[p.Val]; by != nil && by.Imm == 0 && r.is(got, p.Val) { // it stays as it is
			continue
		}
		if !r.is(got, next) {
			return fmt.Errorf("next iteration: v%d is %#x, not v%d", p.Val, got, next)
		}
	}
	for k := range e.Words {
		if w := &e.Words[k]; !r.is(r.in(w), w.Val) {
			return fmt.Errorf("next iteration: word v%d has left register %d", w.Val, w.Reg)
		}
	}
	if i, err := r.next(); err == nil && e.By > 0 && (i.Op != untilEndOp || i.A != e.Phis[e.By].Reg) {
		return fmt.Errorf("%s does not end the loop by pointer v%d", i.Op, l.Phis[e.By].Val)
	} else if err == nil && e.By == 0 && i.Op == untilEndOp {
		return fmt.Errorf("the loop ends by no pointer")
	}
	if err := r.finish(&e, e.Phis[0].Reg); err != nil {
		return err
	}
	r.forgetRegs()
	if err := r.leave(l, &e); err != nil || !isWidest(l.Body[0].Block) {
		return err
	}
	if i, err := r.next(); err != nil || i.Op != narrowOp {
		return fmt.Errorf("registers of eight lanes are left as they are behind the loop")
	}
	r.narrow()
	r.at++
	return nil
}

// startsAs is what the register that a loop which counts ends by holds where it begins.
func (r *replay) startsAs(l *lir.Loop, e *End) content {
	if e.By == 0 {
		return ofNumber(uint32(l.Iterations()))
	}
	by := r.steps[l.Phis[e.By].Val]
	if by == nil || by.Imm == 0 || !e.Phis[e.By].Pointer {
		return unknown - 1
	}
	return r.moved(ofPointer(r.in(&e.Phis[e.By])), by.Imm*uint32(l.Iterations()))
}

// leave follows the values that the loop leaves behind to their homes.
func (r *replay) leave(l *lir.Loop, e *End) error {
	for k, p := range l.Phis {
		switch {
		case p.Out == 0:
		case r.f.Values[p.Val].Wide():
			r.put(&e.Phis[k], ofNeighbours(p.Out, int(r.f.Values[p.Val].Lanes)))
		default:
			r.put(&e.Phis[k], ofValue(p.Out))
		}
	}
	for _, p := range l.Phis {
		var err error
		r.f.Outs(&p, func(v lir.Val) {
			home := r.f.Values[v].Home
			for err == nil && r.word(home) != ofValue(v) && r.foreign[home] != v {
				var i *Inst
				if i, err = r.next(); err != nil {
					break
				}
				if !r.keepsOuts(i, v) {
					err = r.transfer()
				}
			}
		})
		if err != nil {
			return fmt.Errorf("behind the loop, for v%d: %w", p.Out, err)
		}
	}
	return nil
}

// keepsOuts reports whether an instruction stores what a loop leaves behind, from v on, to homes of which others read some by
// values of their own, and carries it out.
func (r *replay) keepsOuts(i *Inst, v lir.Val) bool {
	home, n := r.f.Values[v].Home, lir.Lanes(i.Op.DType())
	stored := ofValue(v)
	if n > 1 {
		stored = ofNeighbours(v, n)
	}
	if i.Op.Code() != lir.Store || lir.Addr(i.Imm) != home || r.regs[r.m.Bank(lir.ClassOf(i.Op.DType()))][i.A] != stored {
		return false
	}
	foreign := false
	for k := range n {
		_, is := r.foreign[home.Plus(4*k)]
		foreign = foreign || is
	}
	if !foreign {
		return false
	}
	for k := range n {
		at := home.Plus(4 * k)
		r.setWord(at, ofValue(v+lir.Val(k)))
		if _, is := r.foreign[at]; is {
			r.foreign[at] = v + lir.Val(k)
		}
	}
	r.at++
	return true
}

// findSteps finds the phis whose next values are made at the end of the iteration. It returns
// the body without that, and proves that nothing in it needs a counter that counts down.
func (r *replay) findSteps(l *lir.Loop, e *End) (body []lir.Ins, err error) {
	r.steps = map[lir.Val]*lir.Ins{}
	waits := map[lir.Val]bool{}
	for k, p := range l.Phis {
		if by := l.SteppedBy(k); r.m.Pointers && by != nil && r.f.Values[p.Val].Class == lir.Int {
			r.steps[p.Val], waits[by.D] = by, true
		}
	}
	counter := l.Phis[0].Val
	for _, in := range l.Body[0].Block.Ins {
		if in.D == 0 || !waits[in.D] {
			body = append(body, in)
		}
		if e.Counts && (in.A == counter || in.B == counter || in.C == counter) {
			return nil, fmt.Errorf("the counter v%d, which counts down, is an operand", counter)
		}
	}
	for _, p := range l.Phis {
		if e.Counts && p.Next == counter {
			return nil, fmt.Errorf("the counter v%d, which counts down, is a next value", counter)
		}
	}
	return body, nil
}

func (r *replay) in(p *Place) content {
	if p.Home != lir.NoAddr {
		return r.load(p.Home, r.loadOp(p.Val))
	}
	c := r.regs[r.class(p.Val)][p.Reg]
	if !p.Pointer {
		return c
	}
	if !c.isPointer() {
		return unknown
	}
	return c.pointed()
}

func (r *replay) put(p *Place, c content) {
	if p.Home != lir.NoAddr {
		for k := r.width(ofValue(p.Val)) - 1; k > 0; k-- {
			r.setWord(p.Home.Plus(4*k), unknown)
		}
		r.setWord(p.Home, c)
		return
	}
	if p.Pointer {
		c = ofPointer(c)
	}
	r.regs[r.class(p.Val)][p.Reg] = c
}
